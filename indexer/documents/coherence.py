"""How well neighbouring sentences cohere."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.ports import Embedder

_AT_ONCE = 1000  # joints

Coherence = Callable[[Sequence[str]], list[float]]
"""Maps n texts in order to n - 1 numbers: how well each continues the one before; higher is better."""


def all_alike(texts: Sequence[str]) -> list[float]:
    """All joints as weak as each other."""
    return [0.0] * (len(texts) - 1)


def embedding_coherence(embedder: Embedder) -> Coherence:
    """Cosine of the two sentences before a joint and the two after it.

    Each sentence is read once, and two of them are the sum of their vectors: to read each pair as a text takes four
    times as long, and finds the right passages no more often (docs/documents.md).
    """

    def coherence(texts: Sequence[str]) -> list[float]:
        out: list[float] = []
        for start in range(0, len(texts) - 1, _AT_ONCE):  # each with the neighbours that its joints need
            before, behind = max(0, start - 1), start + _AT_ONCE + 2
            found = _cosines(embedder.embed(list(texts[before:behind]), "document").astype(np.float64))
            out += found[start - before : start - before + _AT_ONCE]
        return out

    return coherence


def _cosines(vectors: NDArray[np.float64]) -> list[float]:
    """For each joint between neighbours (n - 1), from (n, dims) vectors."""
    pairs = vectors.copy()
    pairs[1:] += vectors[:-1]  # a text and the one before it
    pairs /= np.maximum(np.linalg.norm(pairs, axis=1, keepdims=True), 1e-9)
    before = pairs[:-1].copy()
    before[0] = vectors[0]
    behind = np.vstack([pairs[2:], vectors[-1:]])
    return [float(value) for value in np.sum(before * behind, axis=1)]
