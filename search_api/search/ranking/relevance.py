"""An absolute score of a hit: how probable it is that the record answers the question, whatever the other hits are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.hit import SignalName
from core.ports import CosineScale
from search_api.search.ranking.numbers import check_shares
from search_api.search.ranking.signals.arms import Curve, Dense, LateInteraction, PassageDense


@dataclass(frozen=True, slots=True)
class AnswerRelevance:
    """A curve of the best cosine of record and passages, and of whether the record has the question's words.

    ``by_tokens``: with late interaction; ``by_words``: for a hit where that was not measured. Fitted on judged
    collections and on nonsense. Hits below ``weak`` are weak matches; if no record has some word of the topic, those
    below ``weak_with_unknown``.
    """

    by_words: Curve
    by_tokens: Curve
    weak: float
    weak_with_unknown: float

    def __post_init__(self) -> None:
        check_shares(weak=self.weak, weak_with_unknown=self.weak_with_unknown)

    def of(self, signals: Mapping[SignalName, float | None], cosines: CosineScale, *, has_words: bool) -> float:
        """0..1. ``cosines``: how the embedder's are read."""
        measured = [signals.get(name) for name in (Dense.name, PassageDense.name)]
        cosine = max([0.0, *(cosines.likeness(value) for value in measured if value is not None)])
        interaction = signals.get(LateInteraction.name)
        curve = self.by_words if interaction is None else self.by_tokens
        values = np.array([cosine]), np.array([float(has_words)]), np.array([max(interaction or 0.0, 0.0)])
        return float(curve.at(*values)[0])

    def least(self, *, is_word_unknown: bool) -> float:
        """The relevance below which all hits of a page are weak matches."""
        return self.weak_with_unknown if is_word_unknown else self.weak
