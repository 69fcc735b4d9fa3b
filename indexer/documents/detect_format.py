"""Detects the type of a file from its bytes; its name is ignored."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Literal

from indexer.documents.failures import DocumentRefused

FileKind = Literal["pdf", "image", "html", "docx", "text"]

MEDIA_TYPES: dict[FileKind, str] = {
    "pdf": "application/pdf",
    "image": "image/png",
    "html": "text/html",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "text": "text/plain",
}
_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*")
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|article|h[1-6]|p)\b", re.IGNORECASE)
_PROBE = 4096
_CONTROLS = frozenset(range(32)) - {7, 8, 9, 10, 12, 13, 27}


def file_kind(data: bytes) -> FileKind:
    """Raises DocumentRefused: ``empty`` for no bytes, ``unsupported`` for an unknown type."""
    if not data.strip():
        raise DocumentRefused("empty", "The file is empty.")
    head = data[:_PROBE]
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith(_IMAGES):
        return "image"
    if head.startswith(b"PK\x03\x04"):
        return _zip_kind(data)
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        raise DocumentRefused("unsupported", "An old Office file (or an encrypted new one): save it as DOCX or PDF.")
    if _looks_like_text(data[:_PROBE]):
        return "html" if _HTML.search(head) else "text"
    raise DocumentRefused("unsupported", "Neither PDF, page image, DOCX, HTML nor plain text.")


def media_type(data: bytes) -> str:
    """The media type by content. Raises DocumentRefused as ``file_kind`` does."""
    kind = file_kind(data)
    if kind != "image":
        return MEDIA_TYPES[kind]
    return "image/jpeg" if data.startswith(b"\xff\xd8\xff") else "image/png" if data[:1] == b"\x89" else "image/tiff"


def _zip_kind(data: bytes) -> FileKind:
    """By the names in the archive as they stand in its bytes: to list very many members takes memory, and callers that
    only want the kind have no limit of it.
    """
    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise DocumentRefused("damaged", "A zip archive that cannot be opened.")
    if b"word/document.xml" in data:
        return "docx"
    raise DocumentRefused("unsupported", "A zip archive that is no DOCX; give the documents in it one by one.")


def _looks_like_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return True
    return sum(byte in _CONTROLS for byte in head) <= len(head) // 500
