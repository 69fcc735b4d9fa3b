"""Tables with borders: crossing horizontal and vertical rules make a grid; each of its cells gets the words inside it.

The method of Anssi Nurminen (Algorithmic extraction of data in tables in PDF documents, 2013), as in pdfplumber: rules
that cross make one table; a cell covers several grid positions where the rule between them is missing.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from indexer.documents.parse.model import Box, Line, Page, Rule, Word, bounding_box
from indexer.documents.parse.pdf.reading_order import rows
from indexer.documents.parse.pdf.table_cells import (
    MOST_CELLS,
    MOST_RULES,
    NUMBER,
    PageTable,
    cells_of,
    has_words,
    header_rows,
    is_form,
    is_labelled,
    join_cell_lines,
)

SAME_RULE = 3.0  # points: rules closer than this are one
ROW_BELOW = 1.3  # of the distance of rows
_REACH = 3.0  # points by which a rule may miss the one that it crosses
_FEWEST_FILLED = 0.4  # of the cells: the grid of a chart is empty
_PARAGRAPH = 60  # words
_LINES_OF_A_LIST = 3
_HEAD_AND_LIST = 2  # grid rows of a table without rules in its body
_PARTED = 0.5  # of the size: cells beside each other are farther apart
_LEVEL = 0.3  # of the size: texts of one height
_LEVEL_SHARE = 0.67  # of the cells of a table
_FEWEST_SCATTERED = 6  # cells with others beside them
_SPACE_TO_FILL = 0.45  # of the height of a row
_MOST_NUMBERS = 0.25  # of the cells of a form
_TICKS = "☐□☑☒"
_FEWEST_TICKS = 2
_LEVELS_OF_A_TABLE = 3
_LEAST_TALL = 6.0
_LEAST_WIDE = 12.0


@dataclass(frozen=True, slots=True)
class _Stroke:
    """A rule in one direction: at ``position`` across it, from ``first`` to ``last`` along it."""

    position: float
    first: float
    last: float


@dataclass(frozen=True, slots=True)
class _Grid:
    """Horizontal and vertical rules that cross each other."""

    levels: tuple[_Stroke, ...]
    uprights: tuple[_Stroke, ...]

    @property
    def ys(self) -> list[float]:
        return _distinct([rule.position for rule in self.levels])

    @property
    def xs(self) -> list[float]:
        return _distinct([rule.position for rule in self.uprights])


def bordered_tables(page: Page, words: Sequence[Word]) -> list[PageTable]:
    """Grids with at least two rows and two columns that hold words, from the top."""
    return grids_with_words(page, words)[0]


class RefusedGrid(NamedTuple):
    """A grid that is no table."""

    box: Box
    is_map: bool


def maps(page: Page, words: Sequence[Word]) -> list[Box]:
    """The outlines of grids that are drawn over a map: their words are names of places."""
    return [refused.box for refused in grids_with_words(page, words)[1] if refused.is_map]


def grids_with_words(page: Page, words: Sequence[Word]) -> tuple[list[PageTable], list[RefusedGrid]]:
    """The tables, from the top, and the grids that are maps and forms."""
    grids = _grids(page.rules)
    edges = [(grid.ys[0], grid.xs[0], grid.xs[-1]) for grid in grids if len(grid.ys) >= _LEVELS_OF_A_TABLE]
    found = [_grid_table(grid, words, edges) for grid in grids]
    tables: list[PageTable] = []
    for table in sorted(
        (item for item in found if isinstance(item, PageTable)), key=lambda table: (table.box.top, table.box.left)
    ):
        if not _frames_text(table) and not any(outer.box.holds(table.box) for outer in tables):
            tables.append(table)
    return tables, [item for item in found if isinstance(item, RefusedGrid)]


def _frames_text(table: PageTable) -> bool:
    """Whether most words are in cells as long as a paragraph: frames around the parts of a poster."""
    lengths = [len(cell.split()) for row in table.rows for cell in row]
    return 2 * sum(length for length in lengths if length >= _PARAGRAPH) > sum(lengths)


def _grids(rules: Sequence[Rule]) -> list[_Grid]:
    page_rules = rules[:MOST_RULES]
    levels = _join_strokes([_Stroke(r.box.middle_y, r.box.left, r.box.right) for r in page_rules if r.level])
    uprights = _join_strokes([_Stroke(r.box.middle_x, r.box.top, r.box.bottom) for r in page_rules if not r.level])
    groups = _UnionFind(len(levels))
    crossing_levels: list[tuple[_Stroke, int]] = []
    for upright in uprights:
        crossing_places = [place for place, level in enumerate(levels) if _cross(level, upright)]
        if crossing_places:
            groups.join(crossing_places)
            crossing_levels.append((upright, crossing_places[0]))
    grids: dict[int, tuple[list[_Stroke], list[_Stroke]]] = {}
    for upright, place in crossing_levels:
        grids.setdefault(groups.of(place), ([], []))[1].append(upright)
    for place, level in enumerate(levels):
        if groups.of(place) in grids:
            grids[groups.of(place)][0].append(level)
    return [_Grid(tuple(_add_open_edge(*group)), tuple(_add_open_sides(*group))) for group in grids.values()]


class _UnionFind:
    """Disjoint sets of places (union-find): which horizontal rules some vertical one connects."""

    def __init__(self, number: int) -> None:
        self._above = list(range(number))

    def of(self, place: int) -> int:
        while self._above[place] != place:
            self._above[place] = self._above[self._above[place]]
            place = self._above[place]
        return place

    def join(self, places: Sequence[int]) -> None:
        first = self.of(places[0])
        for place in places[1:]:
            self._above[self.of(place)] = first


def _join_strokes(rules: Sequence[_Stroke]) -> list[_Stroke]:
    """Joins the pieces of one rule, and the two edges of a thick one."""
    strokes: list[_Stroke] = []
    for rule in sorted(rules, key=lambda r: (r.position, r.first)):
        near_index = next(
            (
                index
                for index in range(len(strokes) - 1, max(-1, len(strokes) - 60), -1)
                if rule.position - strokes[index].position <= SAME_RULE
                and rule.first <= strokes[index].last + _REACH
                and rule.last >= strokes[index].first - _REACH
            ),
            None,
        )
        if near_index is None:
            strokes.append(rule)
        else:
            near_stroke = strokes[near_index]
            strokes[near_index] = _Stroke(
                near_stroke.position, min(near_stroke.first, rule.first), max(near_stroke.last, rule.last)
            )
    return strokes


def _cross(level: _Stroke, upright: _Stroke) -> bool:
    return (
        level.first - _REACH <= upright.position <= level.last + _REACH
        and upright.first - _REACH <= level.position <= upright.last + _REACH
    )


def _add_open_edge(levels: Sequence[_Stroke], uprights: Sequence[_Stroke]) -> list[_Stroke]:
    """The horizontal rules, plus one where all verticals end above or below them: a page break cut the border off."""
    strokes = sorted(levels, key=lambda rule: rule.position)
    first, last = strokes[0], strokes[-1]
    if len(uprights) >= 2:
        top = max(rule.first for rule in _touching_rules(uprights, first.position))
        bottom = min(rule.last for rule in _touching_rules(uprights, last.position))
        if first.position - top > _LEAST_TALL:
            strokes.insert(0, _Stroke(top, first.first, first.last))
        if bottom - last.position > _LEAST_TALL:
            strokes.append(_Stroke(bottom, last.first, last.last))
    return strokes


def _add_open_sides(levels: Sequence[_Stroke], uprights: Sequence[_Stroke]) -> list[_Stroke]:
    """The vertical rules, plus one where all horizontal ones end left or right of them: a table without a border."""
    strokes = sorted(uprights, key=lambda rule: rule.position)
    lefts, rights = [rule.first for rule in levels], [rule.last for rule in levels]
    top, bottom = min(rule.position for rule in levels), max(rule.position for rule in levels)
    if len(levels) >= 2 and max(lefts) - min(lefts) <= _REACH and strokes[0].position - max(lefts) > _LEAST_WIDE:
        strokes.insert(0, _Stroke(min(lefts), top, bottom))
    if len(levels) >= 2 and max(rights) - min(rights) <= _REACH and min(rights) - strokes[-1].position > _LEAST_WIDE:
        strokes.append(_Stroke(max(rights), top, bottom))
    return strokes


def _touching_rules(uprights: Sequence[_Stroke], level: float) -> Sequence[_Stroke]:
    """The verticals that touch this height; there is at least one, because the rules cross."""
    touching_rules = [rule for rule in uprights if rule.first - _REACH <= level <= rule.last + _REACH]
    return touching_rules if len(touching_rules) >= 2 else [_Stroke(0.0, level, level)]


def _distinct(values: Sequence[float]) -> list[float]:
    distinct_values: list[float] = []
    for value in sorted(values):
        if not distinct_values or value - distinct_values[-1] > SAME_RULE:
            distinct_values.append(value)
    return distinct_values


def _grid_table(
    grid: _Grid, words: Sequence[Word], edges: Sequence[tuple[float, float, float]]
) -> PageTable | RefusedGrid | None:
    """A table; a map or a form; or None. ``edges``: the top, left and right of grids of several rows."""
    xs, ys = grid.xs, grid.ys
    if len(xs) < 3 or len(ys) < 2 or len(xs) * len(ys) > MOST_CELLS:
        return None
    box = Box(xs[0], ys[0], xs[-1], ys[-1])
    words_inside = [word for word in words if box.holds(word.box, 1.0) and not word.turned]
    if len(words_inside) < 3:
        return None
    tops_below = [top for top, left, right in edges if top > box.bottom - 1.0 and left < xs[-1] and right > xs[0]]
    open_rows = list(
        _open_rows(xs, rows(words_inside), words, Box(xs[0], ys[-1], xs[-1], min(tops_below, default=math.inf)))
    )
    if len(ys) < _LEVELS_OF_A_TABLE and len(open_rows) < _LEVELS_OF_A_TABLE - 1:
        return None
    cells = _cells_of(grid, xs, ys)
    by_cell: dict[tuple[int, int], list[Word]] = {}
    for word in words_inside:
        by_cell.setdefault(cells[_place(word, xs, ys)], []).append(word)
    is_sparse = len(by_cell) < _FEWEST_FILLED * len(set(cells.values()))
    if (is_map := _is_scattered(by_cell)) or _is_to_fill(by_cell, ys):
        return RefusedGrid(box, is_map)
    if is_sparse:
        return None
    text_rows = [*_grid_rows(by_cell, len(ys) - 1, len(xs) - 1), *(cells_of(line, xs[1:-1]) for line in open_rows)]
    table = _without_empty(text_rows)
    if open_rows:
        box = Box(box.left, box.top, box.right, open_rows[-1].box.bottom)
        words_inside += [word for line in open_rows for word in line.words]
    if len(table) < 2 or len(table[0]) < 2 or not has_words(table) or not is_labelled(table) or is_form(table):
        return None
    return PageTable(box, tuple(tuple(row) for row in table), header_rows(table), tuple(words_inside), "borders")


def _place(word: Word, xs: Sequence[float], ys: Sequence[float]) -> tuple[int, int]:
    row = bisect_left(ys, word.box.middle_y, 1, len(ys) - 1) - 1
    return row, bisect_left(xs, word.box.middle_x, 1, len(xs) - 1) - 1


def _cells_of(grid: _Grid, xs: Sequence[float], ys: Sequence[float]) -> dict[tuple[int, int], tuple[int, int]]:
    """Maps each grid position to the upper left position of its cell."""
    owner: dict[tuple[int, int], tuple[int, int]] = {}
    for row, (top, bottom) in enumerate(pairwise(ys)):
        for column, (left, right) in enumerate(pairwise(xs)):
            place = (row, column)
            owner[place] = place
            if column and not _is_ruled(grid.uprights, left, (top + bottom) / 2.0):
                owner[place] = owner[row, column - 1]
            elif row and not _is_ruled(grid.levels, top, (left + right) / 2.0):
                owner[place] = owner[row - 1, column]
    return owner


def _is_ruled(rules: Sequence[_Stroke], position: float, along: float) -> bool:
    return any(
        abs(rule.position - position) <= SAME_RULE and rule.first - 1.0 <= along <= rule.last + 1.0 for rule in rules
    )


def _open_rows(xs: Sequence[float], lines: Sequence[Line], words: Sequence[Word], space: Box) -> Iterator[Line]:
    """The rows in the ``space`` below the last rule that keep to the columns: some tables border only their head, or
    shade every second row.
    """
    distances = [lower_line.baseline - line.baseline for line, lower_line in pairwise(lines)]
    last_line = lines[-1]
    reach = ROW_BELOW * 1.6 * max([last_line.size, median(distances) / 1.6 if distances else 0.0])
    while True:
        window = Box(space.left, max(space.top, last_line.box.bottom), space.right, last_line.baseline + reach)
        near_words = [
            word for word in words if not word.turned and window.holds(word.box) and word.box.bottom < space.bottom
        ]
        line = next((line for line in rows(near_words) if line.baseline > last_line.baseline + 1.0), None)
        if line is None or not _keeps_to(line, xs):
            return
        yield line
        last_line = line


def _keeps_to(line: Line, xs: Sequence[float]) -> bool:
    """Whether a row names itself in the first column, fills half of the others, and crosses no edge: text does."""
    inner_xs = xs[1:-1]
    boxes = [word.box for word in line.words]
    if boxes[0].left < xs[0] - 2.0 or boxes[-1].right > xs[-1] + 2.0:
        return False
    if any(box.left < x - 1.0 and box.right > x + 1.0 for box in boxes for x in inner_xs):
        return False
    for word, next_word in pairwise(line.words):
        is_parted = bisect_left(inner_xs, word.box.middle_x) != bisect_left(inner_xs, next_word.box.middle_x)
        if is_parted and next_word.box.left - word.box.right < _PARTED * line.size:
            return False
    cells = cells_of(line, inner_xs)
    return bool(cells[0]) and 2 * sum(map(bool, cells)) > len(cells)


def _is_scattered(by_cell: dict[tuple[int, int], list[Word]]) -> bool:
    """Whether the texts of most cells begin, end and lie at another height than those beside them: names on a map."""
    heights: dict[int, list[tuple[float, float, float, float]]] = {}
    for (row, _), words in by_cell.items():
        box = bounding_box(word.box for word in words)
        baselines = [word.baseline for word in words]
        heights.setdefault(row, []).append((min(baselines), max(baselines), box.middle_y, words[0].size))
    neighbours = [
        (cell, [c for c in cells if c is not cell]) for cells in heights.values() if len(cells) > 1 for cell in cells
    ]
    aligned = sum(
        any(min(abs(a - b) for a, b in zip(cell[:3], other[:3], strict=True)) <= _LEVEL * cell[3] for other in others)
        for cell, others in neighbours
    )
    return len(neighbours) >= _FEWEST_SCATTERED and aligned < _LEVEL_SHARE * len(neighbours)


def _is_to_fill(by_cell: dict[tuple[int, int], list[Word]], ys: Sequence[float]) -> bool:
    """Whether most rows of several cells leave space below their words, or boxes to tick, and few cells hold numbers: a
    form.
    """
    by_row: dict[int, list[list[Word]]] = {}
    for (row, _), words in by_cell.items():
        by_row.setdefault(row, []).append(words)
    texts = [words for cells in by_row.values() for words in cells]
    if sum(any(NUMBER.match(word.text) for word in words) for words in texts) > _MOST_NUMBERS * len(texts):
        return False
    if sum(word.text[0] in _TICKS for words in texts for word in words) >= _FEWEST_TICKS:
        return True
    judged = {row: cells for row, cells in by_row.items() if len(cells) > 1}
    open_count = 0
    for row, cells in judged.items():
        words = [word for cell in cells for word in cell]
        above = min(word.box.top for word in words) - ys[row]
        below = ys[row + 1] - max(word.box.bottom for word in words)
        open_count += below > _SPACE_TO_FILL * (ys[row + 1] - ys[row]) and below - above > 0.8 * words[0].size
    return 2 * open_count > len(judged)


def _grid_rows(by_cell: dict[tuple[int, int], list[Word]], height: int, width: int) -> list[list[str]]:
    """Rows of texts. A grid row that holds a list (lines that each fill several columns) becomes one row per line."""
    text_rows: list[list[str]] = []
    for row in range(height):
        row_cells = {column: by_cell[row, column] for column in range(width) if (row, column) in by_cell}
        text_rows += _lines_of(row_cells, width) or [[_cell_text(row_cells.get(column, ())) for column in range(width)]]
    if height == _HEAD_AND_LIST and len(text_rows) > height:
        head = {column: by_cell[0, column] for column in range(width) if (0, column) in by_cell}
        text_rows[:1] = _split_lines(rows([word for words in head.values() for word in words]), head, width)
    return text_rows


def _without_empty(text_rows: Sequence[list[str]]) -> list[list[str]]:
    """Without empty rows and columns."""
    text_rows = [row for row in text_rows if any(row)]
    filled_columns = [column for column in range(len(text_rows[0])) if any(row[column] for row in text_rows)]
    return [[row[column] for column in filled_columns] for row in text_rows]


def _lines_of(cells: dict[int, list[Word]], width: int) -> list[list[str]]:
    lines = rows([word for words in cells.values() for word in words])
    if len(cells) < 2 or len(lines) < _LINES_OF_A_LIST:
        return []
    column_of = {id(word): column for column, words in cells.items() for word in words}
    first_column = min(cells)
    full_rows = 0
    for line in lines:
        filled = {column_of[id(word)] for word in line.words}
        values = sum(NUMBER.match(word.text) is not None for word in line.words if column_of[id(word)] != first_column)
        is_row_of_values = first_column in filled and 2 * len(filled) > len(cells) and values >= len(filled) - 1
        full_rows += len(filled) == len(cells) or is_row_of_values
    if full_rows < 0.8 * len(lines):
        return []
    return _split_lines(lines, cells, width)


def _split_lines(lines: Sequence[Line], cells: dict[int, list[Word]], width: int) -> list[list[str]]:
    column_of = {id(word): column for column, words in cells.items() for word in words}
    return [
        [_cell_text([w for w in line.words if column_of[id(w)] == column]) for column in range(width)] for line in lines
    ]


def _cell_text(words: Sequence[Word]) -> str:
    joined_text = ""
    for line in rows(words):
        joined_text = join_cell_lines(joined_text, line.text)
    return joined_text
