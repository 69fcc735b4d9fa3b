"""An absolute score of a hit: how probable it is that the record answers the question, whatever the other hits are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from core.hit import SignalName
from search_api.search.ranking.numbers import check_finite, check_shares
from search_api.search.ranking.signals.arms import Dense, PassageDense


@dataclass(frozen=True, slots=True)
class AnswerRelevance:
    """A logistic curve of the best cosine of record and passages, and of whether the record has the question's words.

    Fitted on judged collections. A hit below ``weak`` is a weak match.
    """

    bias: float
    cosine: float
    words: float
    weak: float

    def __post_init__(self) -> None:
        check_finite({"bias": self.bias, "cosine": self.cosine, "words": self.words})
        check_shares(weak=self.weak)

    def of(self, signals: Mapping[SignalName, float | None], cosine_floor: float, *, has_words: bool) -> float:
        """0..1. ``cosine_floor``: where the embedder's cosines begin."""
        measured = [signals.get(name) for name in (Dense.name, PassageDense.name)]
        begins = max(cosine_floor, 0.0)
        cosine = max([0.0, *((value - begins) / (1.0 - begins) for value in measured if value is not None)])
        return 1.0 / (1.0 + math.exp(-(self.bias + self.cosine * cosine + self.words * has_words)))
