"""A user's document, and a record of a group, by every path of the library: not there for anybody else."""

from __future__ import annotations

import io
import json
import re
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from flask import Flask
from werkzeug.test import TestResponse

from core.access import Caller, NotAuthenticated
from indexer.documents.index.library import LibraryReading, read_queued
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts
from indexer.raw import restrict
from indexer.sources.folder import FolderSource
from net.gate import Gate, GatePolicy
from search_api.app import create_app
from search_api.library.personal_library import PersonalLibrary
from sonde.document_settings import LibrarySettings
from sonde.wiring.api import api_parts
from sonde.wiring.documents import document_parts
from sonde.wiring.file_store import FolderFiles
from tests.conftest import delete_indices
from tests.service import Service

HIDDEN, NOWHERE = "secret:x1", "secret:x2"
TEXT = b"# Radar\n\n## Methods\n\nThe quixotanium tongue of the glacier was measured by radar in 77 profiles.\n"
NO_DOCUMENT = "0" * 32


class Users:
    """By name: mia is of the group and owns the document; oda holds every scope but no group; rita only searches."""

    def identify(self, bearer: str | None) -> Caller:
        everything = frozenset(("search", "library", "write", "admin"))
        callers = {
            None: Caller(scopes=frozenset(("search",))),
            "mia": Caller("mia", frozenset(("search", "library")), frozenset(("glaciers",))),
            "oda": Caller("oda", everything),  # type: ignore[arg-type]
            "rita": Caller("rita", frozenset(("search",)), frozenset(("glaciers",))),
        }
        if bearer not in callers:
            raise NotAuthenticated("This key is not known.")
        return callers[bearer]


@pytest.fixture(scope="module")
def library(
    es_client: Elasticsearch, elasticsearch_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Flask, str]]:
    """The app, and the id of mia's document about the hidden record, read and ready."""
    folder = tmp_path_factory.mktemp("access-library")
    one = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    one.prepare()
    report = harvest("secret", _hidden(folder / "records"), HarvestParts(es_client, one.prefix, one.models.embedder))
    assert report.counts.new == 1, report
    es_client.indices.refresh(index=f"{one.prefix}-records")
    settings = one.settings.model_copy(update={"library": LibrarySettings(folder=folder / "files")})
    queued: list[str] = []
    parts = api_parts(settings, one.models)
    personal_library = PersonalLibrary(replace(parts.personal_library.parts, enqueue=queued.append))
    app = create_app(replace(parts, personal_library=personal_library, authenticator=Users()))
    brought = _call(app, "mia", "POST", "/library/documents", data=_form(HIDDEN))
    assert brought.status_code == 202, brought.text
    reading = document_parts(settings, one.models, es_client)
    read_queued(queued.pop(), LibraryReading(reading, FolderFiles(folder / "files"), _gate, 10**7, 10**8))
    es_client.indices.refresh(index=f"{one.prefix}-*")
    assert brought.json is not None
    yield app, brought.json["id"]
    delete_indices(es_client, one.prefix)


def _gate() -> Gate:
    return Gate(GatePolicy())


def _hidden(folder: Path) -> Any:
    folder.mkdir()
    record = {
        "type": "Feature",
        "id": "x1",
        "conformsTo": ["http://www.opengis.net/spec/ogcapi-records-1/1.0/conf/record-core"],
        "geometry": None,
        "properties": {"type": "dataset", "title": "Ice of the quixotanium glacier", "description": "By radar."},
        "links": [],
    }
    (folder / "x1.json").write_text(json.dumps(record), "utf-8")
    return restrict(FolderSource(folder), ("glaciers",))


def _form(record: str | None = None) -> dict[str, Any]:
    file = {"file": (io.BytesIO(TEXT), "radar.md")}
    return file | ({"record": record} if record else {})


def _call(app: Flask, who: str | None, method: str, path: str, **more: Any) -> TestResponse:
    headers = {"Authorization": f"Bearer {who}"} if who else {}
    return app.test_client().open(path, method=method, headers=headers, **more)


NOTEBOOKS = ("/library/collections/", "/library/conversations/")
PATHS = (
    ("GET", "/library/documents/<id>"),
    ("GET", "/library/documents/<id>/file"),
    ("PUT", "/library/documents/<id>/file"),
    ("PATCH", "/library/documents/<id>"),
    ("POST", "/library/documents/<id>/retry"),
    ("DELETE", "/library/documents/<id>"),
)


def test_every_path_of_one_document_is_asked(library: tuple[Flask, str]) -> None:
    """Collections and conversations are asked as others in test_notebooks.py."""
    rules = [rule for rule in library[0].url_map.iter_rules() if rule.rule.startswith("/library/") and rule.arguments]
    there = {(method, rule.rule) for rule in rules if not rule.rule.startswith(NOTEBOOKS) for method in _of(rule)}
    assert there == set(PATHS)


def _of(rule: Any) -> set[str]:
    return set(rule.methods) - {"HEAD", "OPTIONS"}


@pytest.mark.parametrize(("who", "status"), [("oda", 404), ("rita", 403), (None, 401), ("stranger", 401)])
@pytest.mark.parametrize(("method", "rule"), PATHS)
def test_anothers_document_is_as_one_that_is_not(
    library: tuple[Flask, str], method: str, rule: str, who: str | None, status: int
) -> None:
    app, id = library
    told = set()
    for one in (id, NO_DOCUMENT):
        more: dict[str, Any] = {"data": _form()} if method == "PUT" else {}
        more |= {"json": {"title": "Stolen"}} if method == "PATCH" else {}
        answer = _call(app, who, method, re.sub("<id>", one, rule), **more)
        assert answer.status_code == status, answer.text
        assert b"quixotanium" not in answer.data
        told.add(answer.text.replace(one, "ID"))
    assert len(told) == 1, "who asks cannot tell which of the two is there"


def test_its_owner_has_it_still(library: tuple[Flask, str]) -> None:
    """Else the test above could not fail; it also shows that nobody's DELETE or PUT did anything."""
    app, id = library
    entry = _call(app, "mia", "GET", f"/library/documents/{id}").json
    assert entry is not None
    assert (entry["state"], entry["record"]) == ("ready", HIDDEN)
    assert "edited" not in entry
    assert entry.get("title") != "Stolen"
    assert _call(app, "mia", "GET", f"/library/documents/{id}/file").data == TEXT


def test_a_hidden_record_cannot_be_found_out_by_uploading_about_it(library: tuple[Flask, str]) -> None:
    app, _ = library
    told = set()
    for record in (HIDDEN, NOWHERE):
        answer = _call(app, "oda", "POST", "/library/documents", data=_form(record))
        assert answer.status_code == 400, answer.text
        told.add(answer.text.replace(record, "ID"))
    assert len(told) == 1
    assert _call(app, "oda", "GET", "/library/documents").json["documents"] == []  # type: ignore[index]


@pytest.mark.parametrize("scope", ["mine", "both"])
@pytest.mark.parametrize("query", ["q=quixotanium+glacier", "q=", "q=&source=secret", f"q=&filter=id%3D'{HIDDEN}'"])
def test_neither_is_found_by_a_search_of_ones_own(library: tuple[Flask, str], query: str, scope: str) -> None:
    app, id = library
    answer = _call(app, "oda", "GET", f"/search?{query}&scope={scope}&rerank=false")
    assert answer.status_code in (200, 400), answer.text
    assert id not in answer.text
    assert "tongue of" not in answer.text
    assert answer.status_code == 400 or answer.json["features"] == []  # type: ignore[index]
