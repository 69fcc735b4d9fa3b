"""A folder served over HTTP by Python's own server: a WAF, a static STAC catalogue, a sitemap's pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from evaluation.local_server import serve


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@contextmanager
def file_server(folder: Path) -> Iterator[str]:
    """The address of the folder, with a slash at its end."""
    with serve(ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))) as url:
        yield f"{url}/"
