"""Tables that only white space rules: rows of several pieces under a caption, or a block of numbers under its headings.

Without rules, only the alignment shows a table. So a table needs its caption, or numbers in most of
its columns; and code, drawings and columns of running text are none.
"""

from __future__ import annotations

import re
from bisect import insort
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from indexer.documents.parse.model import Box, Line, TableMethod, Word, bounding_box
from indexer.documents.parse.pdf.line_kinds import CAPTION, is_caption_start
from indexer.documents.parse.pdf.reading_order import Gutters, rows, segments
from indexer.documents.parse.pdf.table_cells import (
    MOST_CELLS,
    NUMBER,
    PageTable,
    columns,
    has_words,
    is_labelled,
    is_prose,
    is_running_text,
    merge_continuations,
    table_rows,
)

_TABLE = re.compile(r"^(?:tab(?:le|\.|elle|leau)?|cuadro|quadro|tabla)\s*(?:[A-Z]?\d|[IVXL]+\b)", re.IGNORECASE)
_MOST_CAPTION = 9  # lines between the caption's first and the first row
_FEWEST_ROWS = 3
_MOST_ROWS = 600
_MOST_STARTS = 60  # of the same rows: a table begins near their first one
_MOST_WORDS_TRIED = 200_000  # words of rows that were tried as a table; a page in small print has half of that
_FEWEST_ALONE = 5  # rows of numbers without a caption
_LARGER = 1.15  # of the usual size: a heading above the table
_MAX_ROW_DISTANCE = 2.4  # of the usual distance of rows: farther down, the table has ended
_WIDE = 0.6  # of the width: a single piece as wide is a line of text
_WORDS_OF_TEXT = 7
_MOST_HEADER = 4
_LEAST_FILLED = 0.5  # of the cells
_MOSTLY_SPLIT = 0.6  # of the rows have several pieces
_WHITE = 0.8  # of the size: the narrowest strip between two columns
_NUMERIC = 0.6  # of the cells of a column of numbers
_AXIS = 30.0  # points around a drawing
_MOST_WORDS = 6  # of a cell, on average: longer ones are text in columns


@dataclass(frozen=True, slots=True)
class _Row:
    """A baseline with its pieces, left to right."""

    line: Line
    pieces: tuple[Line, ...]

    @property
    def is_split(self) -> bool:
        return len(self.pieces) >= 2


def unruled_tables(
    words: Sequence[Word], ruled_tables: Sequence[Box], figures: Sequence[Box], gutters: Gutters
) -> list[PageTable]:
    """``words`` of a page without furniture; ``ruled_tables`` and ``figures`` contain no other table; ``gutters``: the
    document's, where this page keeps them. Those of one page alone may be the gaps of a table.
    """
    free_words = [
        word
        for word in words
        if not word.turned and not word.mono and not any(box.holds(word.box, 2.0) for box in (*ruled_tables, *figures))
    ]
    tables: list[PageTable] = []
    for left, right in pairwise([float("-inf"), *gutters, float("inf")]):
        band_words = [word for word in free_words if left <= word.box.middle_x < right]
        lines = [_Row(line, tuple(segments(line))) for line in rows(band_words)]
        tables += [
            table for table in _in_band(lines) if table.found_by == "caption" or not _is_beside(table.box, figures)
        ]
    return sorted(tables, key=lambda table: table.box.top)


def _is_beside(box: Box, figures: Sequence[Box]) -> bool:
    """Whether a drawing is so near that these may be the numbers of its axes."""
    return any(
        box.left - _AXIS < figure.right
        and figure.left - _AXIS < box.right
        and box.top - _AXIS < figure.bottom
        and figure.top - _AXIS < box.bottom
        for figure in figures
    )


def _in_band(lines: Sequence[_Row]) -> Iterator[PageTable]:
    width = max((row.line.box.right for row in lines), default=0.0) - min((r.line.box.left for r in lines), default=0.0)
    row_index, words_tried = 0, 0
    tries: Counter[int] = Counter()  # by the end of the rows that were tried
    while row_index < len(lines) and words_tried <= _MOST_WORDS_TRIED:
        is_captioned = _is_caption(lines[row_index].line)
        start = _first_row(lines, row_index) if is_captioned else row_index
        body = _body(lines, start, width) if start is not None and lines[start].is_split else []
        caption = [row.line for row in lines[row_index:start]] if is_captioned else []
        words_tried += sum(len(row.line.words) for row in body) + len(body)
        table = _table(body, caption)
        if table is not None and start is not None:
            yield table
            row_index = start + len(body)
            continue
        end = row_index + len(body) if start == row_index else row_index
        tries[end] += 1
        row_index = max(end, row_index + 1) if tries[end] > _MOST_STARTS else row_index + 1


def _is_caption(line: Line) -> bool:
    """A labelled caption; in capitals or alone on its line it needs no mark behind its number."""
    if _TABLE.match(line.text) is None:
        return False
    return is_caption_start(line) or line.text.split()[0].isupper() or len(line.words) <= 3


def _first_row(lines: Sequence[_Row], caption: int) -> int | None:
    """The first row of several pieces below the caption; None if text or nothing comes first."""
    for row_index in range(caption + 1, min(len(lines), caption + 1 + _MOST_CAPTION)):
        if lines[row_index].is_split:
            return row_index
        if _starts_caption(lines[row_index].line):
            return None
    return None


def _starts_caption(line: Line) -> bool:
    return CAPTION.match(line.text) is not None and is_caption_start(line)


def _body(lines: Sequence[_Row], start: int, width: float) -> list[_Row]:
    """Rows down to a wide gap, a line of text or another caption; it ends with a row of several pieces."""
    body_rows = [lines[start]]
    gaps: list[float] = []  # sorted, for their median
    for row in lines[start + 1 : start + _MOST_ROWS]:
        gap = row.line.baseline - body_rows[-1].line.baseline
        usual_size = _middle(gaps) if gaps else max(gap if row.is_split else 0.0, 1.6 * row.line.size)
        is_text = not row.is_split and len(row.line.words) >= _WORDS_OF_TEXT and row.line.box.width > _WIDE * width
        if gap > _MAX_ROW_DISTANCE * usual_size or is_text or _starts_caption(row.line) or _is_caption(row.line):
            break
        insort(gaps, gap)
        body_rows.append(row)
    while body_rows and not body_rows[-1].is_split:
        body_rows.pop()
    usual_size = median(row.line.size for row in body_rows) if body_rows else 0.0
    return body_rows if not body_rows or body_rows[0].line.size <= _LARGER * usual_size else []


def _middle(values: Sequence[float]) -> float:
    """The median of values in order."""
    half_count = len(values) // 2
    return values[half_count] if len(values) % 2 else (values[half_count - 1] + values[half_count]) / 2.0


def _table(body: Sequence[_Row], caption: Sequence[Line]) -> PageTable | None:
    if len(body) < _FEWEST_ROWS or sum(row.is_split for row in body) < _MOSTLY_SPLIT * len(body):
        return None
    lines = [row.line for row in body]
    frame, header = bounding_box(line.box for line in lines), _header_rows(body)
    edges = columns(lines[header:], (), frame, white=_WHITE)  # a heading may be as wide as two columns
    if not edges:
        return None
    if len(lines) * (len(edges) + 1) > MOST_CELLS:
        return None
    cells = table_rows(lines, header, edges)
    if is_running_text(lines, edges, frame) or is_prose(cells) or not has_words(cells):
        return None
    merged_cells, header = merge_continuations(cells, header)
    if (
        len(merged_cells) - header < _FEWEST_ROWS - 1
        or not is_labelled(merged_cells)
        or not _is_dense(merged_cells, header)
    ):
        return None
    if not caption and (
        len(edges) < 2 or len(merged_cells) - header < _FEWEST_ALONE or not _is_numeric(merged_cells, header)
    ):
        return None
    words = tuple(word for line in (*caption, *lines) for word in line.words)
    method: TableMethod = "caption" if caption else "numbers"
    return PageTable(frame, tuple(tuple(row) for row in merged_cells), header, words, method, tuple(caption))


def _header_rows(body: Sequence[_Row]) -> int:
    """The rows above the first one with a number behind its first piece; 1 if there is none, or too many."""
    first = next(
        (row_index for row_index, row in enumerate(body) if any(NUMBER.match(piece.text) for piece in row.pieces[1:])),
        1,
    )
    return first if 1 <= first <= _MOST_HEADER and first < len(body) else 1


def _is_dense(cells: Sequence[Sequence[str]], header: int) -> bool:
    body = [cell for row in cells[header:] for cell in row]
    filled_cells = [cell for cell in body if cell]
    return len(filled_cells) >= _LEAST_FILLED * len(body) and sum(
        len(c.split()) for c in filled_cells
    ) <= _MOST_WORDS * len(filled_cells)


def _is_numeric(cells: Sequence[Sequence[str]], header: int) -> bool:
    """Whether half of the columns behind the first, and at least two, are columns of numbers."""
    other_columns = list(zip(*cells[header:], strict=True))[1:]
    numeric = sum(
        sum(NUMBER.match(cell) is not None for cell in column) >= _NUMERIC * len(column) for column in other_columns
    )
    return numeric >= 2 and numeric >= len(other_columns) / 2
