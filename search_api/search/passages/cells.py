"""The cell of a table that a question asks for, with the headings of its row and column, its unit and page. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from core.passage import CELL, row_text
from search_api.search.passages.coverage import content_words
from search_api.search.passages.tables import DocumentTable


@dataclass(frozen=True, slots=True)
class QuotedCell:
    """``table`` is its number in the document, from 1; ``confidence`` (0..1) is of the table, None if not known."""

    table: int
    row: str
    column: str
    value: str
    unit: str = ""
    caption: str = ""
    page: int | None = None
    confidence: float | None = None

    @property
    def text(self) -> str:
        """The cell as an answer quotes it; the unit only where the heading does not state it."""
        unit = f" {self.unit}" if self.unit and self.unit not in self.column else ""
        return f"{self.row} – {self.column}: {self.value}{unit}"


def quoted_cell(question: str, line: str, table: DocumentTable) -> QuotedCell | None:
    """The cell of this row (as its passage writes it) whose headings the question names.

    None if the row is not in the table, if the question names another row better, or if it names no column, or two
    equally well: then the row alone is the quote.
    """
    cells = table.cells
    body = cells[table.header_rows :]
    row = next((one for one in body if line.strip() in (row_text(one), CELL.join(one).strip())), None)
    if row is None:
        return None
    asked = content_words(question)
    head = next((index for index, cell in enumerate(row) if cell), 0)
    here = len(asked & content_words(row[head]))
    if here == 0 or any(len(asked & content_words(one[head])) > here for one in body):
        return None
    heads = table.heads
    named = [(len(asked & content_words(heads[column])), column) for column in range(len(row)) if column != head]
    best = max((score for score, column in named if row[column]), default=0)
    chosen = [column for score, column in named if score == best and row[column]]
    if best == 0 or len(chosen) != 1:
        return None
    (column,) = chosen
    unit = table.units[column] if column < len(table.units) else ""
    return QuotedCell(
        table.number, row[head], heads[column], row[column], unit, table.caption, table.page, table.confidence
    )
