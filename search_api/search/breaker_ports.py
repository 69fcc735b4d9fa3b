"""Ports that can be slow or fail, each behind a circuit breaker: a search continues without them and reports it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.breaker import Breaker
from core.errors import Unavailable
from core.place import Place
from core.ports import CrossEncoder, CrossEncoderCard, Embedder, EmbedderCard, Encoded, Geocoder, TextKind, Vectors


@dataclass(frozen=True, slots=True)
class GuardedEmbedder:
    """Implements the port ``Embedder``. The time of large document batches does not count."""

    embedder: Embedder
    breaker: Breaker

    @property
    def card(self) -> EmbedderCard:
        return self.embedder.card

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """Raises Unavailable, immediately while the circuit is open."""
        if kind == "document":
            return self.embedder.embed(texts, kind)
        with self.breaker.guarding(Unavailable):
            return self.embedder.embed(texts, kind)

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        """Raises Unavailable, immediately while the circuit is open."""
        if kind == "document":
            return self.embedder.encode(texts, kind)
        with self.breaker.guarding(Unavailable):
            return self.embedder.encode(texts, kind)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self.embedder.count_tokens(texts)


@dataclass(frozen=True, slots=True)
class GuardedCrossEncoder:
    """Implements the port ``CrossEncoder``: a slow one is left out for a while."""

    cross_encoder: CrossEncoder
    breaker: Breaker

    @property
    def card(self) -> CrossEncoderCard:
        return self.cross_encoder.card

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """Raises Unavailable, immediately while the circuit is open."""
        with self.breaker.guarding(Unavailable):
            return self.cross_encoder.score(question, texts)


@dataclass(frozen=True, slots=True)
class GuardedGeocoder:
    """Implements the port ``Geocoder``."""

    geocoder: Geocoder
    breaker: Breaker

    def lookup(self, name: str) -> list[Place]:
        """Raises Unavailable, immediately while the circuit is open."""
        with self.breaker.guarding(Unavailable):
            return self.geocoder.lookup(name)
