"""Runs a small piece of work every few seconds in its own thread, outside every request."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Protocol

import structlog

from core.errors import SondeError

log = structlog.get_logger(__name__)


class Works(Protocol):
    """Work that a Ticker repeats."""

    def tick(self) -> None: ...


class Ticker:
    """Calls ``works.tick()`` every ``every_s`` seconds from the first ``start`` on, as long as ``works`` exists.

    A process that was forked starts its own thread at its next ``start``, which is cheap to call with every request.
    """

    def __init__(self, works: Works, every_s: float, name: str) -> None:
        self._works = weakref.ref(works)
        self._every_s = every_s
        self._name = name
        self._of_process: int | None = None
        self._starting = threading.Lock()

    def start(self) -> None:
        if self._of_process == os.getpid():
            return
        with self._starting:
            if self._of_process != os.getpid():
                self._of_process = os.getpid()
                run = _loop(self._works, self._every_s, self._name)
                threading.Thread(target=run, name=self._name, daemon=True).start()


def _loop(works: weakref.ref[Works], every_s: float, name: str) -> Callable[[], None]:
    """Holds no reference to the work between two ticks, so that it can end."""
    pause = threading.Event()

    def run() -> None:
        while not pause.wait(every_s):
            current = works()
            if current is None:
                return
            try:
                current.tick()
            except SondeError as error:
                log.warning("tick.failed", work=name, error=type(error).__name__)
            except Exception:  # the thread must not end: nothing would start it again
                log.exception("tick.failed", work=name)
            del current

    return run
