"""Access fails closed: without sources.yaml, groups, keys or issuer, no route shows a hidden record."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from flask import Flask
from flask.testing import FlaskClient

from core.access import AccessScope
from core.errors import SondeError
from indexer.documents.index.ingest import IncomingDocument, ingest
from indexer.remove.tombstones import list_removed
from net.gate import Gate, GatePolicy
from search_api.app import create_app
from search_api.http.access.keys import Grant, KeyStore
from search_api.http.access.visibility import AccessFilteredElasticsearch
from sonde.settings import AccessSettings, BrokerSettings, HarvestSettings, Settings
from sonde.wiring.access import authenticator
from sonde.wiring.api import api_parts
from sonde.wiring.documents import document_parts
from sonde.wiring.harvesting import Harvester
from tests.api.test_access_records import ASKED, HIDDEN, MARK, REPORT, SECRET, _ask, _record, _tells, _write
from tests.integration.test_access_tokens import Issuer
from tests.integration.test_access_tokens import issuer as issuer
from tests.integration.test_access_tokens import made_keys as made_keys
from tests.service import Service

pytestmark = [pytest.mark.elasticsearch, pytest.mark.broker]

NAMED = "sources:\n  - {id: secret, type: folder, path: secret, access: {restricted_to: [glaciers]}}\n"
LATER = _record("hidden-2", f"Another glacier, {MARK}", f"Brought later. {MARK}.", MARK, "10.5555/hidden.2")


def _without(path: Path) -> None:
    path.unlink()


def _moved(path: Path) -> None:
    path.rename(path.with_name("elsewhere.yaml"))


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _says(text: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(text.encode("latin-1"))

    return write


BROKEN: dict[str, Callable[[Path], None]] = {
    "taken away": _without,
    "moved": _moved,
    "a folder in its place": _folder,
    "empty": _says(""),
    "no sources": _says("sources: []\n"),
    "not YAML": _says(NAMED.replace("}}", "")),
    "not a mapping": _says("secret\n"),
    "not UTF-8": _says(NAMED + "# \xe9\n"),
    "the entry taken away": _says("sources:\n  - {id: other, type: folder, path: secret}\n"),
    "the id misspelt": _says(NAMED.replace("id: secret", "id: secrte")),
    "access misspelt": _says(NAMED.replace("access:", "acess:")),
    "restricted_to misspelt": _says(NAMED.replace("restricted_to", "restricted_too")),
    "access taken away": _says("sources:\n  - {id: secret, type: folder, path: secret}\n"),
    "access empty": _says("sources:\n  - {id: secret, type: folder, path: secret, access: {}}\n"),
    "access nothing": _says("sources:\n  - {id: secret, type: folder, path: secret, access: }\n"),
    "the groups emptied": _says(NAMED.replace("[glaciers]", "[]")),
    "the groups nothing": _says(NAMED.replace("[glaciers]", "")),
    "a group that nobody has": _says(NAMED.replace("glaciers", "galciers")),
}


class Hidden:
    """A hidden record with its document, brought while sources.yaml named its group; real keys."""

    def __init__(self, service: Service, broker_url: str, folder: Path) -> None:
        self.service, self.folder = service, folder
        self.sources = folder / "sources.yaml"
        self.sources.write_text(NAMED, "utf-8")
        self.records = folder / "secret"
        _write(self.records, SECRET)
        self.settings: Settings = service.settings.model_copy(
            update={
                "broker": BrokerSettings(url=broker_url),
                "harvest": HarvestSettings(sources=self.sources, max_removal_share=1.0),
            }
        )
        keys = authenticator(self.settings.access, service.client, service.prefix, Gate, keys_cached=timedelta(0))
        self.app = create_app(replace(api_parts(self.settings, service.models), authenticator=keys))
        self.keys = KeyStore(service.client, service.prefix)
        Harvester(self.settings).configured("secret", _quietly)
        text = REPORT.format(count=77, name=MARK).encode()
        parts = document_parts(self.settings, service.models, service.client)
        self.document = ingest(IncomingDocument(text, "77.md", "77.md", record=HIDDEN), parts).entry.id

    def key(self, subject: str, *groups: str, scopes: tuple[AccessScope, ...] = ("search", "library")) -> str:
        grant = Grant(subject, frozenset(scopes), frozenset(groups), None, "")
        return self.keys.add(grant, datetime.now(UTC))[1]

    def refresh(self) -> None:
        self.service.client.indices.refresh(index=f"{self.service.prefix}-*")

    def told_to(self, who: str | None, app: Flask | None = None) -> dict[str, Any]:
        """What each address of each route shows of the hidden records."""
        self.refresh()
        http = (app or self.app).test_client()
        document = [f"/documents/{self.document}{part}" for part in ("", "/passages", "/file", "/tables/1")]
        kin = [f"/collections/all/items/{HIDDEN}/{part}" for part in ("preview", "granules", "citations")]
        calls = [call for asked in ASKED.values() for call in asked] + [(one, None) for one in (*document, *kin)]
        calls.append((f"/sitemap.xml?after={int(time.time())}", None))
        calls.append(("/collections/secret/items/secret:hidden-2", None))
        return {
            f"{address} {body or ''}": told
            for address, body in calls
            if (told := _tells(_ask(http, address, body, who), address, body))
        }

    def open_documents(self) -> int:
        """Records, passages and ledger entries of the source without groups: what no filter would hide."""
        self.refresh()
        prefix = self.service.prefix
        own = [{"prefix": {"record": "secret:"}}, {"term": {"source": "secret"}}, {"term": {"record": HIDDEN}}]
        shut = [{"exists": {"field": "access_groups"}}, {"terms": {"state": ["refused", "skipped"]}}]
        query = {"bool": {"should": own, "minimum_should_match": 1, "must_not": shut}}
        index = ",".join(f"{prefix}-{kind}" for kind in ("records", "passages", "ledger"))
        return int(self.service.client.count(index=index, query=query)["count"])


def _quietly(event: str, **numbers: int) -> None:
    """No progress."""


@pytest.fixture
def hidden(es_client: Elasticsearch, elasticsearch_url: str, broker_url: str, prefix: str, tmp_path: Path) -> Hidden:
    service = Service(es_client, elasticsearch_url, prefix)
    service.prepare()
    return Hidden(service, broker_url, tmp_path)


def _put(http: FlaskClient, record: dict[str, Any], key: str) -> tuple[int, str]:
    address = f"/collections/secret/items/{record['id']}"
    answer = http.put(address, json=record, headers={"Authorization": f"Bearer {key}"})
    return answer.status_code, answer.get_data(as_text=True)


def test_nothing_is_opened_where_sources_yaml_says_nothing(hidden: Hidden) -> None:
    """Records are pushed, pushed anew, removed and brought back, and harvested in three ways, under each fault."""
    http = hidden.app.test_client()
    writer = hidden.key("wim", scopes=("search", "write"))
    said: dict[str, tuple[int, str]] = {}
    for number, (name, broken) in enumerate(BROKEN.items()):
        shutil.rmtree(hidden.sources) if hidden.sources.is_dir() else hidden.sources.unlink(missing_ok=True)
        hidden.sources.write_text(NAMED, "utf-8")
        broken(hidden.sources)
        changed = {**SECRET, "properties": {**SECRET["properties"], "description": f"{MARK} {number}"}}
        newest = {**LATER, "id": f"later-{number}"}
        said[name] = _put(http, changed, writer)
        _put(http, newest, writer)
        http.delete("/collections/secret/items/later-0", headers={"Authorization": f"Bearer {writer}"})
        _put(http, {**LATER, "id": "later-0"}, writer)
        _write(hidden.records, changed, {**LATER, "id": f"harvested-{number}"})
        for run in (_by_path, _by_name, _restored):
            try:
                run(hidden)
            except SondeError as error:
                assert "sources" in str(error) or "secret" in str(error), error  # noqa: PT017
        assert hidden.open_documents() == 0, name
    assert {status for status, _ in said.values()} == {204, 503}, said
    refused = {name: text for name, (status, text) in said.items() if status == 503}
    assert all("sources.yaml" in json.loads(text)["detail"] for text in refused.values()), refused
    assert {"not YAML", "access misspelt", "restricted_to misspelt", "not UTF-8"} <= refused.keys()
    assert hidden.told_to(None) == {}
    assert hidden.told_to(hidden.key("oda", "volcanoes")) == {}
    assert hidden.told_to(hidden.key("mia", "glaciers")), "else the walk could not fail"


def _by_path(hidden: Hidden) -> None:
    Harvester(hidden.settings, embedding=False).path(hidden.records, "secret", _quietly)


def _by_name(hidden: Hidden) -> None:
    Harvester(hidden.settings, embedding=False).configured("secret", _quietly)


def _restored(hidden: Hidden) -> None:
    client, prefix = hidden.service.client, hidden.service.prefix
    removed = [str(entry.record) for entry in list_removed(client, prefix, "secret")][:1]
    Harvester(hidden.settings, embedding=False).restore("secret", removed)


def test_a_source_is_opened_only_by_the_word(hidden: Hidden) -> None:
    """``public: true`` opens what was restricted; the report says so where nobody wrote it."""
    hidden.sources.write_text("sources:\n  - {id: secret, type: folder, path: secret}\n", "utf-8")
    report = Harvester(hidden.settings).configured("secret", _quietly)
    assert any("public: true" in example for kind in report.warnings.values() for example in kind.examples)
    assert hidden.open_documents() == 0
    opened = "sources:\n  - {id: secret, type: folder, path: secret, access: {public: true}}\n"
    hidden.sources.write_text(opened, "utf-8")
    Harvester(hidden.settings).configured("secret", _quietly)
    hidden.refresh()
    assert hidden.app.test_client().get(f"/collections/all/items/{HIDDEN}").status_code == 200


def test_a_new_record_of_a_source_with_different_groups_waits_for_its_entry(hidden: Hidden) -> None:
    http, writer = hidden.app.test_client(), hidden.key("wim", scopes=("search", "write"))
    hidden.sources.write_text(NAMED.replace("glaciers", "rivers"), "utf-8")
    assert _put(http, LATER, writer)[0] == 201
    hidden.sources.write_text("", "utf-8")
    status, text = _put(http, {**LATER, "id": "hidden-3"}, writer)
    assert status == 409
    assert "restricted_to" in json.loads(text)["detail"]
    hidden.sources.write_text(NAMED, "utf-8")
    assert _put(http, {**LATER, "id": "hidden-3"}, writer)[0] == 201
    assert hidden.open_documents() == 0


def test_a_lost_revoked_or_expired_key_opens_nothing(hidden: Hidden) -> None:
    lost = hidden.key("mia", "glaciers")
    expired = hidden.keys.add(
        Grant("mia", frozenset(("search",)), frozenset(("glaciers",)), datetime.now(UTC) + timedelta(seconds=1), ""),
        datetime.now(UTC),
    )[1]
    revoked = hidden.key("mia", "glaciers")
    hidden.keys.revoke(revoked.split("_")[1], datetime.now(UTC))
    http = hidden.app.test_client()
    item = f"/collections/all/items/{HIDDEN}"
    assert http.get(item, headers={"Authorization": f"Bearer {lost}"}).status_code == 200
    deadline = time.monotonic() + 10
    while http.get(item, headers={"Authorization": f"Bearer {expired}"}).status_code != 401:
        assert time.monotonic() < deadline, "it expires after a second"
    indices = hidden.service.client.indices.get_alias(index=f"{hidden.service.prefix}-keys").body
    for key in (expired, revoked, lost[:-1], "glaciers"):
        assert hidden.told_to(key) == {}
    hidden.service.client.indices.delete(index=",".join(indices))
    assert http.get(item, headers={"Authorization": f"Bearer {lost}"}).status_code in (401, 503)
    assert hidden.told_to(lost) == {}
    assert hidden.told_to(None) == {}


def test_an_issuer_that_is_gone_or_is_not_ours_opens_nothing(hidden: Hidden, issuer: Issuer) -> None:
    parts = api_parts(hidden.settings, hidden.service.models)
    gate = Gate(GatePolicy(allowed_hosts=frozenset((issuer.host,))))

    def app(**given: Any) -> Flask:
        access = AccessSettings(oidc_issuer=given.pop("url", issuer.url), oidc_audience="sonde", **given)
        client, prefix = AccessFilteredElasticsearch.over(hidden.service.client), hidden.service.prefix
        return create_app(replace(parts, authenticator=authenticator(access, client, prefix, lambda: gate)))

    member, now = issuer.token(groups=["glaciers"]), int(time.time())
    assert hidden.told_to(member, app()), "else the walk could not fail"
    for wrong in ({"aud": "another"}, {"aud": None}, {"iss": "http://127.0.0.1:9"}, {"exp": now - 120}, {"groups": {}}):
        assert hidden.told_to(issuer.token(**{"groups": ["glaciers"], **wrong}), app()) == {}, wrong
    assert hidden.told_to(member, app(url="http://127.0.0.1:9")) == {}, "nobody answers at the issuer's address"
    issuer.entries.clear()
    assert hidden.told_to(member, app()) == {}, "the issuer lists no key"
    issuer.broken = True
    assert hidden.told_to(member, app()) == {}, "the issuer answers 500"
    for audience in (None, ""):
        with pytest.raises(SondeError, match="AUDIENCE"):
            authenticator(
                AccessSettings(oidc_issuer=issuer.url, oidc_audience=audience), hidden.service.client, "x", lambda: gate
            )
