"""Models for searches: questions are cached, and a slow or failing model is left out for a while and reported."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray

from core.breaker import Breaker
from core.errors import Unavailable
from core.place import Place
from core.ports import CrossEncoder, CrossEncoderCard, Embedder, EmbedderCard, Encoded, Geocoder, TextKind, Vectors
from search_api.http.telemetry import count_cache_lookup

MOST_BYTES = 8 * 1024 * 1024
"""A question of ten words with its token vectors takes some 6 KB."""
_ENTRY_BYTES = 500

_Texts = tuple[str, ...]


def _bytes_of(encoded: Encoded) -> int:
    return _ENTRY_BYTES + encoded.vectors.nbytes + sum(tokens.nbytes for tokens in encoded.tokens or ())


def _question_cache() -> LRUCache[_Texts, Encoded]:
    return LRUCache(MOST_BYTES, _bytes_of)


@dataclass(frozen=True, slots=True)
class CachingEmbedder:
    """Implements the port ``Embedder``; thread-safe. Documents are read once and not remembered.

    Equal texts give equal vectors, so an entry cannot be stale. The arrays are read-only, because many searches share
    them.
    """

    embedder: Embedder
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _kept: LRUCache[_Texts, Encoded] = field(default_factory=_question_cache)

    @property
    def card(self) -> EmbedderCard:
        return self.embedder.card

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """Not remembered: searches use ``encode``."""
        return self.embedder.embed(texts, kind)

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        """The vectors of remembered questions without a reading."""
        if kind == "document":
            return self.embedder.encode(texts, kind)
        asked = tuple(texts)
        with self._lock:
            encoded = self._kept.get(asked)
        count_cache_lookup("questions", hit=encoded is not None)
        if encoded is None:
            encoded = self.embedder.encode(texts, kind)
            for array in (encoded.vectors, *(encoded.tokens or ())):
                array.setflags(write=False)
            if _bytes_of(encoded) <= MOST_BYTES:
                with self._lock:
                    self._kept[asked] = encoded
        return encoded

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self.embedder.count_tokens(texts)


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
