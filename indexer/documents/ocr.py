"""OCR by tesseract: turns an image into words with positions and the confidence of the whole.

tesseract runs as a separate process, on one core, with a time limit for each page.
"""

from __future__ import annotations

import csv
import io
import subprocess  # nosec B404
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.documents.failures import DocumentRefused
from indexer.documents.limits import Limits, Ocr
from indexer.documents.page import Box, Page, Word

if TYPE_CHECKING:
    from PIL import Image

_LEAST_CONFIDENCE = 25.0
POINTS = 72.0  # an inch
_SIZE_OF_HEIGHT = 1.3  # converts the height of a line whose letters have no long strokes to a type size


@dataclass(frozen=True, slots=True)
class Picture:
    """A page as grey pixels; ``dpi`` converts back to points."""

    image: Image.Image
    dpi: float

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in points."""
        width, height = self.image.size
        return width * POINTS / self.dpi, height * POINTS / self.dpi

    def cut(self, box: Box) -> Picture:
        """The part in this box (points)."""
        scale = self.dpi / POINTS
        edges = (box.left * scale, box.top * scale, box.right * scale, box.bottom * scale)
        left, top, right, bottom = map(round, edges)
        width, height = self.image.size
        return Picture(self.image.crop((max(0, left), max(0, top), min(width, right), min(height, bottom))), self.dpi)

    def turned(self, clockwise: int) -> Picture:
        """Turned by a multiple of 90 degrees."""
        return Picture(self.image.rotate(-clockwise, expand=True), self.dpi) if clockwise else self


@dataclass(frozen=True, slots=True)
class Recognised:
    """``confidence``: 0..100, the mean over the letters of all words, the doubtful ones too."""

    page: Page
    confidence: float

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.page.words)


def ocr_image(picture: Picture, number: int, ocr: Ocr, limits: Limits, languages: str = "eng") -> Recognised | None:
    """The words of an image; None if none was recognised or the page took too long.

    Raises DocumentRefused ``unsupported`` if tesseract or its language is not installed.
    """
    output = run_tesseract(picture, ocr, limits, ("-l", languages, "--psm", "3", "tsv"))
    if output is None:
        return None
    words, confidence = _words(output, POINTS / picture.dpi)
    width, height = picture.size
    page = Page(number, width, height, words, read_by="ocr")
    return Recognised(page, confidence) if words else None


def run_tesseract(picture: Picture, ocr: Ocr, limits: Limits, options: Sequence[str]) -> str | None:
    """tesseract's output; None if it took too long. Raises DocumentRefused ``unsupported`` if it fails."""
    image = io.BytesIO()
    picture.image.save(image, format="PNG", compress_level=1)
    command = [str(ocr.command), "stdin", "stdout", "--dpi", str(round(picture.dpi)), *options]
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
    return done.stdout.decode("utf-8", "replace")


def _words(tsv: str, scale: float) -> tuple[tuple[Word, ...], float]:
    lines: dict[tuple[str, str, str], list[tuple[str, Box]]] = {}
    letters = surety = 0.0
    for row in csv.DictReader(io.StringIO(tsv), delimiter="\t", quoting=csv.QUOTE_NONE):
        text = (row.get("text") or "").strip()
        if row.get("level") != "5" or not text:
            continue
        letters += len(text)
        surety += len(text) * max(0.0, float(row["conf"]))
        if float(row["conf"]) < _LEAST_CONFIDENCE:
            continue
        left, top = float(row["left"]) * scale, float(row["top"]) * scale
        box = Box(left, top, left + float(row["width"]) * scale, top + float(row["height"]) * scale)
        lines.setdefault((row["block_num"], row["par_num"], row["line_num"]), []).append((text, box))
    return tuple(word for line in lines.values() for word in _of_line(line)), surety / letters if letters else 0.0


def _of_line(line: Sequence[tuple[str, Box]]) -> Iterator[Word]:
    """The words of a line share its baseline and size."""
    heights = sorted(box.height for _, box in line)
    height = heights[len(heights) // 2]
    bottoms = sorted(box.bottom for _, box in line)
    baseline = bottoms[len(bottoms) // 3]  # letters with descenders reach lower
    for text, box in line:
        yield Word(text, box, round(height * _SIZE_OF_HEIGHT), baseline)
