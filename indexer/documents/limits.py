"""The limits for reading one document, and the allowance that a reader spends while it builds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from indexer.documents.model import Block, Table

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
        """A sentence for each limit that was reached: what is left out, and the setting."""
        return tuple(self._left_out.values())

    def within(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """The blocks that fit, the last one cut; takes no further block from the reader after that."""
        for block in blocks:
            if self.blocks <= 0:
                self._note("max_blocks", f"Only the first {self._limits.max_blocks:,} paragraphs and tables are read")
                return
            self.blocks -= 1
            kept = self._cut(block)
            yield kept if kept.kind != "heading" or len(kept.text) <= LONGEST_HEADING else replace(kept, kind="text")
            if kept is not block:
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

    def fitting(self, table: Table) -> Table:
        """The table with the rows that fit."""
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
        self._note("max_characters", f"Only the first {self._limits.max_characters:,} characters are read")

    def note_cells(self) -> None:
        self._note("max_cells", f"Only the first {self._limits.max_cells:,} cells of its tables are kept")

    def note_pages(self) -> None:
        self._note("max_pages", f"Only the first {self._limits.max_pages:,} pages are read")

    def note_ocr_pages(self, read: int) -> None:
        self._note("ocr_pages", f"Only the first {read:,} pages of the picture are read")

    def _note(self, setting: str, what: str) -> None:
        self._left_out.setdefault(setting, f"{what}; the rest is left out ({_SETTING}{setting.upper()}).")
