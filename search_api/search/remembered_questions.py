"""An embedder that remembers the questions it read: people page, filter and move the map with the same question."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from cachetools import LRUCache

from core.ports import Embedder, EmbedderCard, Encoded, TextKind, Vectors
from search_api.http.telemetry import count_cache_lookup

MOST_BYTES = 8 * 1024 * 1024
"""A question of ten words with its token vectors takes some 6 KB."""
_ENTRY_BYTES = 500

_Texts = tuple[str, ...]


def _bytes_of(encoded: Encoded) -> int:
    return _ENTRY_BYTES + encoded.vectors.nbytes + sum(tokens.nbytes for tokens in encoded.tokens or ())


def _kept_questions() -> LRUCache[_Texts, Encoded]:
    return LRUCache(MOST_BYTES, _bytes_of)


@dataclass(frozen=True, slots=True)
class RememberingEmbedder:
    """Implements the port ``Embedder``; thread-safe. Documents are read once and not remembered.

    Equal texts give equal vectors, so an entry cannot be stale. The arrays are read-only, because many searches share
    them.
    """

    embedder: Embedder
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _kept: LRUCache[_Texts, Encoded] = field(default_factory=_kept_questions)

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
