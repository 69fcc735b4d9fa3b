"""Compresses answers with gzip for clients that accept it: the fastest level shrinks text to a fifth.

BREACH derives a secret from the length of answers that also contain an attacker's text. It needs a browser that sends
the victim's credentials automatically. None does so here: keys and tokens are in a header that a page must set. Answers
marked no-store (a user's own documents) are still not compressed.
"""

from __future__ import annotations

import zlib

from flask import Response, request

LEAST_BYTES = 1024
LARGEST_BYTES = 64 * 1024 * 1024
TAG = "-gzip"
"""Suffix of the ETag of a compressed answer, because it is another representation (RFC 9110, 8.8.3)."""

_LEVEL = 1
_GZIP_WINDOW = 31
_TEXTS = ("text/", "application/json", "application/xml", "application/javascript")
_TEXT_SUFFIXES = ("+json", "+xml")


def wanted(response: Response) -> bool:
    """Whether the answer is a long enough text, the client accepts gzip, and it is not yet compressed."""
    if response.is_streamed or response.direct_passthrough or "Content-Encoding" in response.headers:
        return False
    length = response.calculate_content_length()
    if length is None or not LEAST_BYTES <= length <= LARGEST_BYTES or not _is_text(response.mimetype or ""):
        return False
    if "no-store" in response.headers.get("Cache-Control", ""):
        return False
    response.vary.add("Accept-Encoding")
    return bool(request.accept_encodings["gzip"])


def compress(response: Response) -> None:
    """Compresses the body; status and other headers are unchanged."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP_WINDOW)
    response.set_data(packer.compress(response.get_data()) + packer.flush())
    response.headers["Content-Encoding"] = "gzip"


def _is_text(mimetype: str) -> bool:
    return mimetype.startswith(_TEXTS) or mimetype.partition(";")[0].endswith(_TEXT_SUFFIXES)
