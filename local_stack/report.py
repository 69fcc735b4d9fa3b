"""Progress, told to whoever shows it."""

from __future__ import annotations

import threading
from typing import Protocol


class Report(Protocol):
    """Called with a stable event name (``elasticsearch.fetching``) and scalar fields, from one thread at a time."""

    def __call__(self, event: str, **fields: object) -> None: ...


def silent(event: str, **fields: object) -> None:
    """Tells nobody."""


class OneAtATime:
    """Hands events on under a lock: parts start in parallel, those who show progress need not care."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._lock = threading.Lock()

    def __call__(self, event: str, **fields: object) -> None:
        with self._lock:
            self._report(event, **fields)
