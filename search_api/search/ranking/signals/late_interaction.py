"""How well the words of a question match those of a text, each in its context, by their token vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.hit import SignalName
from search_api.search.ranking.columns import Floats
from search_api.search.ranking.signals.of_the_best import OfTheBest
from search_api.search.ranking.signals.signal import Asked, Reason


@dataclass(frozen=True, slots=True)
class LateInteraction(OfTheBest):
    """``weight``: its share of the score; ``depth``: how many of the best it compares.

    It is measured after the others are combined: :mod:`search_api.search.ranking.interact`.
    """

    name: ClassVar[SignalName] = "late_interaction"

    def reasons(self, _asked: Asked, raw: Floats, index: int) -> tuple[Reason, ...]:
        own = float(raw[index])
        return (
            Reason(f"its words match the question's, in their context: {own:.2f} of 1", "interaction", {"raw": own}),
        )

    def silence(self, counted: float) -> Reason:
        text = f"its words were not compared one by one: counted as {counted:.2f}"
        return Reason(text, "no_interaction", {"counted": counted})


def counted(raw: Floats) -> Floats:
    """(k,) 0..1 of the best k, best first. What was not measured (NaN) counts as its neighbours do, so that it neither
    gains nor loses.
    """
    places, measured = np.arange(len(raw)), ~np.isnan(raw)
    return np.interp(places, places[measured], np.clip(raw[measured], 0.0, 1.0))
