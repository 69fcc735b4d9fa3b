"""OGC API - Records Part 2 (draft 25-013), as a client reads it: what can be counted, then the counts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service import SAMPLES, Service

ITEMS = "/collections/samples/items"
COUNT = len(list(SAMPLES.glob("*.xml")))
CLASS = "http://www.opengis.net/spec/ogcapi-records-2/1.0/conf"


def get(samples: Service, address: str, **parameters: Any) -> dict[str, Any]:
    answer = samples.http.get(address, query_string=parameters or None)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    body: dict[str, Any] = answer.get_json()
    return body


def test_a_client_finds_the_facets_by_conformance_and_link(samples: Service) -> None:
    assert {f"{CLASS}/simple", f"{CLASS}/advanced"} <= set(get(samples, "/conformance")["conformsTo"])
    links = get(samples, "/collections/samples")["links"]
    (address,) = [link["href"] for link in links if link["rel"].endswith("/facets")]
    answer = samples.http.get(address)
    assert answer.content_type == "application/facets+json"
    body = answer.get_json()
    assert (body["id"], body["defaultBucketCount"]) == ("samples", 10)
    for name, facet in body["facets"].items():
        assert facet["type"] in ("term", "histogram")
        assert facet["property"] == name
        assert facet["sortedBy"] in ("count", "value")
        assert ("minOccurs" in facet) == (facet["type"] == "term")
    queryables = get(samples, "/collections/samples/queryables")["properties"]
    assert {name for name, schema in queryables.items() if schema.get("facet")} == body["facets"].keys()
    assert samples.http.get("/collections/nothing/facets").status_code == 404


def test_the_first_page_has_an_overview_and_an_empty_parameter_none(samples: Service) -> None:
    page = get(samples, ITEMS, limit=2)
    assert page["facets"].keys() == {"type"}
    for facet in page["facets"].values():
        assert facet["type"] == "term"
        assert facet["buckets"]
        assert all(bucket.keys() == {"value", "count"} for bucket in facet["buckets"])
    assert sum(bucket["count"] for bucket in page["facets"]["type"]["buckets"]) == COUNT
    following = next(link["href"] for link in page["links"] if link["rel"] == "next")
    assert "facets" not in get(samples, following)
    assert "facets" not in get(samples, f"{ITEMS}?facets=")


def test_only_the_requested_facets_are_counted_so_many_and_in_this_order(samples: Service) -> None:
    facets = get(samples, ITEMS, facets="keywords:3:value_asc,type")["facets"]
    assert list(facets) == ["keywords", "type"]
    values = [bucket["value"] for bucket in facets["keywords"]["buckets"]]
    assert values == sorted(values)
    assert (len(values), facets["keywords"]["more"]) == (3, True)
    counts = [bucket["count"] for bucket in get(samples, ITEMS, facets="keywords::")["facets"]["keywords"]["buckets"]]
    assert (len(counts), counts) == (10, sorted(counts, reverse=True))


def test_a_count_is_the_number_of_records_behind_its_filter(samples: Service) -> None:
    every = ",".join(f"{name}:3" for name in get(samples, "/collections/samples/facets")["facets"] if name != "time")
    tried = 0
    for name, facet in get(samples, ITEMS, q="temperature", facets=every)["facets"].items():
        for bucket in facet["buckets"]:
            value = bucket["value"].replace("'", "''")
            many = get(samples, "/collections/samples/queryables")["properties"][name]["type"] == "array"
            condition = f"A_CONTAINS({name},('{value}'))" if many else f"{name} = '{value}'"
            page = get(samples, ITEMS, q="temperature", filter=condition, facets="")
            assert page["numberMatched"] == bucket["count"], (name, value)
            tried += 1
    assert tried > 10


def test_decades_are_counted_as_the_filter_by_time_finds_them(samples: Service) -> None:
    time = get(samples, ITEMS, facets="time:6", sortby="created")["facets"]["time"]
    assert (time["type"], time["property"], time["more"]) == ("histogram", "time", True)
    assert len(time["buckets"]) == 6
    assert time["buckets"] == sorted(time["buckets"], key=lambda bucket: bucket["min"])
    for bucket in time["buckets"]:
        assert bucket["min"] < bucket["max"]
        found = get(samples, ITEMS, datetime=f"{bucket['min']}/{bucket['max']}")["numberMatched"]
        assert found == bucket["count"], bucket
    counts = [bucket["count"] for bucket in get(samples, ITEMS, facets="time::count_desc")["facets"]["time"]["buckets"]]
    assert counts == sorted(counts, reverse=True)


@pytest.mark.parametrize("facets", ["colour", "type:0", "type:101", "type:value_asc", "type:5:up", "id"])
def test_wrong_requests_are_refused_by_name(samples: Service, facets: str) -> None:
    answer = samples.http.get(ITEMS, query_string={"facets": facets})
    assert answer.status_code == 400
    assert "facets" in answer.get_data(as_text=True)
