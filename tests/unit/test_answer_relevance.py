"""The absolute relevance of a hit."""

from __future__ import annotations

import pytest

from search_api.search.ranking.relevance import AnswerRelevance

CURVE = AnswerRelevance(bias=-2.0, cosine=2.0, words=1.0, weak=0.2)


@pytest.mark.parametrize(
    ("signals", "has_words", "relevance"),
    [
        ({"dense": 1.0}, False, 0.5),
        ({"dense": 0.5, "passage_dense": 1.0}, False, 0.5),
        ({"dense": 0.5}, True, 0.5),
        ({"dense": None}, False, 0.1192),
        ({"dense": -0.4}, False, 0.1192),
    ],
    ids=["cosine", "best of record and passages", "words", "not measured", "opposite"],
)
def test_cosine_and_words_make_a_hit_relevant(
    signals: dict[str, float | None], has_words: bool, relevance: float
) -> None:
    assert CURVE.of(signals, -1.0, has_words=has_words) == pytest.approx(relevance, abs=1e-4)


def test_a_model_whose_cosines_all_lie_high_is_read_from_its_floor() -> None:
    assert CURVE.of({"dense": 0.75}, 0.5, has_words=False) == CURVE.of({"dense": 0.5}, -1.0, has_words=False)
