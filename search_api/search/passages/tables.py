"""The tables of a document, from the form that its entry keeps."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from core.document import DocumentEntry
from core.errors import NotFound
from core.json_types import Json, JsonMapping
from search_api.formats_out.notations import spreadsheet_safe


@dataclass(frozen=True, slots=True)
class DocumentTable:
    """``number`` counts from 1. ``rows`` include ``header_rows``. ``units``: one for each column, empty if unknown.

    ``confidence`` (0..1), ``page`` and ``found_by`` are None for a document that an earlier version read.
    """

    number: int
    caption: str
    csv: str
    header_rows: int
    units: tuple[str, ...]
    rows: int
    columns: int
    page: int | None = None
    confidence: float | None = None
    found_by: str | None = None

    @property
    def heads(self) -> tuple[str, ...]:
        """The heading of each column, the header's rows joined from above."""
        above = self.cells[: self.header_rows]
        return tuple(" ".join(cell for cell in column if cell) for column in zip(*above, strict=True))

    @property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(row) for row in csv.reader(io.StringIO(self.csv, newline="")))

    @property
    def spreadsheet_csv(self) -> str:
        """The table for people who open it in a spreadsheet: no cell runs as a formula."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\r\n").writerows([spreadsheet_safe(cell) for cell in row] for row in self.cells)
        return out.getvalue()


def tables_of(entry: DocumentEntry) -> Iterator[DocumentTable]:
    return (table_from(number, kept) for number, kept in enumerate(entry.tables, 1))


def table_of(entry: DocumentEntry, number: int) -> DocumentTable:
    """Raises NotFound."""
    if not 1 <= number <= len(entry.tables):
        raise NotFound(f"The document {entry.id!r} has no table {number}; it has {len(entry.tables)}.")
    return table_from(number, entry.tables[number - 1])


def table_from(number: int, kept: JsonMapping) -> DocumentTable:
    """From the form that an entry keeps; ``number`` counts from 1."""
    return DocumentTable(
        number,
        caption=kept.get("caption") or "",
        csv=kept.get("csv") or "",
        header_rows=int(kept.get("header_rows", 1)),
        units=tuple(kept.get("units") or ()),
        rows=int(kept.get("rows", 0)),
        columns=int(kept.get("columns", 0)),
        page=kept.get("page"),
        confidence=kept.get("sure"),
        found_by=kept.get("found_by"),
    )


def described(table: DocumentTable) -> Json:
    """The table without its cells; members without a value are left out."""
    said: Json = {
        "number": table.number,
        "caption": table.caption,
        "page": table.page,
        "rows": table.rows,
        "columns": table.columns,
        "units": list(table.units) if any(table.units) else None,
        "confidence": table.confidence,
        "foundBy": table.found_by,
    }
    return {name: value for name, value in said.items() if value not in (None, "")}


def as_json(table: DocumentTable) -> Json:
    """The table with its header and its body apart."""
    cells = table.cells
    header = [list(row) for row in cells[: table.header_rows]]
    return {**described(table), "header": header, "body": [list(row) for row in cells[table.header_rows :]]}
