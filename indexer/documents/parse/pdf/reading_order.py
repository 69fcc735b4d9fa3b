"""Rows of a page's words, the gaps between its columns, and the reading order of its lines.

A row is a baseline; wide gaps split it into segments. A gap between columns (gutter) is a vertical strip that few
segments cross, with lines about as wide as a column on both sides: one near the middle, or two or three that divide the
page evenly. A segment that crosses a gutter (title, wide table) splits the columns into bands. Within a band the
columns are read from the left. A segment over two of three columns splits only those two.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile
from math import ceil, log2
from statistics import median

from indexer.documents.parse.model import Box, Line, Word

_SAME_BASELINE = 0.45  # of the size: sub- and superscripts belong to their line
_SCRIPT_DISTANCE = 0.8  # of the size: how far a sub- or superscript is from its word
_GAP = 0.9  # of the size: wider than the widest gap of justified text, narrower than a gutter
_SMALLEST_GAP = 7.0  # points
_LARGEST = 1e6  # points
_LEAST_CLASS = -10  # of words without a size
_MOST_LOOKED_AT = 400  # words of a row


def rows(words: Iterable[Word]) -> list[Line]:
    """One line per baseline, across columns; from top to bottom of the page."""
    row_groups = _Rows()
    for word in sorted((w for w in words if not w.turned), key=lambda w: (-w.size, w.baseline)):
        home = row_groups.of(word)
        if home is None:
            row_groups.open(word)
        else:
            home.append(word)
    return sorted((Line.of(row) for row in row_groups.all), key=lambda line: (line.baseline, line.box.left))


class _Rows:
    """Rows by the size and baseline of their first word, so that a word is compared with rows near it only.

    Rows of one class (a power of two of the size) are a share of their size apart, so few of them are near.
    """

    def __init__(self) -> None:
        self.all: list[list[Word]] = []
        self._classes: dict[int, list[tuple[float, int]]] = {}
        """For each class the baselines of its rows in order, with their places in ``all``."""

    def open(self, word: Word) -> None:
        insort(self._classes.setdefault(_class(word), []), (word.baseline, len(self.all)))
        self.all.append([word])

    def of(self, word: Word) -> list[Word] | None:
        """The nearest row whose first word is at least as large; the earlier one of two.

        A smaller word farther from the baseline than its size allows belongs to the row only beside a larger word, as
        an index does: small print in the next column has its own lines.
        """
        best: tuple[float, int] | None = None
        for size_class, class_rows in self._classes.items():
            reach = _SAME_BASELINE * 2.0**size_class
            first, last = (
                bisect_left(class_rows, (word.baseline - reach, -1)),
                bisect_right(class_rows, (word.baseline + reach, len(self.all))),
            )
            for baseline, place in class_rows[first:last]:
                distance = abs(baseline - word.baseline)
                row = self.all[place]
                is_nearer = distance <= _SAME_BASELINE * row[0].size and (best is None or (distance, place) < best)
                if is_nearer and (distance <= _SAME_BASELINE * word.size or _is_beside(word, row)):
                    best = (distance, place)
        return None if best is None else self.all[best[1]]


def _class(word: Word) -> int:
    """The power of two that is at least the word's size."""
    return ceil(log2(min(word.size, _LARGEST))) if word.size > 0 else _LEAST_CLASS


def _is_beside(word: Word, row: Sequence[Word]) -> bool:
    """Whether a larger word of the row is near; of a row with very many words the largest are looked at."""
    reach = _SCRIPT_DISTANCE * row[0].size
    larger = takewhile(lambda row_word: row_word.size > 1.1 * word.size, islice(row, _MOST_LOOKED_AT))
    return any(
        large_word.box.left - reach <= word.box.right and word.box.left <= large_word.box.right + reach
        for large_word in larger
    )


def segments(row: Line) -> list[Line]:
    """The row split at its wide gaps, left to right."""
    parts: list[list[Word]] = [[row.words[0]]]
    for last_word, word in pairwise(row.words):
        gap = word.box.left - last_word.box.right
        if gap <= _SMALLEST_GAP or gap <= _GAP * max(word.size, last_word.size):
            parts[-1].append(word)
        else:
            parts.append([word])
    return [row] if len(parts) == 1 else [Line.of(part) for part in parts]


def same_row(a: Line, b: Line) -> bool:
    return abs(a.baseline - b.baseline) < 0.45 * max(a.size, b.size)


def merge_rows(segments: Sequence[Line]) -> list[Line]:
    """Joins the segments of each row into one line again, from the top."""
    merged_rows: list[list[Line]] = []
    for segment in sorted(segments, key=lambda s: (s.baseline, s.box.left)):
        if merged_rows and same_row(merged_rows[-1][0], segment):
            merged_rows[-1].append(segment)
        else:
            merged_rows.append([segment])
    return [Line.of([word for part in row for word in part.words]) for row in merged_rows]


Gutters = tuple[float, ...]
"""The x of each gap between two columns, from the left; empty on a page with one column."""

_FEWEST_LINES = 5
_MOST_CROSSING = 0.4
_MOST_CROSSING_OF_SEVERAL = 0.25
_OFF_EVEN = 0.06  # of the page's width: how far a strip may be from where it would divide the page evenly
_WORDS_OF_PROSE = 3
_WIDE_ENOUGH = 0.55  # of the column's width: table cells are narrower
_ENDS = (".", "!", "?", ":", ";")
_CONTINUED_SHARE = 0.4  # of the lines of running text
_SIDEBARS = ((0.15, 0.38), (0.62, 0.85))  # of the width: where the gap beside a narrow column is
_NARROW = 0.35  # of the width
_WORDS_OF_TEXT = 6
_SAME_HEIGHT = 0.8  # points
_MOST_ALIGNED = 0.5  # of the lines of a sidebar
_GUTTER_STEP = 2.0
_MOST_PLACES = 250  # between two columns; a page of several metres has no finer columns
_FACING = 15.0  # points: how far a strip may be from its usual place
_IN_PLACE = 0.8  # of the pages with columns
_EDGE = 6.0  # points: lines that begin this close to each other share an edge


def find_gutters(segments: Sequence[Line]) -> Gutters:
    """The gaps between columns on this page; tries many columns before few."""
    if len(segments) < 2 * _FEWEST_LINES:
        return ()
    for columns in (4, 3):
        gutters = _even_gutters(segments, columns)
        if gutters:
            return gutters
    left, right = min(s.box.left for s in segments), max(s.box.right for s in segments)
    gutter, _ = _least_crossed_gap(segments, left + 0.35 * (right - left), left + 0.65 * (right - left))
    if _has_columns(segments, gutter, left, right):
        return (gutter,)
    for first, last in _SIDEBARS:
        gutter, crossings = _least_crossed_gap(segments, left + first * (right - left), left + last * (right - left))
        if crossings <= _MOST_CROSSING_OF_SEVERAL * len(segments) and _has_sidebar(segments, gutter, left, right):
            return (gutter,)
    return ()


def _has_sidebar(segments: Sequence[Line], x: float, left: float, right: float) -> bool:
    """Whether running text fills the wider side, and the lines of the other are between its baselines; the first cells
    of a table, and the marks of a list, are on them.
    """
    on_left = merge_rows([s for s in segments if s.box.right <= x + 1.0])
    on_right = merge_rows([s for s in segments if s.box.left >= x - 1.0])
    text, side, width = (on_right, on_left, right - x) if x - left < right - x else (on_left, on_right, x - left)
    if min(len(text), len(side)) < _FEWEST_LINES or median(len(row.words) for row in text) < _WORDS_OF_TEXT:
        return False
    if median(row.box.width for row in text) < _WIDE_ENOUGH * width:
        return False
    baselines = [row.baseline for row in text]
    rows_beside = [row for row in side if baselines[0] < row.baseline < baselines[-1]]
    aligned = sum(any(abs(row.baseline - y) < _SAME_HEIGHT for y in baselines) for row in rows_beside)
    return aligned <= _MOST_ALIGNED * len(rows_beside)


def _even_gutters(segments: Sequence[Line], columns: int) -> Gutters:
    """Strips that divide the page into this many columns of running text; empty if one of them is not running text."""
    left, right = min(s.box.left for s in segments), max(s.box.right for s in segments)
    width = right - left
    gutters: list[float] = []
    for number in range(1, columns):
        middle = left + width * number / columns
        gutter, crossings = _least_crossed_gap(segments, middle - _OFF_EVEN * width, middle + _OFF_EVEN * width)
        if crossings > _MOST_CROSSING_OF_SEVERAL * len(segments):
            return ()
        gutters.append(gutter)
    edges = pairwise((left, *gutters, right))
    return tuple(gutters) if all(_is_column(segments, *edge) for edge in edges) else ()


def _is_column(segments: Sequence[Line], left: float, right: float) -> bool:
    """Whether lines of prose mostly fill the space between two strips and begin at one edge; table cells do not."""
    column_segments = [s for s in segments if s.box.left >= left - 1.0 and s.box.right <= right + 1.0]
    if len(column_segments) < _FEWEST_LINES:
        return False
    fills = median(s.box.width for s in column_segments) >= _WIDE_ENOUGH * (right - left)
    prose = median(len(s.words) for s in column_segments) >= _WORDS_OF_PROSE
    edges = Counter(round(s.box.left / _EDGE) for s in column_segments)
    return fills and prose and max(edges[e] + edges[e + 1] for e in edges) >= 0.5 * len(column_segments)


def _least_crossed_gap(segments: Sequence[Line], start: float, end: float) -> tuple[float, int]:
    """The x between the two that the fewest segments cross, nearest to their middle; and the number of crossings."""
    middle = (start + end) / 2.0
    step = max(_GUTTER_STEP, (end - start) / _MOST_PLACES)
    places = [start + step * number for number in range(max(1, int((end - start) / step) + 1))]
    boxes = [s.box for s in segments if s.box.width > 2.0]  # a narrower one crosses no place
    lefts, rights = sorted(box.left for box in boxes), sorted(box.right for box in boxes)
    crossings = {x: bisect_left(lefts, x - 1.0) - bisect_right(rights, x + 1.0) for x in places}
    best_x = min(places, key=lambda x: (crossings[x], abs(x - middle)))
    return best_x, crossings[best_x]


def usual_gutters(pages: Sequence[Gutters]) -> Gutters:
    """The strips that at least half of the pages share; empty if there are none.

    The strips of columns are at one place, a little to the side on facing pages. Those of tables are anywhere. The
    first page may have a layout of its own.
    """
    counts = Counter(len(gutters) for gutters in pages if gutters)
    if not counts:
        return ()
    usual_count, count = counts.most_common(1)[0]
    if 2 * count < len(pages):
        return ()
    candidates = [gutters for gutters in pages[1:] if len(gutters) == usual_count] or [pages[0]]
    usual = tuple(median(gutters[place] for gutters in candidates) for place in range(usual_count))
    in_place_count = sum(
        all(abs(x - usual_x) <= _FACING for x, usual_x in zip(gutters, usual, strict=True)) for gutters in candidates
    )
    return usual if in_place_count >= _IN_PLACE * len(candidates) else ()


def gutters_of_page(segments: Sequence[Line], document_gutters: Gutters) -> Gutters:
    """``document_gutters`` if this page keeps all of them."""
    return (
        document_gutters
        if document_gutters and all(keeps_gutter(segments, gutter) for gutter in document_gutters)
        else ()
    )


def keeps_gutter(segments: Sequence[Line], x: float) -> bool:
    """Whether the page has lines on both sides of the strip, and at most as many lines across it."""
    crossings = sum(s.box.left < x - _GUTTER_STEP and s.box.right > x + _GUTTER_STEP for s in segments)
    left = sum(s.box.right <= x + _GUTTER_STEP for s in segments)
    right = len(segments) - crossings - left
    return min(left, right) >= _FEWEST_LINES and crossings <= 0.5 * len(segments)


def _has_columns(segments: Sequence[Line], x: float, left: float, right: float) -> bool:
    on_left = [s for s in segments if s.box.right <= x + 1.0]
    on_right = [s for s in segments if s.box.left >= x - 1.0]
    crossings = len(segments) - len(on_left) - len(on_right)
    if min(len(on_left), len(on_right)) < _FEWEST_LINES or crossings > _MOST_CROSSING * len(segments):
        return False
    sides = [(merge_rows(on_left), x - left), (merge_rows(on_right), right - x)]
    if any(median(len(row.words) for row in side) < _WORDS_OF_PROSE for side, _ in sides):
        return False  # the cells of a table
    if all(median(row.box.width for row in side) >= _WIDE_ENOUGH * width for side, width in sides):
        return True
    return crossings == 0 and all(_is_running(side) for side, _ in sides)


def _is_running(lines: Sequence[Line]) -> bool:
    """Whether short lines continue each other, as running text does and cells do not: one begins small where the one
    above has no end.
    """
    continued_count = sum(
        lower_line.text[:1].islower() and not upper_line.text.endswith(_ENDS)
        for upper_line, lower_line in pairwise(lines)
    )
    return continued_count >= _CONTINUED_SHARE * (len(lines) - 1)


_STEP = 2.0  # points
_NARROWEST = 6.0


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line with its position: bands from the top, columns in each band from the left (a full-width band has one)."""

    line: Line
    band: int
    column: int


def reading_order(
    segments: Sequence[Line], obstacles: Sequence[Box] = (), document_gutters: Gutters = ()
) -> list[PlacedLine]:
    """The segments as whole lines, in reading order.

    ``obstacles`` (tables, figures) split the columns into bands where they cross a gap. ``document_gutters`` are
    the gaps on most pages of the document: they also apply to a page on which many formulas cross them.
    """
    gutters = find_gutters(segments) or gutters_of_page(segments, document_gutters)
    for gutter in gutters:
        segments = [part for segment in segments for part in _split(segment, gutter)]
    groups = _in_order(segments, gutters, obstacles)
    return [
        PlacedLine(line, number, _column(group, gutters))
        for number, group in enumerate(groups)
        for line in merge_rows(group)
    ]


def _in_order(segments: Sequence[Line], gutters: Gutters, obstacles: Sequence[Box]) -> list[list[Line]]:
    """Groups of segments in one column and one band: split at a gap that nothing crosses, else into bands between
    the pieces that cross the most gaps.
    """
    if not gutters or not segments:
        return [list(segments)] if segments else []
    top, bottom = min(s.box.top for s in segments), max(s.box.bottom for s in segments)
    obstacles = [box for box in obstacles if box.top < bottom and box.bottom > top]
    for place, gutter in enumerate(gutters):
        if not any(_crosses(s.box, gutter, 2.0) for s in segments) and not any(
            _crosses(box, gutter, 4.0) for box in obstacles
        ):
            left = [s for s in segments if s.box.middle_x < gutter]
            right = [s for s in segments if s.box.middle_x >= gutter]
            columns = [_in_order(left, gutters[:place], obstacles), _in_order(right, gutters[place + 1 :], obstacles)]
            if len(gutters) == 1 and _is_sidebar(segments, gutter):
                columns.reverse()  # the text before what stands beside it
            return [group for column in columns for group in column]
    return _in_bands(segments, gutters, obstacles)


def _is_sidebar(segments: Sequence[Line], gutter: float) -> bool:
    """Whether the left one of two columns is the narrow one."""
    left, right = min(s.box.left for s in segments), max(s.box.right for s in segments)
    return gutter - left < _NARROW * (right - left)


def _in_bands(segments: Sequence[Line], gutters: Gutters, obstacles: Sequence[Box]) -> list[list[Line]]:
    crossed_gutters = {id(s): sum(_crosses(s.box, gutter, 2.0) for gutter in gutters) for s in segments}
    boxes = {id(box): sum(_crosses(box, gutter, 4.0) for gutter in gutters) for box in obstacles}
    max_crossed = max([*crossed_gutters.values(), *boxes.values()])
    wide_segments = [s for s in segments if crossed_gutters[id(s)] == max_crossed]
    walls = sorted(box.top for box in obstacles if boxes[id(box)] == max_crossed)
    other_boxes = [box for box in obstacles if boxes[id(box)] < max_crossed]
    groups: list[list[Line]] = []
    for band in _bands(wide_segments, [s for s in segments if crossed_gutters[id(s)] < max_crossed], walls):
        groups += [band.lines] if band.full else _in_order(band.lines, gutters, other_boxes)
    return groups


def _crosses(box: Box, gutter: float, slack: float) -> bool:
    return box.left < gutter - slack and box.right > gutter + slack


def _column(group: Sequence[Line], gutters: Gutters) -> int:
    """The column, counted from the left, in which the group begins."""
    left = min(line.box.left for line in group)
    return sum(gutter - _STEP <= left for gutter in gutters)


def _split(segment: Line, gutter: float) -> list[Line]:
    """Splits a segment whose words are close only because large type narrows the gap between columns."""
    for left, right in pairwise(segment.words):
        gap = right.box.left - left.box.right
        if left.box.right <= gutter + _STEP and right.box.left >= gutter - _STEP and gap >= _NARROWEST:
            position = segment.words.index(right)
            return [Line.of(segment.words[:position]), Line.of(segment.words[position:])]
    return [segment]


@dataclass(slots=True)
class _Band:
    full: bool
    lines: list[Line]


def _bands(crossing_lines: Sequence[Line], sides: Sequence[Line], walls: Sequence[float]) -> list[_Band]:
    wide_ids = {id(line) for line in crossing_lines}
    bands: list[_Band] = []
    pending = list(walls)
    for line in sorted([*crossing_lines, *sides], key=lambda s: (s.baseline, s.box.left)):
        is_walled = False
        while pending and line.box.middle_y > pending[0]:
            pending.pop(0)
            is_walled = True
        is_full = id(line) in wide_ids
        continues_row = is_full is False and bool(bands) and bands[-1].full and same_row(bands[-1].lines[-1], line)
        if bands and (bands[-1].full == is_full or continues_row) and not is_walled:
            bands[-1].lines.append(line)
        else:
            bands.append(_Band(is_full, [line]))
    return bands
