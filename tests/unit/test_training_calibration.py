"""Orders of candidates and the calibration of a cross-encoder, by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.calibration import (
    ScoredExample,
    average_precision,
    calibrate,
    calibrate_lists,
    expected_error,
    figures,
    ndcg,
    probability,
    spread,
)
from training.examples import CandidateText, Example


def _example(name: str, group: str, *negatives: CandidateText) -> Example:
    return Example(name, f"question {name}", CandidateText(name, f"answer {name}", 1), negatives, group=group)


def test_orders_by_hand() -> None:
    """The answer on the second of three: nDCG = 1 / log2(3), AP = 1/2; a constant ranks it last."""
    example = _example("a", "g", *(CandidateText(name, name) for name in "xyz"))
    second = ScoredExample(replace(example, negatives=example.negatives[:2]), np.array([1.0, 2.0, 0.0]))
    assert ndcg([second]) == pytest.approx(1 / math.log2(3))
    assert average_precision(second, 3) == pytest.approx(0.5)
    assert average_precision(ScoredExample(example, np.zeros(4)), 3) == 0.0


def test_bm25_candidates_leave_out_what_only_meaning_found() -> None:
    example = _example("a", "g", CandidateText("x", "x", why="dense"), CandidateText("y", "y", why="bm25"))
    found = figures([ScoredExample(example, np.array([1.0, 2.0, 0.0]))])
    assert found["MAP@3 on fused candidates"] == pytest.approx(0.5)
    assert found["MAP@3 on BM25 candidates"] == 1.0


def test_lists_without_negatives_have_no_order() -> None:
    assert spread([_example("a", "g")], 9) == []


def test_expected_error_by_hand() -> None:
    """Bins .1: two at .15 of which one is right (off by .35), two at .95 of which both are (off by .05)."""
    found = expected_error(np.array([0.15, 0.15, 0.95, 0.95]), np.array([True, False, True, True]))
    assert found == pytest.approx(0.5 * 0.35 + 0.5 * 0.05)


def test_the_error_of_each_half_is_that_under_the_other_halfs_numbers() -> None:
    """Odd lists are right where the logit is high, even ones where it is low: numbers that fit the odd ones are wrong
    of every even one, and those of the even ones say a half of everything, which is as many as are right."""
    chance = np.random.default_rng(2)
    logits = [chance.normal(0.0, 4.0, 50) for _ in range(40)]
    lists = [(one, one > 0.0 if at % 2 else one < 0.0) for at, one in enumerate(logits)]
    assert calibrate(*lists[1]).error < 0.1
    assert calibrate_lists(lists).error == pytest.approx((0.95 + 0.0) / 2, abs=0.08)


def test_too_few_lists_for_two_halves_are_judged_by_themselves() -> None:
    one = (np.array([2.0, -1.0, -2.0]), np.array([True, False, False]))
    assert calibrate_lists([one]) == calibrate(*one)


def test_calibration_finds_the_numbers_that_made_the_pairs() -> None:
    """Of pairs drawn with sigmoid(logit / 4 - 1): the same two numbers again, and a smaller error than uncalibrated."""
    chance = np.random.default_rng(1)
    logits = chance.normal(0.0, 8.0, 20_000)
    right = chance.random(20_000) < probability(logits, 4.0, -1.0)
    found = calibrate(logits, right)
    assert found.temperature == pytest.approx(4.0, rel=0.06)
    assert found.offset == pytest.approx(-1.0, abs=0.08)
    assert found.error < 0.02 < found.before


def test_calibration_of_one_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="pairs that do not"):
        calibrate(np.array([1.0, 2.0]), np.array([True, True]))


@given(st.lists(st.floats(-50, 50), min_size=4, max_size=40, unique=True), st.integers(1, 3))
def test_calibration_never_changes_an_order(logits: list[float], count: int) -> None:
    values = np.array(logits)
    right = np.zeros(len(values), dtype=bool)
    right[np.argsort(values)[-count:]] = True
    found = calibrate(values, right)
    assert found.temperature > 0
    order = np.argsort(values)
    assert (np.diff(probability(values, found.temperature, found.offset)[order]) >= 0).all()
