"""What counts as a hit: meaning, words, and an answer that is worth giving at all."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from search_api.retrieval.candidates import CandidateSet
from search_api.retrieval.counting import Nearness


def found(
    cosines: Mapping[str, float | None], *words: str, passages: Mapping[str, float] | None = None
) -> CandidateSet:
    signals = {name: {"dense": cosine, "passage_dense": (passages or {}).get(name)} for name, cosine in cosines.items()}
    return CandidateSet(signals, {}, frozenset(words), {}, {})  # type: ignore[arg-type]


def test_a_hit_means_what_was_asked_or_holds_its_every_word() -> None:
    some = found({"near": 0.5, "far": 0.1, "wordy": 0.05}, "wordy")
    assert list(some.above(Nearness(0.2)).signals) == ["near", "wordy"]


def test_the_best_passage_counts_as_much_as_the_record() -> None:
    some = found({"near": 0.1, "far": 0.1}, passages={"near": 0.3})
    assert list(some.above(Nearness(0.2)).signals) == ["near"]


def test_where_nothing_comes_near_enough_the_least_bad_is_no_answer() -> None:
    assert list(found({"a": 0.34, "b": 0.21}).above(Nearness(0.2, 0.35)).signals) == []
    assert list(found({"a": 0.35, "b": 0.21}).above(Nearness(0.2, 0.35)).signals) == ["a", "b"]


def test_one_record_that_holds_every_word_opens_the_answer_to_all() -> None:
    assert list(found({"a": 0.34, "b": 0.21, "c": 0.19}, "a").above(Nearness(0.2, 0.35)).signals) == ["a", "b"]


def test_words_of_a_record_that_is_no_candidate_open_nothing() -> None:
    assert list(found({"a": 0.3}, "elsewhere").above(Nearness(0.2, 0.35)).signals) == []


def test_what_has_no_vector_stays_but_opens_nothing() -> None:
    assert list(found({"a": None, "b": 0.3}).above(Nearness(0.2, 0.35)).signals) == ["a"]


@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=3), st.floats(-1, 1), max_size=6),
    st.floats(-1, 1),
    st.floats(-1, 1),
)
def test_a_higher_bar_never_lets_in_more(cosines: dict[str, float], low: float, high: float) -> None:
    low, high = sorted((low, high))
    some = found(cosines)
    assert some.above(Nearness(0.2, high)).signals.keys() <= some.above(Nearness(0.2, low)).signals.keys()
    assert some.above(Nearness(high, 0.0)).signals.keys() <= some.above(Nearness(low, 0.0)).signals.keys()
