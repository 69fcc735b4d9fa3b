"""How many requests are worked on, and what deadline they have; on a small app with a view that waits to be let go."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from elastic_transport import ConnectionTimeout, NodeConfig, TransportError
from flask import Flask

from search_api.admission import Limits, register
from search_api.deadlines import GuardedNode, as_timeout, remaining_s, within


class Work:
    """An app whose one view holds on until the test lets it go."""

    def __init__(self, limits: Limits) -> None:
        self.begun = threading.Semaphore(0)
        self.go = threading.Event()
        self.app = Flask("work")
        register(self.app, limits)
        self.app.add_url_rule("/work", "work", self._work)
        self.app.add_url_rule("/healthz", "healthz", lambda: "ok")
        self.app.add_url_rule("/left", "left", lambda: {"left": remaining_s()}, methods=["GET", "POST"])
        self.app.add_url_rule("/ask", "ask", lambda: {"left": remaining_s()})

    def _work(self) -> str:
        self.begun.release()
        self.go.wait(60)
        return "done"

    def get(self, path: str = "/work") -> tuple[int, str | None]:
        answer = self.app.test_client().get(path)
        return answer.status_code, answer.headers.get("Retry-After")


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def test_more_than_may_be_worked_on_get_503_at_once_and_probes_go_through(threads: ThreadPoolExecutor) -> None:
    work = Work(Limits(at_once=2))
    held = [threads.submit(work.get) for _ in range(2)]
    for _ in held:
        assert work.begun.acquire(timeout=60)
    assert work.get() == (503, "1")
    assert work.get("/healthz") == (200, None)
    work.go.set()
    assert [one.result(60) for one in held] == [(200, None), (200, None)]
    assert work.get() == (200, None)  # places are given back


def test_who_waits_gets_the_place_that_becomes_free(threads: ThreadPoolExecutor) -> None:
    work = Work(Limits(at_once=1, waiting=1, wait_s=60.0))
    held = threads.submit(work.get)
    assert work.begun.acquire(timeout=60)
    waiting = threads.submit(work.get)
    work.go.set()
    assert (held.result(60)[0], waiting.result(60)[0]) == (200, 200)


def test_a_request_that_fails_gives_its_place_back() -> None:
    work = Work(Limits(at_once=1))
    assert [work.get("/nothing-here")[0] for _ in range(3)] == [404, 404, 404]


def test_half_of_eight_threads_work_two_wait_and_few_threads_are_not_limited() -> None:
    limits = Limits.of_threads(8, 8.0)
    assert (limits.at_once, limits.waiting, limits.deadline_s) == (4, 2, 8.0)
    assert Limits.of_threads(1, 8.0).at_once == 0


def test_reading_has_a_deadline_writing_and_answers_by_a_model_have_none() -> None:
    client = Work(Limits(deadline_s=8.0)).app.test_client()
    left = client.get("/left").get_json()["left"]
    assert 0 < left <= 8.0
    assert client.post("/left").get_json()["left"] is None
    assert client.get("/ask").get_json()["left"] is None
    assert remaining_s() is None


def test_the_nearer_of_two_deadlines_counts() -> None:
    with within(60.0), within(600.0):
        left = remaining_s()
        assert left is not None
        assert left <= 60.0
        assert as_timeout()["timeout"].endswith("ms")
    assert as_timeout() == {}


def test_elasticsearch_is_not_asked_after_the_deadline_and_not_longer_than_what_is_left() -> None:
    # 192.0.2.1 is TEST-NET-1 (RFC 5737): nobody answers there, so that only a timeout ends the call.
    node = GuardedNode(NodeConfig("http", "192.0.2.1", 9200))
    with within(0.0), pytest.raises(ConnectionTimeout) as passed:
        node.perform_request("GET", "/")
    assert passed.value.message == "The request's deadline has passed"
    begun = time.monotonic()
    with within(0.3), pytest.raises(TransportError):
        node.perform_request("GET", "/", request_timeout=60.0)
    assert time.monotonic() - begun < 30.0
