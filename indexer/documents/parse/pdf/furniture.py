"""Finds the parts of a page outside its text: running heads and feet, page numbers, line numbers, watermarks.

Heads and feet are first or last rows that several pages have in common at the same height. Digits count as equal, so
page numbers make no difference. Some heads change with the section: "Introduction 1", "2 Design Concepts". At the same
height and size, pages show a name and their number; the numbers follow the pages and the names repeat. Rows that differ
on each page are text, and captions ("Figure 3") have their own count.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from indexer.documents.parse.model import Line, Page, RegionKind, Word, bounding_box
from indexer.documents.parse.pdf.bordered_tables import bordered_tables
from indexer.documents.parse.pdf.line_kinds import CAPTION
from indexer.documents.parse.pdf.reading_order import rows, segments
from indexer.documents.parse.pdf.ruled_tables import find_tables
from indexer.documents.parse.pdf.table_cells import PageTable

_NUMBER = re.compile(r"^(?P<front>\d{1,4}|[ivxl]{1,7})\s+|\s+(?P<back>\d{1,4}|[ivxl]{1,7})$")
_HEIGHT = 3.0  # points
_FEWEST_PAGES = 3
_MOST_WORDS = 14
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """An outermost row of a page."""

    page: int
    kind: RegionKind
    line: Line


def running_heads(edge_rows: Sequence[EdgeRow]) -> Iterator[EdgeRow]:
    """The rows that show a section's name beside the page number."""
    for place in _places(edge_rows):
        numbered_rows = [(row, name_number) for row in place if (name_number := _name_and_number(row.line)) is not None]
        runs = Counter(number - row.page for row, (_, number) in numbered_rows)
        fitting_rows = [
            (row, name) for row, (name, number) in numbered_rows if runs[number - row.page] >= _FEWEST_PAGES
        ]
        names = {name for _, name in fitting_rows}
        if 2 * len(names) <= len(fitting_rows):
            yield from (row for row, _ in fitting_rows)


def _places(edge_rows: Sequence[EdgeRow]) -> Iterator[list[EdgeRow]]:
    """Groups rows of one kind and size at the same height of their page."""
    places: dict[tuple[RegionKind, float], list[EdgeRow]] = defaultdict(list)
    for edge_row in sorted(edge_rows, key=lambda row: row.line.baseline):
        key = (edge_row.kind, round(edge_row.line.size))
        if places[key] and edge_row.line.baseline - places[key][-1].line.baseline > _HEIGHT:
            yield places.pop(key)
        places[key].append(edge_row)
    yield from places.values()


def _name_and_number(line: Line) -> tuple[str, int] | None:
    """``("introduction", 1)``; None for a row without a number at an end, and for captions."""
    text = line.text.strip()
    match = _NUMBER.search(text)
    if match is None or CAPTION.match(text) or len(line.words) > _MOST_WORDS:
        return None
    number = match["front"] or match["back"]
    return (text[: match.start()] + text[match.end() :]).lower(), int(number) if number.isdigit() else _value(number)


def _value(roman: str) -> int:
    values = [_ROMAN[letter] for letter in roman]
    return sum(-v if v < max(values[place:]) else v for place, v in enumerate(values))


_DIGITS = re.compile(r"\d+|\b[ivxlc]{1,6}\b")
_PAGE_NUMBER = re.compile(r"^(?:page\s*|seite\s*|p\.?\s*|[-–—(\[]\s*)?#(?:\s*[-–—)\]])?(?:\s*(?:of|/|von|sur)\s*#)?$")
_ROWS_LOOKED_AT = 3  # from the top and from the foot
_NUMBERED_SHARE = 0.3  # of the pages
_GAP = 1.3  # times the usual distance of rows: separates a head from the text
_ZONE = 0.16  # of the page's height
_SAME_HEIGHT = 9.0  # points
_NUMBER_HEIGHT = 24.0  # a scanned page lies askew
_SHARE_OF_PAGES = 0.12
_WORDS_OF_TEXT = 3  # of a piece of text: cells have fewer
_HEAD_ABOVE = 30.0  # points: where the head of a column is
_LARGE = 1.5  # times the text's size: rotated text this large is a watermark

FindTables = Callable[[Page, Sequence[Word]], list[PageTable]]


@dataclass(frozen=True, slots=True)
class Furniture:
    """Words outside the text, by page number, with their kind."""

    by_page: dict[int, dict[RegionKind, list[Word]]]
    rows: dict[int, list[Line]]
    """All rows of each page, furniture among them."""

    def words(self, page: int) -> list[Word]:
        return [word for words in self.by_page.get(page, {}).values() for word in words]


def find_furniture(pages: Sequence[Page]) -> Furniture:
    """Compares all pages with each other."""
    words_of: dict[int, dict[RegionKind, list[Word]]] = {page.number: {} for page in pages}
    by_page = {page.number: rows(page.words) for page in pages}
    for page in pages:
        marks = _watermarks(page, by_page[page.number])
        if marks:
            words_of[page.number]["watermark"] = marks
    edges = [row for page in pages for row in _at_the_edge(page, by_page[page.number])]
    heads = {(row.page, row.kind, id(row.line)): row for row in (*_repeated_rows(pages, edges), *running_heads(edges))}
    by_number = {page.number: page for page in pages}
    for row in heads.values():
        words = _without_cells(row.line.words, by_number[row.page], bordered_tables)
        if words:
            words_of[row.page].setdefault(row.kind, []).extend(words)
    numbers = {page.number: _without_cells(_line_numbers(by_page[page.number]), page, find_tables) for page in pages}
    if sum(map(bool, numbers.values())) >= _NUMBERED_SHARE * len(pages):  # otherwise they number the rows of a listing
        for page in pages:
            if numbers[page.number]:
                words_of[page.number]["line_number"] = numbers[page.number]
    return Furniture(words_of, by_page)


def _without_cells(words: Sequence[Word], page: Page, find: FindTables) -> list[Word]:
    """The words outside of ruled tables: a table's head is repeated on each page, and its rows may be numbered."""
    levels = [rule.box.middle_y for rule in page.rules if rule.level]
    is_in_table = len(levels) >= 2 and any(min(levels) < word.box.middle_y < max(levels) for word in words)
    tables = find(page, page.words) if is_in_table else []
    return [word for word in words if not any(table.box.holds(word.box) for table in tables)]


def _repeated_rows(pages: Sequence[Page], edges: Sequence[EdgeRow]) -> Iterator[EdgeRow]:
    by_number = {page.number: page for page in pages}
    rows_by_key: dict[tuple[RegionKind, str], list[EdgeRow]] = defaultdict(list)
    for row in edges:
        rows_by_key[row.kind, _key(row.line.text)].append(row)
    for (_, key), equal_rows in rows_by_key.items():
        is_number = _PAGE_NUMBER.match(key) is not None
        reach = _NUMBER_HEIGHT if is_number else _SAME_HEIGHT
        for row, count in _pages_near(equal_rows, reach):
            if count >= max(2, _SHARE_OF_PAGES * len(pages)) or (
                is_number and _alone_at_the_edge(row.line, by_number[row.page])
            ):
                yield row


def _pages_near(edge_rows: Sequence[EdgeRow], reach: float) -> Iterator[tuple[EdgeRow, int]]:
    """Each row with the number of pages, its own among them, that have one of these rows about as high."""
    in_order = sorted(edge_rows, key=lambda row: row.line.baseline)
    pages: Counter[int] = Counter()
    first = last_index = 0
    for row in in_order:
        while last_index < len(in_order) and in_order[last_index].line.baseline - row.line.baseline <= reach:
            pages[in_order[last_index].page] += 1
            last_index += 1
        while row.line.baseline - in_order[first].line.baseline > reach:
            pages[in_order[first].page] -= 1
            if not pages[in_order[first].page]:
                del pages[in_order[first].page]
            first += 1
        yield row, len(pages)


def _at_the_edge(page: Page, lines: Sequence[Line]) -> Iterator[EdgeRow]:
    for line in _rows_set_apart(lines):
        if line.box.bottom < _ZONE * page.height:
            yield EdgeRow(page.number, "header", line)
    for line in _rows_set_apart(lines[::-1]):
        if line.box.top > (1.0 - _ZONE) * page.height:
            yield EdgeRow(page.number, "footer", line)


def _rows_set_apart(lines: Sequence[Line]) -> Sequence[Line]:
    """Of the outermost rows (the first is at the edge), those before the last gap wider than a line gap."""
    gaps = [abs(inner_line.baseline - outer_line.baseline) for outer_line, inner_line in pairwise(lines)]
    usual_gap = median(gaps) if gaps else 0.0
    wide_gaps = [place for place, gap in enumerate(gaps[:_ROWS_LOOKED_AT], 1) if gap > _GAP * usual_gap]
    return lines[: max(wide_gaps)] if wide_gaps else lines[:1]


def _key(text: str) -> str:
    return _DIGITS.sub("#", text.lower()).strip()


def _alone_at_the_edge(line: Line, page: Page) -> bool:
    return line.box.bottom < 0.09 * page.height or line.box.top > 0.91 * page.height


def _line_numbers(lines: Sequence[Line]) -> list[Word]:
    """Numbers beside the text that count up down the page; step 1 needs a number on every line in between."""
    texts = [line for line in lines if len(line.words) >= 6]
    if len(texts) < 3:
        return []
    lefts = Counter(round(_text_left(line) / 3.0) for line in texts)
    left_edge = lefts.most_common(1)[0][0] * 3.0
    firsts = [line.words[0] for line in lines if line.words[0].text.isdecimal() and len(line.words[0].text) <= 4]
    words_beside = [word for word in firsts if word.box.right < left_edge - 2.0]
    spaced_parts = [
        part for line in lines if (part := _first_part(line)) is not None and part.box.right < left_edge - 2.0
    ]
    for parts in ([[word] for word in words_beside], [list(part.words) for part in spaced_parts]):
        if parts and _is_column_of_table([word for part in parts for word in part], lines):
            continue
        if _counts_up([int("".join(word.text for word in part)) for part in parts]):
            return [word for part in parts for word in part]
    return []


def _is_column_of_table(numbers: Sequence[Word], lines: Sequence[Line]) -> bool:
    """Whether the numbers belong to rows of cells, or something else begins where they do, as a column's head does.
    Line numbers are alone in the margin of running text.
    """
    ids = {id(word) for word in numbers}
    numbered_lines = [line for line in lines if any(id(word) in ids for word in line.words)]
    cells = [
        [part for part in segments(line) if not any(id(word) in ids for word in part.words)] for line in numbered_lines
    ]
    parts_beside = [parts for parts in cells if parts]
    if not parts_beside:
        return False
    short_parts = [len(part.words) < _WORDS_OF_TEXT for parts in parts_beside for part in parts]
    if median(len(parts) for parts in parts_beside) >= 2 and 2 * sum(short_parts) > len(short_parts):
        return True
    column = bounding_box(word.box for word in numbers)
    numbered_ids = {id(line) for line in numbered_lines}
    other_boxes = [line.words[0].box for line in lines if id(line) not in numbered_ids]
    return any(
        box.left < column.right and column.top - _HEAD_ABOVE < box.middle_y < column.bottom + _HEAD_ABOVE
        for box in other_boxes
    )


def _counts_up(values: Sequence[int]) -> bool:
    """By 1, 2, 5 or 10; a line without its number doubles a step, which may happen only rarely."""
    if len(values) < 2:
        return False
    steps = Counter(later_value - earlier_value for earlier_value, later_value in pairwise(values))
    usual_step, count = steps.most_common(1)[0]
    return (
        usual_step in (1, 2, 5, 10)
        and count >= 0.7 * len(values[1:])
        and all(s > 0 and s % usual_step == 0 for s in steps)
    )


def _first_part(line: Line) -> Line | None:
    """A number of at most four digits, alone or separated at the beginning of the line."""
    first = segments(line)[0]
    digits = first.text.replace(" ", "")
    return first if digits.isdecimal() and len(digits) <= 4 else None


def _text_left(line: Line) -> float:
    """Where the line begins, without a separate number before it."""
    parts = segments(line)
    if len(parts) > 1 and _first_part(line) is not None:
        return parts[1].box.left
    return line.box.left


def _watermarks(page: Page, lines: Sequence[Line]) -> list[Word]:
    turned_words = [word for word in page.words if word.turned]
    if not turned_words or not lines:
        return []
    size = Counter(word.size for line in lines for word in line.words).most_common(1)[0][0]
    return [word for word in turned_words if word.size >= _LARGE * size]
