"""The abstract tests of CQL2 (OGC 21-065r2, annex A) for the declared classes, over every queryable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import shapely
from shapely.geometry import box, shape

from tests.service import SAMPLES, Service

ALL = "/collections/all/items"
COUNT = len(list(SAMPLES.glob("*.xml")))
COMPLEMENTS = [("=", "<>"), (">", "<="), ("<", ">=")]
Ask = Callable[[str], int]


@pytest.fixture(scope="module")
def matched(samples: Service) -> Ask:
    """How many records pass a filter."""

    def ask(text: str) -> int:
        answer = samples.http.get(ALL, query_string={"filter": text, "limit": 1})
        assert answer.status_code == 200, (text, answer.text)
        count: int = answer.get_json()["numberMatched"]
        return count

    return ask


@pytest.fixture(scope="module")
def queryables(samples: Service) -> dict[str, Any]:
    found: dict[str, Any] = samples.http.get("/collections/all/queryables").get_json()["properties"]
    return found


def _literal(schema: dict[str, Any]) -> str | None:
    if schema.get("format") == "date-time":
        return "TIMESTAMP('2022-04-14T14:48:46Z')"
    return {"string": "'foo'", "number": "3.14"}.get(schema.get("type", ""))


def test_basic_comparisons(matched: Ask, queryables: dict[str, Any]) -> None:
    """A.3 to A.6: each operator is understood, complements share no record and, with the nulls, make up the whole."""
    for name, schema in queryables.items():
        literal, nulls = _literal(schema), matched(f"{name} IS NULL")
        assert nulls + matched(f"{name} IS NOT NULL") == COUNT
        for one, other in COMPLEMENTS if literal else []:
            assert matched(f"({name} {one} {literal}) AND ({name} {other} {literal})") == 0
            assert matched(f"({name} {one} {literal}) OR ({name} {other} {literal})") + nulls == COUNT


def test_advanced_comparisons(matched: Ask, queryables: dict[str, Any]) -> None:
    """A.9 to A.11: LIKE, BETWEEN and IN."""
    for name, schema in queryables.items():
        if schema.get("type") == "string" and "format" not in schema:
            assert matched(f"{name} LIKE '%'") == matched(f"{name} LIKE '%%'") == matched(f"{name} IS NOT NULL")
            assert matched(f"{name} LIKE '_%' AND {name} LIKE ''") == 0
            assert matched(f"{name} IN ('foo','bar')") == matched(f"{name} = 'foo' OR {name} = 'bar'")
        if schema.get("type") == "number":
            inside = matched(f"{name} BETWEEN 0 AND 100")
            assert inside == matched(f"{name} >= 0 AND {name} <= 100")
            assert inside + matched(f"{name} NOT BETWEEN 0 AND 100") == matched(f"{name} IS NOT NULL")
            assert matched(f"{name} BETWEEN 100.0 AND 1.0") == 0


def test_lists_are_declared_as_such_and_judged_as_such(matched: Ask, queryables: dict[str, Any]) -> None:
    lists = {name for name, schema in queryables.items() if schema.get("type") == "array"}
    assert {"keywords", "themes", "organisation", "language", "formats", "externalIds"} <= lists
    for name in lists:
        assert queryables[name]["items"] == {"type": "string"}
        assert matched(f"A_OVERLAPS({name}, ('foo','bar'))") == matched(f"{name} IN ('foo','bar')")


def test_a_record_without_keywords_says_so(samples: Service, matched: Ask) -> None:
    records = samples.http.get(ALL, query_string={"limit": 1000}).get_json()["features"]
    without = [one["id"] for one in records if "keywords" not in one["properties"]]
    assert matched("keywords IS NULL") == len(without)


def test_periods_compare_with_moments(matched: Ask) -> None:
    """A period may lie across a moment: then it is neither before nor after it, and no equal of it."""
    moment = "TIMESTAMP('2000-06-15T00:00:00Z')"
    before, after = matched(f"time < {moment}"), matched(f"time > {moment}")
    assert 0 < before == matched(f"T_BEFORE(time, {moment})")
    assert 0 < after == matched(f"T_AFTER(time, {moment})")
    assert matched(f"time <= {moment} AND time >= {moment}") == matched("time IS NOT NULL") - before - after


BOXES = [(5, 47, 15, 55), (170, -30, -170, 0), (-110, 30, -100, 40), (-20, -40, 60, 40)]
RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "S_INTERSECTS": shapely.intersects,
    "S_DISJOINT": shapely.disjoint,
    "S_WITHIN": shapely.within,
    "S_CONTAINS": shapely.contains,
}


@pytest.mark.parametrize("edges", BOXES)
def test_places_lie_as_simple_features_say(samples: Service, matched: Ask, edges: tuple[float, ...]) -> None:
    """Shared edges and the antimeridian included: Shapely judges the geometry that each record gives out."""
    west, south, east, north = edges
    halves = [box(west, south, 180, north), box(-180, south, east, north)] if west > east else [box(*edges)]
    asked = shapely.union_all(halves)
    records = samples.http.get(ALL, query_string={"limit": 1000}).get_json()["features"]
    places = [shape(one["geometry"]) for one in records if one["geometry"] is not None]
    for name, holds in RELATIONS.items():
        expected = sum(holds(place, asked) for place in places)
        assert matched(f"{name}(geometry, BBOX({west},{south},{east},{north}))") == expected, name


def test_what_only_touches_the_edge_is_not_within(samples: Service, matched: Ask) -> None:
    """The world's records share an edge with a box up to the pole and the antimeridian; a line lies on its own edge."""
    world = matched("S_CONTAINS(geometry, BBOX(-180,-90,180,90))")
    assert world > 10
    assert matched("S_CONTAINS(geometry, BBOX(100,-90,180,0))") >= world
    assert matched("S_CONTAINS(geometry, POLYGON((100 -90, 180 -90, 180 0, 100 0, 100 -90)))") >= world
    points = samples.http.get(ALL, query_string={"limit": 1000}).get_json()["features"]
    one = next(p["geometry"]["coordinates"] for p in points if (p["geometry"] or {}).get("type") == "Point")
    lon, lat = one
    assert matched(f"S_WITHIN(geometry, BBOX({lon - 1},{lat - 1},{lon + 1},{lat + 1}))") >= 1
    inside = matched(f"S_WITHIN(geometry, BBOX({lon - 1e-5},{lat - 1e-5},{lon + 1},{lat + 1}))")
    assert matched(f"S_WITHIN(geometry, BBOX({lon},{lat - 1e-5},{lon + 1},{lat + 1}))") == inside - 1


def test_logic(matched: Ask) -> None:
    """A.7: brackets, and what they mean."""
    p1, p2, p3, p4 = "type = 'dataset'", "title LIKE '%a%'", "resolution < 1000", "T_AFTER(time, DATE('1990-01-01'))"
    left = f"(({p1} AND {p2}) OR ({p3} AND NOT {p4}) OR NOT ({p1} AND {p4}))"
    assert matched(left) == matched(f"({p1} AND {p2}) OR ({p3} AND NOT {p4}) OR (NOT {p1} OR NOT {p4})")
    assert (matched("true"), matched("false"), matched("NOT false")) == (COUNT, 0, COUNT)


def test_escaped_quotes(matched: Ask) -> None:
    assert matched("title = 'O''Neil'") == matched("title LIKE '%''%' AND title = 'x'") == 0
