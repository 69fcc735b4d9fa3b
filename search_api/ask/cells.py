"""The cell of a table that a question asks for, by the headings of its row and its column. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.document import CELL, row_text
from search_api.ask.asked_value import AskedValue, asked_value
from search_api.search.passages.coverage import content_words
from search_api.search.passages.values import DocumentTable, FoundPassage, QuotedCell

_LEAST_STEM = 5
"""Letters from which on a word's beginning is the same word: "turbid" and "turbidity"."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_QUANTITIES = {
    "cold": "temperature",
    "deep": "depth",
    "fast": "speed velocity",
    "far": "distance",
    "heavy": "weight mass",
    "high": "height elevation altitude",
    "hot": "temperature",
    "large": "area size volume",
    "long": "length duration",
    "often": "frequency interval",
    "old": "age",
    "strong": "strength speed",
    "tall": "height",
    "thick": "thickness",
    "warm": "temperature",
    "when": "date year day time",
    "wide": "width",
}
"""What a column is called where the question has the word on the left; other words are found by their beginning."""
_ASKED_QUANTITY = re.compile(rf"\b(?:how\s+({'|'.join(_QUANTITIES)})|(when))\b", re.IGNORECASE)


def quoted_cell(question: str, line: str, table: DocumentTable) -> QuotedCell | None:
    """The cell of this row (as its passage writes it) whose headings the question names.

    None if the row is not in the table, if the question names another row better, or if it names no column, or two
    equally well: then the row alone is the quote.
    """
    body = table.cells[table.header_rows :]
    row = next(
        (other_row for other_row in body if line.strip() in (row_text(other_row), CELL.join(other_row).strip())), None
    )
    label = None if row is None else _label_column(content_words(question), row, body)
    if row is None or label is None:
        return None
    column = _column(question, row, label, table)
    if column is None:
        return None
    unit = table.units[column] if column < len(table.units) else ""
    return QuotedCell(
        table.number, row[label], table.heads[column], row[column], unit, table.caption, table.page, table.confidence
    )


def named_cell(question: str, table: DocumentTable) -> QuotedCell | None:
    """The only cell of the table whose headings the question names."""
    cells = [quoted_cell(question, row_text(row), table) for row in table.cells[table.header_rows :]]
    named_cells = [cell for cell in cells if cell is not None]
    return named_cells[0] if len(named_cells) == 1 else None


def with_named_cell(
    question: str, passages: Sequence[FoundPassage], tables: Mapping[int, DocumentTable], least: float
) -> list[FoundPassage]:
    """The passages of tables of which the question names one cell, and whose relevance is at least ``least``.

    ``tables``: by the passage's number.
    """
    return [
        passage
        for passage in passages
        if passage.relevance >= least
        and passage.number in tables
        and named_cell(question, tables[passage.number]) is not None
    ]


def label_words(question: frozenset[str], row: Sequence[str], language: str | None = None) -> int:
    """The most words of the question in one cell of the row that has words, which is then its label."""
    return max((len(question & content_words(cell, language)) for cell in row if _WORD.search(cell)), default=0)


def _label_column(question: frozenset[str], row: tuple[str, ...], body: tuple[tuple[str, ...], ...]) -> int | None:
    """The first column whose cell names the row; None if it names none, or another row better."""
    scores = [len(question & content_words(cell)) if _WORD.search(cell) else 0 for cell in row]
    best = max(scores, default=0)
    column = scores.index(best) if best else None
    if column is None or any(len(question & content_words(other[column])) > best for other in body):
        return None
    return column


def _column(question: str, row: tuple[str, ...], label: int, table: DocumentTable) -> int | None:
    """The column that the question names, else the only one with a value of the asked form."""
    heads = table.heads
    columns = [column for column in range(len(row)) if column != label and row[column]]
    words = _asked_words(question) - content_words(row[label])
    scores = {column: _shared(words, content_words(heads[column])) for column in columns}
    best = max(scores.values(), default=0)
    if best:
        columns = [column for column in columns if scores[column] == best]
        if len(columns) == 1:
            return columns[0]
    value = asked_value(question)
    if isinstance(value, AskedValue) and value.form is not None:
        columns = [column for column in columns if value.match(_with_unit(row[column], column, table)) == 1.0]
        return columns[0] if len(columns) == 1 else None
    return None


def _asked_words(question: str) -> frozenset[str]:
    """With the names of the asked quantity."""
    quantities = [_QUANTITIES[(how or when).lower()] for how, when in _ASKED_QUANTITY.findall(question)]
    return content_words(" ".join((question, *quantities)))


def _shared(words: frozenset[str], heading: frozenset[str]) -> int:
    """How many of the words the heading has."""
    return sum(any(_is_same(word, other) for other in heading) for word in words)


def _is_same(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    return word == other or (len(shorter) >= _LEAST_STEM and longer.startswith(shorter))


def _with_unit(cell: str, column: int, table: DocumentTable) -> str:
    unit = table.units[column] if column < len(table.units) else ""
    return f"{cell} {unit}"
