"""The reranker's training: losses, orders and calibration by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from encoders.late_interaction import similarity
from training.examples import Candidate, Example, TrainingError
from training.reranker.calibration import calibrate, calibrate_lists, expected_error, probability
from training.reranker.held_out import Lists, Ordered, ap, figures, ndcg
from training.reranker.model import interact, words_of
from training.reranker.settings import RerankerSettings
from training.reranker.trainee import binary, chosen_for, judged, listwise


def test_listwise_by_hand() -> None:
    """Softmax of (ln 3, 0): the answer has 3/4. A text that is not known counts for nothing, however high."""
    scores = torch.tensor([[math.log(3.0), 0.0, 50.0]])
    loss = listwise(scores, torch.tensor([[1.0, 0.0, 0.0]]), torch.tensor([[True, True, False]]))
    assert float(loss) == pytest.approx(-math.log(0.75))


def test_grades_are_learnt_in_proportion() -> None:
    """Grades 3 and 1: -(3/4 ln 1/2 + 1/4 ln 1/4) where the softmax says (1/2, 1/4, 1/4)."""
    scores = torch.tensor([[math.log(2.0), 0.0, 0.0]])
    loss = listwise(scores, torch.tensor([[3.0, 1.0, 0.0]]), torch.ones(1, 3, dtype=torch.bool))
    assert float(loss) == pytest.approx(-(0.75 * math.log(0.5) + 0.25 * math.log(0.25)))


def test_binary_by_hand() -> None:
    """sigmoid(ln 3) = 3/4 for what is right, sigmoid(0) = 1/2 for both that are wrong: ln 4/3 + ln 2."""
    scores = torch.tensor([[math.log(3.0), 0.0, 0.0]])
    loss = binary(scores, torch.tensor([[1.0, 0.0, 0.0]]), torch.ones(1, 3, dtype=torch.bool))
    assert float(loss) == pytest.approx(math.log(4 / 3) + math.log(2))


def _example(name: str, group: str, *negatives: Candidate) -> Example:
    return Example(name, f"question {name}", Candidate(name, f"answer {name}", 1), negatives, group=group)


def test_a_sibling_is_neither_right_nor_wrong_and_an_own_negative_is_wrong() -> None:
    hard = Candidate("n", "hard negative")
    examples = [_example("a", "g", hard), _example("b", "g"), _example("c", "other")]
    texts = ["answer a", "answer b", "answer c", "hard negative"]
    grades, known = judged(examples, [[hard], [], []], texts, [set(), set(), set()])
    assert grades[0] == [1.0, 0.0, 0.0, 0.0]
    assert known[0] == [True, False, True, True]
    assert known[2] == [True, True, True, True]


def test_a_text_is_cut_to_the_first_question_it_was_drawn_for() -> None:
    shared = Candidate("n", "shared")
    examples = [_example("a", "g", shared), _example("b", "h", shared)]
    assert chosen_for(examples, [[shared], [shared]], ["answer b", "shared", "answer a"]) == [1, 0, 0]


def test_orders_by_hand() -> None:
    """The answer on the second of three: nDCG = 1 / log2(3), AP = 1/2; a constant ranks it last."""
    logits, grades = np.array([1.0, 2.0, 0.0]), np.array([1.0, 0.0, 0.0])
    assert ndcg(logits, grades) == pytest.approx(1 / math.log2(3))
    assert ap(logits, grades, 3) == pytest.approx(0.5)
    assert ap(np.zeros(4), np.array([1.0, 0.0, 0.0, 0.0]), 3) == 0.0


def test_bm25_candidates_leave_out_what_only_meaning_found() -> None:
    example = _example("a", "g", Candidate("x", "x", why="dense"), Candidate("y", "y", why="bm25"))
    found = figures([Ordered(example, np.array([1.0, 2.0, 0.0]))])
    assert found["MAP@3 on fused candidates"] == pytest.approx(0.5)
    assert found["MAP@3 on BM25 candidates"] == 1.0


def test_what_is_forgotten_is_told_of_general_text_alone() -> None:
    """The own answer is second of two, the general one first: 1 / log2(3) and 1; without general text no such line."""
    own, general = (_example(name, name, Candidate("x", "x")) for name in ("own", "general"))
    read = [Ordered(own, np.array([1.0, 2.0])), Ordered(general, np.array([2.0, 1.0]))]
    found = figures(read, {"general"})
    assert found["nDCG@10 on general text (forgetting)"] == 1.0
    assert found["nDCG@10 on fused candidates"] == pytest.approx((1.0 + 1 / math.log2(3)) / 2)
    assert not [name for name in figures(read) if "forgetting" in name]


def test_lists_without_negatives_have_no_order() -> None:
    assert Lists.of([_example("a", "g")]).examples == ()


def test_training_scores_as_serving_does() -> None:
    """A batch with padding, by the same arithmetic as ``encoders.late_interaction``."""
    chance = torch.Generator().manual_seed(3)
    asked, found = torch.rand((2, 4, 5), generator=chance), torch.rand((3, 6, 5), generator=chance)
    asked_mask = torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]])
    found_mask = torch.tensor([[1] * 6, [1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0]])
    scores = interact(asked, words_of(asked_mask), found, words_of(found_mask))
    for i, questions in enumerate(asked_mask.sum(1).tolist()):
        for j, texts in enumerate(found_mask.sum(1).tolist()):
            alone = similarity(asked[i, :questions].numpy(), found[j, :texts].numpy())
            assert float(scores[i, j]) == pytest.approx(alone, abs=1e-5)


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


def test_settings_that_cannot_be_are_refused() -> None:
    for wrong in (
        {"negatives": 0},
        {"general_share": 1.0},
        {"learning_layers": 9},
        {"max_tokens": 4},
        {"near_base": -1.0},
    ):
        with pytest.raises(TrainingError):
            RerankerSettings(**wrong)
