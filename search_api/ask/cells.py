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
MOST_CELLS = 20_000
_ASKED_QUANTITY = re.compile(rf"\b(?:how\s+({'|'.join(_QUANTITIES)})|(when))\b", re.IGNORECASE)


class _AskedTable:
    """A table as a question sees it: what its cells share with the question is counted once, and where it is needed."""

    def __init__(self, question: str, table: DocumentTable) -> None:
        self._table, self._heads = table, table.heads
        self.rows = table.cells[table.header_rows :]
        self._words, self._asked_words = content_words(question), _asked_words(question)
        self._head_words = [content_words(head) for head in self._heads]
        value = asked_value(question)
        self._value = value if isinstance(value, AskedValue) and value.form is not None else None
        self._most: dict[int, int] = {}

    def cell(self, number: int) -> QuotedCell | None:
        """Of the row with that number."""
        row = self.rows[number]
        label = self._label(row)
        column = None if label is None else self._column(row, label)
        if label is None or column is None:
            return None
        table = self._table
        return QuotedCell(
            table.number,
            row[label],
            self._heads[column],
            row[column],
            _unit(table, column),
            table.caption,
            table.page,
            table.confidence,
        )

    def _label(self, row: tuple[str, ...]) -> int | None:
        """The first column whose cell names the row; None if it names none, or another row better."""
        scores = [len(self._words & content_words(cell)) if _WORD.search(cell) else 0 for cell in row]
        best = max(scores, default=0)
        column = scores.index(best) if best else None
        return None if column is None or self._most_in(column) > best else column

    def _most_in(self, column: int) -> int:
        """The most words of the question in one cell of the column."""
        if column not in self._most:
            self._most[column] = max(len(self._words & content_words(row[column])) for row in self.rows)
        return self._most[column]

    def _column(self, row: tuple[str, ...], label: int) -> int | None:
        """The column that the question names, else the only one with a value of the asked form."""
        columns = [column for column in range(len(row)) if column != label and row[column]]
        words = self._asked_words - content_words(row[label])
        scores = {column: _shared(words, self._head_words[column]) for column in columns}
        best = max(scores.values(), default=0)
        if best:
            columns = [column for column in columns if scores[column] == best]
            if len(columns) == 1:
                return columns[0]
        if self._value is None:
            return None
        with_units = {column: f"{row[column]} {_unit(self._table, column)}" for column in columns}
        fitting = [column for column, cell in with_units.items() if self._value.match(cell) == 1.0]
        return fitting[0] if len(fitting) == 1 else None


def quoted_cell(question: str, line: str, table: DocumentTable) -> QuotedCell | None:
    """The cell of this row (as its passage writes it) whose headings the question names.

    None if the row is not in the table, if the question names another row better, or if it names no column, or two
    equally well: then the row alone is the quote.
    """
    asked = _AskedTable(question, table)
    forms = ((row_text(row), CELL.join(row).strip()) for row in asked.rows)
    number = next((at for at, written in enumerate(forms) if line.strip() in written), None)
    return None if number is None else asked.cell(number)


def named_cell(question: str, table: DocumentTable) -> QuotedCell | None:
    """The only cell of the table whose headings the question names.

    None for a table of more than ``MOST_CELLS``: to compare all of its cells would take seconds.
    """
    if table.rows * table.columns > MOST_CELLS:
        return None
    asked = _AskedTable(question, table)
    cells = [cell for at in range(len(asked.rows)) if (cell := asked.cell(at)) is not None]
    return cells[0] if len(cells) == 1 else None


def with_named_cell(
    question: str, passages: Sequence[FoundPassage], tables: Mapping[int, DocumentTable], least: float
) -> list[FoundPassage]:
    """The parts of tables that hold the row of the one cell which the question names.

    Their relevance is at least ``least``. ``tables``: by the passage's number.
    """
    near = [passage for passage in passages if passage.relevance >= least and passage.number in tables]
    table_of = {(passage.document, passage.table): tables[passage.number] for passage in near}
    named = {key: named_cell(question, table) for key, table in table_of.items()}
    return [
        passage
        for passage in near
        if (cell := named[passage.document, passage.table]) is not None and cell.row in passage.text
    ]


def label_words(question: frozenset[str], row: Sequence[str], language: str | None = None) -> int:
    """The most words of the question in one cell of the row that has words, which is then its label."""
    return max((len(question & content_words(cell, language)) for cell in row if _WORD.search(cell)), default=0)


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


def _unit(table: DocumentTable, column: int) -> str:
    return table.units[column] if column < len(table.units) else ""
