"""Token vectors of a text as bits: the sign of each dimension, eight of them in a byte. Pure.

The signs keep the order of similarities (Charikar, STOC 2002). The question's vectors stay floats, as in asymmetric
hashing (Gordo et al., TPAMI 2014).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint8]
"""(tokens, dims / 8)."""

_FORM = 1
_HEADER = struct.Struct("<BBH")  # form, bytes a token, tokens
MOST_TOKENS = 0xFFFF
_AT_ONCE = 2048  # tokens whose floats fit into a cache of the processor


def pack(vectors: NDArray[np.float32]) -> bytes:
    """``vectors``: (tokens, dims), dims a multiple of 8, at most 2,040. Of more than 65,535 tokens, the first."""
    bits = np.packbits(vectors[:MOST_TOKENS] > 0.0, axis=1)
    return _HEADER.pack(_FORM, bits.shape[1], len(bits)) + bits.tobytes()


def unpack(blob: bytes, dims: int) -> Bits | None:
    """The bits of a text; None if the blob is cut, empty or of another size."""
    if len(blob) < _HEADER.size:
        return None
    form, width, tokens = _HEADER.unpack_from(blob)
    if (form, width * 8, len(blob)) != (_FORM, dims, _HEADER.size + width * tokens) or tokens == 0:
        return None
    return np.frombuffer(blob, dtype=np.uint8, offset=_HEADER.size).reshape(tokens, width)


def signs(bits: Bits) -> NDArray[np.float32]:
    """(tokens, dims) of +1 and -1; ``pack`` makes the same bits of them again."""
    return np.unpackbits(bits, axis=1).astype(np.float32) * 2.0 - 1.0


def late_interaction(question: NDArray[np.float32], texts: Sequence[Bits]) -> NDArray[np.float64]:
    """mean_i max_j (q_i . sign(d_j)) / sqrt(dims) of each text: (n,), -1..1.

    ``question``: (tokens, dims), unit norm, at least one token, as each text. Khattab and Zaharia, SIGIR 2020.
    """
    if not texts:
        return np.empty(0)
    lengths = np.array([len(text) for text in texts])
    bits, transposed = np.concatenate(texts), np.ascontiguousarray(question.T)
    similar = np.empty((len(bits), len(question)), dtype=np.float32)
    for start in range(0, len(bits), _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        np.matmul(np.unpackbits(bits[rows], axis=1).astype(np.float32), transposed, out=similar[rows])
    highest = np.maximum.reduceat(similar, np.concatenate([[0], np.cumsum(lengths)[:-1]]), axis=0)
    # Of a bit b the sign is 2b - 1, so q . sign(d) is twice q . b less the sum of q.
    scores_signed = 2.0 * highest - question.sum(axis=1)
    return np.asarray(scores_signed.mean(axis=1, dtype=np.float64) / np.sqrt(question.shape[1]))
