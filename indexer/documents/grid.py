"""Tables of markup (DOCX, HTML): rows of cells that may each take several columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from indexer.documents.limits import Allowance
from indexer.documents.model import Block, Table

Cell = tuple[str, int]
"""The text of a cell, and the number of columns that it takes."""

_SPARSE = 20  # places for each cell with text: fewer texts than that are a layout, not a table
_SMALL = 1000  # places: a small table may be as empty as it likes


def markup_table(
    rows: Iterable[Iterable[Cell]], header_rows: int, caption: str, allowance: Allowance
) -> Iterator[Block]:
    """The table without empty rows and columns, or the text of its rows where it has one row, one column or next to no
    cells with text. Empty cells take no room until it is known that the table fits.
    """
    filled = list(_filled(rows, allowance))
    used = sorted({column for row in filled for column in row})
    places, texts = len(filled) * len(used), sum(map(len, filled))
    if len(filled) < 2 or len(used) < 2 or (places > _SMALL and places > _SPARSE * texts):
        yield from (Block("text", " ".join(row.values())) for row in filled)
        return
    cells = allowance.cells // len(used)
    if cells < len(filled):
        allowance.note_cells()
    whole = tuple(tuple(row.get(column, "") for column in used) for row in filled[:cells])
    header = max(1, min(header_rows, len(whole) - 1))
    table = allowance.fitting(Table(whole, header, caption))
    if table.rows:
        yield Block("table", "", table=table)


def _filled(rows: Iterable[Iterable[Cell]], allowance: Allowance) -> Iterator[dict[int, str]]:
    """The texts of each row by their first column; at most as many as cells may be kept."""
    left = allowance.cells
    for row in rows:
        if left <= 0:
            allowance.note_cells()
            return
        found: dict[int, str] = {}
        column = 0
        for text, width in row:
            if text and left > 0:
                found[column] = text
                left -= 1
            elif text:
                allowance.note_cells()
                break
            column += width
        if found:
            yield found
