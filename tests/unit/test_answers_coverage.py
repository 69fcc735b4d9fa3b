"""Words with a meaning, and the share of a question's that a text contains."""

from __future__ import annotations

import pytest

from search_api.search.passages.coverage import content_words, coverage, weights


@pytest.mark.parametrize(
    ("language", "asked", "said"),
    [
        ("en", "measured depths", "the depth was measured"),
        (None, "measured depths", "the depth was measured"),
        ("de", "tiefste Stände", "die tiefsten Ständen"),
        ("fr", "les forages profonds", "forage profond"),
        ("es", "las mediciones", "una medición"),
        ("it", "le misure", "la misura"),
        ("pt", "quais são as florestas", "floresta"),
    ],
)
def test_endings_do_not_count(language: str | None, asked: str, said: str) -> None:
    assert content_words(asked, language) <= content_words(said, language)


def test_small_words_do_not_count() -> None:
    assert content_words("Welche der Brunnen gibt es?", "de") == content_words("Brunnen", "de")


def test_rare_words_weigh_more() -> None:
    texts = [content_words(text) for text in ("a lake", "a lake and its soot", "a lake")]
    asked = weights(texts, content_words("soot of the lake"))
    assert coverage(asked, texts[1]) == 1.0
    assert coverage(asked, texts[0]) < 0.5
