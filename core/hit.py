"""A hit of a search: its separate signals, and the score derived from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SignalName = str
"""A signal's name in an answer: ``bm25``, ``spatial``, ... ``search_api.search.ranking.signals`` lists them."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A record's id, its final score and each signal; an unmeasured signal is None, never 0."""

    id: str
    score: float
    signals: Mapping[SignalName, float | None] = field(default_factory=dict)
