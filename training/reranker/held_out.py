"""Measures the order of held-out lists: each question's answer among its own candidates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics import HEADLINE
from training.examples import Candidate, Example

Score = Callable[[str, Sequence[str]], NDArray[np.float64]]
"""Maps a question and texts to logits, in the order of the texts."""

_CUT = 10


@dataclass(frozen=True, slots=True)
class Ordered:
    """Logits and grades of one question's candidates, in the order of the example."""

    example: Example
    logits: NDArray[np.float64]

    @property
    def grades(self) -> NDArray[np.float64]:
        own = self.example
        return np.array([max(1, own.positive.grade), *(one.grade for one in own.negatives)], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Lists:
    """Examples with candidates to order; those without negatives have no order and are left out."""

    examples: tuple[Example, ...]

    @staticmethod
    def of(examples: Sequence[Example]) -> Lists:
        return Lists(tuple(example for example in examples if example.negatives))

    def first(self, count: int) -> Lists:
        """Spread evenly over all of them, so that every corpus is included."""
        step = max(1, len(self.examples) // count)
        return Lists(self.examples[::step][:count])

    def read(self, score: Score) -> list[Ordered]:
        return [Ordered(one, score(one.question, [each.text for each in one.candidates])) for one in self.examples]

    def headline(self, score: Score) -> float:
        """Mean nDCG@10, 0..1."""
        return mean([ndcg(one.logits, one.grades) for one in self.read(score)])


def figures(read: Sequence[Ordered], general: Collection[str] = ()) -> dict[str, float]:
    """nDCG@10 and MAP@3 over all candidates (fused) and those found by words (bm25); nDCG@10 by corpus.

    ``general``: ids of examples of general text; a decrease there from before to after measures forgetting.
    """
    found = {
        f"{HEADLINE} on fused candidates": mean([ndcg(one.logits, one.grades) for one in read]),
        "MAP@3 on fused candidates": mean([ap(one.logits, one.grades, 3) for one in read]),
    }
    worded = [narrowed(one, ("bm25", "fused")) for one in read]
    worded = [one for one in worded if len(one.logits) > 1]
    if worded:
        found[f"{HEADLINE} on BM25 candidates"] = mean([ndcg(one.logits, one.grades) for one in worded])
        found["MAP@3 on BM25 candidates"] = mean([ap(one.logits, one.grades, 3) for one in worded])
    if forgettable := [ndcg(one.logits, one.grades) for one in read if one.example.id in general]:
        found[f"{HEADLINE} on general text (forgetting)"] = mean(forgettable)
    for corpus in sorted({one.example.corpus for one in read}):
        own = [ndcg(one.logits, one.grades) for one in read if one.example.corpus == corpus]
        found[f"{HEADLINE} on {corpus or 'unnamed'} ({len(own)})"] = mean(own)
    return found


def narrowed(one: Ordered, arms: Sequence[str]) -> Ordered:
    """The positive, and the negatives found by one of ``arms``."""
    kept: list[tuple[int, Candidate]] = [
        (at, each) for at, each in enumerate(one.example.candidates) if at == 0 or each.why in arms
    ]
    own = one.example
    example = Example(
        own.id, own.question, own.positive, tuple(each for at, each in kept if at), own.origin, own.corpus, own.group
    )
    return Ordered(example, one.logits[[at for at, _ in kept]])


def ndcg(logits: NDArray[np.floating], grades: NDArray[np.number], cut: int = _CUT) -> float:
    """Linear gains over log2(rank + 1); for equal logits the answer ranks last, so that a constant gains nothing."""
    order = np.lexsort((grades, -logits))[:cut]
    discount = 1.0 / np.log2(np.arange(2, cut + 2))
    best = np.sort(grades)[::-1][:cut]
    ideal = float(best @ discount[: len(best)])
    return float(grades[order] @ discount[: len(order)]) / ideal if ideal else 0.0


def ap(logits: NDArray[np.floating], grades: NDArray[np.number], cut: int) -> float:
    """Average precision of the first ``cut``, divided by the possible number of right ones there. Ties as in
    ``ndcg``.
    """
    right = (grades > 0)[np.lexsort((grades, -logits))][:cut]
    possible = min(cut, int((grades > 0).sum()))
    return float((np.cumsum(right) / np.arange(1, len(right) + 1))[right].sum()) / possible if possible else 0.0


def mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0
