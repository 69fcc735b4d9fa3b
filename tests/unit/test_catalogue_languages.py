"""Which languages a catalogue is in, and when a question is surely in another."""

from __future__ import annotations

import pytest

from es_mappings.indices import ServingIndex
from es_mappings.meta import IndexMeta
from search_api.search.retrieval.serving import Serving, common_languages

RECORDS = ServingIndex("records", "records-000001", IndexMeta(3, "m", 4, "cosine", ""), "uuid")


@pytest.mark.parametrize(
    ("seen", "common"),
    [
        ([], set()),
        (["en"] * 99 + ["de"], {"en"}),
        (["en"] * 98 + ["de"] * 2, {"en", "de"}),
    ],
)
def test_one_in_fifty_records_makes_a_language_of_the_catalogue(seen: list[str], common: set[str]) -> None:
    assert common_languages(seen) == common


@pytest.mark.parametrize(
    ("languages", "asked", "lacks"),
    [({"en"}, "pt", True), ({"en"}, "en", False), ({"en"}, None, False), (set(), "pt", False)],
)
def test_a_question_is_foreign_only_if_both_languages_are_sure(
    languages: set[str], asked: str | None, lacks: bool
) -> None:
    assert Serving(RECORDS, None, None, languages=frozenset(languages)).lacks(asked) is lacks
