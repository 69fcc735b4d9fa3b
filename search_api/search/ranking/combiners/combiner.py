"""The port of a combiner: how the signals of a candidate become one score.

A combiner is a frozen dataclass whose fields are its section of ``config.json``. It is pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from core.hit import SignalName
from search_api.search.ranking.columns import Floats
from search_api.search.ranking.signals.signal import Asked, Measured


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

    def combine(self, measured: Mapping[SignalName, Measured], asked: Asked, /) -> Terms:
        """A term for each signal that was measured. A learned model returns its contributions as ``counted`` with
        weight 1, and its base value as a term whose name is not a signal's.
        """


def total(terms: Terms, count: int) -> Floats:
    """Sum of weight x counted, (n,), added in the order of the names, so that the order of arms has no effect."""
    score = np.zeros(count)
    for name in sorted(terms):
        score += terms[name].weight * terms[name].counted
    return score
