"""Fits the curves of :class:`search_api.search.ranking.combiners.additive.Additive` to judged questions.

Coordinate ascent on nDCG@10 itself (Metzler and Croft, Information Retrieval 10, 2007), from the weighted sum: one
step of one curve changes at a time, and stays changed if the gain is worth it. With few judgements little changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.significance import Comparison, paired_randomisation
from training.combiner.lists import SignalList, Values, discounts, gains, ideal_gain
from training.examples import TrainingError

KNOTS = (0.0, 0.25, 0.5, 0.75, 1.0)
_STEPS = len(KNOTS) - 1
_DEEPEST = 10
_LEAST_QUESTIONS = 20
_TAKEN = 60
_WEIGHTS = (0.0, 0.5, 0.8, 1.25, 2.0)
_STEP_HEIGHTS = (0.5, 2.0)

Heights = NDArray[np.float64]
"""(signals, steps): how much each step of a curve adds, 1/4 where it counts as the signal is."""


@dataclass(frozen=True, slots=True)
class FitSettings:
    """``least_gain``: of nDCG@10, that a change must bring to stay; ``folds`` of the cross-validation."""

    least_gain: float = 0.0005
    rounds: int = 6
    folds: int = 5
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Model:
    """By signal, the heights of its curve's steps."""

    heights: Mapping[str, Sequence[float]]

    @property
    def factors(self) -> dict[str, float]:
        return {name: round(float(sum(steps)), 6) for name, steps in self.heights.items()}

    @property
    def curves(self) -> dict[str, list[float]]:
        """From 0 to 1 at the knots; of a signal that adds nothing, as it is."""
        found = {}
        for name, steps in self.heights.items():
            risen = np.cumsum(steps)
            shares = risen / risen[-1] if risen[-1] > 0.0 else np.array(KNOTS[1:])
            found[name] = [0.0, *(round(float(share), 6) for share in shares[:-1]), 1.0]
        return found


@dataclass(frozen=True, slots=True)
class Fitted:
    """The model of all questions, and nDCG@10 by question: ``before``, of the weighted sum; ``held_out``, of models
    that had not seen the question.
    """

    model: Model
    before: Mapping[str, float]
    held_out: Mapping[str, float]

    @property
    def comparison(self) -> Comparison:
        return paired_randomisation(self.held_out, self.before)

    def worst_collection(self) -> tuple[str, float]:
        """Where the model loses most, and its mean gain there."""
        gained: dict[str, list[float]] = {}
        for key, value in self.held_out.items():
            gained.setdefault(key.partition(" ")[0], []).append(value - self.before[key])
        means = {name: float(np.mean(values)) for name, values in gained.items()}
        worst = min(means, key=lambda name: (means[name], name))
        return worst, means[worst]


def fitted(lists: Sequence[SignalList], settings: FitSettings, told: Callable[[str], None] = lambda _: None) -> Fitted:
    """Cross-validated by question. Raises TrainingError for too few questions."""
    useful = sum(one.grades.max(initial=0.0) > 0.0 >= one.grades.min(initial=0.0) for one in lists)
    if useful < _LEAST_QUESTIONS:
        raise TrainingError(f"{useful} questions with right and wrong answers; at least {_LEAST_QUESTIONS} are needed.")
    folds = np.random.default_rng(settings.seed).permutation(len(lists)) % settings.folds
    before, held_out = np.zeros(len(lists)), np.zeros(len(lists))
    batch = Batch.of(lists)
    for fold in range(settings.folds):
        left = folds == fold
        heights = ascend(batch, batch.shares(~left), settings)
        held_out[left], before[left] = batch.values(heights)[left], batch.values(batch.start)[left]
        told(f"fold {fold + 1} of {settings.folds}: {int(left.sum())} questions that the model had not seen")
    found = ascend(batch, batch.shares(np.ones(len(lists), dtype=bool)), settings)
    keys = [f"{one.collection} {one.question}" for one in lists]
    return Fitted(
        Model({name: row.tolist() for name, row in zip(batch.names, found, strict=True)}),
        dict(zip(keys, before.tolist(), strict=True)),
        dict(zip(keys, held_out.tolist(), strict=True)),
    )


def ascend(batch: Batch, shares: NDArray[np.float64], settings: FitSettings) -> Heights:
    """``shares``: (q,) of each question in the mean; 0 leaves it out."""
    best, heights = float(batch.values(batch.start) @ shares), batch.start
    for _ in range(settings.rounds):
        before = best
        for place in range(len(batch.names)):
            for changed in _changes(heights, place):
                value = float(batch.values(changed) @ shares)
                if value >= best + settings.least_gain:
                    best, heights = value, changed
        if best == before:
            return heights
    return heights


def _changes(heights: Heights, place: int) -> list[Heights]:
    """Another weight of the signal, or another height of one step of its curve."""
    wholes: list[tuple[slice | int, float]] = [(slice(None), factor) for factor in _WEIGHTS]
    steps: list[tuple[slice | int, float]] = [(step, factor) for step in range(_STEPS) for factor in _STEP_HEIGHTS]
    found = []
    for part, factor in (*wholes, *steps):
        changed = heights.copy()
        changed[place, part] *= factor
        found.append(changed)
    return found


@dataclass(frozen=True, slots=True)
class Batch:
    """q questions, padded to n candidates, of s signals. ``steps``: (s, steps, q, n) weight x how far each step is
    climbed; ``arms``, ``others``: (q, s) the weights of those that were measured.
    """

    names: Sequence[str]
    collections: Sequence[str]
    steps: Values
    is_arm: NDArray[np.bool_]
    weights: NDArray[np.float64]
    late: NDArray[np.float64]
    late_share: NDArray[np.float64]
    gains: NDArray[np.float64]
    there: NDArray[np.bool_]

    @classmethod
    def of(cls, lists: Sequence[SignalList]) -> Batch:
        names = sorted({name for one in lists for name in one.scaled})
        rows = [_taken(one) for one in lists]
        shape = len(lists), max(len(row) for row in rows)
        steps = np.zeros((len(names), _STEPS, *shape), dtype=np.float32)
        weights = np.zeros((len(lists), len(names)))
        late, gained, there = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=bool)
        for at, (one, row) in enumerate(zip(lists, rows, strict=True)):
            gained[at, : len(row)] = gains(one.grades[row]) / max(ideal_gain(one.ideal, _DEEPEST), 1e-9)
            late[at, : len(row)], there[at, : len(row)] = one.late[row], True
            for place, name in enumerate(names):
                if name in one.scaled:
                    weights[at, place] = one.weights[name]
                    steps[place, :, at, : len(row)] = one.weights[name] * _climbed(one.scaled[name][row]).T
        is_arm = np.array([any(name in one.arms for one in lists) for name in names])
        shares = np.array([one.late_share for one in lists])
        return cls(names, [one.collection for one in lists], steps, is_arm, weights, late, shares, gained, there)

    @property
    def start(self) -> Heights:
        """The weighted sum."""
        return np.full((len(self.names), _STEPS), 1.0 / _STEPS)

    def shares(self, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        """(q,) 0 for a question that is not chosen; each collection counts alike."""
        each = Counter(name for name, taken in zip(self.collections, chosen, strict=True) if taken)
        return np.array(
            [
                1.0 / (each[name] * len(each)) if taken else 0.0
                for name, taken in zip(self.collections, chosen, strict=True)
            ]
        )

    def values(self, heights: Heights) -> NDArray[np.float64]:
        """(q,) nDCG@10 of each question."""
        scores = np.where(self.there, self.scores(heights), -np.inf)
        first = np.argsort(-scores, axis=1, kind="stable")[:, :_DEEPEST]
        found = np.take_along_axis(self.gains, first, axis=1)
        return np.asarray(found @ discounts(found.shape[1]), dtype=np.float64)

    def scores(self, heights: Heights) -> NDArray[np.float64]:
        """(q, n) as :meth:`Additive.combine` and the late interaction make them."""
        tops = self.weights * heights.sum(axis=1)
        of_arms, of_others = tops[:, self.is_arm].sum(axis=1), tops[:, ~self.is_arm].sum(axis=1)
        arms = np.tensordot(heights[self.is_arm], self.steps[self.is_arm], axes=2)
        others = np.tensordot(heights[~self.is_arm], self.steps[~self.is_arm], axes=2)
        fused = (arms / np.maximum(of_arms, 1e-9)[:, None] + others) / (1.0 + of_others)[:, None]
        share = self.late_share[:, None]
        return np.asarray((1.0 - share) * fused + share * self.late, dtype=np.float64)


def _taken(one: SignalList) -> NDArray[np.intp]:
    """The candidates that any mixture may bring to the top: the best of the order served, and of each signal."""
    best = [np.arange(min(one.size, _TAKEN))]
    best += [np.argsort(-scaled, kind="stable")[: _TAKEN // 4] for scaled in one.scaled.values()]
    return np.unique(np.concatenate([*best, np.flatnonzero(one.grades > 0)]))


def _climbed(scaled: Values) -> NDArray[np.float64]:
    """(n, steps) 0..1: how far each step is climbed."""
    lowest, highest = np.array(KNOTS[:-1]), np.array(KNOTS[1:])
    return np.asarray(np.clip((scaled[:, None] - lowest) / (highest - lowest), 0.0, 1.0), dtype=np.float64)
