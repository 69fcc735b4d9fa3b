"""OCR by tesseract for pages without a text layer: turns an image into words with positions.

tesseract runs as a separate process, on one core, with a time limit for each page.
"""

from __future__ import annotations

import csv
import io
import subprocess  # nosec B404
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2 as pdfium
from PIL import Image

from indexer.documents.failures import DocumentRefused
from indexer.documents.limits import Limits, Ocr
from indexer.documents.page import Box, Page, Word

_LEAST_CONFIDENCE = 25.0
_POINTS = 72.0
_MOST_PIXELS = 40_000_000  # an A0 sheet is rendered below 200 dpi
_SIZE_OF_HEIGHT = 1.3  # converts the height of a line whose letters have no long strokes to a type size


@dataclass(frozen=True, slots=True)
class Picture:
    """A page as grey pixels; ``dpi`` converts back to points."""

    image: Image.Image
    dpi: float


def page_image(page: pdfium.PdfPage, dpi: int) -> Picture:
    """The rendered page, with a lower resolution if it is very large."""
    width, height = page.get_size()
    scale = dpi / _POINTS
    pixels = width * height * scale * scale
    if pixels > _MOST_PIXELS:
        scale *= (_MOST_PIXELS / pixels) ** 0.5
    return Picture(page.render(scale=scale, grayscale=True).to_pil(), scale * _POINTS)


def ocr_image(picture: Picture, number: int, ocr: Ocr, limits: Limits) -> Page | None:
    """The words of an image; None if none was recognised or the page took too long.

    Raises DocumentRefused ``unsupported`` if tesseract or its language is not installed.
    """
    image = io.BytesIO()
    picture.image.save(image, format="PNG", compress_level=1)
    command = [
        str(ocr.command),
        "stdin",
        "stdout",
        "-l",
        ocr.languages,
        "--dpi",
        str(round(picture.dpi)),
        "--psm",
        "3",
        "tsv",
    ]
    try:
        done = subprocess.run(  # noqa: S603  # nosec B603 - nothing of it comes from the document
            command, input=image.getvalue(), capture_output=True, timeout=limits.ocr_seconds_a_page, check=False
        )
    except FileNotFoundError:
        raise DocumentRefused(
            "unsupported", f"Pages without text need OCR, and {ocr.command} is not installed."
        ) from None
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0:
        why = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise DocumentRefused("unsupported", f"OCR failed: {why[-1][:200] if why else done.returncode}")
    words = tuple(_words(done.stdout.decode("utf-8", "replace"), _POINTS / picture.dpi))
    width, height = (edge * _POINTS / picture.dpi for edge in picture.image.size)
    return Page(number, width, height, words, read_by="ocr") if words else None


def _words(tsv: str, scale: float) -> Iterator[Word]:
    """Words of tesseract's table; those of one line share its baseline and size."""
    lines: dict[tuple[str, str, str], list[tuple[str, Box]]] = {}
    for row in csv.DictReader(io.StringIO(tsv), delimiter="\t", quoting=csv.QUOTE_NONE):
        text = (row.get("text") or "").strip()
        if row.get("level") != "5" or not text or float(row["conf"]) < _LEAST_CONFIDENCE:
            continue
        left, top = float(row["left"]) * scale, float(row["top"]) * scale
        box = Box(left, top, left + float(row["width"]) * scale, top + float(row["height"]) * scale)
        lines.setdefault((row["block_num"], row["par_num"], row["line_num"]), []).append((text, box))
    for line in lines.values():
        heights = sorted(box.height for _, box in line)
        height = heights[len(heights) // 2]
        bottoms = sorted(box.bottom for _, box in line)
        baseline = bottoms[len(bottoms) // 3]  # letters with descenders reach lower
        for text, box in line:
            yield Word(text, box, round(height * _SIZE_OF_HEIGHT), baseline)
