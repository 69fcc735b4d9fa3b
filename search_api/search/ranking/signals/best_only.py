"""The signals that read only the best candidates, after the others are combined: late interaction and cross-encoder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.hit import SignalName
from search_api.search.ranking.candidates import AnyColumn, Floats
from search_api.search.ranking.numbers import check_positive, check_shares
from search_api.search.ranking.signals.signal import MeasuredSignal, RankingInput, Reason


@dataclass(frozen=True, slots=True)
class BestOnly:
    """``weight``: its share of the score; ``depth``: how many of the best it reads."""

    columns: ClassVar[tuple[AnyColumn, ...]] = ()
    weight: float
    depth: int

    def __post_init__(self) -> None:
        check_shares(weight=self.weight)
        check_positive(depth=self.depth)

    def measure(self, _inputs: RankingInput) -> MeasuredSignal | None:
        """Not with the others: its own stage measures it later."""
        return None


@dataclass(frozen=True, slots=True)
class LateInteraction(BestOnly):
    """``weight``: its share of the score; ``depth``: how many of the best it compares.

    It is measured after the others are combined: :mod:`search_api.search.ranking.rerank`.
    """

    name: ClassVar[SignalName] = "late_interaction"

    def reasons(self, _inputs: RankingInput, raw: Floats, index: int) -> tuple[Reason, ...]:
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


@dataclass(frozen=True, slots=True)
class CrossEncoderReading(BestOnly):
    """``weight``: lambda, its share of the final score if the model's card has none. ``depth``: how many of the
    best it reads. It is measured after the others are combined: :mod:`search_api.search.ranking.rerank`.
    """

    name: ClassVar[SignalName] = "cross_encoder"

    def reasons(self, _inputs: RankingInput, raw: Floats, index: int) -> tuple[Reason, ...]:
        own = float(raw[index])
        return (Reason(f"read together with the question: {own:.2f} of 1", "read", {"raw": own}),)

    def silence(self, _counted: float) -> Reason:
        return Reason("not among those read with the question: adds nothing", "not_read")
