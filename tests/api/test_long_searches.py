"""Questions that are too long for an address: how long one may be, and the same search by POST."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from search_api.http.limits import LONGEST_ADDRESS_BYTES
from search_api.search.filtering.cql2 import LONGEST_FILTER
from tests.service import Service

ASKED: dict[str, Any] = {
    "q": "rainfall",
    "bbox": "-20,-40,60,40",
    "type": "dataset,series",
    "limit": 3,
    "rerank": "false",
}
IN_JSON = {**ASKED, "bbox": [-20, -40, 60, 40], "type": ["dataset", "series"], "rerank": False}


def found(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [feature["id"] for feature in answer.get_json()["features"]]


def circle(vertices: int) -> str:
    """A filter with a polygon of so many corners."""
    turns = [2 * math.pi * step / vertices for step in range(vertices)]
    corners = [f"{20 * math.cos(turn):.6f} {20 * math.sin(turn):.6f}" for turn in turns]
    return f"S_INTERSECTS(geometry, POLYGON(({', '.join([*corners, corners[0]])})))"


def test_a_search_by_body_is_the_search_by_address(samples: Service) -> None:
    by_address = found(samples.http.get("/search", query_string=ASKED))
    assert len(by_address) == 3
    assert found(samples.http.post("/search", json=IN_JSON)) == by_address
    assert found(samples.http.post("/search", data=ASKED)) == by_address


def test_a_filter_in_json_may_be_written_as_what_it_is(samples: Service) -> None:
    tree = {"op": "=", "args": [{"property": "type"}, "service"]}
    asked = {"q": "map", "filter": tree, "filter-lang": "cql2-json", "rerank": False}
    as_text = {**asked, "filter": json.dumps(tree), "rerank": "false"}
    assert found(samples.http.post("/search", json=asked)) == found(samples.http.get("/search", query_string=as_text))


def test_the_next_page_is_asked_for_by_body_too(samples: Service) -> None:
    first = samples.http.post("/search", json=IN_JSON)
    following = next(link for link in first.get_json()["links"] if link["rel"] == "next")
    assert (following["method"], following["merge"]) == ("POST", True)
    second = samples.http.post("/search", json={**IN_JSON, **following["body"]})
    assert not set(found(first)) & set(found(second))


@pytest.mark.parametrize(
    ("sent", "status", "named"),
    [
        ({"json": {"nonsense": 1}}, 400, "nonsense"),
        ({"json": {"limit": 1000}}, 400, "limit"),
        ({"json": ["rain"]}, 400, "body"),
        ({"json": {"q": "rain", "f": "atom"}}, 400, "f"),
        ({"data": {"q": "rain", "bbox": "1,2"}}, 400, "bbox"),
        ({"data": b"rain", "content_type": "text/plain"}, 415, None),
        ({"json": {"q": "rain" * 100_000}}, 413, None),
    ],
)
def test_a_wrong_body_is_refused_by_name(samples: Service, sent: Any, status: int, named: str | None) -> None:
    answer = samples.http.post("/search", **sent)
    assert (answer.status_code, answer.mimetype) == (status, "application/problem+json")
    assert answer.get_json().get("parameter") == named


def test_a_polygon_of_two_hundred_corners_fits_into_an_address(samples: Service) -> None:
    shape = circle(200)
    assert 4094 < len(shape) <= LONGEST_FILTER
    listed = samples.http.get("/collections/all/items", query_string={"filter": shape, "limit": 1})
    assert listed.get_json()["numberMatched"] > 10


def test_an_address_that_is_too_long_is_refused_as_any_problem_is(samples: Service) -> None:
    address = "/search?q=" + "x" * LONGEST_ADDRESS_BYTES
    answer = samples.http.get(address, headers={"Origin": "https://portal.example"})
    assert (answer.status_code, answer.mimetype) == (414, "application/problem+json")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "POST /search" in answer.get_json()["detail"]


@pytest.mark.parametrize(
    "question",
    [
        f"{'ACGT' * 150} {'tgca' * 150} ice",  # patterns and prefixes of Elasticsearch have a thousand characters
        "abc" * 600,  # the neighbours of such a word took seconds
    ],
)
def test_words_of_hundreds_of_letters_are_answered(samples: Service, question: str) -> None:
    assert samples.http.get("/search", query_string={"q": question}).status_code == 200


@pytest.mark.parametrize("typed", ["“" * 200, "x’" * 100, "x’x’x’x’ y", "я’я’я’я’ я", "ﷺ" * 200])
def test_half_typed_signs_are_completed_or_not_but_answered(samples: Service, typed: str) -> None:
    assert samples.http.get("/suggest", query_string={"q": typed}).status_code == 200
