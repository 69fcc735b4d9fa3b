"""The lexical query: what must match, what only adds, and what is scored without the condition."""

from __future__ import annotations

from search_api.ranking.config import default_config
from search_api.retrieval.bm25 import NAMED, NAMED_IN_TITLE, records_query, scoring

WORDS = default_config().words


def test_place_words_only_add_and_the_clauses_that_tell_who_names_the_place_score_nothing() -> None:
    query = records_query(WORDS, "sea level", "Kenya", "en", places=["Kenya"])["bool"]
    assert len(query["must"]) == 1
    telling = [clause["constant_score"] for clause in query["should"] if "constant_score" in clause]
    assert [(one["_name"], one["boost"]) for one in telling] == [(NAMED_IN_TITLE, 0.0), (NAMED, 0.0)]


def test_the_plain_reading_has_no_small_words_and_signs_inside_words_stay() -> None:
    query = records_query(WORDS, "camisetas de fútbol MOD11_L2", "", "es")
    texts = [part["combined_fields"]["query"] for part in query["bool"]["should"] if "combined_fields" in part]
    assert texts == ["camisetas de fútbol MOD11_L2", "camisetas fútbol MOD11_L2"]
    only_small = records_query(WORDS, "what is it", "", "en")["bool"]["should"][1]["combined_fields"]
    assert only_small["query"] == "what is it"


def test_scoring_drops_the_condition_and_keeps_every_part() -> None:
    query = records_query(WORDS, "sea level", "Kenya", "en", places=["Kenya"])
    parts = query["bool"]
    assert scoring(query) == {"bool": {"should": [*parts["must"], *parts["should"]]}}


def test_without_a_place_there_is_nothing_to_drop() -> None:
    query = records_query(WORDS, "sea level", "", "en")
    assert scoring(query) == query


def test_neither_words_nor_identifiers_match_nothing() -> None:
    assert records_query(WORDS, "", "", None) == {"match_none": {}}
