"""A document's file as an answer: never shown as one of our pages, whole or in the ranges that were asked for."""

from __future__ import annotations

import io

from flask import Response, send_file

from core.document import DocumentEntry


def sent_file(entry: DocumentEntry, data: bytes) -> Response:
    """The file with its type and name; its ETag is the hash of its bytes."""
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
