"""How much one document may cost."""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """``seconds`` is wall-clock of the whole parse, ``memory_bytes`` the address space of its process.

    ``max_pages`` and ``max_bytes`` refuse before anything is read; ``max_unpacked_bytes`` is what an archive (DOCX)
    may hold; ``ocr_seconds_a_page`` ends one page's OCR.
    """

    seconds: float = 300.0
    memory_bytes: int = 1024 * _MIB
    max_bytes: int = 200 * _MIB
    max_pages: int = 1500
    max_unpacked_bytes: int = 100 * _MIB
    max_characters: int = 20_000_000
    ocr_seconds_a_page: float = 60.0


@dataclass(frozen=True, slots=True)
class Ocr:
    """``languages`` as tesseract names them (``eng``, ``fra+deu``); without ``command`` no page is OCRed.

    ``most_pages`` bounds the OCR of one document; further pages without text are named as blank.
    """

    command: str | None = "tesseract"
    languages: str = "eng"
    dpi: int = 200
    most_pages: int = 200
