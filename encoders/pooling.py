"""Pools token states to one unit vector per text. Pure."""

from __future__ import annotations

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
