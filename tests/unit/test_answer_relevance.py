"""The absolute relevance of a hit."""

from __future__ import annotations

import pytest

from core.ports import CosineScale
from search_api.search.ranking.signals.arms import AnswerRelevance, Curve

CURVE = AnswerRelevance(
    by_words=Curve(bias=-2.0, cosine=2.0, words=1.0),
    by_tokens=Curve(bias=-4.0, cosine=2.0, words=1.0, interaction=2.0),
    weak=0.04,
    weak_with_unknown=0.15,
)


@pytest.mark.parametrize(
    ("signals", "has_words", "relevance"),
    [
        ({"dense": 1.0}, False, 0.5),
        ({"dense": 0.5, "passage_dense": 1.0}, False, 0.5),
        ({"dense": 0.5}, True, 0.5),
        ({"dense": None}, False, 0.1192),
        ({"dense": -0.4}, False, 0.1192),
        ({"dense": 1.0, "late_interaction": 0.5}, True, 0.5),
        ({"dense": 1.0, "late_interaction": -0.5}, True, 0.2689),
        ({"dense": 1.0, "late_interaction": None}, True, 0.7311),
    ],
    ids=[
        "cosine",
        "best of record and passages",
        "words",
        "not measured",
        "opposite",
        "late interaction",
        "late interaction below 0",
        "late interaction not measured",
    ],
)
def test_cosine_and_words_make_a_hit_relevant(
    signals: dict[str, float | None], has_words: bool, relevance: float
) -> None:
    assert CURVE.of(signals, CosineScale(-1.0), has_words=has_words) == pytest.approx(relevance, abs=1e-4)


def test_a_model_whose_cosines_all_lie_high_is_read_from_its_floor() -> None:
    assert CURVE.of({"dense": 0.75}, CosineScale(0.5), has_words=False) == CURVE.of(
        {"dense": 0.5}, CosineScale(), has_words=False
    )


def test_a_word_that_no_record_has_makes_more_hits_weak() -> None:
    assert CURVE.least(is_word_unknown=True) > CURVE.least(is_word_unknown=False)
