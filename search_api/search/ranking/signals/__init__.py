"""Every signal of the ranking: one module and one line here, with its numbers in ``config.json``."""

from __future__ import annotations

from search_api.search.ranking.signals.arms import Bm25, Dense, PassageBm25, PassageDense
from search_api.search.ranking.signals.best_only import CrossEncoderReading, LateInteraction
from search_api.search.ranking.signals.kind import Kind
from search_api.search.ranking.signals.names import Names
from search_api.search.ranking.signals.relevance import Relevance
from search_api.search.ranking.signals.resolution import Resolution
from search_api.search.ranking.signals.signal import Signal
from search_api.search.ranking.signals.spatial import Spatial
from search_api.search.ranking.signals.temporal import Temporal
from search_api.search.ranking.signals.usage import Usage

SIGNALS: tuple[type[Signal], ...] = (
    Bm25,
    Dense,
    PassageBm25,
    PassageDense,
    Names,
    Usage,
    Relevance,
    LateInteraction,
    CrossEncoderReading,
    Spatial,
    Temporal,
    Resolution,
    Kind,
)
