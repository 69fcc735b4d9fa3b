"""A document after reading: blocks in reading order, and front matter. Plain values that serialise to JSON."""

from __future__ import annotations

import csv
import io
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from indexer.documents.page import RegionKind

BlockKind = Literal["heading", "text", "list", "table", "caption", "formula", "code", "footnote", "reference"]
DocumentFormat = Literal["pdf", "image", "html", "docx", "text"]
TableWay = Literal["borders", "rules", "caption", "numbers", "markup"]
"""How a table was found: by its borders, by horizontal rules and white strips, by white space under its
caption, by white space between columns of numbers, or named as a table in HTML or DOCX."""

_SURE: dict[TableWay, float] = {"borders": 0.9, "rules": 0.75, "caption": 0.6, "numbers": 0.5, "markup": 1.0}
_SCANNED = 0.7


class PlacedWord(NamedTuple):
    """A word on its page: the number of its letters and digits, and its box in points from the upper left corner."""

    page: int
    letters: int
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of equally many cells, the first ``header_rows`` being the header; ``caption`` as printed.

    ``page`` counts from 1, None without pages; ``box``: left, top, right, bottom there. ``scanned``: read by OCR.
    """

    rows: tuple[tuple[str, ...], ...]
    header_rows: int = 1
    caption: str = ""
    found_by: TableWay = "markup"
    page: int | None = None
    box: tuple[float, float, float, float] | None = None
    scanned: bool = False

    @property
    def columns(self) -> int:
        return len(self.rows[0]) if self.rows else 0

    @property
    def sure(self) -> float:
        """0..1, an estimate: by the finder, the share of filled cells and the source of the words."""
        cells = [bool(cell) for row in self.rows for cell in row]
        filled = sum(cells) / max(len(cells), 1)
        return round(_SURE[self.found_by] * (0.5 + 0.5 * filled) * (_SCANNED if self.scanned else 1.0), 2)

    @property
    def heads(self) -> tuple[str, ...]:
        """The header of each column, the header's rows joined from above."""
        above = self.rows[: self.header_rows]
        return tuple(" ".join(row[column] for row in above if row[column]) for column in range(self.columns))

    def csv(self) -> str:
        """RFC 4180 without the caption."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\r\n").writerows(self.rows)
        return out.getvalue()


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a document. ``level`` is a heading's (1 is the highest); pages count from 1, None if there are none.

    ``lines`` keeps the lines of blocks that must not be joined (code, lists). ``breaks`` gives the characters at which
    the text continues on a later page. ``words``: the words on the pages whose letters are the letters of the text.
    """

    kind: BlockKind
    text: str
    first_page: int | None = None
    last_page: int | None = None
    level: int = 0
    table: Table | None = None
    lines: tuple[str, ...] = ()
    breaks: tuple[tuple[int, int], ...] = ()
    words: tuple[PlacedWord, ...] = ()

    def page_at(self, offset: int) -> int | None:
        """The page of this character of the text."""
        place = bisect_right(self.breaks, offset, key=lambda one: one[0])
        return self.breaks[place - 1][1] if place else self.first_page


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Title, authors and so on, as in the document; ``source`` names the origin of each (``xmp``, ``info``,
    ``page``).
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    affiliations: tuple[str, ...] = ()
    doi: str | None = None
    journal: str | None = None
    published: str | None = None  # ISO 8601 in the precision given
    keywords: tuple[str, ...] = ()
    language: str | None = None
    source: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RegionBox:
    """Where layout found which kind; for inspection and tests. Box as left, top, right, bottom in points."""

    page: int
    kind: RegionKind
    box: tuple[float, float, float, float]
    text: str = ""


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """The result for one file. ``ocr_pages`` had no text layer and were read by OCR, ``blank_pages`` gave no text.
    ``coverage``: the share of words that layout kept (None without layout); ``warnings`` name pages.
    """

    format: DocumentFormat
    blocks: tuple[Block, ...]
    front: FrontMatter = field(default_factory=FrontMatter)
    references: tuple[str, ...] = ()
    pages: int = 0
    ocr_pages: tuple[int, ...] = ()
    blank_pages: tuple[int, ...] = ()
    regions: tuple[RegionBox, ...] = ()
    warnings: tuple[str, ...] = ()
    coverage: float | None = None

    @property
    def tables(self) -> tuple[Table, ...]:
        return tuple(block.table for block in self.blocks if block.table is not None)
