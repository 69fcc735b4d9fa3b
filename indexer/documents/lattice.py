"""Tables with borders: crossing horizontal and vertical rules make a grid; each of its cells gets the words inside it.

The method of Anssi Nurminen (Algorithmic extraction of data in tables in PDF documents, 2013), as in pdfplumber: rules
that cross make one table; a cell covers several grid positions where the rule between them is missing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from indexer.documents.page import Box, Page, Rule, Word
from indexer.documents.rows import rows
from indexer.documents.table_found import MOST_CELLS, MOST_RULES, TableFound, has_words, is_labelled, joined_cell

_SAME = 3.0  # points: rules closer than this are one
_REACH = 3.0  # points by which a rule may miss the one that it crosses
_FEWEST_FILLED = 0.4  # of the cells: the grid of a chart is empty
_PARAGRAPH = 60  # words
_LINES_OF_A_LIST = 3
_LEAST_TALL = 6.0


@dataclass(frozen=True, slots=True)
class _Stroke:
    """A rule in one direction: at ``at`` across it, from ``first`` to ``last`` along it."""

    at: float
    first: float
    last: float


@dataclass(frozen=True, slots=True)
class _Grid:
    """Horizontal and vertical rules that cross each other."""

    levels: tuple[_Stroke, ...]
    uprights: tuple[_Stroke, ...]

    @property
    def ys(self) -> list[float]:
        return _apart([rule.at for rule in self.levels])

    @property
    def xs(self) -> list[float]:
        return _apart([rule.at for rule in self.uprights])


def bordered_tables(page: Page, words: Sequence[Word]) -> list[TableFound]:
    """Grids with at least two rows and two columns that hold words, from the top."""
    found = [table for grid in _grids(page.rules) if (table := _table(grid, words)) is not None]
    tables = [table for table in found if not _frames_text(table)]
    return sorted(tables, key=lambda table: (table.box.top, table.box.left))


def _frames_text(table: TableFound) -> bool:
    """Whether most words are in cells as long as a paragraph: frames around the parts of a poster."""
    lengths = [len(cell.split()) for row in table.rows for cell in row]
    return 2 * sum(length for length in lengths if length >= _PARAGRAPH) > sum(lengths)


def _grids(rules: Sequence[Rule]) -> list[_Grid]:
    drawn = rules[:MOST_RULES]
    levels = _joined([_Stroke(r.box.middle_y, r.box.left, r.box.right) for r in drawn if r.level])
    uprights = _joined([_Stroke(r.box.middle_x, r.box.top, r.box.bottom) for r in drawn if not r.level])
    groups = _Groups(len(levels))
    crossing: list[tuple[_Stroke, int]] = []
    for upright in uprights:
        own = [place for place, level in enumerate(levels) if _cross(level, upright)]
        if own:
            groups.join(own)
            crossing.append((upright, own[0]))
    out: dict[int, tuple[list[_Stroke], list[_Stroke]]] = {}
    for upright, place in crossing:
        out.setdefault(groups.of(place), ([], []))[1].append(upright)
    for place, level in enumerate(levels):
        if groups.of(place) in out:
            out[groups.of(place)][0].append(level)
    return [_Grid(tuple(_with_open_edge(*group)), tuple(group[1])) for group in out.values()]


class _Groups:
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


def _joined(rules: Sequence[_Stroke]) -> list[_Stroke]:
    """Joins the pieces of one rule, and the two edges of a thick one."""
    out: list[_Stroke] = []
    for rule in sorted(rules, key=lambda r: (r.at, r.first)):
        near = next(
            (
                index
                for index in range(len(out) - 1, max(-1, len(out) - 60), -1)
                if rule.at - out[index].at <= _SAME
                and rule.first <= out[index].last + _REACH
                and rule.last >= out[index].first - _REACH
            ),
            None,
        )
        if near is None:
            out.append(rule)
        else:
            other = out[near]
            out[near] = _Stroke(other.at, min(other.first, rule.first), max(other.last, rule.last))
    return out


def _cross(level: _Stroke, upright: _Stroke) -> bool:
    return (
        level.first - _REACH <= upright.at <= level.last + _REACH
        and upright.first - _REACH <= level.at <= upright.last + _REACH
    )


def _with_open_edge(levels: Sequence[_Stroke], uprights: Sequence[_Stroke]) -> list[_Stroke]:
    """The horizontal rules, plus one where all verticals end above or below them: a page break cut the border off."""
    out = sorted(levels, key=lambda rule: rule.at)
    first, last = out[0], out[-1]
    if len(uprights) >= 2:
        top = max(rule.first for rule in _reaching(uprights, first.at))
        bottom = min(rule.last for rule in _reaching(uprights, last.at))
        if first.at - top > _LEAST_TALL:
            out.insert(0, _Stroke(top, first.first, first.last))
        if bottom - last.at > _LEAST_TALL:
            out.append(_Stroke(bottom, last.first, last.last))
    return out


def _reaching(uprights: Sequence[_Stroke], level: float) -> Sequence[_Stroke]:
    """The verticals that touch this height; there is at least one, because the rules cross."""
    found = [rule for rule in uprights if rule.first - _REACH <= level <= rule.last + _REACH]
    return found if len(found) >= 2 else [_Stroke(0.0, level, level)]


def _apart(values: Sequence[float]) -> list[float]:
    out: list[float] = []
    for value in sorted(values):
        if not out or value - out[-1] > _SAME:
            out.append(value)
    return out


def _table(grid: _Grid, words: Sequence[Word]) -> TableFound | None:
    xs, ys = grid.xs, grid.ys
    if len(xs) < 3 or len(ys) < 3 or len(xs) * len(ys) > MOST_CELLS:
        return None
    box = Box(xs[0], ys[0], xs[-1], ys[-1])
    inside = [word for word in words if box.holds(word.box, 1.0) and not word.turned]
    if len(inside) < 3:
        return None
    cells = _cells_of(grid, xs, ys)
    by_cell: dict[tuple[int, int], list[Word]] = {}
    for word in inside:
        by_cell.setdefault(cells[_place(word, xs, ys)], []).append(word)
    if len(by_cell) < _FEWEST_FILLED * len(set(cells.values())):
        return None
    table = _filled(by_cell, len(ys) - 1, len(xs) - 1)
    if len(table) < 2 or len(table[0]) < 2 or not has_words(table) or not is_labelled(table):
        return None
    return TableFound(box, tuple(tuple(row) for row in table), 1, tuple(inside), "borders")


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
            if column and not _is_drawn(grid.uprights, left, (top + bottom) / 2.0):
                owner[place] = owner[row, column - 1]
            elif row and not _is_drawn(grid.levels, top, (left + right) / 2.0):
                owner[place] = owner[row - 1, column]
    return owner


def _is_drawn(rules: Sequence[_Stroke], at: float, along: float) -> bool:
    return any(abs(rule.at - at) <= _SAME and rule.first - 1.0 <= along <= rule.last + 1.0 for rule in rules)


def _filled(by_cell: dict[tuple[int, int], list[Word]], height: int, width: int) -> list[list[str]]:
    """Rows of texts. A grid row that holds a list (lines that each fill several columns) becomes one row per line;
    empty rows and columns are left out.
    """
    out: list[list[str]] = []
    for row in range(height):
        own = {column: by_cell[row, column] for column in range(width) if (row, column) in by_cell}
        out += _lines_of(own, width) or [[_text(own.get(column, ())) for column in range(width)]]
    out = [row for row in out if any(row)]
    used = [column for column in range(width) if any(row[column] for row in out)]
    return [[row[column] for column in used] for row in out]


def _lines_of(cells: dict[int, list[Word]], width: int) -> list[list[str]]:
    lines = rows([word for words in cells.values() for word in words])
    if len(cells) < 2 or len(lines) < _LINES_OF_A_LIST:
        return []
    column_of = {id(word): column for column, words in cells.items() for word in words}
    full = sum(len({column_of[id(word)] for word in line.words}) == len(cells) for line in lines)
    if full < 0.8 * len(lines):
        return []
    return [[_text([w for w in line.words if column_of[id(w)] == column]) for column in range(width)] for line in lines]


def _text(words: Sequence[Word]) -> str:
    joined = ""
    for line in rows(words):
        joined = joined_cell(joined, line.text)
    return joined
