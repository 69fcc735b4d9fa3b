"""Answers compressed by gzip for whoever takes it: text shrinks to a fifth at the fastest level.

BREACH reads a secret out of the length of answers that also repeat an attacker's text. It needs a browser that sends
the victim's credentials by itself, and none does so here: keys and tokens come in a header that a page must set. What
is marked no-store (somebody's own documents) is left as it is all the same.
"""

from __future__ import annotations

import zlib

from flask import Response, request

LEAST_BYTES = 1024
LARGEST_BYTES = 64 * 1024 * 1024
TAG = "-gzip"
"""What the ETag of a compressed answer ends with, since it is another representation (RFC 9110, 8.8.3)."""

_LEVEL = 1
_GZIP_WINDOW = 31
_TEXTS = ("text/", "application/json", "application/xml", "application/javascript")
_TEXT_SUFFIXES = ("+json", "+xml")


def wanted(response: Response) -> bool:
    """Whether the answer is a text long enough, the caller takes gzip, and nobody has packed it yet."""
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
    """Packs the body; the status and the other headers stay."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP_WINDOW)
    response.set_data(packer.compress(response.get_data()) + packer.flush())
    response.headers["Content-Encoding"] = "gzip"


def _is_text(mimetype: str) -> bool:
    return mimetype.startswith(_TEXTS) or mimetype.partition(";")[0].endswith(_TEXT_SUFFIXES)
