"""Where the words of a passage stand on the pages of its document, kept as a short text.

A box is in points (1/72 inch) from the upper left corner of the page as it is shown, rounded to an eighth of a point.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

_WORD = struct.Struct(">7H")  # start, end, page, left, top, right, bottom
_STEPS = 8
_LARGEST = 0xFFFF
_MOST_BYTES = 1 << 20
_SAME_LINE = 0.5  # of the lower of two boxes: the height that they share


@dataclass(frozen=True, slots=True)
class WordBox:
    """One word: its characters in the passage's text (``start`` to ``end``), its page (from 1) and its box."""

    start: int
    end: int
    page: int
    left: float
    top: float
    right: float
    bottom: float


def write_boxes(words: Iterable[WordBox]) -> str:
    """As text for the index; words after the first 65,535 characters are left out."""
    packed = b"".join(
        _WORD.pack(one.start, one.end, one.page, *map(_steps, (one.left, one.top, one.right, one.bottom)))
        for one in words
        if one.end <= _LARGEST and one.page <= _LARGEST
    )
    return base64.b64encode(zlib.compress(packed)).decode("ascii") if packed else ""


def read_boxes(text: str) -> tuple[WordBox, ...]:
    """What ``write_boxes`` wrote; nothing for a text that it did not write."""
    try:
        packed = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), _MOST_BYTES)
        found = list(_WORD.iter_unpack(packed))
    except (ValueError, zlib.error, struct.error):  # binascii.Error is a ValueError
        return ()
    return tuple(WordBox(start, end, page, *(edge / _STEPS for edge in edges)) for start, end, page, *edges in found)


def lines_of(words: Sequence[WordBox]) -> tuple[WordBox, ...]:
    """One box for each run of neighbouring words on one line, in the order given."""
    out: list[WordBox] = []
    for word in words:
        if out and _goes_on(out[-1], word):
            last = out[-1]
            top, bottom = min(last.top, word.top), max(last.bottom, word.bottom)
            out[-1] = replace(last, end=word.end, right=max(last.right, word.right), top=top, bottom=bottom)
        else:
            out.append(word)
    return tuple(out)


def _goes_on(line: WordBox, word: WordBox) -> bool:
    height = min(line.bottom - line.top, word.bottom - word.top)
    shared = min(line.bottom, word.bottom) - max(line.top, word.top)
    return line.page == word.page and word.left >= line.left and shared >= _SAME_LINE * height


def _steps(points: float) -> int:
    return max(0, min(_LARGEST, round(points * _STEPS)))
