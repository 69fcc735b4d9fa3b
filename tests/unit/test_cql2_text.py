"""CQL2 text is read as the standard reads it, in time that grows with its length, whatever it is."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import cql2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidInput
from search_api.search.filtering.cql2 import LONGEST_FILTER, parse
from search_api.search.filtering.tokens import DEEPEST

CALLS_A_CHARACTER = 40
"""What reading may cost: function calls for each character of the text."""


def calls_of(work: Callable[[], object]) -> int:
    """How many functions of Python and C are called: the same on every machine."""
    made = 0

    def count(_frame: object, event: str, _what: object) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return made


def cost_of(text: str) -> int:
    def read() -> None:
        with suppress(InvalidInput):
            parse(text)

    return calls_of(read)


OPENINGS = (
    "(",
    "((",
    "NOT ",
    "NOT (",
    "-",
    "- ",
    "-(",
    "CASEI(",
    "foo(",
    "a_contains((",
    "a_contains(keywords,(",
    "type IN (",
    "NOT a IN ((",
    "resolution BETWEEN (",
    "resolution BETWEEN 1 AND (",
    "resolution = 1 + (",
    "2 ^ (",
    "s_intersects(geometry, ",
    "GEOMETRYCOLLECTION(",
    "MULTIPOLYGON(((",
    "POLYGON((",
    "INTERVAL(",
    "DATE(",
    "title = '((((' AND (",
    "a = 1 AND (",
    "a OR (",
    "'",
    "'\\'",
    '"',
    "''",
)
INSIDES = ("title = 'a'", "title = 'a' x", "title==", "", "a", "1", "'", "POINT(1 2)", "a,b", "a b", ")", "a=1=")


def bombs() -> list[str]:
    """Every opening, repeated as far as a text goes, with every inside, closed and not closed."""
    made = []
    for opening in OPENINGS:
        for times in (22, DEEPEST):
            closing = ")" * opening.count("(")
            made += [opening * times + inside + end * times for inside in INSIDES for end in ("", closing)]
        made.append((opening * LONGEST_FILTER)[:LONGEST_FILTER])
    return made


def test_no_bomb_costs_more_than_its_length() -> None:
    """Of cql2 0.6, 22 brackets that are not closed took 19 seconds: twice as long for each bracket."""
    for text in bombs():
        assert cost_of(text) <= CALLS_A_CHARACTER * (len(text) + 10), text[:80]


PIECES = [
    *OPENINGS,
    *INSIDES,
    ")",
    "))",
    ",",
    " AND ",
    " OR ",
    "=",
    "<>",
    " LIKE ",
    "+",
    "*",
    " IS NULL",
    " NOT ",
    "\\'",
]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60), st.integers(1, 8))
def test_no_text_of_pieces_costs_more_than_its_length(pieces: list[str], times: int) -> None:
    text = ("".join(pieces) * times)[:LONGEST_FILTER]
    assert cost_of(text) <= CALLS_A_CHARACTER * (len(text) + 10)


def test_a_long_filter_of_many_conditions_costs_no_more_than_its_length() -> None:
    for one in ("a=1 or ", "a=1 and ", "(a=1) or ", "a+", "a in (1,2) and not ", "a,"):
        text = "x = (" * (one == "a,") + one * ((LONGEST_FILTER - 20) // len(one)) + "b=2"
        assert cost_of(text) <= CALLS_A_CHARACTER * len(text)


@pytest.mark.parametrize(
    ("text", "column"),
    [("type =", 7), ("(type = 'a'", 12), ("type = 'a", 8), ("a ; b", 3), ("a = 1 b", 7), ("a NOT = 1", 7), ("(1,", 4)],
)
def test_the_column_where_it_stops_being_cql2_is_named(text: str, column: int) -> None:
    with pytest.raises(InvalidInput, match=f"column {column}:"):
        parse(text)


def test_a_quote_in_a_text_is_written_twice_or_after_a_backslash() -> None:
    assert parse("title = 'O''Neil'") == parse(r"title = 'O\'Neil'") == parse("\"title\" = 'O''Neil'")


def test_a_backslash_before_anything_else_stays_for_like() -> None:
    assert parse(r"title LIKE 'a\%'")["args"][1] == r"a\%"


def test_what_is_written_in_several_lines_and_cases_is_the_same() -> None:
    assert parse("type = 'a'\n\tand NOT scale < 2") == parse("type='a' AND not scale<2")


class _Writer:
    """Harmless texts of the whole grammar, short enough for the other parser."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def condition(self, levels: int) -> str:
        if levels == 0:
            return self._random.choice(("a = 1", "true", "b IS NOT NULL", "c LIKE 'x%'", "foo(a) IS NULL"))
        inner = [self.condition(levels - 1) for _ in range(2)]
        value = [self.value(levels - 1) for _ in range(3)]
        return self._random.choice(
            (
                f"{inner[0]} AND {inner[1]}",
                f"{inner[0]} OR {inner[1]}",
                f"({inner[0]})",
                f"NOT ({inner[0]})",
                f"NOT {inner[0]}",
                f"{value[0]} <= {value[1]}",
                f"{value[0]} <> {value[1]}",
                f"a NOT BETWEEN {value[0]} AND {value[1]}",
                f"{value[0]} IN ({value[1]}, {value[2]})",
                "a NOT LIKE 'it''s'",
                f"A_CONTAINS(a, ('x', {value[0]}))",
                f"S_WITHIN(g, {self.geometry()})",
                "T_DURING(t, INTERVAL('2000-01-01', '..'))",
                "t > TIMESTAMP('2000-01-01T00:00:00Z')",
            )
        )

    def value(self, levels: int) -> str:
        if levels == 0:
            return self._random.choice(("a", '"b c"', "eo:cloud.cover", "1", "2.5e3", "'text'", "DATE('2000-01-01')"))
        left, right = self.value(levels - 1), self.value(levels - 1)
        return self._random.choice(
            (f"{left} + {right}", f"{left} - {right} * 2", f"({left})", f"-({left})", f"CASEI({left})", f"{left} ^ 2")
        )

    def geometry(self) -> str:
        return self._random.choice(
            (
                "POINT(1 -2)",
                "BBOX(1,2,3,4)",
                "MULTIPOINT((1 2),(3 4))",
                "LINESTRING(0 0, 1 1)",
                "POLYGON((0 0,1 0,1 1,0 0))",
                "MULTIPOLYGON(((0 0,1 0,1 1,0 0)))",
                "GEOMETRYCOLLECTION(POINT(1 2),MULTILINESTRING((1 2,3 4)))",
            )
        )


def _lowered(tree: Any) -> Any:
    """Names of operators and functions have no case."""
    if isinstance(tree, list):
        return [_lowered(one) for one in tree]
    if not isinstance(tree, dict):
        return tree
    return {key: value.lower() if key == "op" else _lowered(value) for key, value in tree.items()}


@pytest.mark.parametrize("seed", range(150))
def test_it_is_read_as_another_parser_reads_it(seed: int) -> None:
    """The package cql2 is right where a text is CQL2: trees of both are the same."""
    text = _Writer(seed).condition(seed % 4)
    assert _lowered(parse(text)) == _lowered(cql2.parse_text(text).to_json()), text
