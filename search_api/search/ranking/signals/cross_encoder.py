"""The reranker's score of the best candidates, read together with the question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.hit import SignalName
from search_api.search.ranking.columns import Floats
from search_api.search.ranking.signals.of_the_best import OfTheBest
from search_api.search.ranking.signals.signal import Asked, Reason


@dataclass(frozen=True, slots=True)
class CrossEncoderReading(OfTheBest):
    """``weight``: lambda, its share of the final score if the model's card has none. ``depth``: how many of the
    best it reads. It is measured after the others are combined: :mod:`search_api.search.ranking.rerank`.
    """

    name: ClassVar[SignalName] = "cross_encoder"

    def reasons(self, _asked: Asked, raw: Floats, index: int) -> tuple[Reason, ...]:
        own = float(raw[index])
        return (Reason(f"read together with the question: {own:.2f} of 1", "read", {"raw": own}),)

    def silence(self, _counted: float) -> Reason:
        return Reason("not among those read with the question: adds nothing", "not_read")
