"""Which files are read, up to which limits, and the named reasons why one is refused.

A reader spends its ``Allowance`` while it builds, so that a small file cannot become a large document.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from core.errors import SondeError
from indexer.documents.parse.model import Block, Table
from indexer.text_encoding import utf16_as_utf8

Reason = Literal[
    "encrypted", "damaged", "empty", "no_text", "too_large", "too_many_pages", "unsupported", "out_of_time",
    "out_of_memory", "crashed", "interrupted", "unreachable", "not_stored", "file_lost", "record_gone", "over_quota",
]  # fmt: skip
TEMPORARY: frozenset[Reason] = frozenset(
    ("out_of_time", "out_of_memory", "crashed", "interrupted", "unreachable", "not_stored")
)
"""Reasons that can pass, so a retry can help; the others are permanent properties of the document."""


class DocumentRefused(SondeError):
    """The document is not read; ``reason`` is for machines, the message for people."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason: Reason = reason


FileKind = Literal["pdf", "image", "html", "docx", "text"]

MEDIA_TYPES: dict[FileKind, str] = {
    "pdf": "application/pdf",
    "image": "image/png",
    "html": "text/html",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "text": "text/plain",
}
_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*")
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|article|h[1-6]|p)\b", re.IGNORECASE)
_PROBE = 4096
_CONTROLS = frozenset(range(32)) - {7, 8, 9, 10, 12, 13, 27}


def file_kind(data: bytes) -> FileKind:
    """Raises DocumentRefused: ``empty`` for no bytes, ``unsupported`` for an unknown type."""
    if not data.strip():
        raise DocumentRefused("empty", "The file is empty.")
    head = utf16_as_utf8(data[:_PROBE])
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith(_IMAGES):
        return "image"
    if head.startswith(b"PK\x03\x04"):
        return _zip_kind(data)
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        raise DocumentRefused("unsupported", "An old Office file (or an encrypted new one): save it as DOCX or PDF.")
    if sum(byte in _CONTROLS for byte in head) <= len(head) // 500:
        return "html" if _HTML.search(head) else "text"
    raise DocumentRefused("unsupported", "Neither PDF, page image, DOCX, HTML nor plain text.")


def media_type(data: bytes) -> str:
    """The media type by content. Raises DocumentRefused as ``file_kind`` does."""
    kind = file_kind(data)
    if kind != "image":
        return MEDIA_TYPES[kind]
    return "image/jpeg" if data.startswith(b"\xff\xd8\xff") else "image/png" if data[:1] == b"\x89" else "image/tiff"


def _zip_kind(data: bytes) -> FileKind:
    """Looks for the names of members in the raw bytes: listing very many members takes memory, and callers that only
    want the kind have no memory limit.
    """
    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise DocumentRefused("damaged", "A zip archive that cannot be opened.")
    if b"word/document.xml" in data:
        return "docx"
    raise DocumentRefused("unsupported", "A zip archive that is no DOCX; give the documents in it one by one.")


_MIB = 1024 * 1024
LONGEST_HEADING = 500
"""Characters; a longer heading is text. Each passage carries the headings above it, so their length multiplies."""
_SETTING = "SONDE_DOCUMENTS__"


@dataclass(frozen=True, slots=True)
class Limits:
    """``seconds`` limits the wall-clock time of the whole parse, ``memory_bytes`` the address space of its process.

    ``max_pages`` and ``max_bytes`` are checked before anything is read; ``max_unpacked_bytes`` limits the content of an
    archive (DOCX); ``ocr_seconds_a_page`` limits one page's OCR. ``max_characters``, ``max_blocks`` and ``max_cells``
    limit what is kept of a document: what is beyond is left out, with a warning. ``max_answer_bytes`` limits what the
    process hands over, and is checked before that is parsed.
    """

    seconds: float = 300.0
    memory_bytes: int = 1024 * _MIB
    max_bytes: int = 200 * _MIB
    max_pages: int = 1500
    max_unpacked_bytes: int = 100 * _MIB
    max_characters: int = 5_000_000
    max_blocks: int = 100_000
    max_cells: int = 200_000
    max_answer_bytes: int = 64 * _MIB
    ocr_seconds_a_page: float = 60.0


@dataclass(frozen=True, slots=True)
class Ocr:
    """``languages`` as tesseract names them (``eng``, ``fra+deu``), or ``auto``: those installed, tried on the text.
    Without ``command`` there is no OCR; ``missing`` tells that it is wanted, but not installed.

    ``most_pages`` limits the OCR of one document; further pages without text count as blank.
    """

    command: str | None = "tesseract"
    languages: str = "auto"
    dpi: int = 200
    most_pages: int = 200
    missing: bool = False

    @property
    def absence(self) -> str:
        """Why there is no OCR, as the end of a sentence."""
        if self.missing:
            return "tesseract is not installed (Debian's package tesseract-ocr)"
        return "OCR is turned off (SONDE_DOCUMENTS__OCR)"


class Allowance:
    """What one document may still hold. A reader spends it before it builds, and stops where it is spent."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.characters = limits.max_characters
        self.blocks = limits.max_blocks
        self.cells = limits.max_cells
        self._left_out: dict[str, str] = {}

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence for each limit that was reached: what is left out, and the setting if there is one."""
        return tuple(self._left_out.values())

    def within(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """The blocks that fit, the last one cut; takes no further block from the reader after that."""
        for block in blocks:
            if self.blocks <= 0:
                self._note(f"Only the first {self._limits.max_blocks:,} paragraphs and tables are read")
                return
            self.blocks -= 1
            fitting_block = self._cut(block)
            yield (
                fitting_block
                if fitting_block.kind != "heading" or len(fitting_block.text) <= LONGEST_HEADING
                else replace(fitting_block, kind="text")
            )
            if fitting_block is not block:
                return

    def _cut(self, block: Block) -> Block:
        """The block itself if it fits; a table spends its characters where its rows are taken."""
        if block.table is not None or self.take_characters(len(block.text)):
            return block
        return replace(block, text=block.text[: self.characters], lines=(), words=(), breaks=())

    def take_characters(self, number: int) -> bool:
        """Whether so many more characters are kept; notes it where they are not."""
        if number <= self.characters:
            self.characters -= number
            return True
        self.note_characters()
        return False

    def limit_table(self, table: Table) -> Table:
        columns = max(table.columns, 1)
        rows = 0
        for row in table.rows:
            if columns > self.cells:
                self.note_cells()
                break
            if not self.take_characters(sum(map(len, row))):
                break
            self.cells -= columns
            rows += 1
        if rows == len(table.rows):
            return table
        return replace(table, rows=table.rows[:rows], header_rows=min(table.header_rows, rows))

    def note_characters(self) -> None:
        self._note(f"Only the first {self._limits.max_characters:,} characters are read")

    def note_cells(self) -> None:
        self._note(f"Only the first {self._limits.max_cells:,} cells of its tables are kept")

    def note_pages(self) -> None:
        self._note(f"Only the first {self._limits.max_pages:,} pages are read", "MAX_PAGES")

    def note_ocr_pages(self, read_pages: int) -> None:
        self._note(f"Only the first {read_pages:,} pages of the picture are read", "OCR_PAGES")

    def _note(self, content: str, setting: str = "") -> None:
        self._left_out.setdefault(
            setting or content, f"{content}; the rest is left out{setting and f' ({_SETTING}{setting})'}."
        )


Cell = tuple[str, int]
"""The text of a cell, and the number of columns that it takes."""

_SPAN = re.compile(r"[1-9][0-9]{0,3}")


def span_of(value: str | None) -> int:
    """The number of columns or rows that a cell spans; 1 if the file gives no valid number."""
    return int(value) if value is not None and _SPAN.fullmatch(value.strip()) else 1


_SPARSE = 20  # places for each cell with text: fewer texts than that are a layout, not a table
_SMALL = 1000  # places: a small table may be as empty as it likes


def markup_table(
    rows: Iterable[Iterable[Cell]], header_rows: int, caption: str, allowance: Allowance
) -> Iterator[Block]:
    """The table without empty rows and columns, or the text of its rows where it has one row, one column or next to no
    cells with text. Empty cells take no room until it is known that the table fits.
    """
    filled_rows = list(_filled_rows(rows, allowance))
    filled_columns = sorted({column for row in filled_rows for column in row})
    places, texts = len(filled_rows) * len(filled_columns), sum(map(len, filled_rows))
    if len(filled_rows) < 2 or len(filled_columns) < 2 or (places > _SMALL and places > _SPARSE * texts):
        yield from (Block("text", " ".join(row.values())) for row in filled_rows)
        return
    cells = allowance.cells // len(filled_columns)
    if cells < len(filled_rows):
        allowance.note_cells()
    cell_rows = tuple(tuple(row.get(column, "") for column in filled_columns) for row in filled_rows[:cells])
    header = max(1, min(header_rows, len(cell_rows) - 1))
    table = allowance.limit_table(Table(cell_rows, header, caption))
    if table.rows:
        yield Block("table", "", table=table)


def _filled_rows(rows: Iterable[Iterable[Cell]], allowance: Allowance) -> Iterator[dict[int, str]]:
    """The texts of each row by their first column; at most as many as cells may be kept."""
    cells_left = allowance.cells
    for row in rows:
        if cells_left <= 0:
            allowance.note_cells()
            return
        texts: dict[int, str] = {}
        column = 0
        for text, width in row:
            if text and cells_left > 0:
                texts[column] = text
                cells_left -= 1
            elif text:
                allowance.note_cells()
                break
            column += width
        if texts:
            yield texts
