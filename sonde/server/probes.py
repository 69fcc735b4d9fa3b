"""Probes and metrics on a separate listener with separate threads, so that they answer while all others are busy."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable
from typing import Any

from waitress import wasyncore

from search_api.http.access.guard import INSIDE
from sonde.server.connections import Application, ConnectionLimits, connections

PATHS = frozenset(("/healthz", "/readyz", "/metrics"))
_THREADS = 4
_POLL_S = 0.5
_LIMITS = ConnectionLimits(headers=5.0, idle=75.0, connections=100)


class Probes:
    """Answers on ``sock`` from a separate thread while entered; does nothing without one."""

    def __init__(self, application: Application, sock: socket.socket | None) -> None:
        self._application = application
        self._socket = sock
        self._ended = threading.Event()

    def __enter__(self) -> None:
        if self._socket is not None:
            threading.Thread(target=self._run, args=(self._socket,), name="sonde-probes", daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()

    def _run(self, sock: socket.socket) -> None:
        polled: dict[int, Any] = {}
        server = connections(only_probes(self._application), sock, polled, threads=_THREADS, limits=_LIMITS)
        while not self._ended.is_set():
            server.look()
            wasyncore.poll2(_POLL_S, polled)
        server.finish()


def only_probes(application: Application) -> Application:
    """Only the application's probes and metrics, with the operator's rights."""

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] not in PATHS:
            start_response("404 Not Found", [("Content-Type", "text/plain"), ("Content-Length", "0")])
            return [b""]
        answered: Iterable[bytes] = application({**environ, INSIDE: True}, start_response)
        return answered

    return answer
