"""A fair queue for a few slots: callers take turns, so a caller with many requests delays only itself.

``WaitingLine`` is the state (pure: callers pass the time), ``FairQueue`` is for threads.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

from core.deadlines import CallerGone, raise_if_caller_gone

_FIRST_SERVICE_S = 0.1
SAFE_SHARE_OF_LONGEST_WAIT = 0.8
"""of the longest wait: an expected wait is a mean, so past this share too many would wait and then be refused"""
_LONGEST_PAUSE_S = 30.0
"""the longest pause that a refused request is asked for"""
_NEWEST_WEIGHT = 0.1
"""the weight of the newest request in the moving average of service times"""

_CHECK_EVERY_S = 0.5


@dataclass(frozen=True, slots=True)
class QueueSize:
    """``slots`` requests run at once, ``places`` may wait, none longer than ``longest_wait_s``.

    A request must hurry if its expected or actual wait is more than ``hurry_after_s``. ``part``: the part of the slots
    that one caller may have.
    """

    slots: int
    places: int
    longest_wait_s: float
    hurry_after_s: float = 1.0
    part: float = 1.0

    @property
    def share(self) -> int:
        """The most slots for one caller; of two or more, one always remains for others."""
        return max(1, min(self.slots - 1, int(self.slots * self.part)))

    @property
    def own_places(self) -> int:
        """The most waiting places for one caller."""
        return max(1, self.places - self.places // 4)


class QueueFull(Exception):
    """The expected or actual wait is longer than allowed; there may be a place after ``retry_s``."""

    def __init__(self, retry_s: float) -> None:
        super().__init__(f"about {retry_s:.1f} s to wait")
        self.retry_s = retry_s


@dataclass(slots=True, eq=False)
class Waiter:
    """A request in the line; ``has_slot`` is set when it has a slot."""

    caller: str
    joined_at: float
    has_slot: threading.Event = field(default_factory=threading.Event)


class WaitingLine:
    """Callers take turns: the next is the waiting caller with the fewest running requests, then the earliest.

    Not thread-safe.
    """

    def __init__(self, size: QueueSize) -> None:
        self._size = size
        self._running: Counter[str] = Counter()
        self._waiting: dict[str, deque[Waiter]] = {}
        self._service_s = {False: _FIRST_SERVICE_S, True: _FIRST_SERVICE_S}
        """mean service times of normal and of hurried requests"""
        self._returning: list[tuple[float, str]] = []
        """a heap: when refused requests were asked to come again, and of which callers they are"""
        self._returners: Counter[str] = Counter()

    def join(self, caller: str, now: float) -> Waiter:
        """A waiter, which has its slot if one is free. Raises QueueFull if its wait would be too long."""
        if not self._may_run(caller):
            own_count = len(self._waiting.get(caller, ()))
            full = self.number_waiting >= self._size.places or own_count >= self._size.own_places
            expected_wait_s = self.expected_s(caller)
            if full or expected_wait_s > SAFE_SHARE_OF_LONGEST_WAIT * self._size.longest_wait_s:
                raise self._refusal(caller, expected_wait_s, now)
        waiter = Waiter(caller, now)
        self._waiting.setdefault(caller, deque()).append(waiter)
        self._give_free_slots()
        return waiter

    def rejoin(self, caller: str, now: float) -> Waiter:
        """A waiter for a request that had a slot and gave it away for a while: never refused, before the caller's
        other requests.
        """
        waiter = Waiter(caller, now)
        self._waiting.setdefault(caller, deque()).appendleft(waiter)
        self._give_free_slots()
        return waiter

    def forget(self, waiter: Waiter) -> None:
        """Removes a waiter that gives up; its slot, if it has one, is free."""
        if waiter.has_slot.is_set():
            self._free(waiter.caller)
        else:
            self._waiting[waiter.caller].remove(waiter)
            self._drop_empty_queue(waiter.caller)

    def must_hurry(self, waiter: Waiter, now: float) -> bool:
        """Whether the request, which has a slot, must hurry: it waited long, or another one of its caller would."""
        next_wait_s = self.expected_s(waiter.caller, in_hurry=False) if self._waiting else 0.0
        return max(now - waiter.joined_at, next_wait_s) > self._size.hurry_after_s

    def abandon(self, waiter: Waiter, now: float) -> None:
        """Removes the waiter and raises QueueFull, unless it got a slot at this moment."""
        if waiter.has_slot.is_set():
            return
        self._waiting[waiter.caller].remove(waiter)
        self._drop_empty_queue(waiter.caller)
        raise self._refusal(waiter.caller, max(self._size.longest_wait_s, self.expected_s(waiter.caller)), now)

    def leave(self, waiter: Waiter, took_s: float, in_hurry: bool) -> None:
        """Frees the slot of a request that took so long inside, and calls the next."""
        self._learn(took_s, in_hurry)
        self._free(waiter.caller)

    def expected_s(self, caller: str, *, in_hurry: bool = True) -> float:
        """The caller's position in the queue times the usual time of a request, divided by the slots.

        Long waits make requests hurry, so the time of hurried requests is the default.
        """
        own_count = len(self._waiting.get(caller, ()))
        other_count = sum(min(len(queue), own_count + 1) for name, queue in self._waiting.items() if name != caller)
        return (own_count + other_count + 1) * self._service_s[in_hurry] / self._size.share

    @property
    def number_waiting(self) -> int:
        return sum(map(len, self._waiting.values()))

    @property
    def number_running(self) -> int:
        return self._running.total()

    def _refusal(self, caller: str, expected_s: float, now: float) -> QueueFull:
        """Each refused request is asked to come after those that were refused before it, so that they do not all come
        at the same time, find no place again, and cost more than what is answered.
        """
        while self._returning and self._returning[0][0] <= now:
            _, return_time = heapq.heappop(self._returning)
            self._returners[return_time] -= 1
            if not self._returners[return_time]:
                del self._returners[return_time]
        retry_s = min(expected_s + self._returners[caller] * self._service_s[True] / self._size.share, _LONGEST_PAUSE_S)
        heapq.heappush(self._returning, (now + retry_s, caller))
        self._returners[caller] += 1
        return QueueFull(retry_s)

    def _learn(self, took_s: float, in_hurry: bool) -> None:
        """A hurried request takes at most as long as a normal one, so one measurement can correct both means."""
        for kind, mean in self._service_s.items():
            corrects = took_s > mean if in_hurry else took_s < mean
            if kind is in_hurry or corrects:
                self._service_s[kind] = mean + _NEWEST_WEIGHT * (took_s - mean)

    def _free(self, caller: str) -> None:
        self._running[caller] -= 1
        if not self._running[caller]:
            del self._running[caller]
        self._give_free_slots()

    def _give_free_slots(self) -> None:
        while self._running.total() < self._size.slots:
            able = [caller for caller in self._waiting if self._running[caller] < self._size.share]
            if not able:
                return
            caller = min(able, key=lambda candidate: (self._running[candidate], self._waiting[candidate][0].joined_at))
            self._running[caller] += 1
            self._waiting[caller].popleft().has_slot.set()
            self._drop_empty_queue(caller)

    def _may_run(self, caller: str) -> bool:
        """Whether a slot is free for this caller; no waiting request could use it, or it would have it."""
        return self._running.total() < self._size.slots and self._running[caller] < self._size.share

    def _drop_empty_queue(self, caller: str) -> None:
        if not self._waiting[caller]:
            del self._waiting[caller]


@dataclass(frozen=True, slots=True)
class QueueTurn:
    """``waited_s``: how long this request waited. ``in_hurry``: whether it must skip optional work.

    ``outside``: while this is entered, others may have the slot; the request waits for a slot again at its end.
    """

    waited_s: float
    in_hurry: bool
    outside: Callable[[], AbstractContextManager[None]] = field(compare=False, repr=False)


class FairQueue:
    """A waiting line for threads."""

    def __init__(self, size: QueueSize, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._line = WaitingLine(size)
        self._longest_wait_s = size.longest_wait_s

    @contextmanager
    def turn(self, caller: str) -> Iterator[QueueTurn]:
        """Waits for a slot and holds it. Raises QueueFull, immediately if the expected wait is too long."""
        with self._lock:
            waiter = self._line.join(caller, self._clock())
        if not waiter.has_slot.wait(self._longest_wait_s):
            with self._lock:
                self._line.abandon(waiter, self._clock())
        start_s = self._clock()
        with self._lock:
            in_hurry = self._line.must_hurry(waiter, start_s)
        slot = _Slot(self._lock, self._line, self._clock, in_hurry, waiter, start_s)
        try:
            yield QueueTurn(start_s - waiter.joined_at, in_hurry, slot.outside)
        finally:
            slot.leave()

    def number_waiting(self) -> int:
        """The number of waiting requests."""
        with self._lock:
            return self._line.number_waiting

    def number_running(self) -> int:
        """The number of running requests."""
        with self._lock:
            return self._line.number_running

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
    in_hurry: bool
    waiter: Waiter | None
    started_s: float

    def leave(self) -> None:
        if self.waiter is None:
            return
        with self.lock:
            self.line.leave(self.waiter, self.clock() - self.started_s, self.in_hurry)
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
        except (GeneratorExit, CallerGone):  # nobody waits for the rest
            raise
        except BaseException:
            self._rejoin(caller)
            raise
        self._rejoin(caller)

    def _rejoin(self, caller: str) -> None:
        with self.lock:
            waiter = self.line.rejoin(caller, self.clock())
        try:
            while not waiter.has_slot.wait(_CHECK_EVERY_S):
                raise_if_caller_gone()
        except BaseException:
            with self.lock:
                self.line.forget(waiter)
            raise
        self.waiter, self.started_s = waiter, self.clock()
