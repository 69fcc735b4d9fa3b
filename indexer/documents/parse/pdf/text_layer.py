"""The text layer of a PDF page: words in the direction in which they are written, with the rules, figures and pictures.

pdfium (pypdfium2, BSD/Apache) is built without JavaScript and XFA: scripts in a document never run.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from indexer.documents.parse.model import Box, Line, Page, Rule, Word, bounding_box
from indexer.documents.parse.pdf.glyphs import MOST_CHARACTERS, UNKNOWN, Frame, Glyph, Style, read_glyphs, turn_page
from indexer.documents.parse.pdf.reading_order import rows, segments
from indexer.documents.parse.pdf.words import join_glyphs, repair_spacing, visible_words

_ASKEW = 3  # degrees between two directions that count as one
_MOST_DIRECTIONS = 4
_FEWEST_TURNED = 3  # characters at a right angle: fewer are read letter by letter
_FEWEST_ASLANT = 12  # characters at another angle: the labels of contour lines are shorter
_FEWEST_ROWS = 3  # of turned text that is read as text: fewer are the labels of axes
_FEWEST_WORDS = 2  # of such a row, on average
_LONG_ROW = 8  # words: longer than the label of an axis
_MAX_LEADING = 2.5  # of the size: the widest distance of rows of one text
_FEW_UPRIGHT = 5  # words: a page with fewer is turned as a whole


def read_page(document: pdfium.PdfDocument, index: int) -> Page:
    """Words, rules and figures of one page; a page without a text layer has no words.

    Text of another direction than the shown page's is an aside; if it is only a few labels, they are marked
    ``turned``. Afterwards ``document`` has the page as it is shown.
    """
    page = document[index]
    try:
        size = page.get_size()
        rotation = page.get_rotation()
        glyphs, left_out_count = _glyphs(page)
        other_angles = _directions(glyphs, rotation)
        if not rotation:
            if other_angles:
                glyphs = [glyph for glyph in glyphs if not _is_written(glyph.style, other_angles)]
            shown_page = _read(page, index + 1, glyphs)
    finally:
        page.close()
    if not rotation and not other_angles:
        return replace(shown_page, left_out=left_out_count)
    turned_page = _TurnedPage(document, index)
    if rotation:
        shown_page = turned_page.read(rotation, other_angles)
    parts = [
        replace(turned_page.read_part(angle, shown_page), turn=float((angle - rotation) % 360))
        for angle in other_angles
    ]
    turned_page.restore(rotation, size)
    return _add_asides(replace(shown_page, left_out=left_out_count), parts)


def _glyphs(page: pdfium.PdfPage, is_read: Callable[[Style], bool] | None = None) -> tuple[list[Glyph], int]:
    """The characters that are read, and how many more there are."""
    textpage = page.get_textpage()
    try:
        return read_glyphs(textpage, Frame.of(page), is_read), max(0, textpage.count_chars() - MOST_CHARACTERS)
    finally:
        textpage.close()


def _directions(glyphs: Sequence[Glyph], rotation: int) -> list[int]:
    """The angles of enough characters, most characters first, without that of text upright on the shown page."""
    counts: Counter[int] = Counter()
    for angle, count in Counter(glyph.style.angle for glyph in glyphs).items():
        near_angle = next(
            (
                known_angle
                for known_angle in (rotation, 0, 90, 180, 270, *counts)
                if _angle_between(known_angle, angle) <= _ASKEW
            ),
            angle,
        )
        counts[near_angle] += count
    frequent_angles = [
        angle
        for angle, count in counts.most_common()
        if angle != rotation and count >= (_FEWEST_ASLANT if angle % 90 else _FEWEST_TURNED)
    ]
    return frequent_angles[:_MOST_DIRECTIONS]


def _angle_between(a: int, b: int) -> int:
    return min((a - b) % 360, (b - a) % 360)


def _is_written(style: Style, angles: Iterable[int], page_angle: int = 0) -> bool:
    """Whether a character, on a page turned by ``page_angle``, was written at one of these angles."""
    return any(_angle_between(style.angle + page_angle, angle) <= _ASKEW for angle in angles)


class _TurnedPage:
    """One page that is turned from direction to direction."""

    def __init__(self, document: pdfium.PdfDocument, index: int) -> None:
        self._document, self._index = document, index
        self._page_angle = 0

    def read(self, angle: int, other_angles: Sequence[int]) -> Page:
        """The page with text of this angle upright, without ``other_angles``."""
        with self._turned(angle) as page:
            glyphs, _ = _glyphs(page, lambda style: not _is_written(style, other_angles, angle))
            return _read(page, self._index + 1, glyphs)

    def read_part(self, angle: int, shown_page: Page) -> Page:
        """The text of this angle alone. Drawings are looked for only where it may be more than a few labels."""
        with self._turned(angle) as page:
            glyphs, _ = _glyphs(page, lambda style: style.is_upright)
            return _read(page, self._index + 1, glyphs, shown_page)

    @contextmanager
    def _turned(self, angle: int) -> Iterator[pdfium.PdfPage]:
        page = turn_page(self._document, self._index, angle - self._page_angle)
        self._page_angle = angle
        try:
            yield page
        finally:
            page.close()

    def restore(self, angle: int, size: tuple[float, float]) -> None:
        """Turns the page back to how it is shown."""
        turn_page(self._document, self._index, angle - self._page_angle, size).close()


def _read(page: pdfium.PdfPage, number: int, glyphs: Sequence[Glyph], shown_page: Page | None = None) -> Page:
    """``shown_page``: the page of which this is text of another direction."""
    frame = Frame.of(page)
    inked_words = [item for item in join_glyphs(glyphs) if item.word.box.is_finite]
    is_text = shown_page is None or _is_text([item.word for item in inked_words], shown_page)
    needs_drawings = is_text or any(item.ink == "none" for item in inked_words)
    drawings = find_drawings(page, frame) if needs_drawings else Drawings((), (), ())
    words, hidden_count = visible_words(page, inked_words, frame, drawings.pictures)
    return Page(
        number,
        frame.width,
        frame.height,
        tuple(repair_spacing(words)),
        drawings.rules,
        drawings.figures,
        "text" if words else "none",
        pictures=drawings.pictures,
        hidden=hidden_count,
        unknown=sum(word.text.count(UNKNOWN) for word in words),
    )


def _add_asides(shown_page: Page, parts: Sequence[Page]) -> Page:
    asides = [part for part in parts if part.words and _is_text(part.words, shown_page)]
    aside_ids = {id(part) for part in asides}
    labels = [
        replace(word, box=part.place_on(shown_page, word.box), turned=True)
        for part in parts
        if id(part) not in aside_ids
        for word in part.words
    ]
    return replace(
        shown_page,
        words=(*shown_page.words, *labels),
        read_by="text" if shown_page.words or labels or asides else "none",
        asides=tuple(asides),
        hidden=shown_page.hidden + sum(part.hidden for part in parts),
        unknown=shown_page.unknown + sum(part.unknown for part in parts),
    )


def _is_text(words: Sequence[Word], shown_page: Page) -> bool:
    """Whether turned words are text: a block of lines, a long line, or all that the page has. Else they are labels."""
    if sum(not word.turned for word in shown_page.words) < _FEW_UPRIGHT:
        return True
    lines = rows(words)
    return any(len(part.words) >= _LONG_ROW for line in lines for part in segments(line)) or _is_block(lines)


def _is_block(lines: Sequence[Line]) -> bool:
    """Whether enough rows are close below each other."""
    block: list[Line] = list(lines[:1])
    for upper_line, line in pairwise(lines):
        if line.baseline - upper_line.baseline > _MAX_LEADING * line.size:
            block = []
        block.append(line)
        if len(block) >= _FEWEST_ROWS and sum(len(row.words) for row in block) >= _FEWEST_WORDS * len(block):
            return True
    return False


_MOST_OBJECTS = 20_000  # a map drawn cell by cell has more; its outline is known long before
_RULE_THICKNESS = 2.5


@dataclass(frozen=True, slots=True)
class Drawings:
    """``figures``: pictures and drawings with many strokes, smaller than the page; ``pictures``: all bitmaps."""

    rules: tuple[Rule, ...]
    figures: tuple[Box, ...]
    pictures: tuple[Box, ...]


def find_drawings(page: pdfium.PdfPage, frame: Frame) -> Drawings:
    """What is drawn on the page, in the coordinates of ``frame``."""
    rules: list[Rule] = []
    images: list[Box] = []
    strokes: list[tuple[Box, bool]] = []
    for number, page_object in enumerate(page.get_objects(max_depth=3)):
        if number >= _MOST_OBJECTS:
            break
        if page_object.type not in (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING):
            continue
        outer_matrix = _outer(page_object)
        try:
            bounds = page_object.get_bounds()
        except pdfium.PdfiumError:
            continue
        box = frame.box(*(bounds if outer_matrix is None else outer_matrix.on_rect(*bounds)))
        if page_object.type == raw.FPDF_PAGEOBJ_IMAGE:
            images.append(box)
            continue
        if max(box.width, box.height) <= _SHORTEST_RULE and page_object.type == raw.FPDF_PAGEOBJ_PATH:
            strokes.append((box, not _is_dot(box)))
            continue
        path_rules = _rules_of(page_object, box, frame, outer_matrix)
        rules += path_rules
        strokes.append((box, not path_rules))
    page_area_limit = 0.85 * frame.width * frame.height
    figures = [box for box in (*images, *_clusters(strokes)) if 400 < box.width * box.height < page_area_limit]
    return Drawings(
        tuple(rule for rule in rules if rule.box.is_finite),
        tuple(box for box in figures if box.is_finite),
        tuple(box for box in images if box.is_finite),
    )


def _outer(page_object: pdfium.PdfObject) -> pdfium.PdfMatrix | None:
    """The matrix from a form's coordinates (a drawing placed on the page as a unit) to the page's."""
    outer_matrix = None
    form = page_object.container
    while form is not None:
        outer_matrix = form.get_matrix() if outer_matrix is None else outer_matrix.multiply(form.get_matrix())
        form = form.container
    return outer_matrix


_SHORTEST_RULE = 5.0  # points: the border of a cell drawn alone
_MOST_SEGMENTS = 200  # of one path that can be a grid


def _rules_of(
    page_object: pdfium.PdfObject, box: Box, frame: Frame, outer_matrix: pdfium.PdfMatrix | None
) -> list[Rule]:
    """The rules in a path: the path itself if it is thin, or the sides of rectangles; none if a line is not straight
    and either horizontal or vertical.
    """
    if min(box.width, box.height) <= _RULE_THICKNESS:
        return [Rule(box)] if max(box.width, box.height) > _SHORTEST_RULE else []
    points = _points(page_object, outer_matrix)
    if points is None:
        return []
    rules = []
    for (x1, y1), (x2, y2) in points:
        side = frame.box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
        if min(side.width, side.height) > 1.0:
            return []
        if max(side.width, side.height) > _SHORTEST_RULE:
            rules.append(Rule(side))
    return rules


def _is_dot(box: Box) -> bool:
    """Whether it is a dot as wide as a border, which some programs draw where borders meet. Map marks are larger."""
    return max(box.width, box.height) <= 1.5


def _points(
    page_object: pdfium.PdfObject, outer_matrix: pdfium.PdfMatrix | None
) -> list[tuple[tuple[float, float], tuple[float, float]]] | None:
    """The straight pieces of a path, in PDF coordinates; None if it has a curve or too many pieces."""
    count = raw.FPDFPath_CountSegments(page_object.raw) if page_object.type == raw.FPDF_PAGEOBJ_PATH else 0
    if not 2 <= count <= _MOST_SEGMENTS:
        return None
    matrix = page_object.get_matrix() if outer_matrix is None else page_object.get_matrix().multiply(outer_matrix)
    x, y = ctypes.c_float(), ctypes.c_float()
    pieces = []
    start_point = last = (0.0, 0.0)
    for index in range(count):
        segment = raw.FPDFPath_GetPathSegment(page_object.raw, index)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_BEZIERTO:
            return None
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        point = matrix.on_point(x.value, y.value)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            start_point = point
        else:
            pieces.append((last, point))
        last = point
        if raw.FPDFPathSegment_GetClose(segment):
            pieces.append((last, start_point))
    return pieces


_FEWEST_STROKES = 12
_NEAR_POINTS = 8.0


def _clusters(strokes: list[tuple[Box, bool]]) -> list[Box]:
    """Outlines of drawings: at least a dozen strokes that touch each other. They must not all be rules (flag False),
    because rules alone border a table or a text. The outline encloses the other strokes.
    """
    clusters: list[_Cluster] = []
    for box, is_free in sorted(strokes[:4000], key=lambda cluster: (cluster[0].top, cluster[0].left)):
        joined_cluster = _Cluster(box, box if is_free else None, 1)
        separate_clusters: list[_Cluster] = []
        for other in clusters:
            if joined_cluster.box.touches(other.box, _NEAR_POINTS):
                joined_cluster = joined_cluster.with_(other)
            else:
                separate_clusters.append(other)
        clusters = [*separate_clusters, joined_cluster]
    drawn_boxes = [
        cluster.drawn_box for cluster in clusters if cluster.count >= _FEWEST_STROKES and cluster.drawn_box is not None
    ]
    return [box for box in drawn_boxes if min(box.width, box.height) > 30]


@dataclass(frozen=True, slots=True)
class _Cluster:
    """``drawn_box``: the outline of all strokes that are not rules."""

    box: Box
    drawn_box: Box | None
    count: int

    def with_(self, cluster: _Cluster) -> _Cluster:
        drawn_boxes = [box for box in (self.drawn_box, cluster.drawn_box) if box is not None]
        return _Cluster(
            bounding_box((self.box, cluster.box)),
            bounding_box(drawn_boxes) if drawn_boxes else None,
            self.count + cluster.count,
        )
