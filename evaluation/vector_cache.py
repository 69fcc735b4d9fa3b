"""Caches vectors and token vectors on disk by text and model, so that a second evaluation embeds nothing."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.batched import batched
from core.ports import Embedder, EmbedderCard, Encoded, TextKind, Vectors
from core.token_bits import pack, signs, unpack

_CHUNK = 128  # texts per write: the most that an interruption can lose
_BUSY_S = 60.0
_TABLES = (
    "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS tokens (key BLOB PRIMARY KEY, tokens BLOB NOT NULL)",
)

Progress = Callable[[int, int], None]


class VectorCache:
    """One SQLite file; processes and threads may share it. A crash loses at most the last chunk."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._db = sqlite3.connect(path, timeout=_BUSY_S, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode=WAL")
        for table in _TABLES:
            self._db.execute(table)

    def get(self, key: bytes) -> np.ndarray | None:
        with self._lock:
            row = self._db.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        return None if row is None else np.frombuffer(row[0], dtype=np.float32)

    def put(self, entries: Sequence[tuple[bytes, np.ndarray]]) -> None:
        with self._lock, self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?)",
                [(key, vector.astype(np.float32).tobytes()) for key, vector in entries],
            )

    def get_tokens(self, key: bytes) -> bytes | None:
        with self._lock:
            row = self._db.execute("SELECT tokens FROM tokens WHERE key = ?", (key,)).fetchone()
        return None if row is None else bytes(row[0])

    def put_tokens(self, entries: Sequence[tuple[bytes, bytes]]) -> None:
        with self._lock, self._db:
            self._db.executemany("INSERT OR REPLACE INTO tokens VALUES (?, ?)", entries)

    def close(self) -> None:
        with self._lock:
            self._db.close()


@dataclass(frozen=True, slots=True)
class CachedEmbedder:
    """core.ports.Embedder around another one: same vectors, each text embedded only once."""

    inner: Embedder
    cache: VectorCache
    progress: Progress | None = None

    @property
    def card(self) -> EmbedderCard:
        return self.inner.card

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """vectors: (n, dims) float32, unit norm, in the order of ``texts``."""
        keys = [_key(self.card, kind, text) for text in texts]
        vectors_by_key = {key: vector for key in set(keys) if (vector := self.cache.get(key)) is not None}
        texts_by_key = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors_by_key}
        # Texts of similar length together, because a batch is padded to its longest.
        missing_keys = sorted(texts_by_key, key=lambda key: len(texts_by_key[key]))
        done_count = 0
        for chunk in batched(missing_keys, _CHUNK):
            vectors = self.inner.embed([texts_by_key[key] for key in chunk], kind)
            new_entries = list(zip(chunk, vectors, strict=True))
            self.cache.put(new_entries)
            vectors_by_key.update(new_entries)
            done_count += len(chunk)
            if self.progress is not None:
                self.progress(done_count, len(missing_keys))
        return (
            np.stack([vectors_by_key[key] for key in keys]) if keys else np.empty((0, self.card.dims), dtype=np.float32)
        )

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        """The token vectors of documents come as the signs that are stored of them."""
        tokens = self.card.tokens
        if tokens is None:
            return Encoded(self.embed(texts, kind))
        keys = {text: _key(self.card, f"{kind}\0{tokens.code}", text) for text in texts}
        blobs = {text: blob for text, key in keys.items() if (blob := self.cache.get_tokens(key)) is not None}
        missing_texts = sorted((text for text in keys if text not in blobs), key=len)
        done_count = 0
        for chunk in batched(missing_texts, _CHUNK):
            encoding = self.inner.encode(chunk, kind)
            new_blobs = [
                pack(token_vectors) if kind == "document" else token_vectors.astype(np.float32).tobytes()
                for token_vectors in encoding.tokens or ()
            ]
            self.cache.put(
                [(_key(self.card, kind, text), row) for text, row in zip(chunk, encoding.vectors, strict=True)]
            )
            self.cache.put_tokens([(keys[text], blob) for text, blob in zip(chunk, new_blobs, strict=True)])
            blobs.update(zip(chunk, new_blobs, strict=True))
            done_count += len(chunk)
            if self.progress is not None:
                self.progress(done_count, len(missing_texts))
        return Encoded(self.embed(texts, kind), [_tokens(blobs[text], kind, tokens.dims) for text in texts])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self.inner.count_tokens(texts)


def _tokens(blob: bytes, kind: TextKind, dims: int) -> Vectors:
    if kind == "query":
        return np.frombuffer(blob, dtype=np.float32).reshape(-1, dims)
    bits = unpack(blob, dims)
    if bits is None:
        raise ValueError("the cache of vectors holds a damaged entry; delete its file")
    return signs(bits)


def _key(card: EmbedderCard, kind: str, text: str) -> bytes:
    """Everything that changes a vector changes the key."""
    instruction = card.instruction if kind.startswith("query") else card.document_instruction
    recipe = f"parted\0{card.model}\0{card.runtime}\0{card.max_tokens}\0{kind}\0{instruction}\0{text}"
    return hashlib.sha256(recipe.encode("utf-8", "surrogatepass")).digest()
