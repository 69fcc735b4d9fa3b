"""The weighted sum of reciprocal ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.hit import SignalName
from search_api.search.ranking.candidates import Floats, Integers
from search_api.search.ranking.combiners.combiner import Terms, weighted_sum
from search_api.search.ranking.numbers import check_positive
from search_api.search.ranking.signals.signal import MeasuredSignal, RankingInput


@dataclass(frozen=True, slots=True)
class ReciprocalRanks:
    """Cormack, Clarke and Buettcher, SIGIR 2009."""

    name: ClassVar[str] = "rrf"
    k: int

    def __post_init__(self) -> None:
        check_positive(k=self.k)

    def combine(self, measured: Mapping[SignalName, MeasuredSignal], asked: RankingInput) -> Terms:
        return weighted_sum(measured, lambda arm: rrf(arm.raw, asked.candidates.tie, self.k))


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
