"""Runs a server of the standard library on a real socket during a ``with``."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer

_POLL_S = 0.02  # maximum time to stop it


@contextmanager
def serve(server: ThreadingHTTPServer) -> Iterator[str]:
    """Its address without a trailing slash."""
    thread = threading.Thread(target=server.serve_forever, args=(_POLL_S,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
