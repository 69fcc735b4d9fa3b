"""Tables of a page with printed rules: those with borders first, then those with horizontal rules only.

Words between rules above each other are sorted into rows and columns. A column boundary is a vertical strip that is
empty in nearly all rows (or is ruled); a row is a baseline. A row with an empty first cell continues the row above it.
A result with one column (a frame around text) is not a table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from indexer.documents.parse.model import Box, Line, Page, Rule, Word, bounding_box
from indexer.documents.parse.pdf.bordered_tables import ROW_BELOW, SAME_RULE, grids_with_words
from indexer.documents.parse.pdf.line_kinds import CAPTION, is_caption_start
from indexer.documents.parse.pdf.reading_order import rows, segments
from indexer.documents.parse.pdf.table_cells import (
    MOST_CELLS,
    MOST_RULES,
    NUMBER,
    PageTable,
    columns,
    has_words,
    header_rows,
    is_form,
    is_labelled,
    is_prose,
    is_running_text,
    merge_continuations,
    table_rows,
)

_TABLE = re.compile(r"^tab(?:le|\.|elle|leau)$", re.IGNORECASE)
_SAME_EDGE = 6.0
_SAME_LEVEL = 1.6
_SHORTEST = 60.0
_LARGER = 1.15  # of the usual size
_INDENTED = 20.0  # points
_FEWEST_OF_BODY = 3  # lines whose gaps show the columns
_RULED_ROWS = 0.4  # rules for each line: every row or every second one is ruled
_MOST_FRAMES = 50  # of one page, those with the most rules


def find_tables(page: Page, words: Sequence[Word]) -> list[PageTable]:
    """The tables of a page, from the top; ``words`` without heads and feet."""
    grid_tables, refused_grids = grids_with_words(page, words)
    tables = [table for table in grid_tables if not _is_drawn(table.box, page.figures)]
    grid_boxes = [*(table.box for table in tables), *(refused.box for refused in refused_grids)]
    levels_outside = [
        rule
        for rule in page.rules[:MOST_RULES]
        if rule.level and not any(box.holds(rule.box, SAME_RULE) for box in grid_boxes)
    ]
    for levels in _frames(levels_outside)[:_MOST_FRAMES]:
        frame = bounding_box(rule.box for rule in levels)
        if any(page_table.box.holds(frame, 2.0) or frame.holds(page_table.box, 2.0) for page_table in tables):
            continue
        if _is_drawn(frame, page.figures):
            continue
        table = _table_between(frame, [r.box.middle_y for r in levels], page, words)
        if table is not None:
            tables.append(table)
    return sorted(tables, key=lambda table: table.box.top)


def _is_drawn(frame: Box, figures: Sequence[Box]) -> bool:
    """Whether pictures or drawings fill most of the frame: then its rules are axes and grids."""
    return sum(_shared_area(frame, figure) for figure in figures) > 0.5 * frame.width * frame.height


def _shared_area(a: Box, b: Box) -> float:
    width = min(a.right, b.right) - max(a.left, b.left)
    height = min(a.bottom, b.bottom) - max(a.top, b.top)
    return max(width, 0.0) * max(height, 0.0)


def _frames(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Rules that begin and end at the same x, from the top; a frame needs at least two. Longest frames first."""
    groups: list[list[Rule]] = []
    for rule in sorted(_join_rules(rules), key=lambda r: r.box.top):
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


def _join_rules(rules: Sequence[Rule]) -> list[Rule]:
    """Joins the pieces of one rule that is drawn cell by cell."""
    joined_rules: list[Box] = []
    for rule in sorted(rules, key=lambda r: (round(r.box.middle_y), r.box.left)):
        last = joined_rules[-1] if joined_rules else None
        if (
            last is not None
            and abs(last.middle_y - rule.box.middle_y) <= _SAME_LEVEL
            and rule.box.left - last.right <= 3.0
        ):
            joined_rules[-1] = bounding_box((last, rule.box))
        else:
            joined_rules.append(rule.box)
    return [Rule(box) for box in joined_rules]


def _table_between(frame: Box, levels: Sequence[float], page: Page, words: Sequence[Word]) -> PageTable | None:
    words_inside = [word for word in words if frame.holds(word.box, 1.0) and not word.turned]
    lines = rows(words_inside)
    if (levels_below := _below_titles(levels, lines)) is not levels:
        if len(levels_below) < 2:
            return None
        frame, levels = Box(frame.left, min(levels_below), frame.right, frame.bottom), levels_below
        words_inside = [word for word in words_inside if frame.holds(word.box, 1.0)]
        lines = rows(words_inside)
    if len(lines) < 2 or 2 * sum(word.mono for word in words_inside) > len(words_inside):
        return None
    if len(levels) > _RULED_ROWS * len(lines) and (next_row := _row_below(frame, lines, words)):
        words_inside += next_row
        lines = rows(words_inside)
        frame = Box(frame.left, frame.top, frame.right, lines[-1].box.bottom)
    uprights = [r.box.middle_x for r in page.rules if not r.level and frame.holds(r.box, 2.0)]
    header = _head_lines(lines, _header_rows(lines, levels))
    has_body = len(lines) - header >= _FEWEST_OF_BODY
    edges = columns(lines[header:] if has_body else lines, uprights, frame)
    if len(edges) < 1:
        return None
    if len(lines) * (len(edges) + 1) > MOST_CELLS:
        return None
    cells = table_rows(lines, header if has_body else 0, edges)
    if is_running_text(lines, edges, frame) or is_form(cells) or any(_is_no_row(line) for line in lines):
        return None
    is_ruled = len(levels) >= 3 or len(uprights) >= 1
    if is_prose(cells) or not has_words(cells) or not is_labelled(cells) or not (is_ruled or _has_caption(page)):
        return None
    merged_cells, header = merge_continuations(cells, header_rows(cells, header))
    return PageTable(frame, tuple(tuple(row) for row in merged_cells), header, tuple(words_inside))


def _below_titles(levels: Sequence[float], lines: Sequence[Line]) -> Sequence[float]:
    """The rules below a caption of a table, or a title in larger type: those above it rule the page's head."""
    usual_size = median(line.size for line in lines) if lines else 0.0
    tops = [line.box.bottom for line in lines[:-1] if _is_table_caption(line) or _is_title(line, usual_size)]
    return [y for y in levels if y > max(tops) - SAME_RULE] if tops else levels


def _is_table_caption(line: Line) -> bool:
    return _TABLE.match(line.words[0].text) is not None and is_caption_start(line)


def _is_title(line: Line, usual_size: float) -> bool:
    return line.size > _LARGER * usual_size and len(segments(line)) == 1


def _row_below(frame: Box, lines: Sequence[Line], words: Sequence[Word]) -> list[Word]:
    """The words of the last row, where only every second row is shaded: as far below as the rows from each other."""
    distance = median(lower_line.baseline - line.baseline for line, lower_line in pairwise(lines))
    reach = Box(frame.left, frame.bottom, frame.right, lines[-1].baseline + ROW_BELOW * distance)
    next_row = [word for word in words if reach.holds(word.box) and not word.turned]
    next_lines = rows(next_row)
    is_row = len(next_lines) == 1 and len(segments(next_lines[0])) >= 2
    is_aligned = is_row and abs(next_lines[0].box.left - lines[-1].box.left) <= _SAME_EDGE
    return next_row if is_aligned and not _is_table_caption(next_lines[0]) else []


def _head_lines(lines: Sequence[Line], header: int) -> int:
    """``header`` and the lines below it that begin behind the first column and hold no number: units, for instance."""
    left = min(line.box.left for line in lines)
    while header < len(lines) - 1 and lines[header].box.left > left + _INDENTED:
        if any(NUMBER.match(word.text) for word in lines[header].words):
            break
        header += 1
    return header


def _is_no_row(line: Line) -> bool:
    """Whether the line is the caption of a figure: then the frame is part of the page, not a table."""
    match = CAPTION.match(line.text)
    return match is not None and match["mark"] is not None and not match["what"].lower().startswith("tab")


def _has_caption(page: Page) -> bool:
    return any(_TABLE.match(word.text) for word in page.words)


def _header_rows(lines: Sequence[Line], levels: Sequence[float]) -> int:
    """Rows above the last inner rule of the upper third; 1 if there is none."""
    top, bottom = min(levels), max(levels)
    inner_levels = [y for y in levels if top + 2.0 < y < top + (bottom - top) / 3.0]
    if len(levels) > _RULED_ROWS * len(lines):
        inner_levels = inner_levels[:1]  # a rule below each row
    line_count = sum(line.box.middle_y < max(inner_levels) for line in lines) if inner_levels else 0
    return line_count if 0 < line_count < len(lines) else 1
