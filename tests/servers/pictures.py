"""Pictures of records on a server of this machine, and what only pretends to be one."""

from __future__ import annotations

import io
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from PIL import Image

from core.record import Link
from search_api.catalogue.listing import RecordReader, StoredRecord


def png(width: int, height: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), (200, 30, 30)).save(out, "PNG")
    return out.getvalue()


class Pictures(ThreadingHTTPServer):
    """Serves pictures and what only pretends to be one; counts what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        self.files = {
            "/wide.png": png(1600, 400),
            "/page.png": b"<html><script>alert(1)</script></html>",
            "/drawing.png": b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
            "/cut.png": png(300, 300)[:120],
            "/heavy.png": png(20, 20) + bytes(200_000),
            "/huge.png": png(5000, 5000),
        }


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, Pictures)
        server.asked.append(self.path)
        content = server.files.get(self.path)
        self.send_response(404 if content is None else 200)
        self.send_header("Content-Type", "image/png")
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


class Linked:
    """The real records, each with these links."""

    def __init__(self, records: RecordReader, links: tuple[Link, ...]) -> None:
        self._records, self._links = records, links

    def record(self, record_id: str, source: str | None = None) -> StoredRecord:
        found = self._records.record(record_id, source)
        return replace(found, record=replace(found.record, links=self._links))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._records, name)
