"""A part of a document that is retrieved and cited alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.extent import BBox
from core.timespan import TimeSpan
from core.word_boxes import WordBox

PassageKind = Literal["text", "table", "caption"]

CELL = " | "
"""Between the cells of a row in the text of a passage."""


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
