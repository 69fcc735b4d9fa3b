"""An embedder that any machine has at once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from core.ports import EmbedderCard, TextKind, Vectors


class Hashing:
    """A stub for a model: texts to unit vectors by hash, so that equal texts are equal and nothing else."""

    def __init__(self, name: str, dims: int = 8) -> None:
        self.card = EmbedderCard(name, dims, 256, -1.0)
        self.embedded = 0

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        assert kind == "document"
        self.embedded += len(texts)
        rows = [np.frombuffer(hashlib.sha512(f"{self.card.model}{text}".encode()).digest(), np.uint8) for text in texts]
        values = np.array([row[: self.card.dims] for row in rows], dtype=np.float32).reshape(-1, self.card.dims) + 1.0
        return values / np.linalg.norm(values, axis=1, keepdims=True)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]
