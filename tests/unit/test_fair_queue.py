"""Turns in the fair queue, with threads that hold their slots until the test lets them go."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from search_api.http.fair_queue import FairQueue, QueueFull, QueueSize, QueueTurn

LONG_S = 60.0


class People:
    """Callers before one queue; ``order`` is who came in when."""

    def __init__(self, pool: ThreadPoolExecutor, size: QueueSize) -> None:
        self.queue = FairQueue(size)
        self.order: list[str] = []
        self._pool = pool
        self._running = threading.Semaphore(0)
        self._go = threading.Semaphore(0)

    def join(self, caller: str) -> Future[QueueTurn]:
        """The caller is in the queue, or inside, when this returns."""
        before = self.number
        future = self._pool.submit(self._hold, caller)
        while self.number == before and not future.done():
            threading.Event().wait(0.001)
        return future

    @property
    def number(self) -> int:
        return self.queue.number_waiting() + self.queue.number_running()

    def _hold(self, caller: str) -> QueueTurn:
        with self.queue.turn(caller) as turn:
            self.order.append(caller)
            self._running.release()
            assert self._go.acquire(timeout=LONG_S)
            return turn

    def entered(self, number: int) -> None:
        for _ in range(number):
            assert self._running.acquire(timeout=LONG_S)

    def one_leaves(self) -> None:
        self._go.release()

    def all_leave(self) -> None:
        self._go.release(1000)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(64) as threads:
        yield threads


def test_thirty_two_who_come_at_once_are_all_let_in_and_in_their_order(pool: ThreadPoolExecutor) -> None:
    people = People(pool, QueueSize(slots=1, places=100, longest_wait_s=LONG_S))
    all_of_them = [people.join(f"caller {number:02}") for number in range(32)]
    for _ in all_of_them:
        people.entered(1)
        people.one_leaves()
    assert [one.result(LONG_S).waited_s >= 0 for one in all_of_them] == [True] * 32
    assert people.order == sorted(people.order)


def test_one_who_asks_a_lot_waits_behind_others_and_leaves_them_a_slot(pool: ThreadPoolExecutor) -> None:
    people = People(pool, QueueSize(slots=3, places=100, longest_wait_s=LONG_S))
    many = [people.join("busy") for _ in range(10)]
    people.entered(2)  # two of three slots are all that one caller gets
    assert (people.queue.number_running(), people.queue.number_waiting()) == (2, 8)
    other = people.join("quiet")
    people.entered(1)
    assert people.order == ["busy", "busy", "quiet"]
    second = people.join("second")
    third = people.join("third")
    people.one_leaves()
    people.entered(1)
    people.one_leaves()
    people.entered(1)
    assert set(people.order[3:]) <= {"second", "third", "busy"}
    assert "second" in people.order[3:]
    people.all_leave()
    for one in (*many, other, second, third):
        one.result(LONG_S)


def test_who_would_wait_too_long_is_refused_at_once_and_told_how_long(pool: ThreadPoolExecutor) -> None:
    people = People(pool, QueueSize(slots=1, places=100, longest_wait_s=0.5))
    inside = people.join("first")
    people.entered(1)
    waiting = [people.join(f"caller {number}") for number in range(4)]  # by the first guess of a tenth of a second
    with pytest.raises(QueueFull) as crowded, people.queue.turn("late"):
        pytest.fail("it was let in")
    assert crowded.value.retry_s == pytest.approx(0.5)
    people.all_leave()
    for one in (inside, *waiting):
        one.result(LONG_S)


def test_who_waits_longer_than_allowed_is_refused_and_leaves_no_place_taken(pool: ThreadPoolExecutor) -> None:
    people = People(pool, QueueSize(slots=1, places=100, longest_wait_s=0.3))
    inside = people.join("first")
    people.entered(1)
    with pytest.raises(QueueFull), people.queue.turn("second"):
        pytest.fail("it was let in")
    assert people.queue.number_waiting() == 0
    people.all_leave()
    inside.result(LONG_S)
    with people.queue.turn("third") as turn:
        assert turn.waited_s < 0.3


def test_one_caller_cannot_take_all_places(pool: ThreadPoolExecutor) -> None:
    people = People(pool, QueueSize(slots=1, places=4, longest_wait_s=LONG_S))
    held = [people.join("busy") for _ in range(4)]
    people.entered(1)
    with pytest.raises(QueueFull), people.queue.turn("busy"):
        pytest.fail("it was let in")
    quiet = people.join("quiet")
    assert people.queue.number_waiting() == 4
    people.all_leave()
    for one in (*held, quiet):
        one.result(LONG_S)


def test_an_expected_wait_follows_how_long_requests_take() -> None:
    now = [0.0]
    size = QueueSize(slots=1, places=10, longest_wait_s=LONG_S, hurry_after_s=-1.0)  # everybody hurries
    queue = FairQueue(size, lambda: now[0])
    before = queue.expected_s("any")
    for _ in range(50):
        with queue.turn("any") as turn:
            assert turn.in_hurry
            now[0] += 2.0
    assert before == pytest.approx(0.1)
    assert queue.expected_s("any") == pytest.approx(2.0, rel=0.01)


def test_slow_requests_that_took_their_time_do_not_keep_out_those_who_would_hurry() -> None:
    now = [0.0]
    queue = FairQueue(QueueSize(slots=1, places=10, longest_wait_s=LONG_S), lambda: now[0])
    for _ in range(50):
        with queue.turn("any") as turn:
            assert not turn.in_hurry
            now[0] += 20.0
    assert queue.expected_s("any") == pytest.approx(0.1)
