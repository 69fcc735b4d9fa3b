"""Geometries that hold nothing, or not what their type says, are 400 and named, wherever a caller may give one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from search_api.search.filtering.comparisons import RELATIONS
from tests.service import Service

RING = [[0, 0], [1, 0], [1, 1], [0, 0]]
KINDS = ("Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon")
WRONG: list[Any] = [
    *({"type": kind, "coordinates": []} for kind in KINDS),
    *({"type": kind, "coordinates": [[]]} for kind in KINDS),
    *({"type": kind, "coordinates": [[[]]]} for kind in KINDS),
    *({"type": kind, "coordinates": [[[[]]]]} for kind in KINDS),
    *({"type": kind} for kind in (*KINDS, "GeometryCollection")),
    *({"type": kind, "coordinates": None} for kind in KINDS),
    *({"type": kind, "coordinates": {"lon": 1}} for kind in KINDS),
    *({"type": kind, "coordinates": "1,2"} for kind in KINDS),
    *({"type": kind, "coordinates": 5} for kind in KINDS),
    *({"type": kind, "coordinates": [1, 2]} for kind in KINDS if kind != "Point"),
    *({"type": kind, "coordinates": [[RING]]} for kind in KINDS if kind != "MultiPolygon"),
    {"type": "GeometryCollection", "geometries": []},
    {"type": "GeometryCollection", "geometries": None},
    {"type": "GeometryCollection", "geometries": [{}]},
    {"type": "GeometryCollection", "geometries": [{"type": "Polygon", "coordinates": []}]},
    {"type": "GeometryCollection", "geometries": [{"type": "GeometryCollection", "geometries": []}]},
    {"type": "Point", "coordinates": [1]},
    {"type": "Point", "coordinates": ["1", "2"]},
    {"type": "Point", "coordinates": [True, False]},
    {"type": "Point", "coordinates": [None, None]},
    {"type": "Point", "coordinates": [1, 2, 3, 4, 5]},
    {"type": "Point", "coordinates": [1, 91]},
    {"type": "Point", "coordinates": [10**400, 0]},
    {"type": "LineString", "coordinates": [[1, 2]]},
    {"type": "LineString", "coordinates": [[1, 2], [1, 2]]},
    {"type": "LineString", "coordinates": [[1, 2], []]},
    {"type": "Polygon", "coordinates": [RING[:3]]},
    {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1]]]},
    {"type": "Polygon", "coordinates": [RING, []]},
    {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [0, 1], [1, 0], [0, 0]]]},
    {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [2, 2], [0, 0]]]},
    {"type": "Polygon", "coordinates": [[[0, 0], [0, 0], [0, 0], [0, 0]]]},
    {"type": "Polygon", "coordinates": [[[0, 0], [1e-9, 0], [0, 1e-9], [0, 0]]]},
    {"type": "MultiPolygon", "coordinates": [[RING], []]},
    {"type": "MultiPolygon", "coordinates": [[RING], [RING]]},
    {"type": "Envelope", "coordinates": [[0, 1], [1, 0]]},
    {"type": ["Point"], "coordinates": [0, 0]},
    {"type": "Feature", "geometry": {"type": "Point", "coordinates": [0, 0]}},
    {"bbox": []},
    {"bbox": [1, 2, 3]},
    {"bbox": [1, 2, 3, "4"]},
    {},
]
RIGHT: list[Any] = [
    {"type": "Point", "coordinates": [1, 2]},
    {"type": "Point", "coordinates": [1, 2, 3000, 5], "crs": None, "bbox": []},
    {"type": "MultiPoint", "coordinates": [[1, 2], [1, 2]]},
    {"type": "LineString", "coordinates": [[179, 0], [-179, 1, 10]]},
    {"type": "Polygon", "coordinates": [RING[::-1]]},
    {"type": "MultiPolygon", "coordinates": [[RING], [[[5, 5], [6, 5], [6, 6], [5, 5]]]]},
    {"type": "GeometryCollection", "geometries": [{"type": "Polygon", "coordinates": [RING]}]},
    {"bbox": [170, -20, -170, -10]},
    {"bbox": [0, 0, 0, 10, 10, 10]},
]


def _answers(samples: Service, shape: Any) -> list[tuple[int, str]]:
    place = {"property": "geometry"}
    tree = {"op": "s_intersects", "args": [place, shape]}
    query = {"filter-lang": "cql2-json", "filter": json.dumps(tree)}
    relations = [{"op": op, "args": args} for op in RELATIONS for args in ([place, shape], [shape, place])]
    calls = [
        *(samples.http.post("/stac/search", json={"filter": one}) for one in relations),
        samples.http.get("/collections/all/items", query_string=query),
        samples.http.get("/search", query_string={**query, "q": "", "rerank": "false"}),
    ]
    if "bbox" not in shape or "type" in shape:
        calls.append(samples.http.post("/stac/search", json={"intersects": shape}))
        calls.append(samples.http.get("/stac/search", query_string={"intersects": json.dumps(shape)}))
    return [(one.status_code, one.get_data(as_text=True)) for one in calls]


def test_a_wrong_or_empty_geometry_is_400_and_named(samples: Service) -> None:
    for shape in WRONG:
        for status, text in _answers(samples, shape):
            assert status == 400, (shape, status, text)
            detail = json.loads(text)["detail"]
            assert detail.startswith(("filter: ", "intersects: ")), (shape, detail)


def test_a_geometry_that_is_right_is_asked_for(samples: Service) -> None:
    for shape in RIGHT:
        for status, text in _answers(samples, shape):
            said_of_lines = status == 400 and "within a line" in text
            assert status == 200 or said_of_lines, (shape, status, text)


@pytest.mark.parametrize(
    "text",
    ["POLYGON EMPTY", "POINT EMPTY", "GEOMETRYCOLLECTION EMPTY", "POLYGON(())", "POLYGON()", "POINT()", "MULTIPOINT()",
     "LINESTRING(1 2)", "LINESTRING(1 2, 1 2)", "POLYGON((0 0, 1 1))", "POLYGON((0 0, 1 0, 1 1, 0 1))", "BBOX()",
     "BBOX(1,2,3)", "POINT Z EMPTY", "GEOMETRYCOLLECTION()", "POINT(1_0 2)", "POINT(١ ٢)"],
)  # fmt: skip
def test_a_wrong_or_empty_geometry_in_a_text_is_400(samples: Service, text: str) -> None:
    for address in ("/stac/search", "/collections/all/items"):
        answer = samples.http.get(address, query_string={"filter": f"S_INTERSECTS(geometry, {text})"})
        assert answer.status_code == 400, (text, answer.text)
        assert answer.get_json()["detail"].startswith("filter: ")


@pytest.mark.parametrize(
    "bbox",
    ["", ",,,", "1,2,3", "1_0,2,30,4", "١,٢,٣,٤", "nan,0,1,1", "inf,0,1,1", "0x1,0,1,1", "1e999,0,1,1", "0,5,1,4",
     "１,２,３,４", "1 0,2,3,4", "0,0,0", "[0,0,1,1]", "0,0,1,1,2,2,2"],
)  # fmt: skip
def test_a_wrong_box_is_400_everywhere(samples: Service, bbox: str) -> None:
    for address in ("/search", "/collections/all/items", "/stac/search", "/stac/collections"):
        answer = samples.http.get(address, query_string={"bbox": bbox})
        assert answer.status_code == 400, (address, answer.text)
        assert answer.get_json()["parameter"] == "bbox"


@pytest.mark.parametrize("bbox", [[], [1, 2, 3], ["1", "2", "3", "4"], ["1_0", 2, 30, 4], [True, 0, 1, 1], None, {}])
def test_a_wrong_box_of_a_body_is_400(samples: Service, bbox: Any) -> None:
    answer = samples.http.post("/stac/search", json={"bbox": bbox})
    assert answer.status_code == (200 if bbox is None else 400), answer.text


@pytest.mark.parametrize("value", ["1_0", "١٠", "1e1", "0x5", "nan", ""])
def test_a_number_is_written_in_plain_digits(samples: Service, value: str) -> None:
    for address in ("/search", "/collections/all/items", "/stac/search", "/suggest"):
        answer = samples.http.get(address, query_string={"q": "rain", "limit": value})
        assert answer.status_code == 400, (address, value)


def test_an_instant_is_written_in_plain_digits(samples: Service) -> None:
    for address in ("/search", "/collections/all/items", "/stac/search"):
        assert samples.http.get(address, query_string={"datetime": "٢٠٢٠-٠١-٠١"}).status_code == 400


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "input: is empty"),
        (["a"] * 257, "input: List should have at most 256 items"),
        (["a", "x" * 100_001], "input[1]: String should have at most 100000 characters"),
        ("x" * 100_001, "input: String should have at most 100000 characters"),
        (["x" * 50_001] * 2, "input: 100002 characters in all"),
        (["a", 5], "input[1]: Input should be a valid string"),
        (5, "input: Input should be a valid string or a valid list"),
    ],
)
def test_texts_to_embed_that_are_refused_are_named(samples: Service, given: Any, said: str) -> None:
    answer = samples.http.post("/embeddings", json={"input": given})
    assert answer.status_code == 400
    assert answer.get_json()["detail"].startswith(said)
