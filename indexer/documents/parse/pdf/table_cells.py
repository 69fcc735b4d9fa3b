"""A table as the finders of tables return it; its rows and columns from words, and checks of its cells.

A boundary between columns is a vertical strip that nearly all rows leave empty.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from indexer.documents.parse.model import Box, Line, TableMethod, Word, bounding_box

MOST_CELLS = 6000
"""Of one table of a page; a grid with more is a drawing."""
MOST_RULES = 2000
"""Of one page: the first that are looked at."""
NUMBER = re.compile(r"^[<>~±+\-−–(]*\d[\d.,:/ ×x^e+\-−–]*[)%*†‡a-c]?$|^[-–—.]{1,3}$|^(?:n\.?[ad]\.?|NA|nd)$")
"""A cell that holds a value, or a sign that there is none."""
_LABEL_TO_FILL = re.compile(
    r"^(?P<label>[^:]{2,60}:)?\s*(?:[_.\s\[\]()/☐□]|\b(?:yes|no|ja|nein|oui|non|dd|mm|yyyy|tt|jjjj|aaaa)\b)*$"
)
_YEAR = re.compile(r"^(?:1[89]|20)\d\d(?:[-–/]\d{2,4})?$")
_WIDEST_SPACE = 0.5  # of the size
_MOST_HEADER = 4
_WORDS_OF_HEAD = 6  # of a cell
_WORDS_BELOW_A_GAP = 2  # where the first column has no head: rows without a name look like heads there
_FEWEST_LABELS = 3
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class PageTable:
    """Cells by row and column, all rows equally long; ``words`` are the words in it, ``found_by`` names the
    finder. ``caption``: its lines, if the finder began with them; else the caption is a separate region.
    """

    box: Box
    rows: tuple[tuple[str, ...], ...]
    header_rows: int
    words: tuple[Word, ...]
    found_by: TableMethod = "rules"
    caption: tuple[Line, ...] = ()


def has_words(cells: Sequence[Sequence[str]]) -> bool:
    """Whether any cell has a word; a frame with only numbers is a drawing with its axes."""
    return sum(_WORD.search(cell) is not None for row in cells for cell in row) >= 2


def is_labelled(cells: Sequence[Sequence[str]]) -> bool:
    """Whether half of the cells of the first row or of the first column hold a word; those of a chart do not.

    Empty cells beside two words do not count: a header over two columns can be written in one of them.
    """
    return any(_is_label(edge) for edge in (list(cells[0]), [row[0] for row in cells]))


def _is_label(edge: Sequence[str]) -> bool:
    words = sum(_WORD.search(cell) is not None for cell in edge)
    return 2 * words >= (sum(map(bool, edge)) if words >= 2 else len(edge))


def join_cell_lines(upper_text: str, lower_text: str) -> str:
    """Joins two lines of one cell, and a word split between them."""
    if upper_text.endswith("-") and lower_text[:1].islower():
        return upper_text[:-1] + lower_text
    return f"{upper_text} {lower_text}".strip()


_WHITE = 0.42  # of the size: the narrowest strip between two columns
_MAY_CROSS = 0.08  # of the rows: titles that span columns
_WIDEST = 30_000.0  # points: ten metres
_WORDS_OF_PROSE = 14  # a cell this long in most rows is a paragraph


def columns(lines: Sequence[Line], uprights: Sequence[float], frame: Box, *, white: float = _WHITE) -> list[float]:
    """The x of each boundary between two columns; ``white``: the narrowest strip, in sizes of the type."""
    if frame.width > _WIDEST:
        return []
    size = max(line.size for line in lines)
    reach = int(frame.width) + 2
    changes = [0] * (reach + 1)
    for line in lines:
        for first, last in _covered_points(line, frame.left, reach):
            changes[first] += 1
            changes[last] -= 1
    crossed_counts = list(accumulate(changes))[:reach]
    allowed_crossings = int(_MAY_CROSS * len(lines))
    strips = _runs([count <= allowed_crossings for count in crossed_counts])
    ruled_xs = [x - frame.left for x in uprights]
    edges = [
        (first + last) / 2.0
        for first, last in strips
        if first > 0
        and last < reach - 1
        and (last - first >= white * size or any(first <= x <= last for x in ruled_xs))
    ]
    leftmost = min(word.box.right for line in lines for word in line.words)
    rightmost = max(word.box.left for line in lines for word in line.words)
    return [edge + frame.left for edge in edges if leftmost <= edge + frame.left <= rightmost]


def _covered_points(line: Line, left_edge: float, reach: int) -> Iterator[tuple[int, int]]:
    """The points, counted from ``left_edge``, that the words of a line cover: from, up to; no point twice."""
    end = 0
    for word in line.words:  # from the left
        first, last = max(end, int(word.box.left - left_edge)), min(reach, int(word.box.right - left_edge) + 1)
        if first < last:
            yield first, last
            end = last


def _runs(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """First and last index of each run of True."""
    index_runs: list[tuple[int, int]] = []
    start: int | None = None
    for index, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = index
        elif not flag and start is not None:
            index_runs.append((start, index - 1))
            start = None
    return index_runs


def cells_of(line: Line, edges: Sequence[float]) -> list[str]:
    cells: list[list[str]] = [[] for _ in range(len(edges) + 1)]
    for word in line.words:
        cells[bisect_left(edges, word.box.middle_x)].append(word.text)
    return [" ".join(words) for words in cells]


def table_rows(lines: Sequence[Line], header: int, edges: Sequence[float]) -> list[list[str]]:
    """The cells of each line. ``edges`` part the columns of the body; a head belongs to the first column that it is
    over, and one over the gap between two columns to the one without a head, the right one first.
    """
    body = [cells_of(line, edges) for line in lines[header:]]
    spans = _spans(lines[header:], edges)
    return [*(_head_cells(line, spans) for line in lines[:header]), *body]


def _spans(lines: Sequence[Line], edges: Sequence[float]) -> list[tuple[float, float]]:
    """The left and right end of each column's words; of a column without words, its edges."""
    bounds = [edges[0] if edges else 0.0, *edges, edges[-1] if edges else 0.0]
    boxes: list[list[Box]] = [[] for _ in range(len(edges) + 1)]
    for line in lines:
        for word in line.words:
            boxes[bisect_left(edges, word.box.middle_x)].append(word.box)
    return [
        (min(box.left for box in column), max(box.right for box in column)) if column else (bounds[i], bounds[i + 1])
        for i, column in enumerate(boxes)
    ]


def _head_cells(line: Line, spans: Sequence[tuple[float, float]]) -> list[str]:
    cells: list[list[str]] = [[] for _ in spans]
    between: list[tuple[int, str]] = []
    for piece in _pieces(line):
        left, right = piece[0].box.left, piece[-1].box.right
        text = " ".join(word.text for word in piece)
        below = next((column for column, span in enumerate(spans) if left <= span[1] and span[0] <= right), None)
        if below is None:
            between.append((sum(span[1] < left for span in spans), text))
        else:
            cells[below].append(text)
    for column, text in between:
        places = [place for place in (column, column - 1) if 0 <= place < len(cells)]
        cells[next((place for place in places if not cells[place]), places[0])].append(text)
    return [" ".join(texts) for texts in cells]


def _pieces(line: Line) -> list[list[Word]]:
    """The line's words, parted where the gap is wider than a space."""
    pieces: list[list[Word]] = []
    for word in line.words:
        if pieces and word.box.left - pieces[-1][-1].box.right <= _WIDEST_SPACE * line.size:
            pieces[-1].append(word)
        else:
            pieces.append([word])
    return pieces


def header_rows(cells: Sequence[Sequence[str]], first: int = 1) -> int:
    """``first`` and the rows below it that name no row and hold no number: units, or the parts of a head. Below a head
    over several columns the parts may be years.
    """
    if first == 1 and len(cells) > 2 and _are_parts_of_head(cells[0], cells[1]):
        first = 2
    count, most_words = first, _WORDS_OF_HEAD if cells[0][0] else _WORDS_BELOW_A_GAP
    while count < min(len(cells) - 1, _MOST_HEADER) and not cells[count][0] and _is_head(cells[count], most_words):
        count += 1
    return count if cells[count][0] else first


def _are_parts_of_head(row: Sequence[str], row_below: Sequence[str]) -> bool:
    """Whether the cells below are the parts of heads over several columns: the first column has a head and no part, the
    row above has gaps, and no part is a number, except years.
    """
    has_gaps = any(part and not head for head, part in zip(row, row_below, strict=True))
    parts = [part for part in row_below if part]
    return (
        bool(row[0])
        and not row_below[0]
        and has_gaps
        and all(_YEAR.match(part) or (NUMBER.match(part) is None and _WORD.search(part)) for part in parts)
    )


def _is_head(row: Sequence[str], most_words: int) -> bool:
    filled = [cell for cell in row if cell]
    is_short = max(len(cell.split()) for cell in filled) <= most_words if filled else False
    return is_short and not any(NUMBER.match(cell) for cell in filled)


def is_form(cells: Sequence[Sequence[str]]) -> bool:
    """Whether most cells are a label with space for its answer: "Observer: ____"."""
    filled = [cell for row in cells for cell in row if cell]
    matches = [match for cell in filled if (match := _LABEL_TO_FILL.match(cell)) is not None]
    return 2 * len(matches) > len(filled) and sum(match["label"] is not None for match in matches) >= _FEWEST_LABELS


def is_prose(cells: Sequence[Sequence[str]]) -> bool:
    long = sum(any(len(cell.split()) > _WORDS_OF_PROSE for cell in row) for row in cells)
    filled_rows = sum(sum(bool(cell) for cell in row) >= 2 for row in cells)
    return long > 0.3 * len(cells) or filled_rows < 0.5 * len(cells) - 1


def is_running_text(lines: Sequence[Line], edges: Sequence[float], frame: Box) -> bool:
    """Two or three columns of running text that fill the width."""
    if len(lines) < 6 or len(edges) > 2:
        return False
    bounds = [frame.left, *edges, frame.right]
    full_rows = 0
    for line in lines:
        parts = [[w for w in line.words if left < w.box.middle_x <= right] for left, right in pairwise(bounds)]
        shares = [
            (bounding_box(w.box for w in part).width / (right - left)) if len(part) >= 3 else 0.0
            for part, (left, right) in zip(parts, pairwise(bounds), strict=True)
        ]
        full_rows += sum(share > 0.75 for share in shares) >= min(2, len(shares))
    return full_rows > 0.3 * len(lines)


def merge_continuations(cells: Sequence[list[str]], header: int) -> tuple[list[list[str]], int]:
    merged_rows: list[list[str]] = []
    for number, row in enumerate(cells):
        is_continued = (
            bool(merged_rows) and number >= header and not row[0] and sum(map(bool, row)) < len(row) and number > header
        )
        if is_continued:
            merged_rows[-1] = [
                join_cell_lines(upper_text, lower_text)
                for upper_text, lower_text in zip(merged_rows[-1], row, strict=True)
            ]
        else:
            merged_rows.append(list(row))
    return merged_rows, min(header, len(merged_rows) - 1) or 1
