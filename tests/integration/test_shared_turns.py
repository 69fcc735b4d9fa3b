"""Workers at one host keep its rate and its number of open requests together, in a real Valkey."""

from __future__ import annotations

import multiprocessing
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from core.deadlines import CircuitOpen
from core.errors import Unavailable
from indexer.sources.politeness import HostLimits, RequestPolicy
from local_stack.ports import free_port
from local_stack.testing import valkey_server
from workers.host_limits import RedisHostLimits

HOST = "catalogue.example.org"
INTERVAL_S = 0.05
MANNERS = RequestPolicy(per_second=1 / INTERVAL_S, concurrency=4)
EACH = 6


@pytest.fixture
def own_prefix() -> str:
    return f"sonde-test-{uuid.uuid4().hex[:12]}"


_STARTED: list[Barrier] = []


def _both_are_there(barrier: Barrier) -> None:
    _STARTED.append(barrier)


def _first_and_last(broker_url: str, prefix: str) -> tuple[float, float]:
    """When a process of its own asked for a turn, and when it got its sixth; the clock is the machine's."""
    host_limits = HostLimits(RedisHostLimits.connect(broker_url, prefix))
    _STARTED[0].wait()
    asked = time.monotonic()
    for _ in range(EACH):
        with host_limits.turn(HOST, MANNERS):
            got = time.monotonic()
    return asked, got


def test_two_processes_share_the_rate_of_a_host(broker_url: str, own_prefix: str) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(2, initializer=_both_are_there, initargs=(context.Barrier(2),)) as pool:
        both = pool.starmap(_first_and_last, [(broker_url, own_prefix)] * 2, chunksize=1)
    # Twelve turns have eleven intervals between the first and the last; a loaded machine makes them longer only.
    assert max(got for _, got in both) - min(asked for asked, _ in both) >= 11 * INTERVAL_S - 0.02


def test_turns_are_handed_out_one_interval_after_the_other(broker_url: str, own_prefix: str) -> None:
    first, second = (RedisHostLimits.connect(broker_url, own_prefix) for _ in range(2))
    waits = [turns.take(HOST, 100.0) for turns in (first, second, first)]
    assert waits[0] == 0.0
    assert 40.0 < waits[1] <= 100.0
    assert 140.0 < waits[2] <= 200.0
    assert second.take("another.example.org", 100.0) == 0.0


def test_what_a_host_asks_of_one_holds_for_all(broker_url: str, own_prefix: str) -> None:
    told, other = (HostLimits(RedisHostLimits.connect(broker_url, own_prefix)) for _ in range(2))
    with told.turn(HOST, MANNERS) as turn:
        turn.hold(1000.0)
    assert other.shared is not None
    assert other.shared.take(HOST, INTERVAL_S) > 500.0


def test_a_source_that_fails_for_one_rests_for_all(broker_url: str, own_prefix: str) -> None:
    failing, other = (HostLimits(RedisHostLimits.connect(broker_url, own_prefix)) for _ in range(2))
    manners = RequestPolicy(breaker_failures=2, breaker_rest_s=600.0)
    with other.breaker("s", manners).guarding():
        pass
    for _ in range(2):
        with pytest.raises(Unavailable, match="down"), failing.breaker("s", manners).guarding():
            raise Unavailable("down")
    alone = r"The source 's' failed 2 times in a row and is left alone for (5[0-9]{2}|600) s"
    with pytest.raises(CircuitOpen, match=alone), other.breaker("s", manners).guarding():
        pytest.fail("the source was asked")
    with other.breaker("another", manners).guarding():
        pass


def test_no_more_are_open_than_a_host_may_have(broker_url: str, own_prefix: str) -> None:
    lock, now_open, most = threading.Lock(), 0, 0

    def ask(host_limits: HostLimits) -> None:
        nonlocal now_open, most
        with host_limits.turn(HOST, RequestPolicy(per_second=1000, concurrency=2)):
            with lock:
                now_open += 1
                most = max(most, now_open)
            time.sleep(0.02)
            with lock:
                now_open -= 1

    several = [HostLimits(RedisHostLimits.connect(broker_url, own_prefix)) for _ in range(3)]
    with ThreadPoolExecutor(9) as pool:
        list(pool.map(ask, several * 6))
    assert most == 2


def test_what_is_open_is_kept_by_its_heartbeat_and_what_the_dead_held_lapses(broker_url: str, own_prefix: str) -> None:
    alive = RedisHostLimits.connect(broker_url, own_prefix)
    alive.lease_s, alive.heartbeat_s = 3.0, 0.1
    dead = RedisHostLimits.connect(broker_url, own_prefix)
    dead.lease_s, dead.heartbeat_s = 1.5, 3600.0  # as a process that was killed: it neither renews nor gives back
    other = RedisHostLimits.connect(broker_url, own_prefix)
    entered = threading.Event()

    def wait_and_enter() -> None:
        with other.slot(HOST, 1):
            entered.set()

    with ExitStack() as stack:
        stack.enter_context(alive.slot(HOST, 1))
        thread = threading.Thread(target=wait_and_enter)
        thread.start()
        assert not entered.wait(6.5), "longer than two leases"
    assert entered.wait(30)
    thread.join()
    never_left = dead.slot(HOST, 1)
    never_left.__enter__()
    with other.slot(HOST, 1):
        pass
    never_left.__exit__(None, None, None)


def test_without_broker_a_process_keeps_its_own_turns_and_comes_back(tmp_path: Path, own_prefix: str) -> None:
    port = free_port()
    turns = RedisHostLimits.connect(f"redis://127.0.0.1:{port}/0", own_prefix, rest_s=0.0)
    host_limits = HostLimits(turns)
    began = time.monotonic()
    for _ in range(3):
        with host_limits.turn(HOST, MANNERS):
            pass
    assert time.monotonic() - began >= 2 * (INTERVAL_S - 0.005)
    assert turns.take(HOST, 100.0) == 0.0
    with valkey_server(tmp_path, port):
        assert turns.take(HOST, 100.0) == 0.0
        assert turns.take(HOST, 100.0) > 40.0


def test_a_broker_that_does_not_answer_is_left_alone_for_a_while(tmp_path: Path, own_prefix: str) -> None:
    port = free_port()
    turns = RedisHostLimits.connect(f"redis://127.0.0.1:{port}/0", own_prefix, rest_s=3600.0)
    turns.hold(HOST, 1.0)
    with valkey_server(tmp_path, port):
        turns.take(HOST, 100.0)
        assert turns.take(HOST, 100.0) == 0.0
