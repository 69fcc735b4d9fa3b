"""A fair queue for a few slots: callers take turns, so a caller with many requests delays only itself."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

_FIRST_GUESS_S = 0.25
_WEIGHT = 0.1
"""the weight of the newest request in the moving average of service times"""


@dataclass(frozen=True, slots=True)
class QueueSize:
    """``slots`` requests run at once, ``places`` may wait, none longer than ``longest_wait_s``.

    A request must hurry if its expected or actual wait is more than ``hurry_after_s``.
    """

    slots: int
    places: int
    longest_wait_s: float
    hurry_after_s: float = 1.0

    @property
    def share(self) -> int:
        """The most slots for one caller; of three or more, one always remains for others."""
        return self.slots - 1 if self.slots > 2 else self.slots

    @property
    def own_places(self) -> int:
        """The most waiting places for one caller."""
        return max(1, self.places - self.places // 4)


@dataclass(frozen=True, slots=True)
class Turn:
    """``waited_s``: how long this request waited. ``hurried``: whether it must skip optional work."""

    waited_s: float
    hurried: bool


class Crowded(Exception):
    """The expected or actual wait is longer than allowed."""

    def __init__(self, expected_s: float) -> None:
        super().__init__(f"about {expected_s:.1f} s to wait")
        self.expected_s = expected_s


@dataclass(slots=True, eq=False)
class _Waiter:
    came: float
    called: threading.Event = field(default_factory=threading.Event)


class FairQueue:
    """Thread-safe; a waiting thread uses no processor time.

    The next slot goes to the caller with the fewest slots; among equals, to the first in the queue.
    """

    def __init__(self, size: QueueSize, clock: Callable[[], float] = time.monotonic) -> None:
        self._size = size
        self._clock = clock
        self._lock = threading.Lock()
        self._inside: Counter[str] = Counter()
        self._waiting: dict[str, deque[_Waiter]] = {}
        self._service_s = {False: _FIRST_GUESS_S, True: _FIRST_GUESS_S}
        """mean service times of normal and of hurried requests"""

    @contextmanager
    def turn(self, caller: str) -> Iterator[Turn]:
        """Waits for a slot and holds it. Raises Crowded, immediately if the expected wait is too long."""
        came = self._clock()
        waiter = self._queued(caller, came)
        if not waiter.called.wait(self._size.longest_wait_s):
            self._give_up(caller, waiter)
        begun = self._clock()
        with self._lock:
            following = self._expected_s(caller, hurried=False) if self._waiting else 0.0
        hurried = max(begun - came, following) > self._size.hurry_after_s
        try:
            yield Turn(begun - came, hurried)
        finally:
            self._leave(caller, self._clock() - begun, hurried)

    def number_waiting(self) -> int:
        """The number of waiting requests."""
        with self._lock:
            return sum(map(len, self._waiting.values()))

    def number_inside(self) -> int:
        """The number of running requests."""
        with self._lock:
            return self._inside.total()

    def expected_s(self, caller: str) -> float:
        """The wait of a new request of this caller if all slots were taken and those before it hurried."""
        with self._lock:
            return self._expected_s(caller)

    def _queued(self, caller: str, came: float) -> _Waiter:
        """A waiter, called immediately if a slot is free. Raises Crowded."""
        waiter = _Waiter(came)
        with self._lock:
            if not self._may_enter(caller):
                own = len(self._waiting.get(caller, ()))
                full = sum(map(len, self._waiting.values())) >= self._size.places or own >= self._size.own_places
                expected = self._expected_s(caller)
                if full or expected > self._size.longest_wait_s:
                    raise Crowded(expected)
            self._waiting.setdefault(caller, deque()).append(waiter)
            self._call_next()
        return waiter

    def _give_up(self, caller: str, waiter: _Waiter) -> None:
        """Removes the waiter from the queue and raises Crowded, unless it was called at this moment."""
        with self._lock:
            if waiter.called.is_set():
                return
            self._waiting[caller].remove(waiter)
            self._forget_if_gone(caller)
            raise Crowded(max(self._size.longest_wait_s, self._expected_s(caller)))

    def _leave(self, caller: str, took_s: float, hurried: bool) -> None:
        with self._lock:
            self._inside[caller] -= 1
            if not self._inside[caller]:
                del self._inside[caller]
            self._service_s[hurried] += _WEIGHT * (took_s - self._service_s[hurried])
            self._call_next()

    def _call_next(self) -> None:
        while self._inside.total() < self._size.slots:
            able = [caller for caller in self._waiting if self._inside[caller] < self._size.share]
            if not able:
                return
            caller = min(able, key=lambda one: (self._inside[one], self._waiting[one][0].came))
            self._inside[caller] += 1
            self._waiting[caller].popleft().called.set()
            self._forget_if_gone(caller)

    def _may_enter(self, caller: str) -> bool:
        """Whether a slot is free for this caller; no waiting request could use it, or it would have been called."""
        return self._inside.total() < self._size.slots and self._inside[caller] < self._size.share

    def _expected_s(self, caller: str, *, hurried: bool = True) -> float:
        """The caller's position in the queue times the usual time of a request, divided by the slots.

        Long waits make requests hurry, so the time of hurried requests is the default.
        """
        own = len(self._waiting.get(caller, ()))
        others = sum(min(len(queue), own + 1) for name, queue in self._waiting.items() if name != caller)
        return (own + others + 1) * self._service_s[hurried] / self._size.share

    def _forget_if_gone(self, caller: str) -> None:
        if not self._waiting[caller]:
            del self._waiting[caller]
