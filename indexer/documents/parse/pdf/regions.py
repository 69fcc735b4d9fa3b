"""Turns a page's lines into regions in reading order: neighbours of one kind in one column, split at paragraphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from indexer.documents.parse.model import Box, Line, Page, Region, RegionKind, Word, bounding_box
from indexer.documents.parse.pdf.bordered_tables import maps
from indexer.documents.parse.pdf.furniture import Furniture
from indexer.documents.parse.pdf.line_kinds import (
    Measures,
    has_words,
    is_caption_start,
    is_footnote_start,
    kind_of,
    neighbours,
)
from indexer.documents.parse.pdf.reading_order import (
    Gutters,
    PlacedLine,
    gutters_of_page,
    reading_order,
    rows,
    segments,
)
from indexer.documents.parse.pdf.ruled_tables import find_tables
from indexer.documents.parse.pdf.table_cells import PageTable
from indexer.documents.parse.pdf.unruled_tables import unruled_tables
from indexer.documents.parse.sections import NUMBERED_HEADING, opens_section

_PARAGRAPH_GAP = 1.35  # of the usual distance of lines
_INDENT = (5.0, 40.0)  # points by which the first line of a paragraph is indented
_AXIS = 26.0  # points around a drawing in which the labels of its axes are
_MOST_FIGURES = 100
_FOOT = 0.72  # of the page's height: footnotes are below
_ENDS = (".", "!", "?", ":", ";", ".”", '."', ".)")


@dataclass(frozen=True, slots=True)
class PageLayout:
    """One page: regions in reading order. A table's region holds its position; ``tables`` holds its cells by region.
    ``aside``: beside the page's main text, so no paragraph continues from it or into it.
    """

    page: Page
    regions: tuple[Region, ...]
    tables: dict[int, PageTable]
    """Maps the index of a region to the table in it."""
    aside: bool = False

    def placed_on(self, page: Page) -> PageLayout:
        """The same aside with all its boxes where they are on the page."""
        regions = tuple(
            replace(
                region,
                box=self.page.place_on(page, region.box),
                lines=tuple(
                    replace(
                        line,
                        box=self.page.place_on(page, line.box),
                        words=tuple(replace(word, box=self.page.place_on(page, word.box)) for word in line.words),
                    )
                    for line in region.lines
                ),
            )
            for region in self.regions
        )
        tables = {
            index: replace(table, box=self.page.place_on(page, table.box)) for index, table in self.tables.items()
        }
        return PageLayout(self.page, regions, tables, aside=any(not word.turned for word in page.words))


@dataclass(frozen=True, slots=True)
class PageText:
    """What is left of a page without its furniture: words in the order of the file, rows, and the rows' segments."""

    words: list[Word]
    rows: list[Line]
    segments: list[Line]

    def segments_of(self, words: Sequence[Word]) -> list[Line]:
        """Those of some of the words; they are often all."""
        if len(words) == len(self.words):
            return self.segments
        return [part for row in rows(words) for part in segments(row)]


def page_text(page: Page, furniture: Furniture) -> PageText:
    words = _text_words(page, furniture)
    text_rows = _rows_of_text(page, furniture)
    return PageText(words, text_rows, [part for row in text_rows for part in segments(row)])


def _rows_of_text(page: Page, furniture: Furniture) -> list[Line]:
    """The rows without furniture, which is mostly whole rows: these part the words of others nowhere else."""
    ids = {id(word) for word in furniture.words(page.number)}
    page_rows = furniture.rows[page.number]
    counts = [sum(id(word) in ids for word in row.words) for row in page_rows] if ids else [0] * len(page_rows)
    if all(count in (0, len(row.words)) for count, row in zip(counts, page_rows, strict=True)):
        return [row for count, row in zip(counts, page_rows, strict=True) if not count]
    return rows(_text_words(page, furniture))


def lay_out(page: Page, text: PageText, furniture: Furniture, measures: Measures, gutters: Gutters = ()) -> PageLayout:
    """Furniture first, then the text in reading order, then figures.

    ``gutters``: the gaps between the columns of most pages, if there are any.
    """
    words = text.words
    page = replace(page, figures=(*_largest_figures(page.figures), *maps(page, words)))
    tables = find_tables(page, words)
    bands = gutters_of_page(text.segments, gutters)
    spaced_tables = unruled_tables(words, [table.box for table in tables], page.figures, bands)
    tables = sorted([*tables, *spaced_tables], key=lambda table: table.box.top)
    figures = [box for box in page.figures if not any(box.holds(table.box) or table.box.holds(box) for table in tables)]
    page = replace(page, figures=tuple(figures))
    in_tables = {id(word) for table in tables for word in table.words}
    free_words = [word for word in words if id(word) not in in_tables]
    labels = _figure_words(page, text, free_words, measures)
    in_figures = {id(word) for word in labels}
    running_words = [word for word in free_words if id(word) not in in_figures]
    obstacles = [*(table.box for table in tables), *page.figures]
    placed_lines = reading_order(text.segments_of(running_words), obstacles, gutters)
    regions = _regions(page, placed_lines, measures)
    regions, tables_by_index = _insert_tables(page, regions, tables)
    figure_regions = [Region("figure", (), box, page.number) for box in figures]
    return PageLayout(
        page,
        (*_furniture_regions(page, furniture), *regions, *figure_regions),
        _shift(tables_by_index, page, furniture),
    )


def _largest_figures(figures: Sequence[Box]) -> tuple[Box, ...]:
    """At most as many as a page has; a page of more is a pattern of tiles."""
    if len(figures) <= _MOST_FIGURES:
        return tuple(figures)
    least_area = sorted((box.width * box.height for box in figures), reverse=True)[_MOST_FIGURES - 1]
    return tuple([box for box in figures if box.width * box.height >= least_area][:_MOST_FIGURES])


def _text_words(page: Page, furniture: Furniture) -> list[Word]:
    furniture_ids = {id(word) for word in furniture.words(page.number)}
    return [word for word in page.words if id(word) not in furniture_ids]


def _figure_words(page: Page, text: PageText, words: Sequence[Word], measures: Measures) -> list[Word]:
    """Labels inside drawings: words there that do not look like a line of text."""
    labels: list[Word] = [word for word in words if word.turned]
    if page.read_by == "ocr" or not page.figures:
        return labels
    for part in text.segments_of(words):
        is_inside = any(box.holds(part.box) for box in page.figures) and not _is_prose(part, measures)
        if is_inside or _is_axis(part, page.figures, measures):
            labels += part.words
    return labels


def _is_axis(line: Line, figures: Sequence[Box], measures: Measures) -> bool:
    """Small or numeric text close around a drawing."""
    if is_caption_start(line) or len(line.words) > 12 or not any(box.holds(line.box, _AXIS) for box in figures):
        return False
    numeric = sum(word.text.lstrip("+-−–.").isdigit() for word in line.words)
    return line.size < 0.93 * measures.size or (numeric == len(line.words) and numeric > 1)


def _is_prose(line: Line, measures: Measures) -> bool:
    return len(line.words) >= 6 and abs(line.size - measures.size) <= 0.12 * measures.size


def _regions(page: Page, placed_lines: Sequence[PlacedLine], measures: Measures) -> list[Region]:
    page_regions: list[Region] = []
    for (_, column), group in groupby(placed_lines, key=lambda p: (p.band, p.column)):
        lines = [item.line for item in group]
        kinds = _settle(_kinds(page, lines, measures), lines, measures, page)
        page_regions += _group(
            page.number, column, [replace(ln, kind=k) for ln, k in zip(lines, kinds, strict=True)], measures
        )
    return page_regions


def _kinds(page: Page, lines: Sequence[Line], measures: Measures) -> list[RegionKind]:
    is_scanned = page.read_by == "ocr"
    return [kind_of(line, neighbours(lines, i), measures, is_scanned=is_scanned) for i, line in enumerate(lines)]


def _settle(kinds: list[RegionKind], lines: Sequence[Line], measures: Measures, page: Page) -> list[RegionKind]:
    """Extends captions to their end, headings over several lines, and footnotes to the foot of the page."""
    settled_kinds = list(kinds)
    for i in range(1, len(lines)):
        gap = lines[i].baseline - lines[i - 1].baseline
        is_close = gap <= 1.25 * max(measures.leading, lines[i - 1].size * 1.2)
        is_alike = abs(lines[i].size - lines[i - 1].size) <= 0.6
        if settled_kinds[i - 1] == "caption" and settled_kinds[i] in ("text", "formula") and is_close and is_alike:
            settled_kinds[i] = "caption"
        elif (
            settled_kinds[i - 1] == "heading"
            and settled_kinds[i] == "text"
            and is_close
            and _same_style(lines[i - 1], lines[i], measures)
        ):
            settled_kinds[i] = "heading"
        elif settled_kinds[i - 1] == "footnote" and settled_kinds[i] in ("text", "formula") and is_alike:
            settled_kinds[i] = "footnote"
        elif (
            settled_kinds[i] == "contents"
            and settled_kinds[i - 1] == "text"
            and NUMBERED_HEADING.match(lines[i - 1].text)
        ):
            settled_kinds[i - 1] = "contents"  # an entry on two lines
        elif (
            settled_kinds[i] == "text" and not has_words(lines[i]) and "formula" in settled_kinds[max(0, i - 2) : i + 3]
        ):
            settled_kinds[i] = "formula"
        elif (
            settled_kinds[i] == "text"
            and lines[i].box.top > _FOOT * page.height
            and is_footnote_start(lines[i], measures)
        ):
            settled_kinds[i] = "footnote"
    return settled_kinds


def _same_style(a: Line, b: Line, measures: Measures) -> bool:
    strong = b.share("bold") >= 0.9 or b.size >= 1.08 * measures.size
    return strong and abs(a.size - b.size) <= 0.6 and len(b.words) <= 12


def _group(page: int, column: int, lines: Sequence[Line], measures: Measures) -> list[Region]:
    groups: list[list[Line]] = []
    left_edge = min((line.box.left for line in lines), default=0.0)
    for i, line in enumerate(lines):
        if groups and line.kind == groups[-1][-1].kind and not _begins(lines[i - 1], line, left_edge, measures):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [Region(group[0].kind, tuple(group), bounding_box(ln.box for ln in group), page, column) for group in groups]


def _begins(line_before: Line, line: Line, left_edge: float, measures: Measures) -> bool:
    gap = line.baseline - line_before.baseline
    if line.kind == "code":
        return gap > 4.0 * line.size
    if line.kind == "heading":
        is_apart = gap > 1.6 * max(line.size, measures.size) or abs(line.size - line_before.size) > 1.0
        return is_apart or opens_section(line.text.strip(), line_before.text.strip())
    if line.kind == "caption":
        return is_caption_start(line)
    if gap > _PARAGRAPH_GAP * max(measures.leading, line_before.size):
        return True
    indent = line.box.left - line_before.box.left
    return (
        _INDENT[0] < indent < _INDENT[1] and line_before.box.left - left_edge < 4.0 and line_before.text.endswith(_ENDS)
    )


def _insert_tables(
    page: Page, regions: Sequence[Region], tables: Sequence[PageTable]
) -> tuple[list[Region], dict[int, PageTable]]:
    """Places each table before the first region below it in its column and records the index."""
    new_regions = list(regions)
    for table in tables:
        index = next((i for i, region in enumerate(new_regions) if _is_below(region.box, table.box)), len(new_regions))
        new_regions.insert(index, Region("table", (), table.box, page.number))
    by_box = {id(table.box): table for table in tables}
    return new_regions, {i: by_box[id(region.box)] for i, region in enumerate(new_regions) if id(region.box) in by_box}


def _is_below(region: Box, table: Box) -> bool:
    overlaps = region.left < table.right and region.right > table.left
    return overlaps and region.top >= table.middle_y


def _furniture_regions(page: Page, furniture: Furniture) -> list[Region]:
    return [
        Region(kind, (Line.of(words),), bounding_box(word.box for word in words), page.number)
        for kind, words in furniture.by_page.get(page.number, {}).items()
    ]


def _shift(tables_by_index: dict[int, PageTable], page: Page, furniture: Furniture) -> dict[int, PageTable]:
    by = len(furniture.by_page.get(page.number, {}))
    return {index + by: table for index, table in tables_by_index.items()}
