"""The text layer of a PDF page: words in the direction in which they are written, with the page's rules and figures.

pdfium (pypdfium2, BSD/Apache) is built without JavaScript and XFA: scripts in a document never run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import pypdfium2 as pdfium

from indexer.documents.parse.model import Line, Page
from indexer.documents.parse.pdf.drawings import find_drawings
from indexer.documents.parse.pdf.glyphs import MOST_CHARACTERS, Frame, Glyph, read_glyphs, turn_page
from indexer.documents.parse.pdf.reading_order import rows, segments
from indexer.documents.parse.pdf.symbols import UNKNOWN
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
            shown_page = _read(page, index + 1, [glyph for glyph in glyphs if not _is_written(glyph, other_angles)])
    finally:
        page.close()
    if not rotation and not other_angles:
        return replace(shown_page, left_out=left_out_count)
    turned_page = _TurnedPage(document, index)
    if rotation:
        shown_page = turned_page.read(rotation, other_angles)
    parts = [replace(turned_page.read(angle), turn=float((angle - rotation) % 360)) for angle in other_angles]
    turned_page.restore(rotation, size)
    return _add_asides(replace(shown_page, left_out=left_out_count), parts)


def _glyphs(page: pdfium.PdfPage) -> tuple[list[Glyph], int]:
    """The characters that are read, and how many more there are."""
    textpage = page.get_textpage()
    try:
        return read_glyphs(textpage, Frame.of(page)), max(0, textpage.count_chars() - MOST_CHARACTERS)
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


def _is_written(glyph: Glyph, angles: Iterable[int], page_angle: int = 0) -> bool:
    """Whether a character, on a page turned by ``page_angle``, was written at one of these angles."""
    return any(_angle_between(glyph.style.angle + page_angle, angle) <= _ASKEW for angle in angles)


class _TurnedPage:
    """One page that is turned from direction to direction."""

    def __init__(self, document: pdfium.PdfDocument, index: int) -> None:
        self._document, self._index = document, index
        self._page_angle = 0

    def read(self, angle: int, other_angles: Sequence[int] | None = None) -> Page:
        """The page with text of this angle upright, without ``other_angles``; None: of no other angle."""
        page = turn_page(self._document, self._index, angle - self._page_angle)
        self._page_angle = angle
        try:
            glyphs, _ = _glyphs(page)
            if other_angles is None:
                glyphs = [glyph for glyph in glyphs if glyph.style.is_upright]
            else:
                glyphs = [glyph for glyph in glyphs if not _is_written(glyph, other_angles, angle)]
            return _read(page, self._index + 1, glyphs)
        finally:
            page.close()

    def restore(self, angle: int, size: tuple[float, float]) -> None:
        """Turns the page back to how it is shown."""
        turn_page(self._document, self._index, angle - self._page_angle, size).close()


def _read(page: pdfium.PdfPage, number: int, glyphs: Sequence[Glyph]) -> Page:
    frame = Frame.of(page)
    drawings = find_drawings(page, frame)
    inked_words = [item for item in join_glyphs(glyphs) if item.word.box.is_finite]
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
    asides = [part for part in parts if part.words and _is_text(part, shown_page)]
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


def _is_text(part: Page, shown_page: Page) -> bool:
    """Whether turned words are text: a block of lines, a long line, or all that the page has. Else they are labels."""
    if sum(not word.turned for word in shown_page.words) < _FEW_UPRIGHT:
        return True
    lines = [segment for row in rows(part.words) for segment in segments(row)]
    return any(len(line.words) >= _LONG_ROW for line in lines) or _is_block(rows(part.words))


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
