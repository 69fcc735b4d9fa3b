"""A PDF under construction that records what it prints: regions, tables and paragraphs, with their places."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from reportlab.lib.colors import Color, black
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from tests.quality.layouts.contents import Author, Cells

FONTS = {
    "serif": ("Times-Roman", "Times-Bold", "Times-Italic"),
    "sans": ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique"),
    "mono": ("Courier", "Courier-Bold", "Courier-Oblique"),
}
_STYLES = ("regular", "bold", "italic")
_SCRIPT = 0.65  # of the size: a mark behind a name


@dataclass(slots=True)
class PrintedRegion:
    kind: str
    page: int
    text: str
    left: float
    top: float
    right: float
    bottom: float


@dataclass(slots=True)
class TrueTable:
    page: int
    rows: tuple[tuple[str, ...], ...]
    header: int
    style: str


@dataclass(slots=True)
class Truth:
    """What a reader of the document sees. ``paragraphs``: running text, each to be found whole."""

    family: str
    title: str = ""
    authors: list[str] = field(default_factory=list)
    year: int | None = None
    tables: list[TrueTable] = field(default_factory=list)
    regions: list[PrintedRegion] = field(default_factory=list)
    paragraphs: list[str] = field(default_factory=list)
    pages: int = 1


@dataclass(frozen=True, slots=True)
class PrintColumn:
    """A column to fill, in points from the upper left corner."""

    left: float
    top: float
    width: float
    bottom: float


@dataclass(frozen=True, slots=True)
class BodyPart:
    """A part of the body: ``heading``, ``text``, ``reference``, ``table``, ``code``, ``chart`` or ``formula``."""

    kind: str
    text: str = ""
    cells: Cells | None = None
    style: str = ""
    caption: str = ""


class Sheet:
    """``y`` is the baseline of the next line, in points from the top."""

    def __init__(self, family: str, width: float = 595.0, height: float = 842.0, font: str = "serif") -> None:
        self.width, self.height, self.font = width, height, font
        self.buffer = io.BytesIO()
        self.canvas = Canvas(self.buffer, pagesize=(width, height), invariant=1)
        self.truth = Truth(family)
        self.page = 1
        self.y = 72.0
        self.furniture: Callable[[Sheet], None] = lambda _: None

    def face(self, style: str, font: str = "") -> str:
        return FONTS[font or self.font][_STYLES.index(style)]

    def turn_page(self) -> None:
        self.canvas.showPage()
        self.page += 1
        self.truth.pages = self.page
        self.furniture(self)

    def data(self) -> bytes:
        self.canvas.save()
        return self.buffer.getvalue()

    def rule(self, left: float, top: float, right: float, bottom: float, width: float = 0.6) -> None:
        self.canvas.setLineWidth(width)
        self.canvas.line(left, self.height - top, right, self.height - bottom)

    def fill(self, left: float, top: float, right: float, bottom: float, grey: float = 0.85) -> None:
        self.canvas.setFillColor(Color(grey, grey, min(1.0, grey + 0.05)))
        self.canvas.rect(left, self.height - bottom, right - left, bottom - top, stroke=0, fill=1)
        self.canvas.setFillColor(black)

    def text(
        self, x: float, y: float, text: str, size: float, style: str = "regular", font: str = "", white: bool = False
    ) -> float:
        """One line with its marks (``^1^`` is raised); its right end."""
        for place, part in enumerate(text.split("^")):
            height, rise = (size * _SCRIPT, size * 0.35) if place % 2 else (size, 0.0)
            self.canvas.setFillColor(Color(1, 1, 1) if white else black)
            self.canvas.setFont(self.face(style, font), height)
            self.canvas.drawString(x, self.height - y + rise, part)
            x += stringWidth(part, self.face(style, font), height)
        self.canvas.setFillColor(black)
        return x

    def length(self, text: str, size: float, style: str = "regular", font: str = "") -> float:
        widths = [
            stringWidth(part, self.face(style, font), size * _SCRIPT if place % 2 else size)
            for place, part in enumerate(text.split("^"))
        ]
        return float(sum(widths))

    def lines(self, text: str, width: float, size: float, style: str = "regular", font: str = "") -> list[str]:
        lines: list[str] = []
        for word in text.split(" "):
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self.length(longer, size, style, font) <= width:
                lines[-1] = longer
            else:
                lines.append(word)
        return lines

    def write(
        self,
        text: str,
        left: float,
        width: float,
        size: float,
        *,
        kind: str,
        style: str = "regular",
        font: str = "",
        align: str = "left",
        leading: float = 1.2,
        after: float = 0.0,
        white: bool = False,
    ) -> None:
        """A block from ``y`` on, which moves below it; records its region."""
        top = self.y - size
        for line in self.lines(text, width, size, style, font):
            spare = width - self.length(line, size, style, font)
            x = left + {"left": 0.0, "center": spare / 2.0, "right": spare}[align]
            self.text(x, self.y, line, size, style, font, white)
            self.y += leading * size
        self.note(kind, text, left, top, left + width, self.y - size)
        self.y += after

    def note(self, kind: str, text: str, left: float, top: float, right: float, bottom: float) -> None:
        text_without_marks = "".join(part for place, part in enumerate(text.split("^")) if place % 2 == 0)
        self.truth.regions.append(PrintedRegion(kind, self.page, text_without_marks, left, top, right, bottom))

    def flow(
        self, items: Sequence[BodyPart], first: Sequence[PrintColumn], later_columns: Sequence[PrintColumn], size: float
    ) -> None:
        """Fills the frames of this page, then those of new pages; paragraphs continue in the next frame."""
        frames = self._frames(first, later_columns)
        frame = next(frames)
        self.y = frame.top + size
        for item in items:
            needed = _height(self, item, frame.width, size)
            if self.y + needed > frame.bottom:
                frame = next(frames)
                self.y = frame.top + size
            if item.kind in ("text", "reference", "list"):
                frame = self._paragraph(item, frame, frames, size)
            else:
                draw(self, item, frame, size)

    def _frames(self, first: Sequence[PrintColumn], later_columns: Sequence[PrintColumn]) -> Iterator[PrintColumn]:
        yield from first
        while True:
            self.turn_page()
            yield from later_columns

    def _paragraph(self, item: BodyPart, frame: PrintColumn, frames: Iterator[PrintColumn], size: float) -> PrintColumn:
        if item.kind == "text":
            self.truth.paragraphs.append(item.text)
        for line in self.lines(item.text, frame.width - 10.0, size):
            if self.y > frame.bottom:
                frame = next(frames)
                self.y = frame.top + size
            self.text(frame.left, self.y, line, size)
            self.note(item.kind, line, frame.left, self.y - size, frame.left + frame.width, self.y + 0.3 * size)
            self.y += 1.2 * size
        self.y += 0.5 * size
        return frame


def _height(sheet: Sheet, item: BodyPart, width: float, size: float) -> float:
    if item.cells is not None:
        return _table_height(sheet, item, width, size)
    return {
        "chart": 150.0,
        "formula": 3 * size,
        "heading": 4.5 * size,
        "code": 1.2 * size * (item.text.count("\n") + 2),
    }.get(item.kind, 2.4 * size)


def draw(sheet: Sheet, item: BodyPart, frame: PrintColumn, size: float) -> None:
    """Draws a part that no frame splits."""
    if item.cells is not None:
        draw_table(sheet, item, frame, size)
    elif item.kind == "heading":
        sheet.y += size
        sheet.write(item.text, frame.left, frame.width, size + 1.0, kind="heading", style="bold", after=0.5 * size)
    elif item.kind == "code":
        for line in item.text.split("\n"):
            sheet.write(line, frame.left, 400.0, 0.85 * size, kind="code", font="mono")
        sheet.y += size
    elif item.kind == "formula":
        sheet.y += size
        sheet.write(item.text, frame.left + 30.0, frame.width, size, kind="formula", style="italic", after=size)
    elif item.kind == "chart":
        _chart(sheet, item, frame, size)


def _chart(sheet: Sheet, item: BodyPart, frame: PrintColumn, size: float) -> None:
    """Axes with numbers, a grid, a curve of short strokes and a legend."""
    left, top, right, bottom = frame.left + 30.0, sheet.y, frame.left + min(frame.width, 260.0), sheet.y + 100.0
    for step in range(6):
        x, y = left + (right - left) * step / 5.0, top + (bottom - top) * step / 5.0
        sheet.rule(left, y, right, y, 0.3)
        sheet.rule(x, top, x, bottom, 0.3)
        sheet.text(left - 24.0, y + 2.0, f"{(5 - step) * 20}", 0.7 * size, font="sans")
        sheet.text(x - 6.0, bottom + 9.0, f"{1990 + step * 5}", 0.7 * size, font="sans")
    heights = [(step * 37 + len(item.caption)) % 90 for step in range(21)]
    for step, (first, second) in enumerate(pairwise(heights)):
        x = left + (right - left) * step / 20.0
        sheet.rule(x, top + 5.0 + first, x + (right - left) / 20.0, top + 5.0 + second, 1.0)
    for row, name in enumerate(("observed", "modelled")):
        sheet.text(right - 50.0, top + 12.0 + 9.0 * row, name, 0.7 * size, font="sans")
    sheet.note("chart", "", left - 24.0, top, right, bottom + 10.0)
    sheet.y = bottom + 26.0
    sheet.write(item.caption, frame.left, frame.width, 0.9 * size, kind="caption", after=1.2 * size)


STYLES = ("booktabs", "grid", "shaded", "zebra", "header", "plain", "levels", "uprights")
"""Rules above, below the head and below the body; all; all with a grey head, cell by cell; none but grey rows; one
below the head; none; between all rows; between all columns.
"""


def _widths(sheet: Sheet, cells: Cells, width: float, size: float) -> list[float]:
    """Of the columns: as wide as their words, the last one narrower if it holds text."""
    natural = [
        max(sheet.length(row[c], size) for row in cells.rows if not (cells.spans and row is cells.rows[0])) + 12.0
        for c in range(len(cells.rows[0]))
    ]
    if natural[-1] > 0.4 * width:
        natural[-1] = max(80.0, width - sum(natural[:-1]))
    if cells.spans:  # a head over two columns needs their width
        natural[1:] = [
            max(w, sheet.length(cells.rows[0][1 + 2 * (c // 2)], size, "bold") / 2.0 + 8.0)
            for c, w in enumerate(natural[1:])
        ]
    spare = max(0.0, width - sum(natural)) / len(natural)
    return [value + min(spare, 40.0) for value in natural]


def _wrapped(sheet: Sheet, cells: Cells, widths: Sequence[float], size: float) -> list[list[list[str]]]:
    return [
        [
            [text]
            if cells.spans and number == 0
            else sheet.lines(text, widths[column] - 8.0, size, "bold" if number < cells.header else "regular")
            for column, text in enumerate(row)
        ]
        for number, row in enumerate(cells.rows)
    ]


def _table_height(sheet: Sheet, item: BodyPart, width: float, size: float) -> float:
    assert item.cells is not None
    widths = _widths(sheet, item.cells, width, 0.9 * size)
    lines = sum(max(map(len, row)) for row in _wrapped(sheet, item.cells, widths, 0.9 * size))
    return size * (1.1 * lines + 0.7 * len(item.cells.rows) + 5.0)


def fits(sheet: Sheet, cells: Cells, width: float, size: float) -> bool:
    return sum(_widths(sheet, cells, width, 0.9 * size)) <= width + 1.0


def draw_table(sheet: Sheet, item: BodyPart, frame: PrintColumn, body_size: float) -> None:
    """The caption, then the rows in one of ``STYLES``."""
    cells, size = item.cells, 0.9 * body_size
    assert cells is not None
    if item.caption:
        sheet.write(
            item.caption,
            frame.left,
            frame.width,
            size,
            kind="caption",
            style="bold" if item.style in ("shaded", "header") else "regular",
            after=2.0,
        )
    widths = _widths(sheet, cells, frame.width, size)
    xs = [frame.left + sum(widths[:count]) for count in range(len(widths) + 1)]
    ys, top = [sheet.y - size], sheet.y - size
    wrapped = _wrapped(sheet, cells, widths, size)
    for row in wrapped:
        ys.append(ys[-1] + max(map(len, row)) * 1.15 * size + 0.7 * size)
    _shade(sheet, item.style, xs, ys, cells.header)
    _rule_table(sheet, item.style, xs, ys, cells)
    for number, row in enumerate(wrapped):
        for column, lines in enumerate(row):
            is_head = number < cells.header
            for place, line in enumerate(lines):
                y = ys[number] + 1.25 * size + place * 1.15 * size
                is_number = (
                    column
                    and not is_head
                    and len(lines) == 1
                    and line[:1].isdigit()
                    and item.style in ("booktabs", "plain", "zebra")
                )
                x = xs[column + 1] - 6.0 - sheet.length(line, size) if is_number else xs[column] + 4.0
                if cells.spans and number == 0 and column:
                    x = (xs[column] + xs[min(column + 2, len(xs) - 1)]) / 2.0 - sheet.length(line, size, "bold") / 2.0
                sheet.text(x, y, line, size, "bold" if is_head else "regular")
    sheet.note("table", "", xs[0], top, xs[-1], ys[-1])
    sheet.truth.tables.append(TrueTable(sheet.page, cells.rows, cells.header, item.style))
    sheet.y = ys[-1] + 2.4 * body_size


def _shade(sheet: Sheet, style: str, xs: Sequence[float], ys: Sequence[float], header: int) -> None:
    if style == "shaded":  # cell by cell, as office programs do
        for top, bottom in list(pairwise(ys))[:header]:
            for left, right in pairwise(xs):
                sheet.fill(left + 0.5, top + 0.5, right - 0.5, bottom - 0.5)
    if style == "zebra":
        for place, (top, bottom) in enumerate(pairwise(ys)):
            if place < header or place % 2:
                sheet.fill(xs[0], top, xs[-1], bottom, 0.7 if place < header else 0.92)


def _rule_table(sheet: Sheet, style: str, xs: Sequence[float], ys: Sequence[float], cells: Cells) -> None:
    head = ys[cells.header]
    levels = {
        "booktabs": [ys[0], head, ys[-1]],
        "grid": list(ys),
        "shaded": list(ys),
        "header": [head],
        "levels": list(ys),
        "uprights": [ys[0], head, ys[-1]],
    }.get(style, [])
    for y in levels:
        if style in ("grid", "shaded"):
            for column, (left, right) in enumerate(pairwise(xs)):  # a head over two rows has no rule inside
                if not (cells.spans and y == ys[1] and column == 0):
                    sheet.rule(left, y, right, y)
        else:
            sheet.rule(xs[0], y, xs[-1], y, 0.9 if y in (ys[0], ys[-1]) else 0.5)
    if style == "booktabs" and cells.spans:
        for column in range(1, len(xs) - 1, 2):
            sheet.rule(xs[column] + 4.0, ys[1], xs[column + 2] - 4.0, ys[1], 0.4)
    for place, x in enumerate(xs):
        if style in ("grid", "shaded"):
            is_inside = cells.spans and place % 2 == 0 and 0 < place < len(xs) - 1
            sheet.rule(x, ys[1] if is_inside else ys[0], x, ys[-1])
        elif style == "uprights" and 0 < place < len(xs) - 1:
            is_inside = cells.spans and place % 2 == 0
            sheet.rule(x, ys[1] if is_inside else ys[0], x, ys[-1], 0.4)


def body(
    author: Author,
    sheet: Sheet,
    width: float,
    size: float,
    *,
    tables: int = 2,
    sections: int = 4,
    label: str = "Table {}. {}",
    numbered: bool = False,
) -> list[BodyPart]:
    """Sections of paragraphs with tables, charts, formulas and references, as in a paper or report."""
    items: list[BodyPart] = []
    names = ["Introduction", *(author.heading() for _ in range(sections - 2)), "Conclusions"]
    table_sections = [author.random.randrange(sections) for _ in range(tables)]
    count = 0
    for section, name in enumerate(names):
        items.append(BodyPart("heading", f"{section + 1}. {name}" if numbered else name))
        items += [BodyPart("text", author.paragraph()) for _ in range(author.random.randint(2, 4))]
        if author.chance(0.4):
            items.append(BodyPart("chart", caption=f"Figure {section + 1}. {author.title()}."))
        if author.chance(0.3):
            items.append(BodyPart("formula", f"Q = a + b T + c P ({section + 1})"))
        for _ in range(table_sections.count(section)):
            count += 1
            items += [
                table(author, sheet, width, size, label.format(count, author.title())),
                BodyPart("text", author.paragraph()),
            ]
    return items


def table(
    author: Author, sheet: Sheet, width: float, size: float, caption: str, styles: Sequence[str] = STYLES
) -> BodyPart:
    style = author.choice(list(styles))
    cells = author.cells(3, 5)
    for columns in (author.random.randint(3, 9), 5, 4, 3, 2):
        cells = author.cells(
            columns,
            author.random.randint(4, 14),
            long=columns in (3, 4) and style in ("grid", "shaded", "levels") and author.chance(0.3),
        )
        if fits(sheet, cells, width, size):
            break
    return BodyPart("table", cells=cells, style=style, caption=caption)
