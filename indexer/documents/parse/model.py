"""The values of a document: the physical page in points, then its blocks, tables and front matter.

Every reader of pages (text layer, OCR) returns a ``Page``; everything after it is pure. All values serialise to JSON.
"""

from __future__ import annotations

import csv
import io
import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

RegionKind = Literal[
    "title",
    "heading",
    "text",
    "table",
    "figure",
    "caption",
    "formula",
    "code",
    "contents",
    "header",
    "footer",
    "line_number",
    "footnote",
    "watermark",
    "reference",
]


class Box(NamedTuple):
    """Points from the page's upper left corner; ``left <= right``, ``top <= bottom``. Each character has one."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle_x(self) -> float:
        return (self.left + self.right) / 2.0

    @property
    def middle_y(self) -> float:
        return (self.top + self.bottom) / 2.0

    @property
    def is_finite(self) -> bool:
        """Whether it is somewhere at all: a broken matrix in a file gives places that are no numbers."""
        return all(map(math.isfinite, self))

    def touches(self, other_box: Box, slack: float) -> bool:
        """Whether the two overlap, or are at most ``slack`` points apart on each axis."""
        return (
            self.left <= other_box.right + slack
            and other_box.left <= self.right + slack
            and self.top <= other_box.bottom + slack
            and other_box.top <= self.bottom + slack
        )

    def holds(self, other_box: Box, slack: float = 0.0) -> bool:
        """Whether the middle of ``other_box`` is inside, with ``slack`` points of tolerance."""
        return (
            self.left - slack <= other_box.middle_x <= self.right + slack
            and self.top - slack <= other_box.middle_y <= self.bottom + slack
        )


def bounding_box(boxes: Iterable[Box]) -> Box:
    """Of at least one box. One pass: it is asked for each word and each line."""
    remaining = iter(boxes)
    first = next(remaining)
    left, top, right, bottom = first.left, first.top, first.right, first.bottom
    for box in remaining:
        if box.left < left:
            left = box.left
        if box.top < top:
            top = box.top
        if box.right > right:
            right = box.right
        if box.bottom > bottom:
            bottom = box.bottom
    return Box(left, top, right, bottom)


@dataclass(frozen=True, slots=True)
class Word:
    """Characters without a space between them. ``size`` in points; ``baseline`` is the y of the letters' foot."""

    text: str
    box: Box
    size: float
    baseline: float
    bold: bool = False
    mono: bool = False
    maths: bool = False
    turned: bool = False  # neither horizontal nor vertical: a watermark or the label of an axis
    without_marks: str = ""
    """The text with a comma for its raised marks, if it has any: ``Abel,`` for an Abel with the mark of an office."""


@dataclass(frozen=True, slots=True)
class Line:
    """Words on one baseline, left to right, in one column; ``kind`` is the layout's classification."""

    words: tuple[Word, ...]
    box: Box
    kind: RegionKind = "text"
    size: float = field(init=False, default=0.0, compare=False)
    """The size of most of its letters."""
    baseline: float = field(init=False, default=0.0, compare=False)

    def __post_init__(self) -> None:
        """Both are asked for often, and a line may have many words."""
        letters: dict[float, int] = {}
        longest_word, length = self.words[0], -1.0
        for word in self.words:
            size, count = word.size, len(word.text)
            letters[size] = letters.get(size, 0) + count
            if count * size > length:
                longest_word, length = word, count * size
        usual_size = longest_word.size
        if len(letters) > 1:
            usual_size = max(letters, key=lambda size: (letters[size], size))
        object.__setattr__(self, "size", usual_size)
        object.__setattr__(self, "baseline", longest_word.baseline)

    @classmethod
    def of(cls, words: Sequence[Word]) -> Line:
        in_order = tuple(sorted(words, key=lambda word: word.box.left))
        return cls(in_order, bounding_box(word.box for word in in_order))

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    def share(self, trait: Literal["bold", "mono", "maths"]) -> float:
        """The share of its characters that are bold, monospaced or mathematical, 0..1."""
        character_count = sum(len(word.text) for word in self.words)
        return sum(len(word.text) for word in self.words if getattr(word, trait)) / max(character_count, 1)


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line of the first pages, up to its first wide gap. ``margin``: a running head or foot."""

    text: str
    page: int
    size: float
    baseline: float
    bold: bool = False
    margin: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight ruled line, horizontal or vertical."""

    box: Box

    @property
    def level(self) -> bool:
        return self.box.width >= self.box.height


@dataclass(frozen=True, slots=True)
class Page:
    """``number`` counts from 1. ``figures`` are the outlines of pictures and drawings, ``pictures`` those of bitmaps.
    ``left_out``: the number of characters beyond those that are read of one page.

    ``asides`` hold text of the same page that is read for itself: text of another direction, turned upright (``turn``:
    degrees anticlockwise by which it is turned on the page), and text of pictures. ``hidden`` counts invisible
    words, ``unknown`` characters that the file does not name; both are left out or replaced. ``notes`` are sentences
    about what could not be read.
    """

    number: int
    width: float
    height: float
    words: tuple[Word, ...] = ()
    rules: tuple[Rule, ...] = ()
    figures: tuple[Box, ...] = ()
    read_by: Literal["text", "ocr", "none"] = "text"
    pictures: tuple[Box, ...] = ()
    asides: tuple[Page, ...] = ()
    turn: float = 0.0
    hidden: int = 0
    unknown: int = 0
    notes: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def parts(self) -> tuple[Page, ...]:
        """The page itself and its asides."""
        return (self, *self.asides)

    def place_on(self, page: Page, box: Box) -> Box:
        """Where a box of this aside is on the page: its outline there, after turning about their common middle."""
        if not self.turn:
            return box
        cosine, sine = math.cos(math.radians(self.turn)), math.sin(math.radians(self.turn))
        xs, ys = [], []
        for corner_x in (box.left, box.right):
            for corner_y in (box.top, box.bottom):
                x, y = corner_x - self.width / 2.0, corner_y - self.height / 2.0
                xs.append(page.width / 2.0 + x * cosine + y * sine)
                ys.append(page.height / 2.0 - x * sine + y * cosine)
        return Box(min(xs), min(ys), max(xs), max(ys))


@dataclass(frozen=True, slots=True)
class Region:
    """Neighbouring lines of one kind, in reading order."""

    kind: RegionKind
    lines: tuple[Line, ...]
    box: Box
    page: int
    column: int = 0


BlockKind = Literal["heading", "text", "list", "table", "caption", "formula", "code", "footnote", "reference"]
DocumentFormat = Literal["pdf", "image", "html", "docx", "text"]
TableMethod = Literal["borders", "rules", "caption", "numbers", "markup"]
"""How a table was found: by its borders, by horizontal rules and white strips, by white space under its
caption, by white space between columns of numbers, or named as a table in HTML or DOCX."""

_SURE: dict[TableMethod, float] = {"borders": 0.9, "rules": 0.75, "caption": 0.6, "numbers": 0.5, "markup": 1.0}
_SCANNED_SHARE = 0.7


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
    ``carried_rows``: so many header rows are printed on the page before alone, where this table begins.
    """

    rows: tuple[tuple[str, ...], ...]
    header_rows: int = 1
    caption: str = ""
    found_by: TableMethod = "markup"
    page: int | None = None
    box: tuple[float, float, float, float] | None = None
    scanned: bool = False
    carried_rows: int = 0

    @property
    def columns(self) -> int:
        return len(self.rows[0]) if self.rows else 0

    @property
    def confidence(self) -> float:
        """0..1, an estimate: by the finder, the share of filled cells and the source of the words."""
        cells = [bool(cell) for row in self.rows for cell in row]
        filled_share = sum(cells) / max(len(cells), 1)
        return round(_SURE[self.found_by] * (0.5 + 0.5 * filled_share) * (_SCANNED_SHARE if self.scanned else 1.0), 2)

    @property
    def heads(self) -> tuple[str, ...]:
        """The header of each column, the header's rows joined from above."""
        header = self.rows[: self.header_rows]
        return tuple(" ".join(row[column] for row in header if row[column]) for column in range(self.columns))

    def csv(self) -> str:
        """RFC 4180 without the caption."""
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\r\n").writerows(self.rows)
        return buffer.getvalue()


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
        number = bisect_right(self.breaks, offset, key=lambda mark: mark[0])
        return self.breaks[number - 1][1] if number else self.first_page


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
