"""Rows and columns of the words of a table: a boundary is a vertical strip that nearly all rows leave empty."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from indexer.documents.page import Box, Line, around
from indexer.documents.table_found import joined_cell

_WHITE = 0.42  # of the size: the narrowest strip between two columns
_MAY_CROSS = 0.08  # of the rows: titles that span columns
_WORDS_OF_PROSE = 14  # a cell this long in most rows is a paragraph


def columns(lines: Sequence[Line], uprights: Sequence[float], frame: Box, *, white: float = _WHITE) -> list[float]:
    """The x of each boundary between two columns; ``white``: the narrowest strip, in sizes of the type."""
    size = max(line.size for line in lines)
    reach = int(frame.width) + 2
    crossed = [0] * reach
    for line in lines:
        covered = [False] * reach
        for word in line.words:
            first, last = int(word.box.left - frame.left), int(word.box.right - frame.left) + 1
            for x in range(max(0, first), min(reach, last)):
                covered[x] = True
        crossed = [count + hit for count, hit in zip(crossed, covered, strict=True)]
    allowed = int(_MAY_CROSS * len(lines))
    strips = _runs([count <= allowed for count in crossed])
    ruled = [x - frame.left for x in uprights]
    edges = [
        (first + last) / 2.0
        for first, last in strips
        if first > 0 and last < reach - 1 and (last - first >= white * size or any(first <= x <= last for x in ruled))
    ]
    used = [edge for edge in edges if _parts_words(lines, edge + frame.left)]
    return [edge + frame.left for edge in used]


def _runs(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """First and last index of each run of True."""
    out: list[tuple[int, int]] = []
    start: int | None = None
    for index, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = index
        elif not flag and start is not None:
            out.append((start, index - 1))
            start = None
    return out


def _parts_words(lines: Sequence[Line], x: float) -> bool:
    left = any(word.box.right <= x for line in lines for word in line.words)
    return left and any(word.box.left >= x for line in lines for word in line.words)


def cells_of(line: Line, edges: Sequence[float]) -> list[str]:
    cells: list[list[str]] = [[] for _ in range(len(edges) + 1)]
    for word in line.words:
        cells[sum(word.box.middle_x > edge for edge in edges)].append(word.text)
    return [" ".join(words) for words in cells]


def is_prose(cells: Sequence[Sequence[str]]) -> bool:
    long = sum(any(len(cell.split()) > _WORDS_OF_PROSE for cell in row) for row in cells)
    filled = sum(sum(bool(cell) for cell in row) >= 2 for row in cells)
    return long > 0.3 * len(cells) or filled < 0.5 * len(cells) - 1


def are_columns(lines: Sequence[Line], edges: Sequence[float], frame: Box) -> bool:
    """Two or three columns of running text that fill the width."""
    if len(lines) < 6 or len(edges) > 2:
        return False
    bounds = [frame.left, *edges, frame.right]
    full = 0
    for line in lines:
        parts = [[w for w in line.words if left < w.box.middle_x <= right] for left, right in pairwise(bounds)]
        shares = [
            (around(w.box for w in part).width / (right - left)) if len(part) >= 3 else 0.0
            for part, (left, right) in zip(parts, pairwise(bounds), strict=True)
        ]
        full += sum(share > 0.75 for share in shares) >= min(2, len(shares))
    return full > 0.3 * len(lines)


def without_continuations(cells: Sequence[list[str]], header: int) -> tuple[list[list[str]], int]:
    out: list[list[str]] = []
    for number, row in enumerate(cells):
        goes_on = bool(out) and number >= header and not row[0] and sum(map(bool, row)) < len(row) and number > header
        if goes_on:
            out[-1] = [joined_cell(above, below) for above, below in zip(out[-1], row, strict=True)]
        else:
            out.append(list(row))
    return out, min(header, len(out) - 1) or 1
