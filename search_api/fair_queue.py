"""A fair queue for a few slots: callers take turns, so a caller with many requests delays only itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from search_api.waiting_line import QueueSize, WaitingLine


@dataclass(frozen=True, slots=True)
class Turn:
    """``waited_s``: how long this request waited. ``hurried``: whether it must skip optional work."""

    waited_s: float
    hurried: bool


class FairQueue:
    """A waiting line for threads."""

    def __init__(self, size: QueueSize, clock: Callable[[], float] = time.monotonic) -> None:
        self._size = size
        self._clock = clock
        self._lock = threading.Lock()
        self._line = WaitingLine(size)

    @contextmanager
    def turn(self, caller: str) -> Iterator[Turn]:
        """Waits for a slot and holds it. Raises Crowded, immediately if the expected wait is too long."""
        with self._lock:
            waiter = self._line.come(caller, self._clock())
        if not waiter.called.wait(self._size.longest_wait_s):
            with self._lock:
                self._line.give_up(waiter, self._clock())
        begun = self._clock()
        with self._lock:
            hurried = self._line.enter(waiter, begun)
        try:
            yield Turn(begun - waiter.came, hurried)
        finally:
            with self._lock:
                self._line.leave(waiter, self._clock() - begun, hurried)

    def number_waiting(self) -> int:
        """The number of waiting requests."""
        with self._lock:
            return self._line.number_waiting

    def number_inside(self) -> int:
        """The number of running requests."""
        with self._lock:
            return self._line.number_inside

    def expected_s(self, caller: str) -> float:
        """The wait of a new request of this caller if all slots were taken and those before it hurried."""
        with self._lock:
            return self._line.expected_s(caller)
