"""STAC API's Collection Search, children and Aggregation, over three small sources."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from stac_pydantic import Collection

from tests.api.test_stac import get
from tests.conftest import delete_indices
from tests.service import Service

ALPS, PACIFIC, ICE = "alps", "pacific", "ice-cores"


def stac_item(id: str, bbox: list[float], period: tuple[str, str | None], **properties: Any) -> dict[str, Any]:
    west, south, east, north = bbox
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {
        "type": "Feature",
        "stac_version": "1.0.0",
        "id": id,
        "bbox": bbox,
        "geometry": {"type": "Polygon", "coordinates": [ring]},
        "properties": {"datetime": None, "start_datetime": period[0], "end_datetime": period[1], **properties},
        "links": [],
        "assets": {"data": {"href": f"https://data.example/{id}.nc", "type": "application/x-netcdf"}},
    }


ITEMS = {
    ALPS: [
        stac_item("a1", [6, 45, 10, 47], ("2001-01-01T00:00:00Z", "2001-12-31T00:00:00Z"), platform="terra", gsd=250),
        stac_item("a2", [7, 46, 8, 47], ("2003-05-01T00:00:00Z", "2003-06-01T00:00:00Z"), platform="terra", gsd=30),
        stac_item("a3", [7, 46, 8, 47], ("2003-06-01T00:00:00Z", "2003-07-01T00:00:00Z"), platform="aqua", gsd=10),
    ],
    PACIFIC: [stac_item("p1", [170, -20, 179, -10], ("1990-01-01T00:00:00Z", "1995-01-01T00:00:00Z"), gsd=5000)],
    ICE: [stac_item("i1", [-45, 70, -40, 75], ("0500-01-01T00:00:00Z", "1200-01-01T00:00:00Z"))],
}


@pytest.fixture(scope="module")
def service(
    es_client: Elasticsearch, elasticsearch_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    made = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    for source, items in ITEMS.items():
        folder: Path = tmp_path_factory.mktemp(source)
        for one in items:
            (folder / f"{one['id']}.json").write_text(json.dumps(one), "utf-8")
        made.harvest(folder, source)
    yield made
    delete_indices(es_client, made.prefix)


def _ids(answer: dict[str, Any]) -> list[str]:
    return [one["id"] for one in answer["collections"]]


@pytest.mark.parametrize(
    ("asked", "ids"),
    [
        ({}, [ALPS, ICE, PACIFIC]),
        ({"bbox": "5,44,7,46"}, [ALPS]),
        ({"bbox": "175,-15,-175,-12"}, [PACIFIC]),
        ({"bbox": "5,44,0,7,46,100"}, [ALPS]),
        ({"datetime": "1992-01-01T00:00:00Z"}, [PACIFIC]),
        ({"datetime": "1992-01-01T00:00:00Z/.."}, [ALPS, PACIFIC]),
        ({"datetime": "../0900-01-01T00:00:00Z"}, [ICE]),
        ({"q": "CORES,pacif"}, [ICE, PACIFIC]),
        ({"q": "nothing such"}, []),
        ({"sortby": "-title"}, [PACIFIC, ICE, ALPS]),
    ],
)
def test_collections_are_searched_by_place_time_and_words(
    service: Service, asked: dict[str, str], ids: list[str]
) -> None:
    answer = get(service, "/stac/collections", **asked)
    assert _ids(answer) == ids
    assert (answer["numberMatched"], answer["numberReturned"]) == (len(ids), len(ids))


@pytest.mark.parametrize(
    ("filter", "found"),
    [
        ("id = 'alps'", [ALPS]),
        ("id <> 'alps'", [ICE, PACIFIC]),
        ("id IN ('alps', 'pacific')", [ALPS, PACIFIC]),
        ("id BETWEEN 'a' AND 'j'", [ALPS, ICE]),
        ("title LIKE '%ALPS%'", [ALPS]),
        ("title LIKE '_ce%'", [ICE]),
        ("id LIKE 'A%'", []),
        ("CASEI(id) = CASEI('ALPS')", [ALPS]),
        ("'alps' = id", [ALPS]),
        ("id = 'alps' OR NOT (id <> 'pacific')", [ALPS, PACIFIC]),
        ("description LIKE '%harvested from pacific%'", [PACIFIC]),
        ("S_INTERSECTS(geometry, BBOX(5,44,9,46))", [ALPS]),
        ("S_WITHIN(geometry, BBOX(160,-30,-160,0))", [PACIFIC]),
        ("S_CONTAINS(geometry, POINT(8 46.5))", [ALPS]),
        ("NOT S_DISJOINT(geometry, POINT(8 46.5))", [ALPS]),
        ("T_AFTER(datetime, DATE('2000-01-01'))", [ALPS]),
        ("T_INTERSECTS(datetime, INTERVAL('1994-01-01','2002-01-01'))", [ALPS, PACIFIC]),
        ("datetime < DATE('1500-01-01')", [ICE]),
        ("datetime IS NULL", []),
        ("geometry IS NOT NULL", [ALPS, ICE, PACIFIC]),
    ],
)
def test_collections_are_filtered_by_cql2(service: Service, filter: str, found: list[str]) -> None:
    answer = get(service, "/stac/collections", filter=filter)
    assert ([one["id"] for one in answer["collections"]], answer["numberMatched"]) == (found, len(found))


def test_a_filter_of_collections_is_json_too_and_names_what_is_wrong(service: Service) -> None:
    tree = {"op": "like", "args": [{"property": "title"}, "%alps%"]}
    answer = get(service, "/stac/collections", filter=json.dumps(tree), **{"filter-lang": "cql2-json"})
    assert [one["id"] for one in answer["collections"]] == [ALPS]
    link = next(one["href"] for one in answer["links"] if one["rel"].endswith("/queryables"))
    offered = get(service, "/" + link.split("/", 3)[3])["properties"]
    assert set(offered) == {"id", "title", "description", "datetime", "geometry"}
    for wrong in ("gsd > 1", "id = 1", "title > ", "geometry = 'x'", "T_METBY(datetime, DATE('2000-01-01'))", "id"):
        refused = service.http.get("/stac/collections", query_string={"filter": wrong})
        assert (refused.status_code, refused.mimetype) == (400, "application/problem+json"), wrong


def test_collections_come_in_pages(service: Service) -> None:
    seen, address = [], "/stac/collections?limit=1&sortby=-id"
    while address:
        page = service.http.get(address).get_json()
        seen += _ids(page)
        address = next((one["href"] for one in page["links"] if one["rel"] == "next"), "")
    assert seen == [PACIFIC, ICE, ALPS]


def test_fields_of_collections(service: Service) -> None:
    answer = get(service, "/stac/collections", fields="title,-links", limit=1)
    assert answer["collections"][0].keys() == {
        "type", "stac_version", "id", "title", "description", "license", "extent",
    }  # fmt: skip


@pytest.mark.parametrize("asked", [{"sortby": "size"}, {"bbox": "1,2"}, {"datetime": "1992"}, {"colour": "red"}])
def test_a_wrong_collection_search_is_refused(service: Service, asked: dict[str, str]) -> None:
    answer = service.http.get("/stac/collections", query_string=asked)
    assert answer.status_code == 400
    assert next(iter(asked)) in answer.get_json()["detail"]


def test_children_are_the_collections_that_the_landing_page_names(service: Service) -> None:
    landing = {one["rel"]: one["href"] for one in get(service, "/stac")["links"]}
    answer = service.http.get(landing["children"]).get_json()
    children = [Collection.model_validate(one) for one in answer["children"]]
    assert [one.id for one in children] == [ALPS, ICE, PACIFIC]
    assert {"self", "root"} <= {one["rel"] for one in answer["links"]}
    assert landing["child"].endswith(f"/stac/collections/{PACIFIC}")


def _counts(service: Service, names: str, address: str = "/stac/aggregate", **asked: str) -> dict[str, Any]:
    answer = get(service, address, aggregations=names, **asked)
    assert answer["type"] == "AggregationCollection"
    return {one["name"]: one for one in answer["aggregations"]}


def _buckets(counted: dict[str, Any]) -> dict[str, int]:
    return {one["key"]: one["frequency"] for one in counted["buckets"]}


def test_items_are_counted(service: Service) -> None:
    found = _counts(service, "total_count,datetime_min,datetime_max,collection_frequency,platform_frequency")
    assert list(found) == ["total_count", "datetime_min", "datetime_max", "collection_frequency", "platform_frequency"]
    assert found["total_count"] == {"name": "total_count", "data_type": "integer", "value": 5}
    assert found["datetime_min"]["value"] == "0500-01-01T00:00:00Z"
    assert found["datetime_max"]["value"] == "2003-06-01T00:00:00Z"
    assert _buckets(found["collection_frequency"]) == {ALPS: 3, ICE: 1, PACIFIC: 1}
    assert _buckets(found["platform_frequency"]) == {"terra": 2, "aqua": 1}
    assert found["platform_frequency"]["overflow"] == 0


def test_counts_are_of_what_the_filters_leave(service: Service) -> None:
    asked = {"bbox": "5,44,12,48", "datetime": "2003-01-01T00:00:00Z/.."}
    assert _counts(service, "total_count", **asked)["total_count"]["value"] == 2
    below = _counts(service, "total_count,gsd_frequency", f"/stac/collections/{ALPS}/aggregate", filter="gsd > 20")
    assert below["total_count"]["value"] == 2
    ranges = {(one.get("from"), one.get("to")): one["frequency"] for one in below["gsd_frequency"]["buckets"]}
    assert ranges[30.0, 100.0] == ranges[100.0, 300.0] == 1
    assert sum(ranges.values()) == 2
    body = {"aggregations": ["total_count"], "query": {"platform": {"eq": "terra"}}, "collections": [ALPS]}
    by_post = service.http.post("/stac/aggregate", json=body).get_json()
    assert by_post["aggregations"][0]["value"] == 2


def test_times_are_counted_in_intervals_that_fit_them(service: Service) -> None:
    fine = _counts(service, "datetime_frequency", f"/stac/collections/{ALPS}/aggregate")["datetime_frequency"]
    assert sum(_buckets(fine).values()) == 3
    assert _buckets(fine)["2003-05-01T00:00:00Z"] == 1
    whole = _counts(service, "datetime_frequency")["datetime_frequency"]
    assert sum(_buckets(whole).values()) == 5
    assert fine["interval"] != whole["interval"]


def test_what_is_offered_can_be_asked_for_and_nothing_else(service: Service) -> None:
    links = {one["rel"]: one["href"] for one in get(service, f"/stac/collections/{ALPS}")["links"]}
    offered = service.http.get(links["aggregations"]).get_json()["aggregations"]
    names = [one["name"] for one in offered]
    found = _counts(service, ",".join(names))
    assert [found[name].items() >= one.items() for name, one in zip(names, offered, strict=True)]
    assert all(("buckets" in one) != ("value" in one) for one in found.values())
    assert get(service, "/stac/aggregate")["aggregations"] == []
    answer = service.http.get(links["aggregate"], query_string={"aggregations": "cloud_cover_frequency"})
    assert answer.status_code == 400
    assert "cloud_cover_frequency" in answer.get_json()["detail"]


@pytest.mark.parametrize("body", [{"bbox": [0, 0, 1, 1, 2]}, {"datetime": "noon"}, {"filter": "gsd <"}, {"colour": 1}])
def test_wrong_counts_by_post_are_refused_by_name(service: Service, body: dict[str, Any]) -> None:
    answer = service.http.post("/stac/aggregate", json=body)
    assert answer.status_code == 400
    assert next(iter(body)) in answer.get_json()["detail"]


def test_ages_of_an_ice_core_are_counted_beside_the_periods(
    es_client: Elasticsearch, elasticsearch_url: str, tmp_path: Path
) -> None:
    old = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    starts = {"core": "-800000-01-01", "lake": "-21000-01-01", "tree": "-1200-01-01", "now": "2020-01-01"}
    for id, start in starts.items():
        document = {"@context": "https://schema.org/", "@type": "Dataset", "@id": f"https://x.example/{id}", "name": id}
        file = {"@type": "DataDownload", "contentUrl": f"https://x.example/{id}.csv", "encodingFormat": "text/csv"}
        document |= {"description": "Ages", "temporalCoverage": f"{start}/2021-01-01", "distribution": file}
        (tmp_path / f"{id}.json").write_text(json.dumps(document), "utf-8")
    try:
        old.harvest(tmp_path, "old")
        frequency = _counts(old, "datetime_frequency")["datetime_frequency"]
        assert (sum(_buckets(frequency).values()), frequency["overflow"]) == (2, 2)
        assert len(frequency["buckets"]) == 2
    finally:
        delete_indices(es_client, old.prefix)
