"""One process of the API: gunicorn's worker, with waitress for the connections."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from gunicorn.workers.base import Worker

from search_api.http.access.guard import INSIDE
from sonde.server.connections import Application, ConnectionLimits, ConnectionServer
from sonde.settings import Settings

_PROBE_PATHS = frozenset(("/healthz", "/readyz", "/metrics"))
_SIGNAL_EVERY_S = 1.0
_PROBE_LIMITS = ConnectionLimits(headers=5.0, idle=75.0, connections=100)


class BufferingWorker(Worker):
    """Reads requests completely before a thread works on them."""

    def load_wsgi(self) -> None:
        with self._heartbeat():
            super().load_wsgi()

    @contextmanager
    def _heartbeat(self) -> Iterator[None]:
        """gunicorn kills a silent worker, so this signals while models load on a busy machine."""
        is_loaded = threading.Event()

        def notify() -> None:
            while not is_loaded.wait(1.0):
                self.notify()

        threading.Thread(target=notify, daemon=True).start()
        try:
            yield
        finally:
            is_loaded.set()

    def run(self) -> None:
        app: Any = self.app
        settings: Settings = app.settings
        public, for_probes = self._sockets(settings.api.probes_port)
        server = ConnectionServer(
            self.wsgi,
            public,
            threads=settings.api.threads,
            limits=ConnectionLimits(),
            proxies=settings.limits.proxies,
        )
        with probes(self.wsgi, for_probes):
            signalled_s = 0.0
            while self.alive and self.ppid == os.getppid():
                if time.monotonic() - signalled_s >= _SIGNAL_EVERY_S:
                    self.notify()
                    signalled_s = time.monotonic()
                server.poll()
            self._finish(server)

    def _sockets(self, probes_port: int | None) -> tuple[socket.socket, socket.socket | None]:
        """The public socket, and that of the probes if there is one."""
        own_sockets: list[Any] = self.sockets  # gunicorn's own socket type, each around one of Python's
        by_port: dict[int, socket.socket] = {item.sock.getsockname()[1]: item.sock for item in own_sockets}
        for_probes = by_port.pop(probes_port) if probes_port else None
        return next(iter(by_port.values())), for_probes

    def _finish(self, server: ConnectionServer) -> None:
        """Answers active requests, for as long as gunicorn allows."""
        server.finish()
        end = time.monotonic() + float(self.cfg.graceful_timeout)
        server.close_idle()
        while server.active_channels and time.monotonic() < end:
            self.notify()
            server.poll()
            server.close_idle()


@contextmanager
def probes(application: Application, sock: socket.socket | None) -> Iterator[None]:
    """Answers probes and metrics on ``sock`` from separate threads, so that they answer while all others are busy.

    Does nothing without a socket.
    """
    is_ended = threading.Event()

    def run(listening: socket.socket) -> None:
        server = ConnectionServer(_only_probes(application), listening, threads=4, limits=_PROBE_LIMITS)
        while not is_ended.is_set():
            server.poll()
        server.finish()

    if sock is not None:
        threading.Thread(target=run, args=(sock,), name="sonde-probes", daemon=True).start()
    try:
        yield
    finally:
        is_ended.set()


def _only_probes(application: Application) -> Application:
    """The application's probes and metrics, with the operator's rights; 404 for the rest."""

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] not in _PROBE_PATHS:
            start_response("404 Not Found", [("Content-Type", "text/plain"), ("Content-Length", "0")])
            return [b""]
        body: Iterable[bytes] = application({**environ, INSIDE: True}, start_response)
        return body

    return answer
