"""Token vectors of a text as bits: the sign of each dimension, eight of them in a byte. Pure.

A sign for each dimension keeps the order of similarities after a rotation (Charikar, STOC 2002). The question's vectors
stay floats, as in asymmetric hashing (Gordo et al., TPAMI 2014).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint8]
"""(tokens, dims / 8)."""

_FORM = 1
_HEADER = struct.Struct("<BIBH")  # form, code of the encoder, bytes a token, tokens
MOST_TOKENS = 0xFFFF
_SIGNS = np.where(np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1), 1.0, -1.0).astype(np.float32)


def packed(vectors: NDArray[np.float32], code: str) -> bytes:
    """``vectors``: (tokens, dims), dims a multiple of 8; ``code`` names the encoder.

    Raises ValueError for more than 65,535 tokens.
    """
    tokens, dims = vectors.shape
    if tokens > MOST_TOKENS or dims % 8:
        raise ValueError(f"{tokens} tokens of {dims} dimensions cannot be packed")
    return _HEADER.pack(_FORM, _code(code), dims // 8, tokens) + np.packbits(vectors > 0.0, axis=1).tobytes()


def unpacked(blob: bytes, code: str, dims: int) -> Bits | None:
    """The bits of a text; None if the blob is cut, or was made by another encoder."""
    if len(blob) < _HEADER.size:
        return None
    form, made_by, width, tokens = _HEADER.unpack_from(blob)
    whole = len(blob) == _HEADER.size + width * tokens
    if not whole or (form, made_by, width * 8) != (_FORM, _code(code), dims) or tokens == 0:
        return None
    return np.frombuffer(blob, dtype=np.uint8, offset=_HEADER.size).reshape(tokens, width)


def late_interaction(
    question: NDArray[np.float32], weights: NDArray[np.float32], texts: Sequence[Bits]
) -> NDArray[np.float64]:
    """sum_i w_i max_j (q_i . sign(d_j)) / sqrt(dims) / sum_i w_i of each text: (n,), -1..1.

    ``question``: (tokens, dims), unit norm; ``weights``: (tokens,), positive; each text at least one token. Khattab and
    Zaharia, SIGIR 2020.
    """
    if not texts:
        return np.empty(0)
    lengths = np.array([len(one) for one in texts])
    signs = _SIGNS[np.concatenate(texts)].reshape(int(lengths.sum()), -1)
    similar = (question * (weights / weights.sum())[:, None]) @ signs.T
    best = np.maximum.reduceat(similar, np.concatenate([[0], np.cumsum(lengths)[:-1]]), axis=1)
    score: NDArray[np.float64] = best.sum(axis=0).astype(np.float64) / np.sqrt(question.shape[1])
    return score


def _code(code: str) -> int:
    return zlib.crc32(code.encode())
