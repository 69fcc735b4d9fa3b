"""Files as answers: a document as it was sent, whole or in ranges, and a bibliography."""

from __future__ import annotations

import io
from collections.abc import Sequence

from flask import Response, send_file

from core.document import DocumentEntry
from search_api.formats_out.bibliography import CITATION_FORMATS
from search_api.formats_out.citation import Citation

CITATION_TYPES = tuple(one.media_type for one in CITATION_FORMATS.values())


def sent_file(entry: DocumentEntry, data: bytes) -> Response:
    """The file with its type and name, never shown as one of our pages; its ETag is the hash of its bytes."""
    response = send_file(
        io.BytesIO(data),
        mimetype=entry.media_type or "application/octet-stream",
        as_attachment=True,
        download_name=entry.name,
        etag=entry.hash or False,
    )
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response


def bibliography(form: str, citations: Sequence[Citation]) -> Response:
    """In the format of that name (CITATION_FORMATS)."""
    chosen = CITATION_FORMATS[form]
    response = Response(chosen.write(citations), content_type=f"{chosen.media_type}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="sonde.{chosen.ending}"'
    return response
