"""OCR by the settings, and what it lacks on this machine."""

from __future__ import annotations

from indexer.documents.parse.limits import Ocr
from indexer.documents.parse.pdf.tesseract import ocr_problem
from sonde.settings import Settings


def ocr_of(settings: Settings) -> Ocr:
    """OCR as the settings want it, whether or not it is installed."""
    given = settings.documents
    return Ocr("tesseract" if given.ocr else None, given.ocr_languages, most_pages=given.ocr_pages)


def ocr_notes(settings: Settings) -> list[str]:
    """What OCR lacks on this machine; empty if nothing."""
    lacks = ocr_problem(ocr_of(settings))
    return [f"On this machine {lacks}."] if lacks else []
