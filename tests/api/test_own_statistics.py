"""What one user's library answers does not depend on what stands in another's: no score, no order, no count."""

from __future__ import annotations

import io
import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from flask.testing import FlaskClient

from indexer.documents.index.library import LibraryReading, read_queued
from net.gate import Gate, GatePolicy
from search_api.library.personal_library import PersonalLibrary
from sonde.document_settings import LibrarySettings
from sonde.wiring.api import api_parts
from sonde.wiring.documents import document_parts
from sonde.wiring.file_store import FolderFiles
from tests.conftest import delete_indices
from tests.library_users import app_of
from tests.service import Service

SECRET = "quallenfels"
HERS = (
    f"# Moors\n\nThe peat of the moor lies on {SECRET} and on clay, which the survey drilled in the dry summer.\n\n"
    "# Lakes\n\nThe lake of the moor is shallow and brown, and nobody has measured how deep its mud goes down.\n"
)
OTHERS = [
    f"# Plan {n}\n\nOur secret plan for {SECRET} number {n}: {SECRET} under the moor is bought. The lake is sold.\n"
    for n in range(3)
]
Upload = Callable[[str, str, str], None]


@pytest.fixture
def library(es_client: Elasticsearch, elasticsearch_url: str, tmp_path: Path) -> Iterator[tuple[FlaskClient, Upload]]:
    service = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    service.prepare()
    settings = service.settings.model_copy(update={"library": LibrarySettings(folder=tmp_path / "files")})
    parts = api_parts(settings, service.models)
    queued: list[str] = []
    client = app_of(
        replace(parts, personal_library=PersonalLibrary(replace(parts.personal_library.parts, enqueue=queued.append)))
    ).test_client()
    reading = LibraryReading(
        document_parts(settings, service.models, es_client),
        FolderFiles(tmp_path / "files"),
        lambda: Gate(GatePolicy()),
        10**7,
        10**8,
    )

    def upload(user: str, text: str, name: str) -> None:
        data = {"file": (io.BytesIO(text.encode()), name)}
        assert client.post("/library/documents", data=data, headers=_as(user)).status_code == 202
        done = read_queued(queued.pop(), reading)
        assert done is not None
        assert done.state == "ready", done
        es_client.indices.refresh(index=f"{service.prefix}-library")

    yield client, upload
    delete_indices(es_client, service.prefix)


def _as(user: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {user}"}


def everything_seen(client: FlaskClient) -> str:
    """All that anna can see that depends on words, as text; what took how long is left out."""
    seen: list[Any] = []
    for question in (f"What lies on {SECRET} under the moor?", f"{SECRET}", "How deep is the lake of the moor?"):
        for scope in ("mine", "both"):
            body = {"question": question, "scope": scope, "threshold": 0.0}
            seen.append(client.post("/ask", json=body, headers=_as("anna")).json)
            query = {"q": question, "scope": scope, "explain": "true"}
            seen.append(client.get("/search", query_string=query, headers=_as("anna")).json)
    for q in (SECRET, SECRET[:4], "mo", "plan"):
        seen.append(client.get("/library/documents", query_string={"q": q}, headers=_as("anna")).json)
    assert all(seen)
    return json.dumps([_timeless(one) for one in seen], indent=1, sort_keys=True)


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _timeless(v) for k, v in value.items() if "took" not in k.lower() and k != "timeStamp"}
    return [_timeless(one) for one in value] if isinstance(value, list) else value


def test_another_users_document_with_the_word_changes_nothing_that_a_user_sees(
    library: tuple[FlaskClient, Upload],
) -> None:
    client, upload = library
    upload("anna", HERS, "moors.md")
    before = everything_seen(client)
    assert "passage_bm25" in before
    for number, text in enumerate(OTHERS):
        upload("berta", text, f"plan-{number}.md")
    assert everything_seen(client) == before


def test_a_rare_word_of_her_own_counts_more_than_a_common_one(library: tuple[FlaskClient, Upload]) -> None:
    client, upload = library
    upload("anna", HERS, "moors.md")
    answer = client.post(
        "/ask", json={"question": f"{SECRET} moor", "scope": "mine", "threshold": 0.0}, headers=_as("anna")
    ).json
    best, second = answer["passages"][:2]
    assert SECRET in best["text"]
    assert best["signals"]["passage_bm25"] > second["signals"]["passage_bm25"] > 0
