"""How relevant a passage is to a question, by what of it could be measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from core.ports import PLAIN_COSINES, CosineScale
from search_api.search.ranking.candidates import Candidates, Target, fields_of
from search_api.search.ranking.signals.arms import Curve, PassageDense, Relevance
from search_api.search.ranking.signals.signal import RankingInput

NEVER = Curve(-50.0, 0.0, 0.0)
BY_COSINE = Curve(0.0, 1.0, 0.0)
BY_INTERACTION = Curve(-9.0, 0.0, 0.0, 24.0)
MEASURED = CosineScale(unlike=0.0)


def relevance(
    passage: Mapping[str, Sequence[float]],
    *,
    cosine: float | None = 0.0,
    cosines: CosineScale = MEASURED,
    by_words: Curve = NEVER,
    by_tokens: Curve = NEVER,
    other_language: Curve = NEVER,
    in_order: bool = False,
) -> float:
    signal = Relevance(
        1.0, 0.5, by_words=by_words, by_tokens=by_tokens, words_only=NEVER, other_language=other_language
    )
    read = fields_of({"covered": [0.0], **passage}, signal.columns)
    candidates = Candidates.of(["a"], {PassageDense.name: [cosine]}, [read], signal.columns)
    measured = signal.measure(RankingInput(candidates, Target(), cosines))
    assert measured is not None
    assert measured.counted is not None
    return float((measured.counted if in_order else measured.raw)[0])


def test_a_model_whose_cosines_all_lie_high_is_read_from_its_floor() -> None:
    at_the_floor = relevance({}, cosine=0.55, cosines=CosineScale(floor=0.55), by_words=BY_COSINE)
    same_text = relevance({}, cosine=1.0, cosines=CosineScale(floor=0.55), by_words=BY_COSINE)

    assert at_the_floor == pytest.approx(relevance({}, cosine=0.0, by_words=BY_COSINE))
    assert same_text == pytest.approx(relevance({}, cosine=1.0, by_words=BY_COSINE))


def test_a_model_may_name_the_cosines_of_unlike_and_of_like_texts() -> None:
    narrow = CosineScale(floor=0.55, unlike=0.8, like=0.9)
    assert relevance({}, cosine=0.8, cosines=narrow, by_words=BY_COSINE) == pytest.approx(0.5)
    assert relevance({}, cosine=0.9, cosines=narrow, by_words=BY_COSINE) == pytest.approx(0.731, abs=0.001)


def test_a_model_without_a_floor_is_read_as_it_is() -> None:
    assert relevance({}, cosine=0.5, by_words=BY_COSINE) == pytest.approx(0.622, abs=0.001)


def test_a_passage_in_another_language_is_judged_without_its_words() -> None:
    foreign = {"interaction": [0.5], "foreign": [1.0]}

    assert relevance(foreign, other_language=BY_INTERACTION) == pytest.approx(0.953, abs=0.001)


def test_a_model_whose_cosines_nobody_measured_is_judged_in_each_language_alike() -> None:
    foreign = {"interaction": [0.5], "foreign": [1.0]}
    assert relevance(foreign, cosines=PLAIN_COSINES, other_language=BY_INTERACTION) < 0.01


def test_one_in_the_same_language_is_not() -> None:
    assert relevance({"interaction": [0.5]}, other_language=BY_INTERACTION) < 0.01


def test_names_and_numbers_shared_by_two_languages_still_count() -> None:
    foreign = {"interaction": [0.1], "foreign": [1.0], "covered": [1.0]}

    shared = relevance(foreign, by_tokens=Curve(0.0, 0.0, 3.0), other_language=BY_INTERACTION)
    assert shared == pytest.approx(0.953, abs=0.001)


def test_a_foreign_passage_without_token_vectors_is_judged_by_the_rest() -> None:
    assert relevance({"foreign": [1.0]}, by_words=BY_COSINE, other_language=BY_INTERACTION) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("passage", "counted"),
    [
        ({"sentence": [1.0]}, 0.75),
        ({"sentence": [0.0]}, 0.25),
        ({}, 0.5),
        ({"sentence": [1.0], "foreign": [1.0]}, 0.75),
    ],
    ids=["best sentence", "no sentence", "not read", "foreign without token vectors"],
)
def test_words_in_one_sentence_count_for_the_order_and_not_for_relevance(
    passage: Mapping[str, Sequence[float]], counted: float
) -> None:
    assert relevance(passage, by_words=BY_COSINE, in_order=True) == pytest.approx(counted)
    assert relevance(passage, by_words=BY_COSINE) == pytest.approx(0.5)


def test_a_sentence_in_another_language_does_not_count() -> None:
    foreign = {"interaction": [0.5], "foreign": [1.0], "sentence": [0.0]}
    assert relevance(foreign, other_language=BY_INTERACTION, in_order=True) == pytest.approx(0.953, abs=0.001)
