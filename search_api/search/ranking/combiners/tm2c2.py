"""The default weighted sum: each arm scaled from its theoretical minimum to the highest score seen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.hit import SignalName
from search_api.search.ranking.candidates import Floats
from search_api.search.ranking.combiners.combiner import Terms, weighted_sum
from search_api.search.ranking.signals.signal import MeasuredSignal, RankingInput


@dataclass(frozen=True, slots=True)
class Tm2c2:
    """Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023."""

    name: ClassVar[str] = "tm2c2"

    def combine(self, measured: Mapping[SignalName, MeasuredSignal], _asked: RankingInput) -> Terms:
        return weighted_sum(measured, lambda arm: tm2c2(arm.raw, arm.least))


def tm2c2(scores: Floats, minimum: float) -> Floats:
    """Scores (n,) scaled from ``minimum`` and the highest seen to 0..1; NaN stays NaN.

    (s - minimum) / (seen maximum - minimum). All 0 if no score is above the minimum.
    """
    highest = float(np.nanmax(scores, initial=-math.inf))
    if not highest > minimum:
        return np.where(np.isnan(scores), np.nan, 0.0)
    return np.maximum(scores - minimum, 0.0) / (highest - minimum)
