"""What an embedder is trained and measured with, by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from core.ports import Vectors
from training.embedder.encoder import EmbedderTrainingSettings, task_instruction
from training.embedder.learner import HeldOut, batch_of
from training.embedder.train import matched_threshold
from training.examples import CandidateText, Example, TrainingError


def example(question: str, positive: str, *negatives: CandidateText) -> Example:
    return Example(question, question, CandidateText(positive, positive, 1), negatives)


def test_a_text_is_one_row_and_no_negative_of_whom_it_answers() -> None:
    """a is asked twice with two answers: each is left out as a negative of the other."""
    graded = CandidateText("C", "C", 2)
    first, second = example("a", "A", graded), example("a", "B")
    batch = batch_of([first, second, example("c", "C")], [[graded], [], [CandidateText("D", "D")]])
    assert batch.texts == ["A", "B", "C", "D"]
    assert batch.answers == [0, 1, 2]
    assert batch.also == [{1, 2}, {0, 2}, set()]


def test_held_out_questions_search_every_text_and_like_worded_ones_are_one() -> None:
    """Cosines are handed in: a finds B first and A second: RR 1/2; c finds C: 1."""
    held = HeldOut.of([example("a", "A", CandidateText("B", "B")), example("c", "C"), example("a", "A")], extra=["E"])
    assert list(held.questions.values()) == ["a", "c"]
    assert list(held.texts.values()) == ["A", "B", "C", "E"]
    places = {"a": [0.6, 0.8, 0], "B": [0, 1, 0], "A": [1, 0, 0], "c": [0, 0, 1], "C": [0, 0, 1], "E": [0, -1, 0]}

    def embed(texts: Sequence[str]) -> Vectors:
        return np.array([places[text] for text in texts], dtype=np.float32)

    assert held.evaluate(embed).means["RR"] == pytest.approx(0.75)
    assert held.evaluate(embed).means["R@1"] == pytest.approx(0.5)
    assert [name for name, _ in held.run(embed)["q0"]] == ["t1", "t0", "t2", "t3"]
    assert held.evaluate(embed, dims=1).means["RR"] == pytest.approx((1 + 1 / 3) / 2)


def test_the_instruction_stands_before_questions_alone() -> None:
    held = HeldOut.of([example("rain", "A")], task_instruction("find"))
    seen: list[str] = []

    def embed(texts: Sequence[str]) -> Vectors:
        seen.extend(texts)
        return np.ones((len(texts), 2), dtype=np.float32)

    held.evaluate(embed).means["RR"]
    assert seen == ["A", "Instruct: find\nQuery: rain"]


def test_the_threshold_cuts_off_the_share_it_cut_off_before() -> None:
    """.2 lies above half of the pairs before; the middle of those after is .5."""
    before = np.array([0.0, 0.1, 0.3, 0.4], dtype=np.float32)
    after = np.array([0.3, 0.4, 0.6, 0.7], dtype=np.float32)
    assert matched_threshold(0.2, before, after) == 0.5
    assert matched_threshold(0.0, before, after) == 0.0


def test_settings_that_cannot_work_are_refused() -> None:
    with pytest.raises(TrainingError, match="at least 2 questions"):
        EmbedderTrainingSettings(batch=1)
    with pytest.raises(TrainingError, match="negatives is at least 1"):
        EmbedderTrainingSettings(loss="margin_mse", negatives=0)
