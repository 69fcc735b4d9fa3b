"""The combiners, which make one score of the signals, chosen in ``config.json``.

A combiner is a frozen dataclass whose fields are its section of ``config.json``. It is pure.

A candidate that an arm did not measure (NaN) gets nothing from that arm, as if it had the arm's minimum. Retrieval
completes the arms first (round two). A score that is still missing means that there is nothing to measure: a record
without the question's words. (A record without passages counts by the meaning of its own text.) An arm that measured no
candidate at all did not run: it is left out and the others share its weight.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np

from core.hit import SignalName
from search_api.search.ranking.candidates import Floats, Integers
from search_api.search.ranking.numbers import check_positive
from search_api.search.ranking.signals.signal import MeasuredSignal, RankingInput


@dataclass(frozen=True, slots=True)
class Term:
    """One signal's part in the scores: ``raw`` (n,) as measured, NaN if not; ``counted`` (n,) without NaN.

    Its contribution is ``weight * counted``.
    """

    raw: Floats
    counted: Floats
    weight: float


Terms = Mapping[SignalName, Term]


class Combiner(Protocol):
    """The score of a candidate is the sum of its terms' contributions, so an explanation always adds up to it."""

    name: ClassVar[str]

    def combine(self, measured: Mapping[SignalName, MeasuredSignal], inputs: RankingInput, /) -> Terms:
        """A term for each signal that was measured. A learned model returns its contributions as ``counted`` with
        weight 1, and its base value as a term whose name is not a signal's.
        """


def total(terms: Terms, count: int) -> Floats:
    """Sum of weight x counted, (n,), added in the order of the names, so that the order of arms has no effect."""
    score = np.zeros(count)
    for name in sorted(terms):
        score += terms[name].weight * terms[name].counted
    return score


Scaled = Callable[[MeasuredSignal], Floats]
"""The scores that an arm compares, (n,), as 0..1; NaN stays NaN."""


def weighted_sum(measured: Mapping[SignalName, MeasuredSignal], scaled: Scaled) -> Terms:
    """The terms, with weights that sum to 1 (unchanged if all are 0).

    An arm that was not counted keeps weight 0, so that its signal is shown.
    """
    arms = {name: signal for name, signal in measured.items() if signal.counted is None}
    weights = shared_weights(
        {name: signal.raw for name, signal in arms.items()}, {name: signal.weight for name, signal in arms.items()}
    )
    terms: dict[SignalName, Term] = {}
    for name, signal in measured.items():
        if signal.counted is None:
            terms[name] = Term(signal.raw, np.nan_to_num(scaled(signal)), weights.get(name, 0.0))
        else:
            terms[name] = Term(signal.raw, signal.counted, signal.weight)
    everything = math.fsum(term.weight for term in terms.values())
    if everything == 0.0:
        return terms
    return {name: replace(term, weight=term.weight / everything) for name, term in terms.items()}


def shared_weights(arms: Mapping[SignalName, Floats], weights: Mapping[SignalName, float]) -> dict[SignalName, float]:
    """The weights of the arms that ran, sum 1, by name; empty if none ran or all weights are 0."""
    ran = [name for name in sorted(arms) if weights.get(name, 0.0) > 0.0 and not np.isnan(arms[name]).all()]
    total = math.fsum(weights[name] for name in ran)
    return {name: weights[name] / total for name in ran}


@dataclass(frozen=True, slots=True)
class Tm2c2:
    """Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023."""

    name: ClassVar[str] = "tm2c2"

    def combine(self, measured: Mapping[SignalName, MeasuredSignal], _inputs: RankingInput) -> Terms:
        return weighted_sum(measured, lambda arm: tm2c2(arm.scores, arm.least))


def tm2c2(scores: Floats, minimum: float) -> Floats:
    """Scores (n,) scaled from ``minimum`` and the highest seen to 0..1; NaN stays NaN.

    (s - minimum) / (seen maximum - minimum). All 0 if no score is above the minimum.
    """
    highest = float(np.nanmax(scores, initial=-math.inf))
    if not highest > minimum:
        return np.where(np.isnan(scores), np.nan, 0.0)
    return np.maximum(scores - minimum, 0.0) / (highest - minimum)


@dataclass(frozen=True, slots=True)
class ReciprocalRanks:
    """Cormack, Clarke and Buettcher, SIGIR 2009."""

    name: ClassVar[str] = "rrf"
    k: int

    def __post_init__(self) -> None:
        check_positive(k=self.k)

    def combine(self, measured: Mapping[SignalName, MeasuredSignal], inputs: RankingInput) -> Terms:
        return weighted_sum(measured, lambda arm: rrf(arm.scores, inputs.candidates.tie, self.k))


def rrf(scores: Floats, tie: Integers, k: int = 60) -> Floats:
    """Reciprocal ranks (n,) scaled so that the first rank is 1: (k + 1) / (k + rank); NaN stays NaN.

    Ranks start at 1 with the highest score and ties break by id (``tie``: rank of each id). The factor k + 1 does not
    change any order and keeps the text score in 0..1.
    """
    measured = np.flatnonzero(~np.isnan(scores))
    best_first = measured[np.lexsort((tie[measured], -scores[measured]))]
    result = np.full(len(scores), np.nan)
    result[best_first] = (k + 1.0) / (k + 1.0 + np.arange(len(best_first)))
    return result
