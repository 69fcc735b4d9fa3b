"""Reading order: one column or several, with wide pieces between them.

A piece that crosses the gap between two columns (title, wide table) splits them into bands. Within a band the columns
are read from the left. A piece over two of three columns splits only those two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from indexer.documents.gutters import Gutters, shared_gutters
from indexer.documents.page import Box, Line
from indexer.documents.rows import merged, same_row

_STEP = 2.0  # points
_NARROWEST = 6.0


@dataclass(frozen=True, slots=True)
class Placed:
    """A line with its position: bands from the top, columns in each band from the left (a full-width band has one)."""

    line: Line
    band: int
    column: int


def reading_order(segments: Sequence[Line], obstacles: Sequence[Box] = (), usual: Gutters = ()) -> list[Placed]:
    """The segments as whole lines, in reading order.

    ``obstacles`` (tables, figures) split the columns into bands where they cross a gap. ``usual`` are the gaps on
    most pages of the document: they also apply to a page on which many formulas cross them.
    """
    gutters = shared_gutters(segments, usual)
    for gutter in gutters:
        segments = [part for segment in segments for part in _split(segment, gutter)]
    groups = _in_order(segments, gutters, obstacles)
    return [
        Placed(line, number, _column(group, gutters)) for number, group in enumerate(groups) for line in merged(group)
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
            return [
                *_in_order(left, gutters[:place], obstacles),
                *_in_order(right, gutters[place + 1 :], obstacles),
            ]
    return _in_bands(segments, gutters, obstacles)


def _in_bands(segments: Sequence[Line], gutters: Gutters, obstacles: Sequence[Box]) -> list[list[Line]]:
    crossed = {id(s): sum(_crosses(s.box, gutter, 2.0) for gutter in gutters) for s in segments}
    boxes = {id(box): sum(_crosses(box, gutter, 4.0) for gutter in gutters) for box in obstacles}
    most = max([*crossed.values(), *boxes.values()])
    wide = [s for s in segments if crossed[id(s)] == most]
    walls = sorted(box.top for box in obstacles if boxes[id(box)] == most)
    others = [box for box in obstacles if boxes[id(box)] < most]
    groups: list[list[Line]] = []
    for band in _bands(wide, [s for s in segments if crossed[id(s)] < most], walls):
        groups += [band.lines] if band.full else _in_order(band.lines, gutters, others)
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
            at = segment.words.index(right)
            return [Line.of(segment.words[:at]), Line.of(segment.words[at:])]
    return [segment]


@dataclass(slots=True)
class _Band:
    full: bool
    lines: list[Line]


def _bands(crossing: Sequence[Line], sides: Sequence[Line], walls: Sequence[float]) -> list[_Band]:
    wide = {id(line) for line in crossing}
    bands: list[_Band] = []
    pending = list(walls)
    for line in sorted([*crossing, *sides], key=lambda s: (s.baseline, s.box.left)):
        walled = False
        while pending and line.box.middle_y > pending[0]:
            pending.pop(0)
            walled = True
        full = id(line) in wide
        beside = full is False and bool(bands) and bands[-1].full and same_row(bands[-1].lines[-1], line)
        if bands and (bands[-1].full == full or beside) and not walled:
            bands[-1].lines.append(line)
        else:
            bands.append(_Band(full, [line]))
    return bands
