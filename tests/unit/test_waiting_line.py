"""Who is let in, who waits and who is refused, in simulated time: clients ask again as soon as they are answered."""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from search_api.admission import Limits
from search_api.waiting_line import Crowded, QueueSize, Waiter, WaitingLine
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


def simulated(
    addresses: dict[str, int], service_s: Callable[[float], float], seconds: float = 60.0, size: QueueSize = SHIPS
) -> Day:
    """``addresses``: how many clients each has. ``service_s``: how long a request takes inside, by the time of day."""
    line, clock, day = WaitingLine(size), Clock(), Day()
    waiting: dict[Waiter, str] = {}

    def come(address: str, client: str) -> None:
        try:
            waiter = line.come(address, clock.now)
        except Crowded as crowded:
            day.refused[client] += 1
            day.told_to_return.append(crowded.expected_s)
            clock.at(clock.now + max(1, math.ceil(crowded.expected_s)), lambda: come(address, client))
            return
        waiting[waiter] = client
        clock.at(clock.now + size.longest_wait_s, lambda: give_up(waiter, client))
        begin_called()

    def give_up(waiter: Waiter, client: str) -> None:
        if waiter in waiting:
            del waiting[waiter]
            with pytest.raises(Crowded):
                line.give_up(waiter)
            day.gave_up[client] += 1
            clock.at(clock.now + size.longest_wait_s, lambda: come(waiter.caller, client))

    def begin_called() -> None:
        for waiter in [one for one in waiting if one.called.is_set()]:
            client = waiting.pop(waiter)
            begun, hurried = clock.now, line.enter(waiter, clock.now)
            day.waits.setdefault(client, []).append(begun - waiter.came)
            clock.at(begun + service_s(begun), lambda w=waiter, c=client, b=begun, h=hurried: leave(w, c, b, h))  # type: ignore[misc]

    def leave(waiter: Waiter, client: str, begun: float, hurried: bool) -> None:
        line.leave(waiter, clock.now - begun, hurried)
        begin_called()
        come(waiter.caller, client)

    for address, clients in addresses.items():
        for number in range(clients):
            client = f"{address}/{number}"
            clock.at(0.001 * number, lambda a=address, c=client: come(a, c))  # type: ignore[misc]
    clock.run(seconds)
    return day


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
    assert day.gave_up.total() <= 0.02 * day.refused.total()  # nearly all refusals come at once
    assert min(day.told_to_return) > 0.0


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

    def measured(took_s: float, hurried: bool) -> tuple[float, float]:
        for _ in range(100):
            line.leave(line.come("any", 0.0), took_s, hurried)
        return line.expected_s("any", hurried=False), line.expected_s("any")

    assert measured(20.0, hurried=False) == (pytest.approx(20.0, rel=0.01), pytest.approx(0.1))
    assert measured(2.0, hurried=True) == (pytest.approx(20.0, rel=0.01), pytest.approx(2.0, rel=0.01))
    assert measured(0.5, hurried=False) == (pytest.approx(0.5, rel=0.01), pytest.approx(0.5, rel=0.01))
    assert measured(1.5, hurried=True) == (pytest.approx(1.5, rel=0.01), pytest.approx(1.5, rel=0.01))


def test_few_threads_still_have_places_in_the_line() -> None:
    assert Limits(at_once=4).of_threads(8).sizes()["search"].places >= 0
