"""Every signal of the ranking: one class and one line here, with its numbers in ``config.json``."""

from __future__ import annotations

from search_api.search.ranking.signals.arms import (
    Bm25,
    CrossEncoderReading,
    Dense,
    LateInteraction,
    PassageBm25,
    PassageDense,
    Relevance,
)
from search_api.search.ranking.signals.record import Companion, Kind, NamesSignal, Usage
from search_api.search.ranking.signals.signal import Signal
from search_api.search.ranking.signals.spatial import Spatial
from search_api.search.ranking.signals.temporal import ResolutionSignal, Temporal

SIGNALS: tuple[type[Signal], ...] = (
    Bm25,
    Dense,
    PassageBm25,
    PassageDense,
    NamesSignal,
    Usage,
    Relevance,
    LateInteraction,
    CrossEncoderReading,
    Spatial,
    Temporal,
    ResolutionSignal,
    Kind,
    Companion,
)
