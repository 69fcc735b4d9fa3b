"""A record as an answer: its signals, kept apart, and the score derived from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

Signal = Literal[
    "bm25",
    "dense",
    "passage_bm25",
    "passage_dense",
    "sparse",
    "cross_encoder",
    "spatial",
    "temporal",
    "resolution",
    "kind",
]
SIGNALS: tuple[Signal, ...] = get_args(Signal)


@dataclass(frozen=True, slots=True)
class Hit:
    """A record's id, its final score and each signal; a signal that was not measured is None, never 0."""

    id: str
    score: float
    signals: Mapping[Signal, float | None] = field(default_factory=dict)
