"""Pictures with text on a page that has a text layer, too: a scan under a letterhead or a stamp, a table as image."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from indexer.documents.page import Box, Page, Word, around
from indexer.documents.rows import rows

_LEAST_WIDTH, _LEAST_HEIGHT = 60.0, 20.0  # points: smaller pictures are logos and symbols
_LEAST_AREA = 0.02  # of the page
_MOST_PICTURES = 6  # of a page
_MOST_TILES = 400  # a scan may be cut into strips
_MOST_KNOWN = 1000  # words of a stamp
_TOUCHING = 2.0  # points
_STRIP = 20.0  # points: the height of a strip of a picture
_WITH_TEXT = 0.25  # of a picture's strips: then its text is in the text layer already
_FEWEST_LINES, _FEWEST_PIECES = 3, 3  # text and tables have lines of several words; photographs have not
_FEWEST_WORDS = 10
_WORD = re.compile(r"[^\W\d_]{3,}")


def picture_areas(page: Page) -> list[Box]:
    """Boxes of pictures that are large enough and whose text is not in the text layer; the largest first."""
    least = _LEAST_AREA * page.width * page.height
    whole = Box(0.0, 0.0, page.width, page.height)
    areas = [_within(box, whole) for box in _joined(page.pictures)]
    fit = [
        box
        for box in areas
        if box.width >= _LEAST_WIDTH and box.height >= _LEAST_HEIGHT and box.width * box.height >= least
    ]
    words = [word for part in page.parts for word in _on_page(part, page)]
    unread = [box for box in fit if not _has_text_layer(box, words)]
    return sorted(unread, key=lambda box: box.width * box.height, reverse=True)[:_MOST_PICTURES]


def _within(box: Box, whole: Box) -> Box:
    left, top = max(box.left, whole.left), max(box.top, whole.top)
    return Box(left, top, max(left, min(box.right, whole.right)), max(top, min(box.bottom, whole.bottom)))


def _joined(pictures: Sequence[Box]) -> list[Box]:
    """Pictures that touch each other are tiles of one."""
    out: list[Box] = []
    for box in pictures[:_MOST_TILES]:
        joined = box
        apart: list[Box] = []
        for other in out:
            if joined.touches(other, _TOUCHING):
                joined = around((joined, other))
            else:
                apart.append(other)
        out = [*apart, joined]
    return out


def _on_page(part: Page, page: Page) -> list[Word]:
    return [replace(word, box=part.place_on(page, word.box)) for word in part.words]


def _has_text_layer(picture: Box, words: Sequence[Word]) -> bool:
    """Whether words of the text layer are all over the picture, not only in a stamp or a line at its edge."""
    strips = max(1, round(picture.height / _STRIP))
    lettered = {int((word.box.middle_y - picture.top) / _STRIP) for word in words if picture.holds(word.box)}
    return len(lettered) >= max(_WITH_TEXT * strips, 1.0)


def is_text(found: Page) -> bool:
    """Whether what OCR read in a picture is text or a table: several lines of several words. The lines of a chart are
    numbers.
    """
    lines = [line for line in rows(found.words) if len(line.words) >= _FEWEST_PIECES and _WORD.search(line.text)]
    return len(lines) >= _FEWEST_LINES and sum(len(line.words) for line in lines) >= _FEWEST_WORDS


def moved(found: Page, area: Box, page: Page) -> Page:
    """The text read from a picture as an aside of the page with the picture, without words that the page has there."""
    whole = Page(found.number, area.width, area.height)
    sideways = found.turn % 180.0 != 0.0
    width, height = (page.height, page.width) if sideways else (page.width, page.height)
    aside = replace(found, width=width, height=height)
    back = Page(found.number, page.width, page.height, turn=-found.turn)
    known = [word.box for word in page.words if area.holds(word.box)][:_MOST_KNOWN]
    words = []
    for word in found.words:
        box = found.place_on(whole, word.box)
        box = Box(box.left + area.left, box.top + area.top, box.right + area.left, box.bottom + area.top)
        if not any(one.holds(box) for one in known):
            upright = back.place_on(aside, box)
            words.append(replace(word, box=upright, baseline=upright.bottom + word.baseline - word.box.bottom))
    return replace(aside, words=tuple(words))
