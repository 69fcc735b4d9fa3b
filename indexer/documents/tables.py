"""Ruled tables: those with borders (``lattice``), then those with horizontal rules only.

Words between horizontal rules above each other are sorted into rows and columns. A column boundary is a vertical strip
that is empty in nearly all rows (or is ruled); a row is a baseline. A row with an empty first cell continues the row
above it. A result with one column (a frame around text) is not a table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from indexer.documents.kinds import CAPTION
from indexer.documents.lattice import bordered_tables
from indexer.documents.page import Box, Line, Page, Rule, Word, around
from indexer.documents.rows import rows
from indexer.documents.table_columns import are_columns, cells_of, columns, is_prose, without_continuations
from indexer.documents.table_found import MOST_CELLS, MOST_RULES, TableFound, has_words, is_labelled

_TABLE = re.compile(r"^tab(?:le|\.|elle|leau)$", re.IGNORECASE)
_SAME_EDGE = 6.0
_SAME_LEVEL = 1.6
_SHORTEST = 60.0
_MOST_FRAMES = 50  # of one page, those with the most rules


def find_tables(page: Page, words: Sequence[Word]) -> list[TableFound]:
    """The tables of a page, from the top; ``words`` without heads and feet."""
    found = [table for table in bordered_tables(page, words) if not _is_drawn(table.box, page.figures)]
    for levels in _frames([rule for rule in page.rules if rule.level][:MOST_RULES])[:_MOST_FRAMES]:
        frame = around(rule.box for rule in levels)
        if any(other.box.holds(frame, 2.0) or frame.holds(other.box, 2.0) for other in found):
            continue
        if _is_drawn(frame, page.figures):
            continue
        table = _read(frame, [r.box.middle_y for r in levels], page, words)
        if table is not None:
            found.append(table)
    return sorted(found, key=lambda table: table.box.top)


def _is_drawn(frame: Box, figures: Sequence[Box]) -> bool:
    """Whether pictures or drawings fill most of the frame: then its rules are axes and grids."""
    return sum(_common(frame, figure) for figure in figures) > 0.5 * frame.width * frame.height


def _common(a: Box, b: Box) -> float:
    """The area of the intersection."""
    width = min(a.right, b.right) - max(a.left, b.left)
    height = min(a.bottom, b.bottom) - max(a.top, b.top)
    return max(width, 0.0) * max(height, 0.0)


def _frames(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Rules that begin and end at the same x, from the top; a frame needs at least two. Longest frames first."""
    groups: list[list[Rule]] = []
    for rule in sorted(_joined(rules), key=lambda r: r.box.top):
        if rule.box.width < _SHORTEST:
            continue
        group = next((g for g in groups if _same_edges(g[0].box, rule.box)), None)
        if group is None:
            groups.append([rule])
        else:
            group.append(rule)
    return sorted((g for g in groups if len(g) >= 2), key=len, reverse=True)


def _same_edges(a: Box, b: Box) -> bool:
    return abs(a.left - b.left) <= _SAME_EDGE and abs(a.right - b.right) <= _SAME_EDGE


def _joined(rules: Sequence[Rule]) -> list[Rule]:
    """Joins the pieces of one rule that is drawn cell by cell."""
    out: list[Box] = []
    for rule in sorted(rules, key=lambda r: (round(r.box.middle_y), r.box.left)):
        last = out[-1] if out else None
        if (
            last is not None
            and abs(last.middle_y - rule.box.middle_y) <= _SAME_LEVEL
            and rule.box.left - last.right <= 3.0
        ):
            out[-1] = around((last, rule.box))
        else:
            out.append(rule.box)
    return [Rule(box) for box in out]


def _read(frame: Box, levels: Sequence[float], page: Page, words: Sequence[Word]) -> TableFound | None:
    inside = [word for word in words if frame.holds(word.box, 1.0) and not word.turned]
    lines = rows(inside)
    if len(lines) < 2:
        return None
    uprights = [r.box.middle_x for r in page.rules if not r.level and frame.holds(r.box, 2.0)]
    edges = columns(lines, uprights, frame)
    if len(edges) < 1:
        return None
    if len(lines) * (len(edges) + 1) > MOST_CELLS:
        return None
    cells = [cells_of(line, edges) for line in lines]
    if are_columns(lines, edges, frame) or any(_is_no_row(line) for line in lines):
        return None
    is_ruled = len(levels) >= 3 or len(uprights) >= 1
    if is_prose(cells) or not has_words(cells) or not is_labelled(cells) or not (is_ruled or _has_caption(page)):
        return None
    header = _header_rows(lines, levels)
    merged, header = without_continuations(cells, header)
    return TableFound(frame, tuple(tuple(row) for row in merged), header, tuple(inside))


def _is_no_row(line: Line) -> bool:
    """Whether the line is the caption of a figure: then the frame is part of the page, not a table."""
    match = CAPTION.match(line.text)
    return match is not None and match["mark"] is not None and not match["what"].lower().startswith("tab")


def _has_caption(page: Page) -> bool:
    return any(_TABLE.match(word.text) for word in page.words)


def _header_rows(lines: Sequence[Line], levels: Sequence[float]) -> int:
    """Rows above the last inner rule of the upper third; 1 if there is none."""
    top, bottom = min(levels), max(levels)
    inner = [y for y in levels if top + 2.0 < y < top + (bottom - top) / 3.0]
    above = sum(line.box.middle_y < max(inner) for line in lines) if inner else 0
    return above if 0 < above < len(lines) else 1
