"""The limits for reading one document."""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """``seconds`` limits the wall-clock time of the whole parse, ``memory_bytes`` the address space of its process.

    ``max_pages`` and ``max_bytes`` are checked before anything is read; ``max_unpacked_bytes`` limits the content of an
    archive (DOCX); ``ocr_seconds_a_page`` limits one page's OCR.
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
    """``languages`` as tesseract names them (``eng``, ``fra+deu``), or ``auto``: those installed, tried on the text.
    Without ``command`` there is no OCR; ``missing`` tells that it is wanted, but not installed.

    ``most_pages`` limits the OCR of one document; further pages without text count as blank.
    """

    command: str | None = "tesseract"
    languages: str = "auto"
    dpi: int = 200
    most_pages: int = 200
    missing: bool = False

    @property
    def absence(self) -> str:
        """Why there is no OCR, as the end of a sentence."""
        if self.missing:
            return "tesseract is not installed (Debian's package tesseract-ocr)"
        return "OCR is turned off (SONDE_DOCUMENTS__OCR)"
