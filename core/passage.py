"""A part of a document that is retrieved and cited alone, and where its words stand on the pages.

A box is in points (1/72 inch) from the upper left corner of the page as it is shown, rounded to an eighth of a point.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.extent import BBox
from core.timespan import TimeSpan

_WORD = struct.Struct(">7H")  # start, end, page, left, top, right, bottom
_STEPS = 8
_LARGEST = 0xFFFF
_MOST_BYTES = 1 << 20
_SAME_LINE = 0.5  # of the lower of two boxes: the height that they share
PassageKind = Literal["text", "table", "caption"]
CELL = " | "
"""Between the cells of a row in the text of a passage."""


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
        _WORD.pack(word.start, word.end, word.page, *map(_steps, (word.left, word.top, word.right, word.bottom)))
        for word in words
        if word.end <= _LARGEST and word.page <= _LARGEST
    )
    return base64.b64encode(zlib.compress(packed)).decode("ascii") if packed else ""


def read_boxes(text: str) -> tuple[WordBox, ...]:
    """What ``write_boxes`` wrote; nothing for a text that it did not write."""
    try:
        packed = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), _MOST_BYTES)
        rows = list(_WORD.iter_unpack(packed))
    except (ValueError, zlib.error, struct.error):  # binascii.Error is a ValueError
        return ()
    return tuple(WordBox(start, end, page, *(edge / _STEPS for edge in edges)) for start, end, page, *edges in rows)


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


def row_text(cells: Sequence[str]) -> str:
    """A row of a table as passages write it; nothing for the empty cells at its end."""
    filled = next((number for number in range(len(cells), 0, -1) if cells[number - 1]), 0)
    return CELL.join(cells[:filled]).strip()


@dataclass(frozen=True, slots=True)
class Passage:
    """Text of at most min(512, the embedder's limit) tokens. ``owner`` is ``public`` or a user.

    ``table``: the number of the document's table (from 1) that it is a part of. ``words``: its words on their pages;
    none without pages, and for passages of an earlier version.
    """

    id: str
    document: str
    ordinal: int
    text: str
    record: str | None = None
    owner: str = "public"
    kind: PassageKind = "text"
    section_path: tuple[str, ...] = ()
    section_role: str | None = None
    first_page: int | None = None
    last_page: int | None = None
    table: int | None = None
    words: tuple[WordBox, ...] = ()


@dataclass(frozen=True, slots=True)
class WhereWhen:
    """Places and times in the passage itself, and its language: distinct, in text order."""

    places: tuple[str, ...] = ()
    boxes: tuple[BBox, ...] = ()
    spans: tuple[TimeSpan, ...] = ()
    language: str | None = None
