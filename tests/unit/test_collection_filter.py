"""CQL2 over collections: unknown values, open periods, and patterns that would cost a regular expression hours."""

from __future__ import annotations

import pytest

from core.geo import BBox
from core.timespan import TimeSpan
from search_api.catalogue.catalogues import Catalogue
from search_api.protocols.stac.collection_search import condition_of
from search_api.search.filtering.cql2 import parse

EMPTY = Catalogue("bare", "Bare", 0)
OPEN = Catalogue("open", "Été à Paris", 1, BBox(170, -10, -170, 10), TimeSpan.from_iso("2000-01-01", None))


def judged(filter: str, one: Catalogue) -> bool | None:
    return condition_of(parse(filter))(one)


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ("datetime IS NULL", True),
        ("T_AFTER(datetime, DATE('2000-01-01'))", None),
        ("NOT T_AFTER(datetime, DATE('2000-01-01'))", None),
        ("S_DISJOINT(geometry, POINT(0 0))", None),
        ("S_DISJOINT(geometry, POINT(0 0)) OR id = 'bare'", True),
        ("S_DISJOINT(geometry, POINT(0 0)) AND id = 'bare'", None),
        ("S_DISJOINT(geometry, POINT(0 0)) AND id = 'other'", False),
    ],
)
def test_what_is_unknown_is_neither_true_nor_false(filter: str, expected: bool | None) -> None:
    assert judged(filter, EMPTY) is expected


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ("T_AFTER(datetime, DATE('1999-12-31'))", True),
        ("T_BEFORE(datetime, DATE('2100-01-01'))", False),
        ("T_CONTAINS(datetime, INTERVAL('2001-01-01','2002-01-01'))", True),
        ("T_DURING(INTERVAL('2001-01-01','2002-01-01'), datetime)", True),
        ("T_EQUALS(datetime, INTERVAL('2000-01-01','..'))", True),
        ("datetime >= DATE('2000-01-01')", True),
        ("title = 'ete a paris'", True),
        ("title LIKE 'ETE%'", True),
        ("S_CONTAINS(geometry, POINT(-175 0))", True),
        ("S_CONTAINS(geometry, POINT(0 0))", False),
    ],
)
def test_open_periods_accents_and_the_antimeridian(filter: str, expected: bool) -> None:
    assert judged(filter, OPEN) is expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("%", True), ("a_c%", True), ("%c", False), (r"abc\%d", True), ("ab%%%d", True), ("abc_", False), ("", False)],
)
def test_patterns(pattern: str, expected: bool) -> None:
    assert judged(f"title LIKE '{pattern}'", Catalogue("x", "abc%d", 1)) is expected


def test_no_pattern_costs_more_than_both_lengths() -> None:
    assert judged(f"title LIKE '{'%a' * 200}b'", Catalogue("x", "a" * 2000, 1)) is False
