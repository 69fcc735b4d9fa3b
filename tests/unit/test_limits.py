"""Limits by address and by key, on the real broker and without one."""

from __future__ import annotations

import time
import uuid

import pytest
from flask import Flask, request
from flask.testing import FlaskClient
from limits import RateLimitItem, RateLimitItemPerHour, RateLimitItemPerSecond
from limits.storage import MemoryStorage

from search_api.http import problems
from search_api.http.limits import LimitPolicy, OneTripWindow, register_rate_limits
from sonde.settings import BrokerSettings, LimitsSettings, Settings
from sonde.wiring.access import limit_policy

DEAD = "redis://127.0.0.1:9/0"


def _http(policy: LimitPolicy) -> FlaskClient:
    app = Flask("limited")
    problems.register(app)
    register_rate_limits(app, policy)

    @app.get("/search")
    def search() -> str:
        return request.remote_addr or ""

    @app.get("/suggest")
    def suggest() -> str:
        return "more"

    @app.post("/ask")
    def ask() -> str:
        return "an answer"

    @app.post("/ask/compare")
    def compare() -> str:
        return "a table"

    @app.post("/stac/search")
    def stac() -> str:
        return "items"

    @app.get("/dcat")
    def dcat() -> str:
        return "rdf"

    @app.get("/collections/<catalogue>/items/<record>/granules")
    def granules(catalogue: str, record: str) -> str:
        return f"{catalogue} {record}"

    @app.get("/healthz")
    def healthz() -> str:
        return "ok"

    return app.test_client()


def _policy(storage: str, **given: str) -> LimitPolicy:
    options: dict[str, str | int] = {"socket_timeout": 5, "socket_connect_timeout": 5} if "redis" in storage else {}
    return LimitPolicy(storage=storage, storage_options=options, prefix=f"sonde-test-{uuid.uuid4().hex}", **given)


@pytest.fixture(params=["memory", "broker", "dead broker"])
def storage(request: pytest.FixtureRequest) -> str:
    if request.param == "broker":
        return str(request.getfixturevalue("broker_url"))
    return "memory://" if request.param == "memory" else DEAD


def test_a_network_of_one_ipv6_customer_has_one_limit() -> None:
    http = _http(_policy("memory://", per_address="3/hour"))
    at = [{"REMOTE_ADDR": f"2001:db8::{number}"} for number in range(1, 5)]
    assert [http.get("/search", environ_base=place).status_code for place in at] == [200, 200, 200, 429]
    assert http.get("/search", environ_base={"REMOTE_ADDR": "2001:db8:1::1"}).status_code == 200


def test_an_address_is_told_what_is_left_and_when_to_come_back(storage: str) -> None:
    http = _http(_policy(storage, per_address="3/hour"))
    answers = [http.get(path) for path in ("/search", "/suggest", "/search", "/search")]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert [answer.headers["RateLimit-Remaining"] for answer in answers] == ["2", "1", "0", "0"]
    last = answers[-1]
    assert last.headers["RateLimit-Limit"] == "3"
    assert 0 < int(last.headers["Retry-After"]) <= 3600
    assert last.headers["RateLimit-Reset"] == last.headers["Retry-After"]
    assert last.mimetype == "application/problem+json"
    assert http.get("/search", environ_base={"REMOTE_ADDR": "10.1.2.3"}).status_code == 200
    assert http.get("/healthz").status_code == 200
    assert http.options("/search").status_code == 200


def test_a_key_is_counted_over_all_addresses(storage: str) -> None:
    http = _http(_policy(storage, per_key="2/hour"))

    def ask(key: str, address: str) -> int:
        headers = {"Authorization": f"Bearer {key}"}
        return http.get("/search", headers=headers, environ_base={"REMOTE_ADDR": address}).status_code

    assert [ask("a", "10.0.0.1"), ask("a", "10.0.0.2"), ask("a", "10.0.0.3"), ask("b", "10.0.0.1")] == [
        200,
        200,
        429,
        200,
    ]
    assert http.get("/search").status_code == 200


def test_other_keys_do_not_help_an_address_past_its_limit() -> None:
    http = _http(_policy("memory://", per_address="2/hour", per_key="100/hour"))
    statuses = [http.get("/search", headers={"Authorization": f"Bearer {n}"}).status_code for n in range(3)]
    assert statuses == [200, 200, 429]


def test_processes_count_together(broker_url: str) -> None:
    policy = _policy(broker_url, per_address="2/hour")
    one, other = _http(policy), _http(policy)
    assert [http.get("/search").status_code for http in (one, other, one)] == [200, 200, 429]


@pytest.mark.parametrize(("proxies", "seen"), [(0, "127.0.0.1"), (1, "5.5.5.5"), (2, "6.6.6.6")])
def test_only_proxies_of_ours_say_who_asks(proxies: int, seen: str) -> None:
    http = _http(LimitPolicy(proxies=proxies))
    assert http.get("/search", headers={"X-Forwarded-For": "9.9.9.9, 6.6.6.6, 5.5.5.5"}).text == seen


@pytest.mark.parametrize(
    ("address", "left"),
    [
        ("/search", 99),
        ("/search?limit=10", 99),
        ("/search?limit=1000", 89),
        ("/search?limit=99999999999999999999", 89),
        ("/search?limit=abc", 99),
        ("/search?limit=%C2%B2", 99),
        ("/dcat?limit=500", 74),
    ],
)
def test_a_long_list_counts_as_several_requests(address: str, left: int) -> None:
    answer = _http(_policy("memory://", per_address="100/hour")).get(address)
    assert (answer.status_code, answer.headers["RateLimit-Remaining"]) == (200, str(left))


@pytest.mark.parametrize(("body", "left"), [({"limit": 1000}, 89), ({"limit": "x"}, 99), ({}, 99), ([], 99)])
def test_a_long_list_of_stac_counts_by_its_body(body: object, left: int) -> None:
    answer = _http(_policy("memory://", per_address="100/hour")).post("/stac/search", json=body)
    assert (answer.status_code, answer.headers["RateLimit-Remaining"]) == (200, str(left))


def test_a_proxy_says_by_which_scheme_but_never_which_host() -> None:
    """Links in answers begin with the host: a cache that kept them would give a stranger's host to everybody."""
    app = Flask("limited")
    register_rate_limits(app, LimitPolicy(proxies=1))
    app.add_url_rule("/search", view_func=lambda: request.url_root)
    sent = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "Host": "search.example"}
    assert app.test_client().get("/search", headers=sent).text == "https://search.example/"


def test_the_settings_say_how_much_and_where() -> None:
    given = Settings(
        broker=BrokerSettings(url="redis://broker:6379/1"),
        limits=LimitsSettings(per_address="none", per_key="9/minute"),
    )
    policy = limit_policy(given)
    assert (policy.per_address, policy.per_key, policy.storage) == (None, "9/minute", "redis://broker:6379/1")
    for wrong in ("", "lots", "0/minute", "5/fortnight", "5 per minute; 1/day"):
        with pytest.raises(ValueError, match="per_address"):
            LimitsSettings(per_address=wrong)


def test_granules_have_a_limit_beside_the_others_that_no_key_lifts(storage: str) -> None:
    http = _http(_policy(storage, per_address="100/hour", per_key="100/hour", granules="2/hour"))
    path = "/collections/a/items/{}/granules"
    answers = [http.get(path.format(n), headers={"Authorization": f"Bearer {n}"} if n else {}) for n in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 3600
    assert answers[-1].mimetype == "application/problem+json"
    assert http.get("/search").status_code == 200, "other requests go on"
    other = http.get(path.format(1), environ_base={"REMOTE_ADDR": "192.0.2.7"})
    assert other.status_code == 200, "and so do other callers"


def test_calls_of_the_language_model_are_counted_for_each_key_and_each_address_without_one() -> None:
    http = _http(_policy("memory://", model="10/hour"))

    def ask(address: str = "10.0.0.1", key: str = "", **body: object) -> int:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        path = "/ask/compare" if body else "/ask"
        return http.post(path, json=body, headers=headers, environ_base={"REMOTE_ADDR": address}).status_code

    assert [ask() for _ in range(4)] == [200] * 4
    assert ask(documents=["a", "b", "c"], questions=["x", "y"]) == 200
    assert ask() == 429
    assert [http.get("/search", environ_base={"REMOTE_ADDR": "10.0.0.1"}).status_code for _ in range(20)] == [200] * 20
    assert ask("10.0.0.2") == ask(key="k") == 200
    assert ask("10.0.0.2", documents=["a"] * 5, questions=["x", "y"]) == 429, "it has nine left"


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ({"documents": ["a"] * 20, "questions": ["x"] * 5}, 900),
        ({"documents": ["a"] * 500, "questions": ["x"] * 500}, 900),
        ({"collection": "c", "questions": ["x"]}, 980),
        ({"documents": ["a"], "questions": ["x"]}, 999),
        ({"documents": "a", "questions": "x"}, 999),
        ([], 999),
        (None, 999),
    ],
)
def test_a_comparison_counts_as_its_questions_times_its_documents(body: object, left: int) -> None:
    http = _http(_policy("memory://", per_address="1000/hour"))
    answer = http.post("/ask/compare", json=body) if body is not None else http.post("/ask/compare", data=b"{")
    assert answer.headers["RateLimit-Remaining"] == str(left)


class AskedStorage(MemoryStorage):
    """Counts how often it is asked for the end of a window, and to count."""

    asked = 0
    counted = 0

    def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        self.counted += 1
        return super().incr(key, expiry, amount)

    def get_expiry(self, key: str) -> float:
        self.asked += 1
        return super().get_expiry(key)


def test_a_process_asks_for_the_end_of_a_window_once() -> None:
    storage, limit, left = AskedStorage(), RateLimitItemPerHour(3), []
    window = OneTripWindow(storage)
    for _ in range(4):
        with Flask("limited").test_request_context():
            window.hit(limit, "address:a")
            left.append(window.get_window_stats(limit, "address:a").remaining)
    assert (left, storage.asked) == ([2, 1, 0, 0], 1)


def hits(window: OneTripWindow, limit: RateLimitItem, count: int, cost: int = 1) -> list[int]:
    """What is left after each request; -1 for a refused one."""
    left = []
    for _ in range(count):
        with Flask("limited").test_request_context():
            is_allowed = window.hit(limit, "address:a", cost=cost)
            remaining = window.get_window_stats(limit, "address:a").remaining
            left.append(remaining if is_allowed else -1)
    return left


def test_most_requests_of_a_high_limit_are_counted_without_the_storage() -> None:
    storage, limit = AskedStorage(), RateLimitItemPerHour(1000)
    assert hits(OneTripWindow(storage), limit, 1200) == [*range(999, -1, -1), *[-1] * 200]
    assert storage.counted < 400


def test_a_used_up_window_is_refused_without_the_storage() -> None:
    storage, limit = AskedStorage(), RateLimitItemPerHour(2)
    window = OneTripWindow(storage)
    assert hits(window, limit, 3) == [1, 0, -1]
    counted = storage.counted
    assert hits(window, limit, 50) == [-1] * 50
    assert storage.counted == counted


@pytest.mark.parametrize("cost", [1, 3, 11])
@pytest.mark.parametrize("amount", [1, 7, 250, 3000])
def test_processes_together_allow_no_more_than_the_limit_and_little_less(amount: int, cost: int) -> None:
    storage, limit = MemoryStorage(), RateLimitItemPerHour(amount)
    processes = [OneTripWindow(storage) for _ in range(3)]
    turns = [processes[number * number % 3] for number in range(2 * amount // cost + 2)]
    allowed = sum(cost for process in turns if hits(process, limit, 1, cost) != [-1])
    assert allowed <= amount
    assert allowed >= amount - cost - 2 * (amount // 100 + cost)


def test_the_next_window_ends_later() -> None:
    limit, window, ends = RateLimitItemPerSecond(5), OneTripWindow(MemoryStorage()), []
    for _ in range(2):
        with Flask("limited").test_request_context():
            window.hit(limit, "address:a")
            ends.append(window.get_window_stats(limit, "address:a").reset_time)
        time.sleep(1.1)
    assert ends[1] - ends[0] >= 1.0
