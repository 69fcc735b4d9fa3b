"""The state of a fair queue: who is inside, who waits, and how long a wait will be. Pure: callers pass the time."""

from __future__ import annotations

import heapq
import threading
from collections import Counter, deque
from dataclasses import dataclass, field

_FIRST_GUESS_S = 0.1
_SURELY = 0.8
"""of the longest wait: an expected wait is a mean, so past this share too many would wait and then be refused"""
_LATEST_S = 30.0
"""the longest pause that a refused request is asked for"""
_WEIGHT = 0.1
"""the weight of the newest request in the moving average of service times"""


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


class Crowded(Exception):
    """The expected or actual wait is longer than allowed; there may be a place after ``retry_s``."""

    def __init__(self, retry_s: float) -> None:
        super().__init__(f"about {retry_s:.1f} s to wait")
        self.retry_s = retry_s


@dataclass(slots=True, eq=False)
class Waiter:
    """A request in the line; ``called`` is set when it has a slot."""

    caller: str
    came: float
    called: threading.Event = field(default_factory=threading.Event)


class WaitingLine:
    """Callers take turns: of those who wait, next is the one with the fewest running requests, then the earliest.

    Not thread-safe.
    """

    def __init__(self, size: QueueSize) -> None:
        self._size = size
        self._inside: Counter[str] = Counter()
        self._waiting: dict[str, deque[Waiter]] = {}
        self._service_s = {False: _FIRST_GUESS_S, True: _FIRST_GUESS_S}
        """mean service times of normal and of hurried requests"""
        self._returning: list[tuple[float, str]] = []
        """a heap: when refused requests were asked to come again, and of which callers they are"""
        self._returners: Counter[str] = Counter()

    def come(self, caller: str, now: float) -> Waiter:
        """A waiter, called immediately if a slot is free. Raises Crowded if its wait would be too long."""
        if not self._may_enter(caller):
            own = len(self._waiting.get(caller, ()))
            full = self.number_waiting >= self._size.places or own >= self._size.own_places
            expected = self.expected_s(caller)
            if full or expected > _SURELY * self._size.longest_wait_s:
                raise self._refusal(caller, expected, now)
        waiter = Waiter(caller, now)
        self._waiting.setdefault(caller, deque()).append(waiter)
        self._call_next()
        return waiter

    def come_back(self, caller: str, now: float) -> Waiter:
        """A waiter for a request that had a slot and gave it away for a while: never refused, before the caller's
        other requests.
        """
        waiter = Waiter(caller, now)
        self._waiting.setdefault(caller, deque()).appendleft(waiter)
        self._call_next()
        return waiter

    def forget(self, waiter: Waiter) -> None:
        """Removes a waiter that will not enter; its slot, if it was called, is free."""
        if waiter.called.is_set():
            self._free(waiter.caller)
        else:
            self._waiting[waiter.caller].remove(waiter)
            self._forget_if_gone(waiter.caller)

    def enter(self, waiter: Waiter, now: float) -> bool:
        """Whether the called request must hurry: it waited long, or another one of its caller would."""
        following = self.expected_s(waiter.caller, hurried=False) if self._waiting else 0.0
        return max(now - waiter.came, following) > self._size.hurry_after_s

    def give_up(self, waiter: Waiter, now: float) -> None:
        """Removes the waiter and raises Crowded, unless it was called at this moment."""
        if waiter.called.is_set():
            return
        self._waiting[waiter.caller].remove(waiter)
        self._forget_if_gone(waiter.caller)
        raise self._refusal(waiter.caller, max(self._size.longest_wait_s, self.expected_s(waiter.caller)), now)

    def leave(self, waiter: Waiter, took_s: float, hurried: bool) -> None:
        """Frees the slot of a request that took so long inside, and calls the next."""
        self._learn(took_s, hurried)
        self._free(waiter.caller)

    def expected_s(self, caller: str, *, hurried: bool = True) -> float:
        """The caller's position in the queue times the usual time of a request, divided by the slots.

        Long waits make requests hurry, so the time of hurried requests is the default.
        """
        own = len(self._waiting.get(caller, ()))
        others = sum(min(len(queue), own + 1) for name, queue in self._waiting.items() if name != caller)
        return (own + others + 1) * self._service_s[hurried] / self._size.share

    @property
    def number_waiting(self) -> int:
        return sum(map(len, self._waiting.values()))

    @property
    def number_inside(self) -> int:
        return self._inside.total()

    def _refusal(self, caller: str, expected_s: float, now: float) -> Crowded:
        """Each refused request is asked to come after those that were refused before it, so that they do not all come
        at the same time, find no place again, and cost more than what is answered.
        """
        while self._returning and self._returning[0][0] <= now:
            _, returned = heapq.heappop(self._returning)
            self._returners[returned] -= 1
            if not self._returners[returned]:
                del self._returners[returned]
        retry_s = min(expected_s + self._returners[caller] * self._service_s[True] / self._size.share, _LATEST_S)
        heapq.heappush(self._returning, (now + retry_s, caller))
        self._returners[caller] += 1
        return Crowded(retry_s)

    def _learn(self, took_s: float, hurried: bool) -> None:
        """A hurried request takes at most as long as a normal one, so one measurement can correct both means."""
        for kind, mean in self._service_s.items():
            corrects = took_s > mean if hurried else took_s < mean
            if kind is hurried or corrects:
                self._service_s[kind] = mean + _WEIGHT * (took_s - mean)

    def _free(self, caller: str) -> None:
        self._inside[caller] -= 1
        if not self._inside[caller]:
            del self._inside[caller]
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

    def _forget_if_gone(self, caller: str) -> None:
        if not self._waiting[caller]:
            del self._waiting[caller]
