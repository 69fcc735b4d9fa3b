"""Public documents as records of the search: joined to a record or not, as visible as their record, gone with them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from core.document import PUBLIC, DocumentEntry, record_of_document
from indexer.documents.index.ingest import IncomingDocument, ingest
from indexer.documents.index.store import DocumentStore
from indexer.documents.index.update_inherited import update_inherited
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts
from indexer.raw import restrict
from indexer.sources.folder import FolderSource
from sonde.wiring.documents import document_parts
from tests.conftest import delete_indices
from tests.service import Service

LAKE = {
    "type": "Feature",
    "id": "lake",
    "conformsTo": ["http://www.opengis.net/spec/ogcapi-records-1/1.0/conf/record-core"],
    "geometry": {"type": "Polygon", "coordinates": [[[8.0, 46.0], [9.0, 46.0], [9.0, 47.0], [8.0, 47.0], [8.0, 46.0]]]},
    "time": {"interval": ["2014-05-01", "2014-06-30"]},
    "properties": {"type": "dataset", "title": "Ice thickness", "description": "By drilling.", "license": "CC-BY-4.0"},
    "links": [],
}
ALONE = b"""# Bog iron of the Zwackelmoor

## Abstract

Bog iron was mined in the Zwackelmoor until 1731, and the smelters left heaps of slag beside the village church.

## Furnaces

Eleven quixotanium furnaces were dug out in the summer of 2019, each of them with a stone channel for the wind.
"""
JOINED = b"""# Field report of the ice drilling

The hot water drill went through eight metres of ice at each of the forty stations of the survey on the lake.
"""


class Field:
    """A service with one record, a document about it, and one that is joined to nothing."""

    def __init__(self, service: Service, folder: Path) -> None:
        self.service, self.folder = service, folder
        self.folder.mkdir()
        self.harvest(LAKE)
        self.alone = self.ingested(ALONE, "iron.md")
        self.joined = self.ingested(JOINED, "ice.md", "open:lake")

    @property
    def store(self) -> DocumentStore:
        return DocumentStore(self.service.client, self.service.prefix)

    def harvest(self, record: dict[str, Any], groups: tuple[str, ...] = ()) -> None:
        (self.folder / "lake.json").write_text(json.dumps(record), "utf-8")
        source = restrict(FolderSource(self.folder), groups) if groups else FolderSource(self.folder)
        harvest("open", source, HarvestParts(self.service.client, self.service.prefix, self.service.models.embedder))
        self.refresh()

    def ingested(self, data: bytes, name: str, record: str | None = None) -> DocumentEntry:
        parts = document_parts(self.service.settings, self.service.models, self.service.client)
        entry = ingest(IncomingDocument(data, f"/{name}", name, record=record), parts).entry
        assert (entry.state, entry.record) == ("ready", record), entry
        self.refresh()
        return entry

    def refresh(self) -> None:
        self.service.client.indices.refresh(index=f"{self.service.prefix}-*")

    def found(self, q: str = "", **asked: Any) -> list[dict[str, Any]]:
        return list(self.service.search(q, **asked)["features"])


@pytest.fixture
def field(es_client: Elasticsearch, elasticsearch_url: str, tmp_path: Path) -> Iterator[Field]:
    one = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    one.prepare()
    yield Field(one, tmp_path / "records")
    delete_indices(es_client, one.prefix)


def test_a_document_without_a_record_is_found_by_what_it_says_listed_and_opened(field: Field) -> None:
    (first, *_) = field.found("quixotanium furnaces with a channel for the wind")
    assert first["id"] == record_of_document(field.alone.id)
    assert first["properties"]["type"] == "document"
    assert first["properties"]["title"] == "Bog iron of the Zwackelmoor"
    assert first["properties"]["description"].startswith("Bog iron was mined")
    assert "Eleven quixotanium furnaces" in first["sonde:passages"][0]["text"]
    assert first["sonde:signals"]["passage_bm25"] > 0
    (link,) = [one["href"] for one in first["links"] if one["rel"] == "describes"]
    assert link.endswith(f"/documents/{field.alone.id}")
    http = field.service.http
    assert http.get(link).json["properties"]["title"] == "Bog iron of the Zwackelmoor"
    assert "sonde:record" not in http.get(link).json["properties"], "it explains no record"
    items = http.get("/collections/documents/items").json
    assert {one["id"] for one in items["features"]} == {record_of_document(e.id) for e in (field.alone, field.joined)}
    page = http.get(f"/records/{first['id']}")
    assert (page.status_code, page.headers["Location"]) == (302, link)
    assert f"/records/{first['id']}" not in http.get("/sitemap.xml", query_string={}).text
    (cited, *_) = http.post("/ask", json={"question": "When was bog iron mined in the Zwackelmoor?"}).json["passages"]
    assert (cited["document"], cited["record"]) == (field.alone.id, None)


def test_a_document_of_a_record_is_found_too_and_shares_its_place_time_and_licence(field: Field) -> None:
    both = {one["id"] for one in field.found("hot water drill through the ice")}
    assert both == {"open:lake", record_of_document(field.joined.id)}
    (report,) = field.found("hot water drill", type="document", bbox="8,46,9,47", datetime="2014")
    assert report["properties"]["license"] == "CC-BY-4.0"
    moved = json.loads(json.dumps(LAKE).replace("8.0", "108.0").replace("9.0", "109.0"))
    field.harvest(moved)
    assert update_inherited(field.service.client, field.service.prefix, "open").passages == 1
    field.refresh()
    assert [one["id"] for one in field.found(type="document", bbox="108,46,109,47")] == [report["id"]]
    assert field.found(type="document", bbox="8,46,9,47") == []


def test_a_document_is_hidden_with_its_record(field: Field) -> None:
    hidden = record_of_document(field.joined.id)
    field.harvest(LAKE, ("glaciers",))
    assert [one["id"] for one in field.found(type="document")] == [record_of_document(field.alone.id)]
    assert field.service.http.get(f"/collections/all/items/{hidden}").status_code == 404
    again = field.ingested(JOINED.replace(b"forty", b"fifty"), "ice.md", "open:lake")
    assert field.found("fifty stations", type="document")[:1] != [record_of_document(again.id)]
    assert {one["id"] for one in field.found(type="document")} == {record_of_document(field.alone.id)}
    field.harvest(LAKE)
    assert record_of_document(again.id) in {one["id"] for one in field.found(type="document")}


def test_a_new_version_replaces_the_record_and_a_deleted_document_leaves_none(field: Field) -> None:
    newer = field.ingested(ALONE.replace(b"Eleven", b"Twelve"), "iron.md")
    ids = {one["id"] for one in field.found(type="document")}
    assert ids == {record_of_document(newer.id), record_of_document(field.joined.id)}
    field.store.drop(newer)
    field.refresh()
    assert [one["id"] for one in field.found(type="document")] == [record_of_document(field.joined.id)]
    back = field.ingested(ALONE, "iron.md")
    assert record_of_document(back.id) in {one["id"] for one in field.found("bog iron", type="document")}


def test_a_users_document_is_no_record(field: Field) -> None:
    parts = document_parts(field.service.settings, field.service.models, field.service.client)
    mine = ingest(IncomingDocument(ALONE, "mine.md", "mine.md", owner="anna"), parts).entry
    assert mine.owner != PUBLIC
    field.refresh()
    assert field.store.record(record_of_document(mine.id)) is None
    assert record_of_document(mine.id) not in {one["id"] for one in field.found(type="document")}


def test_a_document_does_not_mention_itself(field: Field) -> None:
    own = field.store.record(record_of_document(field.joined.id))
    assert own is not None
    answer = field.service.http.get(f"/collections/all/items/{own.id}/kin").json
    assert field.joined.id not in json.dumps(answer.get("mentions", []))
