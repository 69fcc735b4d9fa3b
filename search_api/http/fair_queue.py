"""A fair queue for a few slots: callers take turns, so a caller with many requests delays only itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

from core.deadlines import CallerGone, leave_if_gone
from search_api.http.waiting_line import QueueSize, Waiter, WaitingLine

_LOOK_EVERY_S = 0.5


@dataclass(frozen=True, slots=True)
class Turn:
    """``waited_s``: how long this request waited. ``hurried``: whether it must skip optional work.

    ``outside``: while this is entered, others may have the slot; the request waits for a slot again at its end.
    """

    waited_s: float
    hurried: bool
    outside: Callable[[], AbstractContextManager[None]] = field(compare=False, repr=False)


class FairQueue:
    """A waiting line for threads."""

    def __init__(self, size: QueueSize, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._line = WaitingLine(size)
        self._longest_wait_s = size.longest_wait_s

    @contextmanager
    def turn(self, caller: str) -> Iterator[Turn]:
        """Waits for a slot and holds it. Raises Crowded, immediately if the expected wait is too long."""
        with self._lock:
            waiter = self._line.come(caller, self._clock())
        if not waiter.called.wait(self._longest_wait_s):
            with self._lock:
                self._line.give_up(waiter, self._clock())
        begun = self._clock()
        with self._lock:
            hurried = self._line.enter(waiter, begun)
        slot = _Slot(self._lock, self._line, self._clock, hurried, waiter, begun)
        try:
            yield Turn(begun - waiter.came, hurried, slot.outside)
        finally:
            slot.leave()

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


@dataclass(slots=True)
class _Slot:
    """The slot of one request; ``waiter`` is None while it has none."""

    lock: threading.Lock
    line: WaitingLine
    clock: Callable[[], float]
    hurried: bool
    waiter: Waiter | None
    begun: float

    def leave(self) -> None:
        if self.waiter is None:
            return
        with self.lock:
            self.line.leave(self.waiter, self.clock() - self.begun, self.hurried)
        self.waiter = None

    @contextmanager
    def outside(self) -> Iterator[None]:
        if self.waiter is None:
            yield
            return
        caller = self.waiter.caller
        self.leave()
        try:
            yield
        except (GeneratorExit, CallerGone):  # nobody waits for what would follow
            raise
        except BaseException:
            self._come_back(caller)
            raise
        self._come_back(caller)

    def _come_back(self, caller: str) -> None:
        with self.lock:
            waiter = self.line.come_back(caller, self.clock())
        try:
            while not waiter.called.wait(_LOOK_EVERY_S):
                leave_if_gone()
        except BaseException:
            with self.lock:
                self.line.forget(waiter)
            raise
        self.waiter, self.begun = waiter, self.clock()
