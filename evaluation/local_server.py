"""Runs a server of the standard library on a real socket during a ``with``."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from reading.sentences import sentences

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


NAME = "stub-copies-the-first-sentence"
ALONE = "This is a stub and knows nothing."
_FIRST_PASSAGE = re.compile(
    r"^\[1\] \([^\n]*\)\n(?P<text>.*?)(?=\n\n\[2\] |\n=====PASSAGES-)", re.DOTALL | re.MULTILINE
)


def stub_answer(messages: Sequence[Mapping[str, str]]) -> str:
    match = _FIRST_PASSAGE.search(messages[-1]["content"]) if messages else None
    if match is None:
        return ALONE
    first = next(iter(sentences(match["text"].replace("\n", " "))), "")
    return f"{first.rstrip('.')} [1]."


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        reply = {"choices": [{"message": {"content": stub_answer(request["messages"])}}]}
        body = f"data: {json.dumps(reply)}\n\ndata: [DONE]\n\n".encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


@contextmanager
def stub_endpoint() -> Iterator[str]:
    """``host:port`` of a running stub."""
    with serve(ThreadingHTTPServer(("127.0.0.1", 0), _Handler)) as url:
        yield url.removeprefix("http://")
