"""An embedder that any machine has at once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from core.ports import EmbedderCard, Encoded, TextKind, TokenCard, Vectors


class Hashing:
    """A stub for a model: texts to unit vectors by hash, so that equal texts are equal and nothing else."""

    def __init__(self, name: str, dims: int = 8, tokens: TokenCard | None = None) -> None:
        self.card = EmbedderCard(name, dims, 256, -1.0, tokens=tokens)
        self.embedded = 0

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        assert kind == "document"
        self.embedded += len(texts)
        rows = [np.frombuffer(hashlib.sha512(f"{self.card.model}{text}".encode()).digest(), np.uint8) for text in texts]
        values = np.array([row[: self.card.dims] for row in rows], dtype=np.float32).reshape(-1, self.card.dims) + 1.0
        return values / np.linalg.norm(values, axis=1, keepdims=True)

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        """One token vector a word."""
        vectors, card = self.embed(texts, kind), self.card.tokens
        if card is None:
            return Encoded(vectors)
        words = [[np.random.default_rng(list(word.encode())) for word in text.split() or [" "]] for text in texts]
        return Encoded(vectors, [np.array([one.normal(size=card.dims) for one in own], np.float32) for own in words])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]
