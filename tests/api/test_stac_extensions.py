"""STAC API's extensions: Filter, Query, Sort, Fields and free text, by GET and by POST."""

from __future__ import annotations

import json
from typing import Any

import pytest
from stac_pydantic import Item

from search_api.protocols.stac.documents import read_fields, with_fields
from search_api.protocols.stac.parameters import STAC_QUERYABLES, STAC_SORTABLES
from tests.api.test_stac import get
from tests.service import Service

CHIRPS, AFRICA, RADAR, STATIONS = (
    "chirps-v2-global", "chirps-v2-africa-monthly", "dwd-radolan", "dwd-stationsdaten-temperatur",
)  # fmt: skip
EVERY = {CHIRPS, AFRICA, RADAR, STATIONS}


def found(answer: dict[str, Any]) -> list[str]:
    return [feature["id"].removeprefix("samples:") for feature in answer["features"]]


def post(samples: Service, **body: Any) -> dict[str, Any]:
    answer = samples.http.post("/stac/search", json=body)
    assert answer.status_code == 200, answer.text
    said: dict[str, Any] = answer.get_json()
    return said


@pytest.mark.parametrize(
    ("text", "tree", "ids"),
    [
        ("gsd <= 1000", {"op": "<=", "args": [{"property": "gsd"}, 1000]}, {RADAR}),
        (
            "properties.datetime > TIMESTAMP('2000-01-01T00:00:00Z')",
            {"op": ">", "args": [{"property": "properties.datetime"}, {"timestamp": "2000-01-01T00:00:00Z"}]},
            {RADAR},
        ),
        (
            "S_INTERSECTS(geometry, BBOX(5,47,6,48)) AND collection = 'samples'",
            {
                "op": "and",
                "args": [
                    {"op": "s_intersects", "args": [{"property": "geometry"}, {"bbox": [5, 47, 6, 48]}]},
                    {"op": "=", "args": [{"property": "collection"}, "samples"]},
                ],
            },
            {RADAR, STATIONS, CHIRPS},
        ),
        ("title LIKE 'chirps%'", {"op": "like", "args": [{"property": "title"}, "chirps%"]}, {CHIRPS, AFRICA}),
        ("gsd IS NULL", {"op": "isNull", "args": [{"property": "gsd"}]}, {STATIONS}),
        (
            "NOT id IN ('samples:dwd-radolan')",
            {"op": "not", "args": [{"op": "in", "args": [{"property": "id"}, ["samples:dwd-radolan"]]}]},
            EVERY - {RADAR},
        ),
    ],
)
def test_a_filter_is_text_or_json_by_get_and_by_post(
    samples: Service, text: str, tree: dict[str, Any], ids: set[str]
) -> None:
    for address in ("/stac/search", "/stac/collections/samples/items"):
        assert set(found(get(samples, address, filter=text))) == ids
        by_json = {"filter": json.dumps(tree), "filter-lang": "cql2-json"}
        assert set(found(get(samples, address, **by_json))) == ids
    assert set(found(post(samples, filter=tree))) == ids
    assert set(found(post(samples, filter=text, **{"filter-lang": "cql2-text"}))) == ids


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ({"gsd": {"gte": 500, "lt": 5000}}, {RADAR}),
        ({"gsd": {"neq": 1000}}, {CHIRPS, AFRICA}),
        ({"title": {"startsWith": "CHIRPS", "endsWith": "africa"}}, {AFRICA}),
        ({"title": {"contains": "radar"}}, {RADAR}),
        ({"title": {"contains": "%"}}, set()),
        ({"id": {"in": ["samples:dwd-radolan", "samples:none"]}}, {RADAR}),
        ({"properties.datetime": {"lt": "1900-01-01T00:00:00Z"}}, set()),
        ({}, EVERY),
    ],
)
def test_a_query_of_stac_is_the_same_by_get_and_by_post(samples: Service, query: dict[str, Any], ids: set[str]) -> None:
    assert set(found(post(samples, query=query))) == ids
    assert set(found(get(samples, "/stac/search", query=json.dumps(query)))) == ids


def test_items_are_sorted_and_pages_keep_the_order(samples: Service) -> None:
    by_time = [STATIONS, AFRICA, CHIRPS, RADAR]
    assert found(get(samples, "/stac/search", sortby="properties.datetime,id")) == by_time
    backwards = [{"field": "datetime", "direction": "desc"}, {"field": "id", "direction": "desc"}]
    assert found(post(samples, sortby=backwards)) == by_time[::-1]
    seen, body = [], {"sortby": backwards, "limit": 1}
    for _ in EVERY:
        page = post(samples, **body)
        seen += found(page)
        following = [one for one in page["links"] if one["rel"] == "next"]
        body |= following[0]["body"] if following else {}
    assert seen == by_time[::-1]
    assert found(get(samples, "/stac/collections/samples/items", sortby="-gsd,id"))[-1] == STATIONS, "it has no gsd"


@pytest.mark.parametrize("name", list(STAC_SORTABLES))
def test_every_sortable_sorts(samples: Service, name: str) -> None:
    assert set(found(get(samples, "/stac/search", sortby=f"-properties.{name}"))) == EVERY


@pytest.mark.parametrize("name", list(STAC_QUERYABLES))
def test_every_queryable_can_be_asked_for(samples: Service, name: str) -> None:
    for address in ("/stac/queryables", "/stac/collections/samples/queryables"):
        assert name in get(samples, address)["properties"]
    there = set(found(get(samples, "/stac/search", filter=f'"{name}" IS NOT NULL')))
    missing = set(found(get(samples, "/stac/search", filter=f'"{name}" IS NULL')))
    assert there | missing == EVERY
    assert not there & missing


def test_free_text_finds_any_of_its_terms(samples: Service) -> None:
    assert set(found(get(samples, "/stac/search", q="famine early warning,Hohenpeißenberg"))) == {CHIRPS, STATIONS}
    assert set(found(post(samples, q=["famine early warning", "Hohenpeißenberg"]))) == {CHIRPS, STATIONS}
    assert found(get(samples, "/stac/collections/samples/items", q="early famine")) == []


def test_fields_leave_out_and_put_in(samples: Service) -> None:
    (slim,) = get(samples, "/stac/search", ids=f"samples:{RADAR}", fields="")["features"]
    assert Item.model_validate(slim).id == f"samples:{RADAR}"
    assert list(slim["properties"]) == ["datetime"]
    (one,) = post(samples, ids=[f"samples:{RADAR}"], fields={"include": ["gsd"], "exclude": ["geometry", "links"]})[
        "features"
    ]
    assert one["properties"] == {"datetime": "2005-06-01T00:00:00Z", "gsd": 1000.0}
    assert not one.keys() & {"geometry", "links"}
    (rest,) = get(samples, "/stac/search", ids=f"samples:{RADAR}", fields="-geometry,-properties.title")["features"]
    assert "description" in rest["properties"]
    assert "title" not in rest["properties"]


def test_an_included_property_outlives_its_excluded_parent() -> None:
    item = {"id": "a", "properties": {"datetime": None, "gsd": 3}, "assets": {}}
    assert with_fields(item, read_fields("properties.gsd,-properties"))["properties"] == {"gsd": 3}
    assert with_fields(item, read_fields("nothing,-id")) == {"properties": {"datetime": None}, "assets": {}}


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"filter": {"op": "=", "args": [{"property": "eo:cloud_cover"}, 1]}}, "eo:cloud_cover"),
        ({"filter": "gsd <", "filter-lang": "cql2-text"}, "filter"),
        ({"filter": {"op": "and"}}, "filter"),
        ({"query": {"eo:cloud_cover": {"lt": 1}}}, "query: there is no property"),
        ({"query": {"gsd": {"near": 1}}}, "query: near is not an operator"),
        ({"query": {"gsd": {"startsWith": "1"}}}, "query: like compares texts"),
        ({"query": {"gsd": 1}}, "query: gsd needs operators"),
        ({"query": {"gsd": {"lt": "much"}}}, "query: much is not a number"),
        ({"sortby": [{"field": "colour", "direction": "asc"}]}, "sortby"),
        ({"sortby": [{"field": "gsd", "direction": "up"}]}, "sortby"),
        ({"fields": {"only": ["id"]}}, "fields"),
    ],
)
def test_what_no_extension_knows_is_refused_by_name(samples: Service, body: dict[str, Any], named: str) -> None:
    answer = samples.http.post("/stac/search", json=body)
    assert answer.status_code == 400
    assert named in answer.get_json()["detail"]


def test_a_token_belongs_to_its_order(samples: Service) -> None:
    first = post(samples, limit=1, sortby=[{"field": "title"}])
    token = next(one for one in first["links"] if one["rel"] == "next")["body"]["token"]
    answer = samples.http.post("/stac/search", json={"limit": 1, "token": token})
    assert answer.status_code == 400
