"""Measures how well held-out questions find their texts among all texts of the held-out examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from core.ports import Vectors
from encoders.pooling import unit
from evaluation.collection import Qrels
from evaluation.metrics import RunMeasures, measure
from evaluation.trec import Run
from training.examples import Example

Embed = Callable[[Sequence[str]], Vectors]
_DEPTH = 100
_BLOCK = 256


@dataclass(frozen=True, slots=True)
class HeldOut:
    """``qrels``: question id -> text id -> grade; equal questions are joined, with all their answers and every text
    that has the question as a label.
    """

    questions: dict[str, str]
    texts: dict[str, str]
    qrels: Qrels
    instruction: str = ""

    @staticmethod
    def of(examples: Sequence[Example], instruction: str = "", extra: Sequence[str] = ()) -> HeldOut:
        """``extra``: further texts to search, which answer none of the questions."""
        texts: dict[str, str] = {}
        questions: dict[str, str] = {}
        qrels: dict[str, dict[str, int]] = {}
        labelled: dict[str, dict[str, int]] = {}
        for example in examples:
            question = questions.setdefault(example.question, f"q{len(questions)}")
            for candidate in example.candidates:
                name = texts.setdefault(candidate.text, f"t{len(texts)}")
                grade = max(candidate.grade, 1) if candidate is example.positive else candidate.grade
                if grade > 0:
                    qrels.setdefault(question, {})[name] = grade
                for label in candidate.labels:
                    labelled.setdefault(label, {})[name] = 1
        for text, question in questions.items():
            qrels[question] = {**labelled.get(text.casefold(), {}), **qrels[question]}
        for text in extra:
            texts.setdefault(text, f"t{len(texts)}")
        return HeldOut(
            {name: text for text, name in questions.items()},
            {name: text for text, name in texts.items()},
            qrels,
            instruction,
        )

    def average_precision(self, embed: Embed) -> float:
        """Mean AP@100, the measure during training: 1 / rank if there is one answer."""
        return self.measured(embed).means["AP@100"]

    def measured(self, embed: Embed, dims: int | None = None) -> RunMeasures:
        """Every measure; ``dims``: with vectors shortened to this many numbers."""
        return measure(self.run(embed, dims), self.qrels)

    def run(self, embed: Embed, dims: int | None = None) -> Run:
        """The best hundred texts of each question by cosine; ties in the order of the texts."""
        names, question_names = list(self.texts), list(self.questions)
        documents = _short(embed(list(self.texts.values())), dims)
        questions = _short(embed([self.instruction + text for text in self.questions.values()]), dims)
        run: dict[str, list[tuple[str, float]]] = {}
        for start in range(0, len(questions), _BLOCK):
            cosines = questions[start : start + _BLOCK] @ documents.T
            for question, row in zip(question_names[start : start + _BLOCK], cosines, strict=True):
                best = np.argsort(-row, kind="stable")[:_DEPTH]
                run[question] = [(names[at], float(row[at])) for at in best]
        return run


def _short(vectors: Vectors, dims: int | None) -> Vectors:
    return vectors if dims is None else unit(vectors[:, :dims])
