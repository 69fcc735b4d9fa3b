"""Leaves out words that no reader of the page sees: white or transparent, without ink, tiny, or outside the page.

Text can be put into a file for machines alone. A white word is seen on a dark ground, and a word without ink (as OCR
puts it under the picture of a page) stands for what the picture shows there. So these are looked up in the rendered
page: where it is empty, nobody sees the word.
"""

from __future__ import annotations

from collections.abc import Sequence

import pypdfium2 as pdfium
from PIL import Image

from indexer.documents.page import Box, Word
from indexer.documents.pdf_frame import Frame
from indexer.documents.pdf_words import InkedWord

_SMALLEST = 1.5  # points
_SCALE = 1.5  # pixels a point
_MOST_PIXELS = 4_000_000
_MOST_PICTURES = 100  # of a page that are looked at: more are a pattern of tiles
_CONTRAST = 24  # of 255: less is the grain of paper
_AROUND = 1.0  # points


def seen_words(
    page: pdfium.PdfPage, words: Sequence[InkedWord], frame: Frame, pictures: Sequence[Box]
) -> tuple[list[Word], int]:
    """The words that can be seen, and how many cannot. What OCR wrote over ``pictures`` counts as seen: it may be a
    little beside its letters.
    """
    inside = [one for one in words if _is_inside(one.word.box, frame) and not _is_tiny(one.word)]
    sure = [one.ink == "seen" or (one.ink == "none" and _is_on(one.word.box, pictures)) for one in inside]
    look = None if all(sure) else _Rendered(page, frame)
    kept = [
        is_sure or (look is not None and look.shows(one.word.box)) for one, is_sure in zip(inside, sure, strict=True)
    ]
    return [one.word for one, is_kept in zip(inside, kept, strict=True) if is_kept], len(words) - sum(kept)


def _is_on(box: Box, pictures: Sequence[Box]) -> bool:
    return any(picture.holds(box) for picture in pictures[:_MOST_PICTURES])


def _is_inside(box: Box, frame: Frame) -> bool:
    return 0.0 <= box.middle_x <= frame.width and 0.0 <= box.middle_y <= frame.height


def _is_tiny(word: Word) -> bool:
    return word.size < _SMALLEST and word.box.height < _SMALLEST


class _Rendered:
    """The page as grey pixels."""

    def __init__(self, page: pdfium.PdfPage, frame: Frame) -> None:
        pixels = frame.width * frame.height * _SCALE * _SCALE
        self._scale = _SCALE * min(1.0, (_MOST_PIXELS / max(pixels, 1.0)) ** 0.5)
        self._image: Image.Image = page.render(scale=self._scale, grayscale=True).to_pil().convert("L")

    def shows(self, box: Box) -> bool:
        """Whether anything at this place differs from its ground."""
        scale, (width, height) = self._scale, self._image.size
        place = (
            max(0, int((box.left - _AROUND) * scale)),
            max(0, int((box.top - _AROUND) * scale)),
            min(width, int((box.right + _AROUND) * scale) + 1),
            min(height, int((box.bottom + _AROUND) * scale) + 1),
        )
        if place[0] >= place[2] or place[1] >= place[3]:
            return False
        darkest, lightest = self._image.crop(place).getextrema()
        return float(lightest) - float(darkest) >= _CONTRAST  # type: ignore[arg-type]  # a grey image has numbers
