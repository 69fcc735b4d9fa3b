"""A folder as a web server that sends ranges and as a public bucket (ListObjectsV2); counts what it sends."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from evaluation.local_server import serve


@dataclass(slots=True)
class ObjectServer:
    """``with_ranges`` False: it ignores the header, as some servers do. ``page``: names of one listing."""

    folder: Path
    with_ranges: bool = True
    page: int = 1000
    url: str = ""
    sent: dict[str, int] = field(default_factory=dict)  # bytes of bodies by path


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, server: ObjectServer, *args: object) -> None:
        self.objects = server
        super().__init__(*args, directory=str(server.folder))  # type: ignore[arg-type]

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""

    def do_GET(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        path = self.objects.folder / unquote(urlsplit(self.path).path).strip("/")
        if "list-type" in query:
            self._send(200, _listing(self.objects, query), {"Content-Type": "application/xml"})
        elif path.is_file():
            self._send_file(path)
        else:
            super().do_GET()

    def _send_file(self, path: Path) -> None:
        content = path.read_bytes()
        etag = f'"{hashlib.md5(content).hexdigest()}"'
        stated = self.headers.get("Range", "")
        if (end := re.fullmatch(r"bytes=-(\d+)", stated)) is not None:
            stated = f"bytes={max(0, len(content) - int(end[1]))}-"
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", stated)
        if self.headers.get("If-None-Match") == etag:
            self._send(304, b"", {"ETag": etag})
        elif wanted is None or not self.objects.with_ranges:
            self._send(200, content, {"ETag": etag})
        elif int(wanted[1]) >= len(content):
            self._send(416, b"", {"Content-Range": f"bytes */{len(content)}"})
        else:
            part = content[int(wanted[1]) : int(wanted[2] or len(content)) + 1]
            last = int(wanted[1]) + len(part) - 1
            self._send(206, part, {"ETag": etag, "Content-Range": f"bytes {wanted[1]}-{last}/{len(content)}"})

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        path = unquote(self.path).strip("/")
        self.objects.sent[path] = self.objects.sent.get(path, 0) + len(body)
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def object_server(folder: Path, *, with_ranges: bool = True, page: int = 1000) -> Iterator[ObjectServer]:
    server = ObjectServer(folder, with_ranges, page)
    with serve(ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, server))) as url:
        server.url = f"{url}/"
        yield server


def _listing(server: ObjectServer, query: dict[str, list[str]]) -> bytes:
    prefix, start = query.get("prefix", [""])[0], int(query.get("continuation-token", ["0"])[0])
    keys = sorted(path.relative_to(server.folder).as_posix() for path in server.folder.rglob("*") if path.is_file())
    names = {f"{prefix}{key[len(prefix) :].partition('/')[0]}{'/' * ('/' in key[len(prefix) :])}"
             for key in keys if key.startswith(prefix)}  # fmt: skip
    shown = sorted(names)[start : start + server.page]
    is_cut = start + server.page < len(names)
    parts = [
        f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>"
        if name.endswith("/")
        else f"<Contents><Key>{escape(name)}</Key><LastModified>2024-01-01T00:00:00.000Z</LastModified></Contents>"
        for name in shown
    ]
    token = f"<NextContinuationToken>{start + server.page}</NextContinuationToken>" if is_cut else ""
    return (
        f'<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{token}'
        f"<IsTruncated>{str(is_cut).lower()}</IsTruncated>{''.join(parts)}</ListBucketResult>"
    ).encode()
