"""Finds the gaps between a page's columns: vertical strips that few lines cross.

The space between two strips holds lines about as wide as a column. There is one strip near the middle, or two or
three that divide the page evenly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from indexer.documents.page import Line
from indexer.documents.rows import merged

Gutters = tuple[float, ...]
"""The x of each gap between two columns, from the left; empty on a page with one column."""

_FEWEST_LINES = 5
_MOST_CROSSING = 0.4
_MOST_CROSSING_OF_SEVERAL = 0.25
_OFF_EVEN = 0.06  # of the page's width: how far a strip may be from where it would divide the page evenly
_WORDS_OF_PROSE = 3
_WIDE_ENOUGH = 0.55  # of the column's width: table cells are narrower
_ENDS = (".", "!", "?", ":", ";")
_CONTINUED = 0.4  # of the lines of running text
_STEP = 2.0
_MOST_PLACES = 250  # between two columns; a page of several metres has no finer columns
_EDGE = 6.0  # points: lines that begin this close to each other share an edge


def find_gutters(segments: Sequence[Line]) -> Gutters:
    """The gaps between columns on this page; tries many columns before few."""
    if len(segments) < 2 * _FEWEST_LINES:
        return ()
    for columns in (4, 3):
        found = _even_gutters(segments, columns)
        if found:
            return found
    left, right = min(s.box.left for s in segments), max(s.box.right for s in segments)
    at, _ = _least_crossed(segments, left + 0.35 * (right - left), left + 0.65 * (right - left))
    return (at,) if _has_columns(segments, at, left, right) else ()


def _even_gutters(segments: Sequence[Line], columns: int) -> Gutters:
    """Strips that divide the page into this many columns of running text; empty if one of them is not running text."""
    left, right = min(s.box.left for s in segments), max(s.box.right for s in segments)
    width = right - left
    found: list[float] = []
    for number in range(1, columns):
        middle = left + width * number / columns
        at, crossing = _least_crossed(segments, middle - _OFF_EVEN * width, middle + _OFF_EVEN * width)
        if crossing > _MOST_CROSSING_OF_SEVERAL * len(segments):
            return ()
        found.append(at)
    edges = pairwise((left, *found, right))
    return tuple(found) if all(_is_column(segments, *one) for one in edges) else ()


def _is_column(segments: Sequence[Line], left: float, right: float) -> bool:
    """Whether lines of prose mostly fill the space between two strips and begin at one edge; table cells do not."""
    own = [s for s in segments if s.box.left >= left - 1.0 and s.box.right <= right + 1.0]
    if len(own) < _FEWEST_LINES:
        return False
    fills = median(s.box.width for s in own) >= _WIDE_ENOUGH * (right - left)
    prose = median(len(s.words) for s in own) >= _WORDS_OF_PROSE
    edges = Counter(round(s.box.left / _EDGE) for s in own)
    return fills and prose and max(edges[e] + edges[e + 1] for e in edges) >= 0.5 * len(own)


def _least_crossed(segments: Sequence[Line], start: float, end: float) -> tuple[float, int]:
    """The x between the two that the fewest segments cross, nearest to their middle; and the number of crossings."""
    middle = (start + end) / 2.0
    step = max(_STEP, (end - start) / _MOST_PLACES)
    places = [start + step * number for number in range(max(1, int((end - start) / step) + 1))]
    crossing = {x: sum(s.box.left < x - 1.0 and s.box.right > x + 1.0 for s in segments) for x in places}
    at = min(places, key=lambda x: (crossing[x], abs(x - middle)))
    return at, crossing[at]


def usual_gutters(pages: Sequence[Gutters]) -> Gutters:
    """The strips that at least half of the pages share; empty if there are none."""
    counts = Counter(len(gutters) for gutters in pages if gutters)
    if not counts:
        return ()
    usual, often = counts.most_common(1)[0]
    if 2 * often < len(pages):
        return ()
    return tuple(median(gutters[place] for gutters in pages if len(gutters) == usual) for place in range(usual))


def shared_gutters(segments: Sequence[Line], usual: Gutters) -> Gutters:
    """The page's own gaps, else ``usual``, the document's, where the page keeps them."""
    return find_gutters(segments) or kept_gutters(segments, usual)


def kept_gutters(segments: Sequence[Line], usual: Gutters) -> Gutters:
    """``usual``, the document's gaps, if this page keeps all of them."""
    return usual if usual and all(keeps(segments, gutter) for gutter in usual) else ()


def keeps(segments: Sequence[Line], x: float) -> bool:
    """Whether the page has lines on both sides of the strip, and at most as many lines across it."""
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
    sides = [(merged(on_left), x - left), (merged(on_right), right - x)]
    if any(median(len(row.words) for row in side) < _WORDS_OF_PROSE for side, _ in sides):
        return False  # the cells of a table
    if all(median(row.box.width for row in side) >= _WIDE_ENOUGH * width for side, width in sides):
        return True
    return crossing == 0 and all(_is_running(side) for side, _ in sides)


def _is_running(lines: Sequence[Line]) -> bool:
    """Whether short lines continue each other, as running text does and cells do not: one begins small where the one
    above has no end.
    """
    continued = sum(below.text[:1].islower() and not above.text.endswith(_ENDS) for above, below in pairwise(lines))
    return continued >= _CONTINUED * (len(lines) - 1)
