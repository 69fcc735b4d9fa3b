"""A removed document is gone from everywhere, can be ingested again, and takes nothing of others with it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from flask.testing import FlaskClient

from core.access import Caller
from core.document import CATALOGUE, PUBLIC, DocumentEntry, FileKey, record_of_document
from core.errors import NotFound, Unavailable
from indexer.documents.index.ingest import IncomingDocument, IngestResult, ingest
from indexer.documents.index.repair_library import Queue, repair_library
from indexer.documents.index.store import DocumentStore
from indexer.harvest.harvest import harvest
from indexer.harvest.restore import restore
from indexer.parts import HarvestParts, Options
from indexer.remove.tombstones import holdings, remove_source
from indexer.sources.folder import FolderSource
from indexer.write import push
from search_api.app import create_app
from sonde.document_settings import DocumentsSettings, LibrarySettings
from sonde.settings import Settings
from sonde.wiring.api import api_parts
from sonde.wiring.documents import document_parts
from sonde.wiring.file_store import FolderFiles, document_remover
from tests.conftest import delete_indices
from tests.service import Service

LAKE = {
    "type": "Feature",
    "id": "lake",
    "conformsTo": ["http://www.opengis.net/spec/ogcapi-records-1/1.0/conf/record-core"],
    "properties": {"type": "dataset", "title": "Ice thickness", "description": "By drilling."},
    "links": [],
}
ALONE = b"# Iron\n\nBog iron of the Zwackelmoor was smelted in eleven quixotanium furnaces until the year 1731.\n"
JOINED = b"# Drilling\n\nThe hot water drill went through eight metres of ice at each of forty stations on the lake.\n"
QUESTION = "In how many quixotanium furnaces was bog iron of the Zwackelmoor smelted?"


class Everybody:
    """Whoever asks may write."""

    def identify(self, bearer: str | None) -> Caller:  # noqa: ARG002
        return Caller("ada", frozenset(("search", "write")))


@dataclass
class Shelf:
    """Two public documents, one of them of a record, and a private one of the same record."""

    service: Service
    settings: Settings
    http: FlaskClient

    def ingest(self, data: bytes, name: str, record: str | None = None, owner: str = PUBLIC) -> IngestResult:
        parts = document_parts(self.settings, self.service.models, self.service.client)
        done = ingest(IncomingDocument(data, f"/{name}", name, owner, record), parts)
        self.refresh()
        return done

    def refresh(self) -> None:
        self.service.client.indices.refresh(index=f"{self.service.prefix}-*")

    @property
    def store(self) -> DocumentStore:
        return DocumentStore(self.service.client, self.service.prefix)

    @property
    def files(self) -> FolderFiles:
        return FolderFiles(self.settings.library.folder)

    def remove_source(self, source: str) -> None:
        remover = document_remover(self.settings, self.service.client)
        remove_source(self.service.client, self.service.prefix, source, remover)
        self.refresh()

    def is_gone(self, entry: DocumentEntry) -> bool:
        """Everything that is stored of it, in all places that a reader or a later ingestion looks at."""
        record = record_of_document(entry.id)
        left = self.service.client.count(
            index=f"{self.service.prefix}-passages", query={"term": {"document": entry.id}}
        )["count"]
        statuses = {
            self.http.get(path).status_code
            for path in (f"/documents/{entry.id}", f"/collections/documents/items/{record}")
        }
        file = self.files.has(FileKey(entry.owner, entry.id))
        return (left, statuses, self.store.entry(entry.id), file) == (0, {404}, None, False)

    def answers(self) -> list[dict[str, Any]]:
        answer: dict[str, Any] = self.http.post("/ask", json={"question": QUESTION}).get_json()
        return [passage for passage in answer["passages"] if "quixotanium" in passage["text"]]


@pytest.fixture
def shelf(es_client: Elasticsearch, elasticsearch_url: str, tmp_path: Path) -> Iterator[Shelf]:
    service = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    service.prepare()
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "lake.json").write_text(json.dumps(LAKE), "utf-8")
    harvest(
        "open", FolderSource(tmp_path / "records"), HarvestParts(es_client, service.prefix, service.models.embedder)
    )
    settings = service.settings.model_copy(
        update={
            "library": LibrarySettings(folder=tmp_path / "files"),
            "documents": DocumentsSettings(public_files="all"),
        }
    )
    app = create_app(replace(api_parts(settings, service.models), authenticator=Everybody()))
    yield Shelf(service, settings, app.test_client())
    delete_indices(es_client, service.prefix)


def test_a_document_that_is_deleted_by_its_record_is_gone_and_can_be_ingested_again(shelf: Shelf) -> None:
    alone, joined = shelf.ingest(ALONE, "iron.md").entry, shelf.ingest(JOINED, "ice.md", "open:lake").entry
    assert shelf.answers()
    assert shelf.files.has(FileKey(PUBLIC, alone.id))
    address = f"/collections/documents/items/{record_of_document(alone.id)}"
    assert shelf.http.delete(address).status_code == 204
    shelf.refresh()
    assert shelf.is_gone(alone)
    assert shelf.answers() == []
    assert shelf.http.get(f"/documents/{joined.id}").status_code == 200
    assert shelf.http.delete(address).status_code == 404
    parts = HarvestParts(shelf.service.client, shelf.service.prefix, shelf.service.models.embedder)
    with pytest.raises(NotFound, match="ingest its file again"):
        restore(CATALOGUE, [record_of_document(alone.id)], parts, Options())
    again = shelf.ingest(ALONE, "iron.md")
    assert (again.is_same, again.entry.state) == (False, "ready")
    assert shelf.answers()


def test_removing_the_source_of_documents_removes_every_public_one_and_no_private_one(shelf: Shelf) -> None:
    alone, joined = shelf.ingest(ALONE, "iron.md").entry, shelf.ingest(JOINED, "ice.md", "open:lake").entry
    private = shelf.ingest(JOINED, "mine.md", "open:lake", owner="mia").entry
    assert holdings(shelf.service.client, shelf.service.prefix, CATALOGUE).documents == 2
    shelf.remove_source(CATALOGUE)
    assert shelf.is_gone(alone)
    assert shelf.is_gone(joined)
    assert holdings(shelf.service.client, shelf.service.prefix, CATALOGUE).is_nothing
    _is_whole(shelf, private)
    assert shelf.http.get("/collections/open/items/open:lake").status_code == 200
    again = shelf.ingest(ALONE, "iron.md")
    assert (again.is_same, again.entry.state) == (False, "ready")
    assert shelf.answers()


def test_a_source_goes_with_the_documents_of_its_records_alone(shelf: Shelf) -> None:
    alone, joined = shelf.ingest(ALONE, "iron.md").entry, shelf.ingest(JOINED, "ice.md", "open:lake").entry
    private = shelf.ingest(JOINED, "mine.md", "open:lake", owner="mia").entry
    assert holdings(shelf.service.client, shelf.service.prefix, "open").documents == 1
    shelf.remove_source("open")
    assert shelf.is_gone(joined)
    _is_whole(shelf, private)
    assert shelf.http.get(f"/documents/{alone.id}").status_code == 200
    assert shelf.answers()


def _is_whole(shelf: Shelf, private: DocumentEntry) -> None:
    stored = shelf.store.entry(private.id)
    assert stored is not None
    assert stored.state == "ready"
    kept = shelf.service.client.count(index=f"{shelf.service.prefix}-library", query={"term": {"document": private.id}})
    assert kept["count"] == private.passages


def test_an_interrupted_removal_is_finished_and_hides_nothing_from_a_new_ingestion(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = shelf.ingest(ALONE, "iron.md").entry

    def lose_power(*_: object) -> None:
        raise Unavailable("The power is off.")

    with monkeypatch.context() as cut:
        cut.setattr(DocumentStore, "drop_passages", lose_power)
        with pytest.raises(Unavailable):
            shelf.remove_source(CATALOGUE)
    assert shelf.http.get(f"/documents/{alone.id}").status_code == 404
    repair_library(shelf.store, shelf.files, Queue(lambda _: False, lambda _: True))
    shelf.refresh()
    assert shelf.is_gone(alone)
    with monkeypatch.context() as cut:
        alone = shelf.ingest(ALONE, "iron.md").entry
        cut.setattr(FolderFiles, "delete", lose_power)
        with pytest.raises(Unavailable):
            shelf.remove_source(CATALOGUE)
    again = shelf.ingest(ALONE, "iron.md")
    assert (again.is_same, again.entry.state) == (False, "ready")
    assert shelf.answers()


def test_a_document_that_an_earlier_version_removed_by_half_is_read_again(shelf: Shelf) -> None:
    entry = shelf.ingest(ALONE, "iron.md").entry
    assert shelf.ingest(ALONE, "iron.md").is_same
    push.delete(CATALOGUE, record_of_document(entry.id), HarvestParts(shelf.service.client, shelf.service.prefix))
    assert not shelf.ingest(ALONE, "iron.md").is_same
    assert shelf.http.get(f"/collections/documents/items/{record_of_document(entry.id)}").status_code == 200
    shelf.service.client.delete_by_query(
        index=f"{shelf.service.prefix}-passages", query={"term": {"document": entry.id}}, refresh=True
    )
    assert not shelf.ingest(ALONE, "iron.md").is_same
    assert shelf.answers()
