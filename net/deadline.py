"""One total time limit for a whole exchange, however slowly its bytes arrive."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from core.errors import Unavailable

_ends_at: ContextVar[float | None] = ContextVar("net_ends_at", default=None)


class Deadline:
    """The time by which ``host`` must have answered completely."""

    def __init__(self, host: str, timeout_s: float) -> None:
        self._host = host
        self._timeout_s = timeout_s
        self._ends_at = time.monotonic() + timeout_s

    def check(self) -> None:
        """Raises Unavailable after that time."""
        if time.monotonic() >= self._ends_at:
            raise Unavailable(f"{self._host} did not finish answering within {self._timeout_s:g} s")

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Inside, every read, write and connect of this thread waits at most for the remaining time."""
        self.check()
        token = _ends_at.set(self._ends_at)
        try:
            yield
        finally:
            _ends_at.reset(token)


def shortened(timeout_s: float | None) -> float | None:
    """A socket timeout, reduced to the active deadline's remaining time; at least 1 ms, because 0 means
    non-blocking.
    """
    ends_at = _ends_at.get()
    if ends_at is None:
        return timeout_s
    left = max(ends_at - time.monotonic(), 0.001)
    return left if timeout_s is None else min(timeout_s, left)
