"""A search in an area that is no box."""

from __future__ import annotations

import json

import pytest

from tests.service import Service

TRIANGLE = {"type": "Polygon", "coordinates": [[[-5, 42], [20, 42], [8, 52], [-5, 42]]]}
WKT = "POLYGON((-5 42, 20 42, 8 52, -5 42))"


def ids(service: Service, **parameters: str) -> list[str]:
    answer = service.http.get("/search", query_string={"q": "data", "limit": "100", "group": "none", **parameters})
    assert answer.status_code == 200, answer.text
    return sorted(feature["id"] for feature in answer.get_json()["features"])


def test_wkt_and_geojson_find_what_the_filter_finds(samples: Service) -> None:
    found = ids(samples, geometry=WKT)
    assert found == ids(samples, geometry=json.dumps(TRIANGLE))
    assert found == ids(samples, filter=f"S_INTERSECTS(geometry, {WKT})")
    assert 0 < len(found) < len(ids(samples))
    body = {"q": "data", "limit": 100, "group": "none", "geometry": TRIANGLE}
    assert sorted(one["id"] for one in samples.http.post("/search", json=body).get_json()["features"]) == found


def test_the_relation_is_that_to_the_geometry(samples: Service) -> None:
    inside = ids(samples, geometry=WKT, relation="within")
    assert set(inside) < set(ids(samples, geometry=WKT))
    assert set(ids(samples, geometry=WKT, relation="disjoint")).isdisjoint(ids(samples, geometry=WKT))


@pytest.mark.parametrize(
    ("parameters", "parameter"),
    [
        ({"geometry": "POLYGON((1 2, 3"}, "geometry"),
        ({"geometry": "type = 'dataset'"}, "geometry"),
        ({"geometry": f"{WKT}) OR (1 = 1"}, "geometry"),
        ({"geometry": '{"type": "Polygon"}'}, "geometry"),
        ({"geometry": WKT, "relation": "north_of"}, "geometry"),
        ({"geometry": WKT, "bbox": "1,2,3,4"}, "geometry"),
        ({"geometry": WKT, "place": "Alps"}, "place"),
    ],
    ids=["cut off", "no geometry", "more than one", "no coordinates", "relation of boxes", "with bbox", "with place"],
)
def test_what_is_no_area_is_refused(samples: Service, parameters: dict[str, str], parameter: str) -> None:
    answer = samples.http.get("/search", query_string={"q": "data", **parameters})
    assert answer.status_code == 400
    assert answer.get_json()["parameter"] == parameter
    assert answer.get_json()["detail"].startswith(f"{parameter}: ")
