"""The coordinates of a page as it is shown, and of the same page turned until text of another direction is upright."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from indexer.documents.page import Box


@dataclass(frozen=True, slots=True)
class Frame:
    """Converts PDF coordinates (y upwards) of a page without rotation to ours (y downwards from the upper left)."""

    left: float
    bottom: float
    right: float
    top: float

    @classmethod
    def of(cls, page: pdfium.PdfPage) -> Frame:
        return cls(*page.get_cropbox())

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.top - self.bottom

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        x1, x2 = left - self.left, right - self.left
        y1, y2 = self.top - bottom, self.top - top
        return Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))


def turn_page(
    document: pdfium.PdfDocument, index: int, angle: int, size: tuple[float, float] | None = None
) -> pdfium.PdfPage:
    """The page with all its content turned clockwise by ``angle`` degrees about its middle, so that text written at
    that angle (in PDF coordinates) is upright; it is shown without a rotation. The document keeps the turned page.
    ``size``: width and height of the turned page; by default as much as the content needs.

    pdfium measures the width of letters only in text that is upright, so turned text is turned before it is read.
    """
    page = document[index]
    try:
        left, bottom, right, top = page.get_cropbox()
        cosine, sine = (round(value, 12) for value in (math.cos(math.radians(angle)), math.sin(math.radians(angle))))
        width = abs((right - left) * cosine) + abs((top - bottom) * sine)
        height = abs((right - left) * sine) + abs((top - bottom) * cosine)
        width, height = size or (width, height)
        middle_x, middle_y = (left + right) / 2.0, (bottom + top) / 2.0
        matrix = raw.FS_MATRIX(
            cosine,
            -sine,
            sine,
            cosine,
            width / 2.0 - middle_x * cosine - middle_y * sine,
            height / 2.0 + middle_x * sine - middle_y * cosine,
        )
        raw.FPDFPage_TransFormWithClip(page.raw, ctypes.byref(matrix), None)
        page.set_mediabox(0.0, 0.0, width, height)
        page.set_cropbox(0.0, 0.0, width, height)
        page.set_rotation(0)
    finally:
        page.close()
    return document[index]
