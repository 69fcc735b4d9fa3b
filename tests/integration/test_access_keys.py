"""API keys on the real Elasticsearch, through the service and the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner
from flask import Flask
from structlog.testing import capture_logs

from core.access import NotAuthenticated
from core.errors import NotFound, Unavailable
from es_gateway.client import Elasticsearch
from es_mappings.names import alias
from net.gate import Gate
from search_api.http import problems
from search_api.http.access import guard
from search_api.http.access.keys import Grant, KeyAuthenticator, KeyStore
from sonde.cli import cli
from sonde.settings import AccessSettings
from sonde.wiring.access import authenticator

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
READER = Grant("ada", frozenset(("search",)), frozenset(("glaciers",)))
DEAD = "http://127.0.0.1:9"


class Clock:
    def __init__(self) -> None:
        self.time = NOW

    def __call__(self) -> datetime:
        return self.time


@pytest.fixture
def store(es_client: Elasticsearch, prefix: str) -> KeyStore:
    return KeyStore(es_client, prefix)


def test_a_key_is_found_again_without_its_text(store: KeyStore, es_client: Elasticsearch, prefix: str) -> None:
    key, text = store.add(READER, NOW)
    assert store.find(key.id) == key
    assert store.list() == [key]
    kept = es_client.search(index=alias(prefix, "keys")).body["hits"]["hits"]
    assert text.split("_", 2)[2] not in json.dumps(kept)


def test_before_the_first_key_there_is_none(store: KeyStore) -> None:
    assert store.list() == []
    assert store.find("0" * 16) is None
    with pytest.raises(NotFound):
        store.revoke("0" * 16, NOW)


def test_a_revocation_is_seen_when_the_memory_ends(store: KeyStore) -> None:
    clock = Clock()
    known = KeyAuthenticator(store, timedelta(seconds=10), clock)
    key, text = store.add(READER, NOW)
    assert known.identify(text).groups == {"glaciers"}
    store.revoke(key.id, NOW)
    clock.time = NOW + timedelta(seconds=9)
    assert known.identify(text).subject == "ada"
    clock.time = NOW + timedelta(seconds=10)
    with pytest.raises(NotAuthenticated, match="revoked"):
        known.identify(text)


def test_rotation_through_the_store(store: KeyStore) -> None:
    key, old = store.add(READER, NOW)
    _, new = store.rotate(key.id, timedelta(hours=1), NOW)
    known = KeyAuthenticator(store, timedelta(0), lambda: NOW + timedelta(hours=2))
    assert known.identify(new).subject == "ada"
    with pytest.raises(NotAuthenticated, match="replaced"):
        known.identify(old)
    store.revoke(key.id, NOW)
    with pytest.raises(NotFound, match="revoked"):
        store.rotate(key.id, timedelta(hours=1), NOW)


def test_the_last_use_is_kept_to_the_hour(store: KeyStore) -> None:
    clock = Clock()
    known = KeyAuthenticator(store, timedelta(0), clock)
    key, text = store.add(READER, NOW)
    seen = []
    for minutes in (0, 59, 60):
        clock.time = NOW + timedelta(minutes=minutes)
        known.identify(text)
        found = store.find(key.id)
        assert found is not None
        seen.append(found.last_used)
    assert seen == [NOW, NOW, NOW + timedelta(hours=1)]


def test_a_wrong_secret_is_no_use(store: KeyStore) -> None:
    key, text = store.add(READER, NOW)
    with pytest.raises(NotAuthenticated):
        KeyAuthenticator(store, timedelta(0), lambda: NOW).identify(text[:-4] + "AAAA")
    assert store.find(key.id) == replace(key, last_used=None)


def test_without_elasticsearch_a_key_is_neither_right_nor_wrong(store: KeyStore) -> None:
    _, text = store.add(READER, NOW)
    dead = KeyStore(Elasticsearch(DEAD, max_retries=0), "sonde")
    with pytest.raises(Unavailable):
        KeyAuthenticator(dead, timedelta(0)).identify(text)


def _command(*arguments: str) -> str:
    """What the command prints; what it logs goes elsewhere."""
    with capture_logs():
        result = CliRunner().invoke(cli, ["keys", *arguments])
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, elasticsearch_url: str, prefix: str) -> None:
    monkeypatch.setenv("SONDE_ELASTICSEARCH__URL", elasticsearch_url)
    monkeypatch.setenv("SONDE_INDEX__PREFIX", prefix)


@pytest.mark.usefixtures("here")
def test_the_commands_make_show_rotate_and_end_a_key(es_client: Elasticsearch, prefix: str) -> None:
    assert "There are none" in _command("list")
    made = json.loads(
        _command("add", "--subject", "ada", "--scope", "write", "--group", "glaciers", "--expires", "90d", "--json")
    )
    listed = _command("list", "--json")
    assert made["key"] not in listed
    (row,) = json.loads(listed)
    assert (row["subject"], row["scopes"], row["groups"], row["state"]) == ("ada", "write", "glaciers", "active")

    app = Flask("keys")
    problems.register(app)
    guard.register(app, authenticator(AccessSettings(), es_client, prefix, Gate, keys_cached=timedelta(0)))

    @app.put("/collections/<source>/items/<id>")
    def write(source: str, id: str) -> str:
        return guard.caller().owner

    def status(key: str) -> int:
        return app.test_client().put("/collections/s/items/1", headers={"Authorization": f"Bearer {key}"}).status_code

    assert status(made["key"]) == 200
    new = json.loads(_command("rotate", made["id"], "--grace", "0h", "--json"))["key"]
    assert (status(made["key"]), status(new)) == (401, 200)
    _command("revoke", made["id"])
    assert status(new) == 401
    assert app.test_client().put("/collections/s/items/1").status_code == 401


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("wrong", ["soon", "90", "2020-01-01", "0d"])
def test_an_end_that_is_none_is_refused(wrong: str) -> None:
    result = CliRunner().invoke(cli, ["keys", "add", "--subject", "ada", "--scope", "search", "--expires", wrong])
    assert result.exit_code == 1
    assert result.exception is not None
    assert wrong[:4] in str(result.exception) or "passed" in str(result.exception)


@pytest.mark.usefixtures("here")
def test_what_is_done_with_keys_is_in_the_audit_log_without_the_key() -> None:
    runner = CliRunner()
    with capture_logs() as told:
        made = json.loads(runner.invoke(cli, ["keys", "add", "--subject", "ada", "--scope", "admin", "--json"]).stdout)
        runner.invoke(cli, ["keys", "rotate", made["id"]])
        runner.invoke(cli, ["keys", "revoke", made["id"]])
    events = [one for one in told if one.get("channel") == "audit"]
    assert [(one["action"], one["target"], one["outcome"]) for one in events] == [
        (f"keys.{action}", made["id"], "done") for action in ("add", "rotate", "revoke")
    ]
    assert {one["subject"].partition(":")[0] for one in events} == {"local"}
    assert made["key"].split("_", 2)[2] not in repr(told)
