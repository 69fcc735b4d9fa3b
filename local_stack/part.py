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
"""Asks a part once: None if it answers correctly, else the problem as a phrase. Takes a few seconds at most."""


class Reporter(Protocol):
    """Called with a stable event name (``elasticsearch.fetching``) and scalar fields, from one thread at a time."""

    def __call__(self, event: str, **fields: object) -> None: ...


def ignore_event(event: str, **fields: object) -> None:
    """Ignores the event."""


class OneAtATime:
    """Passes events on under a lock: parts start in parallel, but a Reporter gets one event at a time."""

    def __init__(self, report: Reporter) -> None:
        self._report = report
        self._lock = threading.Lock()

    def __call__(self, event: str, **fields: object) -> None:
        with self._lock:
            self._report(event, **fields)


@dataclass(frozen=True, slots=True)
class StackPart:
    """A process that the stack starts. ``prepare`` makes its downloads and folders, and returns its command.
    ``asked_once``: the process reports only at its start that it is up, in a log that is later cut.
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
    """A server outside the stack: it is checked, but never started or stopped. ``address`` has no password."""

    name: str
    address: str
    trouble: Trouble


@dataclass(frozen=True, slots=True)
class PartStatus:
    """The state of a part. ``died``: it was started and not stopped, but does not run."""

    name: str
    state: State
    pid: int | None = None
    address: str | None = None
    detail: str = ""
