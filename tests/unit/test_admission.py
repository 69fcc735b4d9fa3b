"""Who is worked for, who waits and who is refused, and deadlines; on a small app whose views wait to be let go."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from elastic_transport import ConnectionTimeout, NodeConfig, TransportError
from flask import Flask
from werkzeug.test import TestResponse

from core.deadlines import is_hurried, raise_if_caller_gone, remaining_s, slot_released, within
from core.errors import Unavailable
from es_gateway.nodes import GuardedNode
from es_gateway.searching import as_timeout
from search_api.http.limits import AdmissionLimits, _caller, register_admission


class Work:
    """An app whose views of records hold on until the test lets them go; the routes are those of the real app."""

    def __init__(self, limits: AdmissionLimits) -> None:
        self.begun = threading.Semaphore(0)
        self.go = threading.Event()
        self.app = Flask("work")
        register_admission(self.app, limits)
        for route in ("/search", "/embeddings", "/collections/<name>/items"):
            self.app.add_url_rule(route, route, self._work, methods=["GET", "POST"])
        for route in ("/library/documents", "/ask/held"):
            self.app.add_url_rule(route, route, self._work, methods=["GET", "POST"])
        self.app.add_url_rule("/ask/model", "/ask/model", self._at_the_model)
        for route in ("/healthz", "/readyz", "/metrics", "/page/<name>", "/"):
            self.app.add_url_rule(route, route, lambda **_: "ok")
        for route in ("/suggest", "/ask"):
            self.app.add_url_rule(route, route, lambda: {"left": remaining_s()}, methods=["GET", "POST"])

    def _work(self, **_: str) -> dict[str, bool]:
        self.begun.release()
        self.go.wait(60)
        return {"hurried": is_hurried()}

    def _at_the_model(self) -> dict[str, bool]:
        """Waits for another service, and looks now and then whether the caller is still there."""
        try:
            with slot_released():
                self.begun.release()
                while not self.go.wait(0.01):
                    raise_if_caller_gone()
        except Unavailable:
            return {"quoted": True}
        return {"quoted": False}

    def get(
        self, path: str = "/search", address: str = "127.0.0.1", gone: Callable[[], bool] | None = None
    ) -> TestResponse:
        environ: dict[str, Any] = {"REMOTE_ADDR": address}
        if gone is not None:
            environ["waitress.client_disconnected"] = gone
        return self.app.test_client().get(path, environ_overrides=environ)

    def worked_on(self, number: int) -> None:
        for _ in range(number):
            assert self.begun.acquire(timeout=60)


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(40) as pool:
        yield pool


def test_thirty_two_who_search_at_once_are_all_answered(threads: ThreadPoolExecutor) -> None:
    work = Work(AdmissionLimits(at_once=4, longest_wait_s=60.0).of_threads(256))
    asked = [threads.submit(work.get) for _ in range(32)]
    work.worked_on(3)  # one address alone gets all slots but one
    work.go.set()
    assert [one.result(60).status_code for one in asked] == [200] * 32


def test_where_the_wait_would_be_too_long_it_is_503_at_once_and_says_when_to_come_back(
    threads: ThreadPoolExecutor,
) -> None:
    work = Work(
        AdmissionLimits(at_once=1, waiting=40, longest_wait_s=0.05)
    )  # a request takes a tenth of a second at first
    held = threads.submit(work.get)
    work.worked_on(1)
    refused = work.get()
    assert (refused.status_code, refused.mimetype) == (503, "application/problem+json")
    assert int(refused.headers["Retry-After"]) >= 1
    work.go.set()
    assert held.result(60).status_code == 200
    assert work.get().status_code == 200  # the place was given back


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/", "/page/page.js"])
def test_what_holds_no_record_never_waits(path: str, threads: ThreadPoolExecutor) -> None:
    work = Work(AdmissionLimits(at_once=1, waiting=0, longest_wait_s=60.0))
    held = threads.submit(work.get)
    work.worked_on(1)
    assert work.get(path).status_code == 200
    work.go.set()
    assert held.result(60).status_code == 200


@pytest.mark.parametrize("path", ["/embeddings", "/collections/all/items?limit=1000"])
def test_costly_calls_keep_no_search_out(path: str, threads: ThreadPoolExecutor) -> None:
    work = Work(AdmissionLimits(at_once=4, waiting=80, longest_wait_s=60.0))
    costly = [threads.submit(work.get, path) for _ in range(8)]
    work.worked_on(1)
    searched = threads.submit(work.get)
    work.worked_on(1)  # while one costly call is worked on, and seven wait
    work.go.set()
    assert [one.result(60).status_code for one in (*costly, searched)] == [200] * 9


def test_one_address_cannot_take_all_slots(threads: ThreadPoolExecutor) -> None:
    work = Work(AdmissionLimits(at_once=4, waiting=80, longest_wait_s=60.0))
    many = [threads.submit(work.get, "/search", "192.0.2.1") for _ in range(12)]
    work.worked_on(3)
    other = threads.submit(work.get, "/search", "192.0.2.2")
    work.worked_on(1)
    work.go.set()
    assert [one.result(60).status_code for one in (*many, other)] == [200] * 13


@pytest.mark.parametrize(("held", "free"), [("/ask/held", "/library/documents"), ("/library/documents", "/ask/held")])
def test_answers_and_the_library_keep_each_other_and_no_other_address_out(
    held: str, free: str, threads: ThreadPoolExecutor
) -> None:
    work = Work(AdmissionLimits(at_once=4, waiting=80, longest_wait_s=60.0))
    many = [threads.submit(work.get, held, "192.0.2.1") for _ in range(4)]
    work.worked_on(1)
    others = [threads.submit(work.get, path, "192.0.2.2") for path in (held, free)]
    work.worked_on(2)  # of the first address one more is worked on only when its first is answered
    assert not work.begun.acquire(blocking=False)
    work.go.set()
    assert [one.result(60).status_code for one in (*many, *others)] == [200] * 6


def test_who_waits_for_a_language_model_holds_no_slot_for_computing(threads: ThreadPoolExecutor) -> None:
    """Four of one address wait; the fifth of that address is answered without the model, others with it."""
    work = Work(AdmissionLimits(at_once=4, waiting=80, longest_wait_s=0.2).of_threads(256))
    waiting = [threads.submit(work.get, "/ask/model", "192.0.2.1") for _ in range(4)]
    work.worked_on(4)
    assert work.get("/ask/model", "192.0.2.1").get_json() == {"quoted": True}
    other = threads.submit(work.get, "/ask/model", "192.0.2.2")
    computing = threads.submit(work.get, "/ask/held", "192.0.2.2")
    work.worked_on(2)
    work.go.set()
    assert [one.result(60).get_json() for one in (*waiting, other)] == [{"quoted": False}] * 5
    assert computing.result(60).status_code == 200


def test_who_hangs_up_while_a_language_model_is_waited_for_gives_the_place_back(threads: ThreadPoolExecutor) -> None:
    work, gone = Work(AdmissionLimits(at_once=2, models=1, longest_wait_s=60.0, waiting=16)), threading.Event()
    first = threads.submit(work.get, "/ask/model", "192.0.2.1", gone.is_set)
    work.worked_on(1)
    second = threads.submit(work.get, "/ask/model", "192.0.2.2")
    gone.set()
    assert first.result(60).status_code == 503
    work.worked_on(1)  # the second waits for the model now
    work.go.set()
    assert second.result(60).get_json() == {"quoted": False}


def test_a_network_of_one_ipv6_customer_is_one_caller(threads: ThreadPoolExecutor) -> None:
    work = Work(AdmissionLimits(at_once=4, waiting=80, longest_wait_s=60.0))
    many = [threads.submit(work.get, "/search", f"2001:db8::{number}") for number in range(1, 9)]
    work.worked_on(3)
    assert not work.begun.acquire(blocking=False)
    work.go.set()
    assert [one.result(60).status_code for one in many] == [200] * 8


def test_an_ipv4_address_in_the_form_of_ipv6_is_a_caller_of_its_own() -> None:
    assert _caller("::ffff:192.0.2.1") == "192.0.2.1"
    assert _caller("::ffff:192.0.2.2") == "192.0.2.2"


def test_where_many_wait_requests_are_told_to_hurry(threads: ThreadPoolExecutor) -> None:
    calm, busy = (
        Work(AdmissionLimits(at_once=1, waiting=40)),
        Work(AdmissionLimits(at_once=1, waiting=40, hurry_after_s=0.0)),
    )
    calm.go.set()
    assert calm.get().get_json() == {"hurried": False}
    asked = [threads.submit(busy.get) for _ in range(3)]
    busy.worked_on(1)
    busy.go.set()
    assert [one.result(60).get_json()["hurried"] for one in asked].count(True) >= 2


def test_who_hung_up_while_waiting_is_not_worked_for() -> None:
    work = Work(AdmissionLimits(at_once=1, waiting=8))
    work.go.set()
    gone = {"waitress.client_disconnected": lambda: True}
    assert work.app.test_client().get("/search", environ_overrides=gone).status_code == 503
    assert not work.begun.acquire(blocking=False)


def test_a_request_that_fails_gives_its_place_back() -> None:
    work = Work(AdmissionLimits(at_once=1, waiting=0))
    work.go.set()
    assert [work.app.test_client().delete("/search").status_code for _ in range(3)] == [405, 405, 405]
    assert work.get().status_code == 200


def test_slots_and_places_fit_into_the_threads_and_few_threads_are_not_limited() -> None:
    asked = AdmissionLimits(at_once=4)
    for threads in (8, 64, 256):
        limits = asked.of_threads(threads)
        assert limits.at_once == 4
        assert 0 < limits.waiting < threads
    sizes = asked.of_threads(256).sizes()
    slots = {"search": 4, "answer": 2, "library": 2, "costly": 1, "picture": 4, "model": 16}
    assert {work: size.slots for work, size in sizes.items()} == slots
    assert {work: size.share for work, size in sizes.items() if work != "costly"} == {
        "search": 3, "answer": 1, "library": 1, "picture": 3, "model": 4,
    }  # fmt: skip
    assert sum(size.slots + size.places for size in sizes.values()) <= 256 - 8  # somebody has to answer probes
    assert asked.of_threads(1).at_once == 0


def test_reading_and_asking_have_a_deadline_and_answers_by_a_model_have_none() -> None:
    client = Work(AdmissionLimits(deadline_s=8.0)).app.test_client()
    for answer in (client.get("/suggest"), client.post("/suggest")):
        assert 0 < answer.get_json()["left"] <= 8.0
    assert client.post("/ask").get_json()["left"] is None
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
