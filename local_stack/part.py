"""What a stack is made of: parts it starts itself, and servers that are already there; and reports of progress."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from local_stack.process import Command
from local_stack.settings import Port

State = Literal["running", "stopped", "died", "external", "unhealthy"]
Trouble = Callable[[], str | None]
"""Asks a part once; None where it answers as it should, else what is wrong, as a phrase. Takes at most seconds."""


class Reporter(Protocol):
    """Called with a stable event name (``elasticsearch.fetching``) and scalar fields, from one thread at a time."""

    def __call__(self, event: str, **fields: object) -> None: ...


def silent(event: str, **fields: object) -> None:
    """Tells nobody."""


class OneAtATime:
    """Hands events on under a lock: parts start in parallel, those who show progress need not care."""

    def __init__(self, report: Reporter) -> None:
        self._report = report
        self._lock = threading.Lock()

    def __call__(self, event: str, **fields: object) -> None:
        with self._lock:
            self._report(event, **fields)


@dataclass(frozen=True, slots=True)
class StackPart:
    """A process we start. ``prepare`` makes ready what it needs (downloads, folders) and gives its command.
    ``asked_once``: it says only at its start that it is up, in a log that is later cut.
    """

    name: str
    log: Path
    prepare: Callable[[Reporter], Command]
    trouble: Trouble
    address: str | None = None
    ports: tuple[Port, ...] = ()
    start_timeout_s: float = 60.0
    stop_grace_s: float = 20.0
    asked_once: bool = False


@dataclass(frozen=True, slots=True)
class External:
    """A server someone else runs; it is asked, never started or stopped. ``address`` shows no password."""

    name: str
    address: str
    trouble: Trouble


@dataclass(frozen=True, slots=True)
class PartStatus:
    """How a part is. ``died``: it was started and nobody stopped it, yet it is gone."""

    name: str
    state: State
    pid: int | None = None
    address: str | None = None
    detail: str = ""
