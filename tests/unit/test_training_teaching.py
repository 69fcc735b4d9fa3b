"""A teacher's scores: where they stand, what a dead teacher says, and that nothing is scored twice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from core.errors import Unavailable
from core.ports import CrossEncoderCard
from training.examples import CandidateText, Example, TrainingError, read_examples, write_examples
from training.teacher_scores import ScoringTeacher, with_teacher_scores

EXAMPLES = [
    Example(
        f"e{at}",
        f"question {at}",
        CandidateText(f"a{at}", "snow " * (at + 1), 1),
        (CandidateText("n", "ice"), CandidateText("m", "rain" * at + ".")),
    )
    for at in range(6)
]


class _ByLength:
    """The length of a text is its logit; dies after so many questions."""

    card = CrossEncoderCard("by length", 64)

    def __init__(self, questions: int = 99) -> None:
        self.left, self.asked = questions, 0

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:  # noqa: ARG002
        if self.left == 0:
            raise Unavailable("connection refused")
        self.left, self.asked = self.left - 1, self.asked + 1
        return np.array([len(text) for text in texts], dtype=np.float64)


def test_each_text_has_its_score(tmp_path: Path) -> None:
    found = with_teacher_scores(EXAMPLES, ScoringTeacher("t", _ByLength()), tmp_path / "kept")
    for example in found:
        assert [one.teacher for one in example.candidates] == [len(one.text) for one in example.candidates]
    write_examples(tmp_path / "with_teacher_scores.jsonl", found)
    assert read_examples(tmp_path / "with_teacher_scores.jsonl") == found


def test_after_a_dead_teacher_only_the_rest_is_scored(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"t does not answer: connection refused 4 of 6 examples are scored"):
        with_teacher_scores(EXAMPLES, ScoringTeacher("t", _ByLength(4)), tmp_path)
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:-3])  # the power went while the fourth was written
    again = _ByLength()
    assert with_teacher_scores(EXAMPLES, ScoringTeacher("t", again), tmp_path) == with_teacher_scores(
        EXAMPLES, ScoringTeacher("t", _ByLength()), tmp_path / "new"
    )
    assert again.asked == 3
    other = _ByLength()
    with_teacher_scores(EXAMPLES, ScoringTeacher("another", other), tmp_path)
    assert other.asked == 6


def test_a_score_that_is_no_number_is_refused(tmp_path: Path) -> None:
    class Mad(_ByLength):
        def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:  # noqa: ARG002
            return np.full(len(texts), np.nan)

    with pytest.raises(TrainingError, match="gave no number"):
        with_teacher_scores(EXAMPLES, ScoringTeacher("t", Mad()), tmp_path)


def test_where_nothing_can_be_kept_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file in the way of the folder")
    with pytest.raises(TrainingError, match="cannot be written"):
        with_teacher_scores(EXAMPLES, ScoringTeacher("t", _ByLength()), tmp_path / "kept")
