"""Who is let in, who waits and who is refused, in simulated time: clients ask again as soon as they are answered."""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import pytest

from search_api.http.fair_queue import QueueFull, QueueSize, Waiter, WaitingLine
from search_api.http.limits import AdmissionLimits
from sonde.settings import ApiSettings
from sonde.wiring.api import limits_of

SHIPS = limits_of(ApiSettings()).sizes()["search"]
"""One process with the settings that ship; one address has three of its four slots."""


@dataclass
class Day:
    """What became of the requests of each client: waits of those worked on, refusals at once, and given up."""

    waits: dict[str, list[float]] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    gave_up: Counter[str] = field(default_factory=Counter)
    told_to_return: list[float] = field(default_factory=list)

    @property
    def answered(self) -> int:
        return sum(map(len, self.waits.values()))

    @property
    def longest(self) -> float:
        return max(max(waits) for waits in self.waits.values())


class Clock:
    """Runs actions in the order of their times."""

    def __init__(self) -> None:
        self.now = 0.0
        self._number = itertools.count()
        self._actions: list[tuple[float, int, Callable[[], None]]] = []

    def at(self, time: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._actions, (time, next(self._number), action))

    def run(self, until: float) -> None:
        while self._actions and self._actions[0][0] <= until:
            self.now, _, action = heapq.heappop(self._actions)
            action()


class Service:
    """A line before slots that take ``service_s``, by the time of day; clients come again when they are answered."""

    def __init__(self, size: QueueSize, service_s: Callable[[float], float]) -> None:
        self.clock, self.day = Clock(), Day()
        self._size, self._service_s = size, service_s
        self._line = WaitingLine(size)
        self._waiting: dict[Waiter, str] = {}

    def join(self, address: str, client: str) -> None:
        try:
            waiter = self._line.join(address, self.clock.now)
        except QueueFull as crowded:
            self.day.refused[client] += 1
            self._come_again(address, client, crowded)
            return
        self._waiting[waiter] = client
        self.clock.at(self.clock.now + self._size.longest_wait_s, lambda: self._give_up(waiter))
        self._begin_called()

    def _come_again(self, address: str, client: str, crowded: QueueFull) -> None:
        self.day.told_to_return.append(crowded.retry_s)
        self.clock.at(self.clock.now + max(1, math.ceil(crowded.retry_s)), lambda: self.join(address, client))

    def _give_up(self, waiter: Waiter) -> None:
        if waiter not in self._waiting:
            return
        client = self._waiting.pop(waiter)
        with pytest.raises(QueueFull) as crowded:
            self._line.abandon(waiter, self.clock.now)
        self.day.gave_up[client] += 1
        self._come_again(waiter.caller, client, crowded.value)

    def _begin_called(self) -> None:
        for waiter in [one for one in self._waiting if one.has_slot.is_set()]:
            client, begun = self._waiting.pop(waiter), self.clock.now
            in_hurry = self._line.must_hurry(waiter, begun)
            self.day.waits.setdefault(client, []).append(begun - waiter.joined_at)
            took_s = self._service_s(begun)
            self.clock.at(begun + took_s, partial(self._leave, waiter, client, took_s, in_hurry))

    def _leave(self, waiter: Waiter, client: str, took_s: float, in_hurry: bool) -> None:
        self._line.leave(waiter, took_s, in_hurry)
        self._begin_called()
        self.join(waiter.caller, client)


def simulated(
    addresses: dict[str, int], service_s: Callable[[float], float], seconds: float = 60.0, size: QueueSize = SHIPS
) -> Day:
    """``addresses``: how many clients each has."""
    service = Service(size, service_s)
    for address, clients in addresses.items():
        for number in range(clients):
            service.clock.at(0.001 * number, partial(service.join, address, f"{address}/{number}"))
    service.clock.run(seconds)
    return service.day


def test_thirty_two_clients_of_one_address_are_all_answered_in_turn_within_two_seconds() -> None:
    day = simulated({"one": 32}, lambda _: 0.15)  # 20 a second; 32 clients wait 2 s or less from 16 a second on
    assert not day.refused
    assert not day.gave_up
    assert day.longest < 2.0
    turns = [len(waits) for waits in day.waits.values()]
    assert max(turns) - min(turns) <= 1


@pytest.mark.parametrize("service_s", [0.02, 0.15, 0.6])
def test_three_hundred_clients_lower_the_number_of_answers_by_less_than_a_tenth(service_s: float) -> None:
    best, day = simulated({"one": 8}, lambda _: service_s), simulated({"one": 300}, lambda _: service_s)
    assert day.answered >= 0.9 * best.answered
    assert day.longest <= 2.0
    assert day.refused.total() > 0
    assert day.gave_up.total() <= 0.2 * day.refused.total()  # most refusals come at once
    assert day.refused.total() <= 2 * day.answered + 300  # and those who keep to Retry-After are not refused for ever
    assert 0.0 < min(day.told_to_return) <= max(day.told_to_return) <= 30.0


def test_refused_requests_are_asked_to_come_one_after_the_other_and_only_while_they_are_expected() -> None:
    line = WaitingLine(QueueSize(slots=1, places=0, longest_wait_s=2.0))
    line.join("any", 0.0)

    def refused(address: str, now: float) -> float:
        with pytest.raises(QueueFull) as crowded:
            line.join(address, now)
        return crowded.value.retry_s

    assert [refused("any", 0.0) for _ in range(3)] == pytest.approx([0.1, 0.2, 0.3])
    assert refused("other", 0.0) == pytest.approx(0.1)
    assert refused("any", 0.25) == pytest.approx(0.2)  # only the third of them is still to come
    assert refused("any", 10.0) == pytest.approx(0.1)


def test_an_address_with_one_client_never_waits_behind_three_hundred_of_another() -> None:
    day = simulated({"many": 300, "one": 1}, lambda _: 0.15)
    assert not day.refused["one/0"]
    assert not day.gave_up["one/0"]
    assert max(day.waits["one/0"]) < 0.15


def test_two_busy_addresses_are_worked_for_alike() -> None:
    day = simulated({"large": 200, "small": 20}, lambda _: 0.1)
    answered = Counter(
        {name: sum(len(w) for c, w in day.waits.items() if c.startswith(name)) for name in ("large", "small")}
    )
    assert answered["small"] >= 0.9 * answered["large"]


def test_after_a_slow_spell_nobody_is_refused_for_it() -> None:
    def slow_at_first(now: float) -> float:
        return 3.0 if now < 30.0 else 0.05

    day = simulated({"one": 24}, slow_at_first, seconds=60.0)
    calm = simulated({"one": 24}, lambda _: 0.05, seconds=20.0)
    assert day.refused.total() > 0  # while it was slow
    late = simulated({"one": 24}, slow_at_first, seconds=40.0)
    assert day.refused == late.refused
    assert day.answered - late.answered >= 0.95 * calm.answered


def test_hurried_requests_teach_how_long_normal_ones_take_at_least_and_the_other_way_round() -> None:
    line = WaitingLine(QueueSize(slots=1, places=10, longest_wait_s=60.0))

    def measured(took_s: float, in_hurry: bool) -> tuple[float, float]:
        for _ in range(100):
            line.leave(line.join("any", 0.0), took_s, in_hurry)
        return line.expected_s("any", in_hurry=False), line.expected_s("any")

    assert measured(20.0, in_hurry=False) == (pytest.approx(20.0, rel=0.01), pytest.approx(0.1))
    assert measured(2.0, in_hurry=True) == (pytest.approx(20.0, rel=0.01), pytest.approx(2.0, rel=0.01))
    assert measured(0.5, in_hurry=False) == (pytest.approx(0.5, rel=0.01), pytest.approx(0.5, rel=0.01))
    assert measured(1.5, in_hurry=True) == (pytest.approx(1.5, rel=0.01), pytest.approx(1.5, rel=0.01))


def test_few_threads_still_have_places_in_the_line() -> None:
    assert AdmissionLimits(at_once=4).of_threads(8).sizes()["search"].places >= 0
