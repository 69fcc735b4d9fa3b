"""CQL2 becomes the clause that one would write by hand, or is refused by name."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidInput
from search_api.search.filtering.cql2 import parse
from search_api.search.filtering.tokens import DEEPEST
from search_api.search.filtering.translate import clause_of

YEAR_2000 = {"gte": 946_684_800_000, "lte": 978_307_199_999}


def clause(text: str) -> dict[str, Any]:
    return clause_of(parse(text))


def test_a_comparison_of_an_exact_text() -> None:
    assert clause("type = 'dataset'") == {"term": {"type": {"value": "dataset"}}}


def test_the_property_may_stand_on_the_right() -> None:
    assert clause("100 > resolution") == clause("resolution < 100") == {"range": {"resolution.metres": {"lt": 100.0}}}


def test_casei_lets_the_case_go() -> None:
    assert clause("CASEI(type) = CASEI('DataSet')") == {
        "term": {"type": {"value": "DataSet", "case_insensitive": True}}
    }


@pytest.mark.parametrize("pattern", ["%" + "a" * 81, "%a" + "_" * 9, "%a" * 60])
def test_like_refuses_what_elasticsearch_cannot_search(pattern: str) -> None:
    with pytest.raises(InvalidInput, match="like takes 80 characters after a %"):
        clause(f"title LIKE '{pattern}'")
    assert clause(f"title LIKE '{'a' * 200}%'")


def test_like_has_its_own_wildcards_and_takes_ours_literally() -> None:
    assert clause(r"title LIKE 'a%b_c*\%'") == {"wildcard": {"title_sort": {"value": r"a*b?c\*%"}}}


def test_and_binds_closer_than_or() -> None:
    found = clause("type='a' OR type='b' AND source='c'")
    assert found == clause("type='a' OR (type='b' AND source='c')")
    assert found != clause("(type='a' OR type='b') AND source='c'")


def test_a_negation_needs_the_property() -> None:
    assert clause("NOT type = 'a'") == {
        "bool": {
            "filter": [{"bool": {"should": [{"exists": {"field": "type"}}], "minimum_should_match": 1}}],
            "must_not": [clause("type = 'a'")],
        }
    }


def test_a_negation_goes_through_and_and_or() -> None:
    assert clause("NOT (type='a' AND source='b')") == clause("NOT type='a' OR NOT source='b'")
    assert clause("NOT (type='a' OR source='b')") == clause("NOT type='a' AND NOT source='b'")
    assert clause("NOT NOT type='a'") == clause("type='a'")
    assert clause("NOT title IS NULL") == clause("title IS NOT NULL")


def test_a_year_of_an_instant_is_a_range_and_the_second_field_counts_where_the_first_is_missing() -> None:
    found = clause("updated = DATE('2000-01-01')")["bool"]["should"]
    assert found[0]["bool"]["filter"][0]["range"]["dates.modified"]["gte"] == YEAR_2000["gte"]
    assert found[1]["bool"]["must_not"] == [{"exists": {"field": "dates.modified"}}]


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("T_INTERSECTS(time, INTERVAL('2000-01-01', '2000-12-31'))", {**YEAR_2000, "relation": "intersects"}),
        ("T_AFTER(time, DATE('2000-12-31'))", {"gt": YEAR_2000["lte"], "relation": "within"}),
        ("T_BEFORE(time, DATE('2000-01-01'))", {"lt": YEAR_2000["gte"], "relation": "within"}),
        (
            "T_DURING(time, INTERVAL('2000-01-01', '2000-12-31'))",
            {"gt": YEAR_2000["gte"], "lt": YEAR_2000["lte"], "relation": "within"},
        ),
        ("T_DURING(time, INTERVAL('2000-01-01', '..'))", {"gt": YEAR_2000["gte"], "relation": "within"}),
        (
            "T_CONTAINS(time, INTERVAL('2000-01-01', '2000-12-31'))",
            {"gte": YEAR_2000["gte"] - 1, "lte": YEAR_2000["lte"] + 1, "relation": "contains"},
        ),
    ],
)
def test_relations_of_periods(text: str, edges: dict[str, Any]) -> None:
    assert clause(text) == {"range": {"time": edges}}


def test_a_relation_turned_round_is_its_mirror() -> None:
    assert clause("T_AFTER(DATE('2000-01-01'), time)") == clause("T_BEFORE(time, DATE('2000-01-01'))")
    assert clause("S_WITHIN(POINT(1 2), geometry)") == clause("S_CONTAINS(geometry, POINT(1 2))")


def test_a_box_across_the_antimeridian_stays_one_envelope() -> None:
    shape = clause("S_INTERSECTS(geometry, BBOX(170,-20,-170,-10))")["geo_shape"]["extent"]["shape"]
    assert shape == {"type": "envelope", "coordinates": [[170.0, -10.0], [-170.0, -20.0]]}


def test_text_and_json_say_the_same() -> None:
    tree = {
        "op": "and",
        "args": [
            {"op": "in", "args": [{"property": "type"}, ["dataset", "series"]]},
            {"op": "between", "args": [{"property": "resolution"}, 10, 100]},
            {"op": "a_contains", "args": [{"property": "keywords"}, ["rain", "snow"]]},
        ],
    }
    text = "type IN ('dataset','series') AND resolution BETWEEN 10 AND 100 AND A_CONTAINS(keywords, ('rain','snow'))"
    assert clause_of(parse(json.dumps(tree), "cql2-json")) == clause(text)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("colour = 'red'", "colour"),
        ("S_TOUCHES(geometry, POINT(1 2))", "s_touches"),
        ("T_MEETS(time, DATE('2000-01-01'))", "t_meets"),
        ("soundex(title) = 'a'", "soundex"),
        ("geometry = 'x'", "geometry"),
        ("S_INTERSECTS(title, POINT(1 2))", "title"),
        ("T_AFTER(title, DATE('2000-01-01'))", "title"),
        ("updated > DATE('2000-02-30')", "2000-02-30"),
        ("S_INTERSECTS(geometry, POINT(200 2))", "200"),
        ("S_INTERSECTS(geometry, POLYGON((0 0, 1 1, 0 1, 1 0, 0 0)))", "geometry"),
        ("resolution = 'fine'", "fine"),
        ("title = 3", "3.0"),
        ("type = source", "source"),
        ("type =", "column 7"),
        ("", "filter"),
    ],
)
def test_what_is_not_supported_is_named(text: str, named: str) -> None:
    with pytest.raises(InvalidInput, match="filter") as refused:
        clause(text)
    assert named.lower() in str(refused.value).lower()
    assert refused.value.parameter == "filter"


@pytest.mark.parametrize(
    "tower",
    [
        "(" * 3900 + "type='a'" + ")" * 3900,
        "(" * (DEEPEST + 1) + "type='a'" + ")" * (DEEPEST + 1),
        "resolution = " + "-" * 5000 + "1",
        "resolution = " + "- " * 2000 + "1",
        "NOT " * 1500 + "type='a'",
        "not\t" * 1500 + "type='a'",
        "NOT(" * 20 + "type='a'" + ")" * 20,
    ],
)
def test_towers_are_refused(tower: str) -> None:
    with pytest.raises(InvalidInput, match="nested more than"):
        parse(tower)


def test_brackets_in_a_text_are_no_tower() -> None:
    assert clause("title = '" + "(" * 100 + "'")["term"]["title_sort"]["value"] == "(" * 100


@pytest.mark.parametrize("said", [True, False])
def test_true_and_false_are_filters_in_both_languages(said: bool) -> None:
    assert clause_of(parse(json.dumps(said), "cql2-json")) == clause(str(said).upper())


_TREES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(), st.text(max_size=8), st.just({"property": "title"})),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.fixed_dictionaries(
            {
                "op": st.sampled_from(
                    ["and", "or", "not", "=", "<", "like", "in", "between", "s_within", "t_after", "casei"]
                )
            }
            | {"args": st.lists(inner, max_size=3)}
        ),
        st.dictionaries(st.sampled_from(["property", "date", "interval", "bbox", "type", "coordinates"]), inner),
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(_TREES)
def test_any_json_is_translated_or_refused(tree: Any) -> None:
    with suppress(InvalidInput):
        clause_of(parse(json.dumps(tree), "cql2-json"))


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=" ()'=<>-ANDORTtypetime10,.", max_size=60))
def test_any_text_is_translated_or_refused(text: str) -> None:
    with suppress(InvalidInput):
        clause(text)
