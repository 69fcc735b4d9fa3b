"""Passages that answer a question, with their tables and their scope."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from core.document import DocumentEntry, PassageSection, row_text
from core.errors import NotFound
from core.json_types import Json, JsonMapping
from search_api.formats_out.notations import spreadsheet_safe
from search_api.search.request import Filters

REFUSAL = "Sorry. I cannot find the answer based on the context."
"""The sentence of GeoGPT-RAG (doi:10.48550/arXiv.2509.09686), the same in every language."""

Scope = Literal["public", "mine", "both"]
Mode = Literal["model", "extractive", "refusal"]


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """An earlier question with its answer."""

    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class AnswerConfig:
    """``top_k`` passages are read; those with a relevance (0..1) below ``threshold`` are dropped. ``support``: the
    least support (0..1) of a sentence by its cited text. ``quotes``: the most that are given where no model answers;
    ``records``: the most that are listed for a question that asks which data there are.
    """

    top_k: int = 8
    threshold: float = 0.35
    support: float = 0.35
    quotes: int = 3
    records: int = 5


@dataclass(frozen=True, slots=True)
class SharedDocuments:
    """Documents that a collection opens to the caller: public ones, and those that ``owner`` put into it."""

    owner: str
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AskRequest:
    """``top_k`` and ``threshold`` override the configuration if given. ``owner``: the user from the token; None: an
    anonymous caller, for whom only public passages are visible. ``shared`` replaces ``scope`` and ``owner``.
    ``documents``: only these, where any are named.
    """

    question: str
    turns: tuple[ConversationTurn, ...] = ()
    filters: Filters = field(default_factory=Filters)
    record: str | None = None
    document: str | None = None
    documents: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    scope: Scope = "public"
    owner: str | None = None
    shared: SharedDocuments | None = None
    top_k: int | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage with its signals; ``relevance`` is calibrated, 0..1. Citations use ``number``, which starts at 1.

    ``kind`` "record": ``text`` is the abstract of ``record``, and there is no ``document``.
    ``table``: the number of the table that it is a part of, in its document, from 1; ``header``: the lines of that
    table's header, if they were read. ``sections``: of a passage that joins several. ``language``: of the text,
    ISO 639-1; None: unknown.
    """

    id: str
    document: str
    text: str
    number: int = 0
    relevance: float = 0.0
    score: float = 0.0
    signals: Mapping[str, float | None] = field(default_factory=dict)
    record: str | None = None
    title: str = ""
    kind: str = "text"
    section_path: tuple[str, ...] = ()
    section_role: str | None = None
    sections: tuple[PassageSection, ...] = ()
    first_page: int | None = None
    last_page: int | None = None
    table: int | None = None
    header: tuple[str, ...] = ()
    language: str | None = None


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """One sentence of an answer with its cited passages. ``supported``: the citations exist and support it.

    ``cell``: the cell of a table that the sentence, a row of it, is quoted for.
    """

    text: str
    citations: tuple[int, ...] = ()
    supported: bool = False
    why: str = ""
    cell: QuotedCell | None = None


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """``text`` as shown; ``passages``: the evidence for the answer, best first. ``near_misses``: of a refusal, the best
    passages below the threshold.
    """

    text: str
    mode: Mode
    sentences: tuple[CitedSentence, ...] = ()
    passages: tuple[FoundPassage, ...] = ()
    language: str | None = None
    degraded: tuple[str, ...] = ()
    took_ms: Mapping[str, float] = field(default_factory=dict)
    near_misses: tuple[FoundPassage, ...] = ()

    @property
    def refused(self) -> bool:
        return self.mode == "refusal"


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
        """The heading of each column, the header's rows joined from above. Above the last row, an empty cell continues
        the one to its left.
        """
        *upper_rows, last_row = self.cells[: self.header_rows] or ((),)
        header = [*map(_continued, upper_rows), last_row]
        return tuple(" ".join(cell for cell in column if cell) for column in zip(*header, strict=True))

    @property
    def header_lines(self) -> tuple[str, ...]:
        """Caption and header's rows, as passages write them."""
        rows = [row_text(row) for row in self.cells[: self.header_rows]]
        return tuple(line for line in (self.caption, *rows) if line)

    @property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(row) for row in csv.reader(io.StringIO(self.csv, newline="")))

    @property
    def spreadsheet_csv(self) -> str:
        """The table for people who open it in a spreadsheet: no cell runs as a formula."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\r\n").writerows([spreadsheet_safe(cell) for cell in row] for row in self.cells)
        return out.getvalue()


def _continued(row: tuple[str, ...]) -> tuple[str, ...]:
    """A heading over several columns stands in the first of them; one over the row's labels does not continue."""
    cells = list(row)
    for column in range(2, len(cells)):
        cells[column] = cells[column] or cells[column - 1]
    return tuple(cells)


def tables_of(entry: DocumentEntry) -> Iterator[DocumentTable]:
    return (table_from(number, stored) for number, stored in enumerate(entry.tables, 1))


def table_of(entry: DocumentEntry, number: int) -> DocumentTable:
    """Raises NotFound."""
    if not 1 <= number <= len(entry.tables):
        raise NotFound(f"The document {entry.id!r} has no table {number}; it has {len(entry.tables)}.")
    return table_from(number, entry.tables[number - 1])


def table_from(number: int, stored: JsonMapping) -> DocumentTable:
    """From the form that an entry keeps; ``number`` counts from 1."""
    return DocumentTable(
        number,
        caption=stored.get("caption") or "",
        csv=stored.get("csv") or "",
        header_rows=int(stored.get("header_rows", 1)),
        units=tuple(stored.get("units") or ()),
        rows=int(stored.get("rows", 0)),
        columns=int(stored.get("columns", 0)),
        page=stored.get("page"),
        confidence=stored.get("sure"),
        found_by=stored.get("found_by"),
    )


def table_summary(table: DocumentTable) -> Json:
    """The table without its cells; members without a value are left out."""
    members: Json = {
        "number": table.number,
        "caption": table.caption,
        "page": table.page,
        "rows": table.rows,
        "columns": table.columns,
        "units": list(table.units) if any(table.units) else None,
        "confidence": table.confidence,
        "foundBy": table.found_by,
    }
    return {name: value for name, value in members.items() if value not in (None, "")}


def as_json(table: DocumentTable) -> Json:
    """The table with its header and its body apart."""
    cells = table.cells
    header = [list(row) for row in cells[: table.header_rows]]
    return {**table_summary(table), "header": header, "body": [list(row) for row in cells[table.header_rows :]]}


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
