"""The STAC API: every item is valid, and only records with assets are items."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stac_pydantic import Collection, Item

from core.record import Record
from core.timespan import TimeSpan, instant_ms
from search_api.formats_out import stac
from search_api.formats_out.notations import EXPRESSIBLE
from search_api.formats_out.stac import datetimes
from tests.service import Service


def get(samples: Service, address: str, **parameters: Any) -> dict[str, Any]:
    answer = samples.http.get(address, query_string=parameters or None)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.get_json()
    return body


def test_every_item_and_collection_is_valid_stac(samples: Service) -> None:
    features = get(samples, "/stac/search", limit=100)["features"]
    assert len(features) == 4
    for feature in features:
        assert Item.model_validate(feature).assets
    for collection in get(samples, "/stac/collections")["collections"]:
        Collection.model_validate(collection)


def test_a_record_without_assets_is_no_item(samples: Service) -> None:
    assert samples.http.get("/stac/collections/samples/items/samples:era5").status_code == 404
    item = get(samples, "/stac/collections/samples/items/samples:chirps-v2-global")
    assert item["assets"]["data-1"]["roles"] == ["data"]
    assert item["properties"]["datetime"] == "1981-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("parameters", "found"),
    [
        ({"bbox": "100,-10,110,0"}, {"chirps-v2-global"}),
        ({"ids": "samples:chirps-v2-global"}, {"chirps-v2-global"}),
        ({"collections": "nowhere"}, set()),
        ({"datetime": "1700-01-01T00:00:00Z/1750-01-01T00:00:00Z"}, set()),
    ],
)
def test_search_by_get_and_by_post_is_the_same(samples: Service, parameters: dict[str, str], found: set[str]) -> None:
    by_get = get(samples, "/stac/search", limit=100, **parameters)
    ids = {feature["id"].removeprefix("samples:") for feature in by_get["features"]}
    assert found <= ids
    assert bool(found) == bool(ids)
    body: dict[str, Any] = {
        name: value.split(",") if name in ("ids", "collections") else value for name, value in parameters.items()
    }
    if "bbox" in body:
        body["bbox"] = [float(edge) for edge in body["bbox"].split(",")]
    by_post = samples.http.post("/stac/search", json={**body, "limit": 100}).get_json()
    assert by_post["features"] == by_get["features"]


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"bbox": [1, 2, 3]}, "bbox"),
        ({"bbox": [0, 10, 5, 1]}, "bbox"),
        ({"datetime": "noon"}, "datetime"),
        ({"intersects": {"type": "Point", "coordinates": [500, 0]}}, "intersects"),
        ({"intersects": {"type": "Circle"}}, "intersects"),
        ({"colour": 1}, "colour"),
        ({"token": "x"}, "token"),
        ({"bbox": [0, 0, 1, 1], "intersects": {"type": "Point", "coordinates": [0, 0]}}, "intersects"),
    ],
)
def test_a_wrong_search_is_refused_by_name(samples: Service, body: dict[str, Any], named: str) -> None:
    answer = samples.http.post("/stac/search", json=body)
    assert answer.status_code == 400
    assert named in answer.text


@pytest.mark.parametrize(
    "text",
    [
        "1985-04-12",
        "1985",
        "1985-04-12T23:20:50",
        "1985-04-12T23:20:50+0100",
        "1985-04-12T23:20:50Z/1990",
        "../..",
        "/",
    ],
)
def test_only_moments_of_rfc_3339_are_times(samples: Service, text: str) -> None:
    by_get = samples.http.get("/stac/search", query_string={"datetime": text})
    by_post = samples.http.post("/stac/search", json={"datetime": text})
    assert (by_get.status_code, by_post.status_code) == (400, 400)


@pytest.mark.parametrize(
    "text",
    ["1985-04-12t23:20:50.000z", "1985-04-12T23:20:50.52+01:00", "1985-04-12T00:00:00Z/..", "/1985-04-12T00:00:00Z"],
)
def test_moments_of_rfc_3339_are_taken(samples: Service, text: str) -> None:
    assert samples.http.get("/stac/search", query_string={"datetime": text}).status_code == 200


def test_an_item_names_the_extension_that_it_uses() -> None:
    with_doi = stac.item(Record("s:1", "s", "1", "T", doi="10.1/x"), None, [])
    assert with_doi["properties"]["sci:doi"] == "10.1/x"
    assert with_doi["stac_extensions"] == ["https://stac-extensions.github.io/scientific/v1.0.0/schema.json"]
    assert stac.item(Record("s:1", "s", "1", "T"), None, [])["stac_extensions"] == []


_EDGES = st.none() | st.integers(min_value=-(10**15), max_value=10**15)


@given(st.lists(st.tuples(_EDGES, _EDGES), min_size=1, max_size=3))
def test_datetimes_are_always_what_stac_allows(edges: list[tuple[int | None, int | None]]) -> None:
    """``datetime`` is a moment, or null beside both ends; every year has four digits."""
    spans = tuple(
        TimeSpan(*(sorted([a, b]) if a is not None and b is not None else (a, b)))  # type: ignore[type-var]
        for a, b in edges
    )
    said = datetimes(spans)
    if said["datetime"] is None:
        assert instant_ms(said["start_datetime"]) < instant_ms(said["end_datetime"])
    assert all(len(text) in (20, 24) for text in said.values() if text is not None)


def test_the_holocene_begins_where_stac_can_write_it() -> None:
    span = TimeSpan.from_iso("-9700-01-01", "2000-01-01")
    assert datetimes((span,))["start_datetime"] == "0001-01-01T00:00:00Z"
    assert EXPRESSIBLE.start_iso == "0001-01-01T00:00:00Z"


def test_a_collection_of_geometries_within_another_is_refused(samples: Service) -> None:
    nested = '{"type":"GeometryCollection","geometries":[' * 300 + "]}" * 300
    answer = samples.http.get("/stac/search", query_string={"intersects": nested})
    assert (answer.status_code, "GeometryCollection" in answer.json["detail"]) == (400, True)


@pytest.mark.parametrize(("said", "found"), [(True, 1), (False, 0)])
def test_a_filter_may_be_true_or_false(samples: Service, said: bool, found: int) -> None:
    answer = samples.http.post("/stac/search", json={"filter": said, "filter-lang": "cql2-json", "limit": 1})
    assert len(answer.get_json()["features"]) == found
