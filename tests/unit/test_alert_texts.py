"""The texts of mails: whole in each language, with the same places to fill, French with its spaces."""

from __future__ import annotations

import re
from dataclasses import asdict

from search_api.search.retrieval.clauses import LANGUAGES as OF_THE_PAGE
from search_api.stewards.alerts.saved import LANGUAGES, TEXTS

_FILLED = re.compile(r"\{(\w+)\}")


def test_each_language_says_everything_with_the_same_places() -> None:
    assert LANGUAGES == tuple(TEXTS) == OF_THE_PAGE
    for name, english in asdict(TEXTS["en"]).items():
        for language in LANGUAGES:
            said = asdict(TEXTS[language])[name]
            assert said, (language, name)
            assert sorted(_FILLED.findall(said)) == sorted(_FILLED.findall(english)), (language, name)


def test_french_has_a_no_break_space_before_colons_and_in_quotes() -> None:
    for said in asdict(TEXTS["fr"]).values():
        assert not re.search(r"[^\u00a0][:;!?»]|«[^\u00a0]", said), said
