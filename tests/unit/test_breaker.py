"""The circuit breaker, by hand; and a port behind it."""

from __future__ import annotations

import pytest

from core.deadlines import Breaker, BreakerPolicy, CircuitOpen
from core.errors import Unavailable
from core.geo import Place
from search_api.search.caches import GuardedGeocoder


class Clock:
    """Seconds that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def breaker(clock: Clock, *, slow_s: float | None = None) -> Breaker:
    return Breaker("The part", BreakerPolicy(failures=2, pause_s=5.0, slow_s=slow_s), clock)


def fail(one: Breaker) -> None:
    with pytest.raises(Unavailable, match="down"), one.guarding(Unavailable):
        raise Unavailable("down")


def test_two_failures_in_a_row_open_it_and_one_caller_tries_after_the_pause() -> None:
    clock = Clock()
    one = breaker(clock)
    fail(one)
    fail(one)
    clock.now = 4.9
    with pytest.raises(CircuitOpen, match="failed 2 times"), one.guarding(Unavailable):
        pytest.fail("the part was asked")
    clock.now = 5.0
    with one.guarding(Unavailable), pytest.raises(CircuitOpen), one.guarding(Unavailable):
        pytest.fail("a second one was let in while the first tries")
    assert not one.is_open


def test_a_failed_try_begins_the_pause_anew() -> None:
    clock = Clock()
    one = breaker(clock)
    fail(one)
    fail(one)
    clock.now = 5.0
    fail(one)
    clock.now = 9.9
    with pytest.raises(CircuitOpen), one.guarding(Unavailable):
        pytest.fail("the part was asked")


def test_a_success_between_failures_and_an_error_of_another_kind_leave_it_closed() -> None:
    one = breaker(Clock())
    fail(one)
    with one.guarding(Unavailable):
        pass
    fail(one)
    with pytest.raises(ZeroDivisionError), one.guarding(Unavailable):
        raise ZeroDivisionError
    assert not one.is_open


def test_an_answer_that_takes_too_long_counts_as_a_failure_but_is_given() -> None:
    clock = Clock()
    one = breaker(clock, slow_s=3.0)
    for _ in range(2):
        with one.guarding(Unavailable):
            clock.now += 3.1
    assert one.is_open


def test_a_geocoder_that_is_down_is_asked_twice_and_then_left_alone() -> None:
    class Down:
        asked = 0

        def lookup(self, name: str) -> list[Place]:
            self.asked += 1
            raise Unavailable(f"down, asked for {name}")

    down = Down()
    guarded = GuardedGeocoder(down, breaker(Clock()))
    for _ in range(4):
        with pytest.raises(Unavailable):
            guarded.lookup("Kenya")
    assert down.asked == 2
