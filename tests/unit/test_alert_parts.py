"""The pure parts of saved searches: near in meaning, due, signed, and who may still be told."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from core.access import AccessScope
from core.errors import NotFound
from search_api.http.access.keys import ApiKey, Grant
from search_api.stewards.alerts.desk import OwnerRights
from search_api.stewards.alerts.matching import RecordWindow, due_times
from search_api.stewards.alerts.messages import LinkSigner, SignedLink, webhook_signature
from search_api.stewards.alerts.saved import Compiled, SavedSearch
from workers.app import match_slice, send_slice
from workers.celery_client import celery_client
from workers.config import MATCH_TASK, MEASURE_TASK, SEND_TASK, AlertWork, WorkerConfig

NOW = datetime(2026, 11, 18, 3, 0, tzinfo=UTC)  # a Wednesday


def test_the_nearest_come_first_and_the_far_not_at_all() -> None:
    window = RecordWindow("", "", ["a", "b", "c"], np.array([[1, 0], [0, 1], [0.6, 0.8]], np.float32))
    questions = np.array([[1, 0], [-1, 0]], np.float32)
    first, second = window.near(questions, 0.5)
    assert ([id for id, _ in first], second) == (["a", "c"], [])
    assert first[1][1] == pytest.approx(0.6)
    assert RecordWindow("", "", [], np.zeros((0, 1), np.float32)).near(questions, 0.5) == [[], []]


def test_a_week_is_told_on_monday() -> None:
    assert due_times(NOW) == {"day": NOW.isoformat(), "week": "2026-11-23T00:00:00+00:00"}
    monday = NOW + timedelta(days=5)
    assert due_times(monday)["week"] == monday.isoformat()


def test_a_question_survives_its_storing() -> None:
    vector = np.array([0.6, 0.8], np.float32)
    compiled = Compiled("x", ({"term": {"type": "dataset"}},), ({"term": {"source": "a"}},), vector)
    again = Compiled.from_json(compiled.as_json())
    assert again.as_json() == compiled.as_json()
    assert again.vector is not None
    assert np.array_equal(again.vector, vector)


def test_what_only_meaning_could_match_is_not_everything() -> None:
    vector = np.array([1.0], np.float32)
    assert Compiled("x", vector=vector).clauses([]) == [{"match_none": {}}]
    assert Compiled("x").clauses([]) == []


def test_the_signature_is_that_of_standard_webhooks() -> None:
    """The example of its specification."""
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'
    told = webhook_signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    assert told == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert len(base64.b64decode(told[3:])) == 32


def _saved(owner: str = "mia", seen: datetime = NOW) -> SavedSearch:
    groups = frozenset(("polar", "lake"))
    at = NOW.isoformat()
    return SavedSearch("s", owner, groups, "t", {}, "day", True, True, at, at, seen.isoformat(), at)


def _key(
    groups: tuple[str, ...], revoked: datetime | None = None, scopes: tuple[AccessScope, ...] = ("search",)
) -> ApiKey:
    return ApiKey("k", Grant("mia", frozenset(scopes), frozenset(groups)), (), NOW, revoked)


@pytest.mark.parametrize(
    ("keys", "groups"),
    [
        ([_key(("polar", "secret"))], {"polar"}),
        ([_key(("polar",)), _key(("lake",))], {"polar", "lake"}),
        ([_key(("polar",), revoked=NOW), _key(("lake",))], {"lake"}),
        ([_key(("polar",), revoked=NOW)], None),
        ([_key(("polar",), scopes=("write",))], None),
        ([], {"polar", "lake"}),
    ],
)
def test_rights_are_never_more_than_then_nor_than_now(keys: list[ApiKey], groups: set[str] | None) -> None:
    rights = OwnerRights(lambda: keys, now=lambda: NOW).current()
    assert rights(_saved()) == (None if groups is None else frozenset(groups))


def test_the_groups_of_a_token_count_for_a_while() -> None:
    rights = OwnerRights(list, token_days=30, now=lambda: NOW).current()
    assert rights(_saved(seen=NOW - timedelta(days=29))) == {"polar", "lake"}
    assert rights(_saved(seen=NOW - timedelta(days=31))) == frozenset()


def test_a_link_does_what_was_signed() -> None:
    signer = LinkSigner(b"a secret of tests")
    link = SignedLink("stop", "search", "mail")
    assert signer.read(signer.token(link)) == link
    with pytest.raises(NotFound):
        LinkSigner(b"another secret").read(signer.token(link))
    with pytest.raises(NotFound):
        signer.read("nonsense")


def test_beat_keeps_the_night_if_the_settings_want_it() -> None:
    nightly = (MATCH_TASK, SEND_TASK, MEASURE_TASK)

    def planned(**hours: int) -> dict[str, str]:
        config = WorkerConfig("redis://127.0.0.1:1/0", "unit", Path("sources.yaml"), **hours)
        schedule = celery_client(config).conf.beat_schedule
        return {name: one["task"] for name, one in schedule.items() if one["task"] in nightly}

    assert planned() == {}
    assert planned(alerts_hour=3, measure_hour=4) == {
        "match-saved-searches": MATCH_TASK,
        "send-alerts": SEND_TASK,
        "measure-answers": MEASURE_TASK,
    }


def test_a_worker_does_it_under_a_lease() -> None:
    done: list[str] = []
    parts = SimpleNamespace(alerts=AlertWork(lambda _: bool(done.append("match")), lambda _: bool(done.append("send"))))
    held: list[str] = []

    @contextmanager
    def hold(name: str) -> Iterator[str | None]:
        yield None if name in held else name

    worker = SimpleNamespace(parts=parts, leases=SimpleNamespace(hold=hold), config=SimpleNamespace(slice_s=1.0))
    assert (match_slice(worker), send_slice(worker), done) == (False, False, ["match", "send"])  # type: ignore[arg-type]
    held += ["alerts:match", "alerts:send"]
    assert (match_slice(worker), send_slice(worker), len(done)) == (None, False, 2)  # type: ignore[arg-type]
