"""The signals that search itself measures: words and meaning, of records and of passages.

A weight is a share of the text score. An arm that did not run is left out and the others share its weight.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.hit import SignalName
from search_api.search.ranking.candidates import AnyColumn, Floats
from search_api.search.ranking.numbers import check_not_negative
from search_api.search.ranking.signals.signal import MeasuredSignal, RankingInput, Reason


@dataclass(frozen=True, slots=True)
class Arm(ABC):
    """One arm of the search; its raw scores come with the candidates."""

    name: ClassVar[SignalName]
    columns: ClassVar[tuple[AnyColumn, ...]] = ()
    where: ClassVar[str]
    """What the arm searches, for the explanation."""
    weight: float

    def __post_init__(self) -> None:
        check_not_negative(weight=self.weight)

    def measure(self, inputs: RankingInput) -> MeasuredSignal | None:
        raw = inputs.candidates.arms.get(self.name)
        return None if raw is None else MeasuredSignal(raw, self.weight * self.share(inputs), least=self.least(inputs))

    def share(self, _inputs: RankingInput, /) -> float:
        """The share of its weight that the arm has for this question."""
        return 1.0

    @abstractmethod
    def least(self, inputs: RankingInput, /) -> float:
        """The theoretical minimum of the score."""

    @abstractmethod
    def reasons(self, inputs: RankingInput, raw: Floats, index: int, /) -> tuple[Reason, ...]: ...

    def silence(self, _counted: float) -> Reason:
        return Reason("not measured: adds nothing", "not_measured")


class Words(Arm):
    """BM25, a sum of positive weights."""

    def share(self, inputs: RankingInput) -> float:
        return inputs.words_share

    def least(self, _inputs: RankingInput) -> float:
        return 0.0

    def reasons(self, _inputs: RankingInput, raw: Floats, index: int) -> tuple[Reason, ...]:
        own, best = float(raw[index]), float(np.nanmax(raw))
        text = f"{self.where}: {own:.2f}, the best here has {best:.2f}" if best > 0.0 else f"{self.where}: none"
        return (Reason(text, "score", {"raw": own, "best": best}),)


class Meaning(Arm):
    """A cosine."""

    def least(self, inputs: RankingInput) -> float:
        return inputs.cosine_floor

    def reasons(self, _inputs: RankingInput, raw: Floats, index: int) -> tuple[Reason, ...]:
        own, best = float(raw[index]), float(np.nanmax(raw))
        text = f"{self.where}: cosine {own:.3f}, the best here has {best:.3f}"
        return (Reason(text, "cosine", {"raw": own, "best": best}),)


class Bm25(Words):
    name = "bm25"
    where = "words in the record"


class PassageBm25(Words):
    """A record has its best passage's."""

    name = "passage_bm25"
    where = "words in its documents"


class Dense(Meaning):
    name = "dense"
    where = "meaning of the record"


class PassageDense(Meaning):
    """A record has its best passage's."""

    name = "passage_dense"
    where = "meaning of a passage"
