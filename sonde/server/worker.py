"""One process of the API: gunicorn's worker, with waitress for the connections."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gunicorn.workers.base import Worker
from waitress import wasyncore

from sonde.server.connections import ConnectionLimits, Connections, connections
from sonde.server.probes import Probes
from sonde.settings import Settings

_POLL_S = 0.5


class BufferingWorker(Worker):
    """Reads requests completely before a thread works on them; answers probes from a separate thread."""

    def load_wsgi(self) -> None:
        with self._signs_of_life():
            super().load_wsgi()

    @contextmanager
    def _signs_of_life(self) -> Iterator[None]:
        """gunicorn kills a silent worker, so this signals while models load on a busy machine."""
        loaded = threading.Event()

        def notify() -> None:
            while not loaded.wait(1.0):
                self.notify()

        threading.Thread(target=notify, daemon=True).start()
        try:
            yield
        finally:
            loaded.set()

    def run(self) -> None:
        app: Any = self.app
        given: Settings = app.settings
        public, inside = self._sockets(given.api.probes_port)
        polled: dict[int, Any] = {}
        server = connections(
            self.wsgi,
            public,
            polled,
            threads=given.api.threads,
            limits=ConnectionLimits(),
            proxies=given.limits.proxies,
        )
        with Probes(self.wsgi, inside):
            while self.alive and self.ppid == os.getppid():
                self._round(server, polled)
            self._finish(server, polled)

    def _sockets(self, probes_port: int | None) -> tuple[socket.socket, socket.socket | None]:
        """The public socket, and that of the probes if there is one."""
        given: list[Any] = self.sockets  # gunicorn's own socket type, each around one of Python's
        by_port: dict[int, socket.socket] = {one.sock.getsockname()[1]: one.sock for one in given}
        inside = by_port.pop(probes_port) if probes_port else None
        return next(iter(by_port.values())), inside

    def _round(self, server: Connections, polled: dict[int, Any]) -> None:
        self.notify()
        server.look()
        wasyncore.poll2(_POLL_S, polled)

    def _finish(self, server: Connections, polled: dict[int, Any]) -> None:
        """Answers active requests, for as long as gunicorn allows."""
        server.finish()
        end = time.monotonic() + float(self.cfg.graceful_timeout)
        server.close_idle()
        while server.active_channels and time.monotonic() < end:
            self._round(server, polled)
            server.close_idle()
