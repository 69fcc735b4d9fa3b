"""A learned combiner: the weighted sum in which each signal counts by a learned curve.

score = sum over signals of weight x factor x curve(scaled), with curves that never fall (Lou, Caruana and Gehrke, KDD
2012: a generalised additive model). So a better signal never costs a place, and each signal's contribution is exact:
of an additive model, the Shapley value is the term itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from core.hit import SignalName
from search_api.search.ranking.columns import Floats
from search_api.search.ranking.combiners.combiner import Terms
from search_api.search.ranking.combiners.sums import weighted_sum
from search_api.search.ranking.combiners.tm2c2 import tm2c2
from search_api.search.ranking.numbers import check_not_negative, check_positive
from search_api.search.ranking.signals.signal import Asked, Measured

MOST_P = 0.01
"""Stricter than usual: models of a cross-validation share questions, so chance looks like skill more often."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What the model gained over the weighted sum on questions that it had not seen: nDCG@10, and the chance ``p``
    that it is chance.
    """

    questions: int
    before: float
    gain: float
    p: float

    @property
    def better(self) -> bool:
        return self.gain > 0.0 and self.p < MOST_P


@dataclass(frozen=True, slots=True)
class Additive:
    """``knots``: rising from 0 to 1. ``curves``: by signal, its value at each knot, from 0 to 1, never falling; one
    that is not named counts as it is. ``factors``: multiply the signals' weights, 1 for one that is not named.

    Raises ValueError for a model that did not beat the weighted sum on questions that it had not seen.
    """

    name: ClassVar[str] = "additive"
    held_out: HeldOut
    knots: Sequence[float]
    curves: Mapping[str, Sequence[float]] = field(default_factory=dict)
    factors: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.held_out.better:
            raise ValueError(
                f"it did not beat the weighted sum on what it had not seen: nDCG@10 {self.held_out.gain:+.4f}, "
                f"p {self.held_out.p:.3f}"
            )
        check_positive(knots=len(self.knots) - 1)
        check_not_negative(**self.factors)
        for name, curve in {"knots": self.knots, **self.curves}.items():
            if len(curve) != len(self.knots) or (curve[0], curve[-1]) != (0.0, 1.0) or np.any(np.diff(curve) < 0.0):
                raise ValueError(f"{name} does not rise from 0 to 1 in {len(self.knots)} steps")

    def combine(self, measured: Mapping[SignalName, Measured], _asked: Asked) -> Terms:
        learned = {name: self._learned(name, one) for name, one in measured.items()}
        return weighted_sum(learned, lambda name, arm: self._curve(name, tm2c2(arm.raw, arm.least)))

    def _learned(self, name: SignalName, one: Measured) -> Measured:
        counted = None if one.counted is None else self._curve(name, one.counted)
        return replace(one, weight=one.weight * self.factors.get(name, 1.0), counted=counted)

    def _curve(self, name: SignalName, values: Floats) -> Floats:
        """NaN stays NaN."""
        curve = self.curves.get(name)
        return values if curve is None else np.interp(values, self.knots, curve)
