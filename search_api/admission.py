"""Overload: so many requests at once, a few that wait briefly, and a quick 503 for the rest, never a pile."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from dataclasses import dataclass

from flask import Flask, Response, g, request

from search_api.deadlines import within
from search_api.problems import problem
from search_api.telemetry import refused

_FREE_PATHS = frozenset(("/healthz", "/readyz", "/metrics"))
_LONG_PATHS = ("/ask", "/library")
"""An answer by a language model takes long without costing us much: it must not keep searches out."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one process. ``at_once`` requests are worked on, ``waiting`` wait up to ``wait_s``; 0 at once: no limit.

    ``deadline_s``: for one request's calls to Elasticsearch (answers from documents have times of their own).
    """

    at_once: int = 0
    waiting: int = 0
    wait_s: float = 0.5
    deadline_s: float | None = None
    retry_after_s: int = 1

    @classmethod
    def of_threads(cls, threads: int, deadline_s: float) -> Limits:
        """Half of the threads work, a quarter may wait; the others are there to say 503 and to answer probes.

        With fewer than four threads nothing can be spared for that, and nothing is limited.
        """
        if threads < 4:
            return cls(deadline_s=deadline_s)
        return cls(at_once=threads // 2, waiting=threads // 4, deadline_s=deadline_s)


class Doorkeeper:
    """Lets requests in; safe to share between threads."""

    def __init__(self, at_once: int, waiting: int, wait_s: float) -> None:
        self._inside = threading.BoundedSemaphore(at_once)
        self._waiting = threading.BoundedSemaphore(waiting) if waiting else None
        self._wait_s = wait_s

    def enter(self) -> bool:
        """Whether the caller may go on; it must then call ``leave``. Returns after ``wait_s`` at the latest."""
        if self._inside.acquire(blocking=False):
            return True
        if self._waiting is None or not self._waiting.acquire(blocking=False):
            return False
        try:
            return self._inside.acquire(timeout=self._wait_s)
        finally:
            self._waiting.release()

    def leave(self) -> None:
        self._inside.release()


def register(app: Flask, limits: Limits) -> None:
    """Before anything else is done for a request, so that a refusal costs next to nothing."""
    doors = None
    if limits.at_once:
        short = Doorkeeper(limits.at_once, limits.waiting, limits.wait_s)
        doors = (short, Doorkeeper(max(1, limits.at_once // 2), 0, 0.0))

    @app.before_request
    def admit() -> Response | None:
        if request.path in _FREE_PATHS:
            return None
        long = request.path.startswith(_LONG_PATHS)
        held = ExitStack()
        g.admitted = held
        if doors is not None:
            door = doors[1 if long else 0]
            if not door.enter():
                return _busy(limits)
            held.callback(door.leave)
        if limits.deadline_s is not None and request.method in ("GET", "HEAD") and not long:
            held.enter_context(within(limits.deadline_s))
        return None

    @app.teardown_request
    def leave(_error: BaseException | None) -> None:
        held: ExitStack | None = g.pop("admitted", None)
        if held is not None:
            held.close()


def _busy(limits: Limits) -> Response:
    refused()
    response = problem(503, "Too many requests at once; try again in a moment.")
    response.headers["Retry-After"] = str(limits.retry_after_s)
    return response
