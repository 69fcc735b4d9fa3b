"""The lexical query: what must match, what only adds, and what is scored without the condition."""

from __future__ import annotations

import pytest

from core.json_types import Json
from search_api.search.ranking.config import Boosts, default_config
from search_api.search.retrieval.bm25 import every_word_query, records_query, scoring

WORDS = default_config().words


def _query(thematic: str, named: str = "", language: str | None = "en", fields: Boosts = WORDS.record_fields) -> Json:
    return records_query(WORDS, fields, thematic, named, language)


def test_place_words_only_add() -> None:
    query = _query("sea level", "Kenya")["bool"]
    assert len(query["must"]) == 1
    assert {text["query"] for clause in query["should"] for text in clause["match"].values()} == {"Kenya"}


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        (WORDS.record_fields, "match"),
        (WORDS.separate_fields, "combined_fields"),
        ({"a": 2.0}, "combined_fields"),
    ],
)
def test_one_field_with_weight_one_is_matched_and_others_are_combined(fields: Boosts, kind: str) -> None:
    assert [set(one) for one in _query("sea level", fields=fields)["bool"]["should"]] == [{kind}, {kind}]


def test_the_plain_reading_has_no_small_words_and_signs_inside_words_stay() -> None:
    query = _query("camisetas de fútbol MOD11_L2", language="es")
    read = {field: text["query"] for part in query["bool"]["should"] for field, text in part["match"].items()}
    assert read == {"words.es": "camisetas de fútbol MOD11_L2", "words": "camisetas fútbol MOD11_L2"}
    only_small = _query("what is it")["bool"]["should"][1]["match"]["words"]
    assert only_small["query"] == "what is it"


def test_scoring_drops_the_condition_and_keeps_every_part() -> None:
    query = _query("sea level", "Kenya")
    parts = query["bool"]
    assert scoring(query) == {"bool": {"should": [*parts["must"], *parts["should"]]}}


def test_without_a_place_there_is_nothing_to_drop() -> None:
    query = _query("sea level")
    assert scoring(query) == query


def test_neither_words_nor_identifiers_match_nothing() -> None:
    assert _query("", language=None) == {"match_none": {}}
    assert every_word_query(WORDS, WORDS.record_fields, "", None) == {"match_none": {}}
