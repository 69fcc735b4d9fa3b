"""A door in front of a real server that a test can close and open again."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit


class Door:
    """Forwards TCP to a server while it is open; while closed, connections are refused at once."""

    def __init__(self, url: str) -> None:
        target = urlsplit(url)
        self._target = (str(target.hostname), target.port or 80)
        self._port = 0
        self._listener: socket.socket | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def open(self) -> None:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self._port))
        self._port = listener.getsockname()[1]
        listener.listen(64)
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def close(self) -> None:
        listener, self._listener = self._listener, None
        if listener is not None:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                caller, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._forward, args=(caller, listener), daemon=True).start()

    def _forward(self, caller: socket.socket, listener: socket.socket) -> None:
        with caller, socket.create_connection(self._target) as server:
            ways = {caller: server, server: caller}
            while self._listener is listener:
                ready, _, _ = select.select(list(ways), [], [], 0.1)
                for side in ready:
                    data = side.recv(65536)
                    if not data:
                        return
                    ways[side].sendall(data)


@contextlib.contextmanager
def door(url: str) -> Iterator[Door]:
    """A door that is open at first."""
    made = Door(url)
    made.open()
    try:
        yield made
    finally:
        made.close()
