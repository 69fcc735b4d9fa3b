"""Reading order: one column or two, full-width pieces between them.

A page has two columns where an upright strip near its middle is crossed by few lines and both sides hold lines about as
wide as a column. A piece that crosses the strip (title, wide table) parts the page into bands; in each band the left
column is read before the right one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from indexer.documents.page import Box, Line

_FEWEST_LINES = 5
_MOST_CROSSING = 0.4
_WIDE_ENOUGH = 0.55  # of the column's width: cells of a table are narrower
_STEP = 2.0
_NARROWEST = 6.0  # points


@dataclass(frozen=True, slots=True)
class Placed:
    """A line with its place: bands from the top, in each the columns from the left (a full-width band has one)."""

    line: Line
    band: int
    column: int


def reading_order(segments: Sequence[Line], obstacles: Sequence[Box] = (), usual: float | None = None) -> list[Placed]:
    """The segments as whole lines, in the order a person reads them.

    ``obstacles`` (tables, figures) part the page into bands where they cross the strip. ``usual`` is the strip of most
    pages of the document: a page that is crossed by many formulas has it too.
    """
    gutter = find_gutter(segments)
    if gutter is None and usual is not None and _keeps(segments, usual):
        gutter = usual
    if gutter is None:
        return [Placed(line, 0, 0) for line in _merged(segments)]
    segments = [part for segment in segments for part in _split(segment, gutter)]
    walls = sorted(box.top for box in obstacles if box.left < gutter - 4.0 and box.right > gutter + 4.0)
    crossing = [s for s in segments if s.box.left < gutter - 2.0 and s.box.right > gutter + 2.0]
    sides = [s for s in segments if s not in crossing]
    placed: list[Placed] = []
    for number, band in enumerate(_bands(crossing, sides, walls)):
        if band.full:
            placed += [Placed(line, number, 0) for line in _merged(band.lines)]
            continue
        for column, side in enumerate((True, False)):
            own = [s for s in band.lines if (s.box.middle_x < gutter) is side]
            placed += [Placed(line, number, column) for line in _merged(own)]
    return placed


def _split(segment: Line, gutter: float) -> list[Line]:
    """A segment that only a narrow gap over the strip holds together (large type narrows it) in two."""
    for left, right in pairwise(segment.words):
        gap = right.box.left - left.box.right
        if left.box.right <= gutter + _STEP and right.box.left >= gutter - _STEP and gap >= _NARROWEST:
            at = segment.words.index(right)
            return [Line.of(segment.words[:at]), Line.of(segment.words[at:])]
    return [segment]


def find_gutter(segments: Sequence[Line]) -> float | None:
    """The x of the strip between two columns; None on a page of one."""
    if len(segments) < 2 * _FEWEST_LINES:
        return None
    left, right = min(s.box.left for s in segments), max(s.box.right for s in segments)
    width = right - left
    best: tuple[int, float] | None = None
    x = left + 0.35 * width
    while x < left + 0.65 * width:
        crossing = sum(s.box.left < x - 1.0 and s.box.right > x + 1.0 for s in segments)
        off_centre = abs(x - left - width / 2.0)
        if best is None or (crossing, off_centre) < best:
            best = (crossing, off_centre)
            at = x
        x += _STEP
    return at if best is not None and _has_columns(segments, at, left, right) else None


def usual_gutter(gutters: Sequence[float | None]) -> float | None:
    """The strip that at least half of the pages have; None where they have none in common."""
    known = [gutter for gutter in gutters if gutter is not None]
    return median(known) if known and 2 * len(known) >= len(gutters) else None


def _keeps(segments: Sequence[Line], x: float) -> bool:
    crossing = sum(s.box.left < x - _STEP and s.box.right > x + _STEP for s in segments)
    left = sum(s.box.right <= x + _STEP for s in segments)
    right = len(segments) - crossing - left
    return min(left, right) >= _FEWEST_LINES and crossing <= 0.5 * len(segments)


def _has_columns(segments: Sequence[Line], x: float, left: float, right: float) -> bool:
    on_left = [s for s in segments if s.box.right <= x + 1.0]
    on_right = [s for s in segments if s.box.left >= x - 1.0]
    crossing = len(segments) - len(on_left) - len(on_right)
    if min(len(on_left), len(on_right)) < _FEWEST_LINES or crossing > _MOST_CROSSING * len(segments):
        return False
    widths = [(on_left, x - left), (on_right, right - x)]
    return all(median(_row_widths(side)) >= _WIDE_ENOUGH * width for side, width in widths)


def _row_widths(side: Sequence[Line]) -> list[float]:
    """Widths of rows, a row's segments taken together."""
    return [line.box.width for line in _merged(side)]


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
        beside = full is False and bool(bands) and bands[-1].full and _same_row(bands[-1].lines[-1], line)
        if bands and (bands[-1].full == full or beside) and not walled:
            bands[-1].lines.append(line)
        else:
            bands.append(_Band(full, [line]))
    return bands


def _same_row(a: Line, b: Line) -> bool:
    return abs(a.baseline - b.baseline) < 0.45 * max(a.size, b.size)


def _merged(segments: Sequence[Line]) -> list[Line]:
    """Segments of one row as one line again, from the top."""
    out: list[list[Line]] = []
    for segment in sorted(segments, key=lambda s: (s.baseline, s.box.left)):
        if out and _same_row(out[-1][0], segment):
            out[-1].append(segment)
        else:
            out.append([segment])
    return [Line.of([word for part in row for word in part.words]) for row in out]
