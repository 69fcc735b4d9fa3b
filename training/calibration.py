"""Measures the order that a cross-encoder gives to the candidates of examples, and converts its logits to meaningful
probabilities: sigmoid(logit / temperature + offset).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.ports import CrossEncoder
from evaluation.metrics import HEADLINE, measure
from training.examples import Example

Floats = NDArray[np.float64]

_STEPS, _SMALL = 50, 1e-9
_BINS = 10
_RIDGE = 1e-3  # keeps the slope finite if positives and negatives are perfectly separated


@dataclass(frozen=True, slots=True)
class ScoredExample:
    """Logits of an example's candidates, the answer first."""

    example: Example
    logits: Floats

    @staticmethod
    def of(example: Example, model: CrossEncoder) -> ScoredExample:
        return ScoredExample(example, model.score(example.question, [text.text for text in example.candidates]))

    @property
    def grades(self) -> NDArray[np.int64]:
        first, *negatives = self.example.candidates
        return np.array([max(1, first.grade), *(text.grade for text in negatives)], dtype=np.int64)

    @property
    def right(self) -> NDArray[np.bool_]:
        return self.grades > 0

    @property
    def order(self) -> NDArray[np.intp]:
        """Best first; of equal logits the answer ranks last, so that a constant gains nothing."""
        return np.lexsort((self.grades, -self.logits))

    def found_by(self, arms: Sequence[str]) -> ScoredExample:
        """Only the answer, and the negatives found by one of ``arms``."""
        rows = [row for row, text in enumerate(self.example.candidates) if row == 0 or text.why in arms]
        negatives = tuple(self.example.candidates[row] for row in rows[1:])
        return ScoredExample(replace(self.example, negatives=negatives), self.logits[rows])


def spread(examples: Sequence[Example], count: int) -> list[Example]:
    """``count`` examples with negatives, evenly over all of them, so that every corpus is included."""
    fit = [example for example in examples if example.negatives]
    return fit[:: max(1, len(fit) // count)][:count]


def figures(all_rows: Sequence[ScoredExample]) -> dict[str, float]:
    """nDCG@10 and MAP@3 over all candidates (fused) and those found by words (bm25); nDCG@10 by corpus."""
    rows_by_words = [narrow for example in all_rows if len((narrow := example.found_by(("bm25", "fused"))).logits) > 1]
    measures: dict[str, float] = {}
    for name, rows in (("fused", all_rows), ("BM25", rows_by_words)):
        if rows:
            measures[f"{HEADLINE} on {name} candidates"] = ndcg(rows)
            measures[f"MAP@3 on {name} candidates"] = float(np.mean([average_precision(row, 3) for row in rows]))
    for corpus in sorted({row.example.corpus for row in all_rows}):
        corpus_rows = [row for row in all_rows if row.example.corpus == corpus]
        measures[f"{HEADLINE} on {corpus or 'unnamed'} ({len(corpus_rows)})"] = ndcg(corpus_rows)
    return measures


def ndcg(rows: Sequence[ScoredExample]) -> float:
    """Mean nDCG@10, 0..1."""
    run = {str(number): [(str(place), 0.0) for place in row.order] for number, row in enumerate(rows)}
    qrels = {
        str(number): {str(place): int(grade) for place, grade in enumerate(row.grades)}
        for number, row in enumerate(rows)
    }
    return measure(run, qrels).means[HEADLINE]


def average_precision(example: ScoredExample, depth: int) -> float:
    """Of the first ``depth``, divided by the possible number of right ones there: 0..1."""
    right = example.right[example.order][:depth]
    possible = min(depth, int(example.right.sum()))
    return float((np.cumsum(right) / np.arange(1, len(right) + 1))[right].sum()) / possible if possible else 0.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """As in ``core.ports.CrossEncoderCard``. ``error``: expected calibration error, 0 at best; ``before``: that of the
    plain sigmoid.
    """

    temperature: float
    offset: float
    error: float
    before: float


def calibrate(logits: Floats, right: NDArray[np.bool_]) -> Calibration:
    """Platt's two numbers by Newton's method on the log loss; (n,) each. Raises ValueError without both kinds."""
    if not right.any() or right.all():
        raise ValueError("calibration needs pairs that answer and pairs that do not")
    centre, spread = float(logits.mean()), float(logits.std()) or 1.0
    slope, shift = _fit((logits - centre) / spread, right.astype(np.float64))
    temperature = spread / max(slope, _SMALL)
    offset = shift - slope * centre / spread
    after = expected_error(probability(logits, temperature, offset), right)
    return Calibration(temperature, offset, after, expected_error(probability(logits, 1.0, 0.0), right))


def calibrate_lists(lists: Sequence[tuple[Floats, NDArray[np.bool_]]]) -> Calibration:
    """The two numbers from all lists (logits, right) together; ``error`` is cross-validated: each half of the lists is
    measured with the numbers of the other half. Raises ValueError as :func:`calibrate`.
    """
    calibration = calibrate(*_concatenate(lists))
    halves = lists[::2], lists[1::2]
    try:
        errors = [
            _error_with(calibrate(*_concatenate(half)), second_half) for half, second_half in (halves, halves[::-1])
        ]
    except ValueError:  # too few lists for two halves
        return calibration
    sizes = [sum(len(logits) for logits, _ in half) for half in (halves[1], halves[0])]
    return replace(calibration, error=float(np.average(errors, weights=sizes)))


def _error_with(calibration: Calibration, lists: Sequence[tuple[Floats, NDArray[np.bool_]]]) -> float:
    logits, right = _concatenate(lists)
    return expected_error(probability(logits, calibration.temperature, calibration.offset), right)


def _concatenate(lists: Sequence[tuple[Floats, NDArray[np.bool_]]]) -> tuple[Floats, NDArray[np.bool_]]:
    if not lists:
        raise ValueError("calibration needs lists")
    return np.concatenate([logits for logits, _ in lists]), np.concatenate([right for _, right in lists])


def probability(logits: Floats, temperature: float, offset: float) -> Floats:
    return np.asarray(0.5 * (1.0 + np.tanh((logits / temperature + offset) / 2.0)), dtype=np.float64)


def expected_error(probabilities: Floats, right: NDArray[np.bool_]) -> float:
    """|mean probability - share that is right| in equal bins of probability, weighted by size (Guo et al. 2017)."""
    bin_numbers = np.minimum((probabilities * _BINS).astype(np.int64), _BINS - 1)
    total = 0.0
    for number in range(_BINS):
        inside = bin_numbers == number
        if inside.any():
            total += inside.sum() * abs(float(probabilities[inside].mean()) - float(right[inside].mean()))
    return total / len(probabilities)


def _fit(scores: Floats, right: Floats) -> tuple[float, float]:
    """Slope and shift; the slope stays finite."""
    features = np.stack([scores, np.ones_like(scores)], axis=1)
    weights = np.array([1.0, 0.0])
    ridge = np.diag([_RIDGE, 0.0])
    for _ in range(_STEPS):
        probabilities = probability(features @ weights, 1.0, 0.0)
        gradient = features.T @ (probabilities - right) / len(right) + ridge @ weights
        curve = (features * (probabilities * (1.0 - probabilities))[:, None]).T @ features / len(right) + ridge
        step = np.linalg.solve(curve + _SMALL * np.eye(2), gradient)
        weights = weights - np.clip(step, -2.0, 2.0)
        if np.abs(step).max() < _SMALL:
            break
    return float(weights[0]), float(weights[1])


def area_under_curve(scores: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """The chance that a pair that answers scores above one that does not; equal scores count half
    (Mann and Whitney 1947). Both must occur.
    """
    values, places = np.unique(scores, return_inverse=True)
    counts = np.bincount(places, minlength=len(values))
    ranks = (np.cumsum(counts) - (counts - 1) / 2.0)[places]
    positives, negatives = int(right.sum()), int((~right).sum())
    return float((ranks[right].sum() - positives * (positives + 1) / 2.0) / (positives * negatives))
