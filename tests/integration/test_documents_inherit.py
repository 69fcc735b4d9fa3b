"""A record's keywords, place and time change: its passages, everybody's and a user's, are filtered by the new ones."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from core.document import DocumentEntry
from core.errors import NotFound
from core.geo import BBox
from core.record import Keyword, Record
from core.timespan import TimeSpan
from es_mappings.codecs.records import to_document
from indexer.documents.index.ingest import IncomingDocument, ingest
from indexer.documents.index.steps import IngestParts
from indexer.documents.index.store import DocumentStore
from indexer.documents.index.update_inherited import InheritanceUpdate, update_inherited
from sonde.wiring.documents import document_parts
from tests.conftest import delete_indices
from tests.service import Service

OLD = Record(
    "cat:1",
    "cat",
    "1",
    "Dune heights",
    keywords=(Keyword("dune"),),
    extents=(BBox(7, 53, 8, 54),),
    times=(TimeSpan.from_iso("1990", "1995"),),
    licence="CC-BY-4.0",
)
NEW = replace(
    OLD, keywords=(Keyword("beach"), Keyword("sand")), extents=(BBox(-10, 40, -9, 41),), times=(), licence=None
)


@pytest.fixture
def parts(es_client: Elasticsearch, elasticsearch_url: str) -> Iterator[IngestParts]:
    service = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    service.prepare()
    yield document_parts(service.settings, service.models, es_client)
    delete_indices(es_client, service.prefix)


def put(parts: IngestParts, record: Record) -> None:
    parts.client.index(index=f"{parts.prefix}-records", id=record.id, document=to_document(record), refresh=True)


def read(parts: IngestParts, owner: str) -> DocumentEntry:
    data = f"# Dunes\n\nMarram grass of {owner} holds the sand.".encode()
    entry = ingest(IncomingDocument(data, f"{owner}.md", f"{owner}.md", owner=owner, record="cat:1"), parts).entry
    DocumentStore(parts.client, parts.prefix).refresh(owner)
    return entry


def found(parts: IngestParts, kind: str, clause: dict[str, Any]) -> int:
    query = {"bool": {"filter": [clause]}}
    return int(parts.client.count(index=f"{parts.prefix}-{kind}", query=query)["count"])


def test_passages_follow_their_record(parts: IngestParts) -> None:
    put(parts, OLD)
    put(parts, replace(OLD, id="cat:2", identifier="2"))
    for owner in ("public", "anna"):
        assert read(parts, owner).state == "ready"
    assert update_inherited(parts.client, parts.prefix, "cat") == InheritanceUpdate(2, 0)  # all is in line

    put(parts, NEW)
    assert update_inherited(parts.client, parts.prefix, "cat") == InheritanceUpdate(2, 2)

    portugal = {"geo_shape": {"extent": {"shape": {"type": "envelope", "coordinates": [[-11, 42], [-8, 39]]}}}}
    for kind in ("passages", "library"):
        assert found(parts, kind, {"term": {"keywords": "sand"}}) == 1
        assert found(parts, kind, {"term": {"keywords": "dune"}}) == 0
        assert found(parts, kind, portugal) == 1
        assert found(parts, kind, {"exists": {"field": "time"}}) == 0  # what the record lost, its passages lose
        assert found(parts, kind, {"exists": {"field": "licence"}}) == 0
        assert found(parts, kind, {"exists": {"field": "vector"}}) == 1
        assert found(parts, kind, {"match": {"text": "marram"}}) == 1
    assert update_inherited(parts.client, parts.prefix, "cat") == InheritanceUpdate(2, 0)


def test_another_source_and_a_record_that_is_gone_change_nothing(parts: IngestParts) -> None:
    put(parts, OLD)
    read(parts, "public")
    put(parts, NEW)
    assert update_inherited(parts.client, parts.prefix, "ca") == InheritanceUpdate(0, 0)
    parts.client.delete(index=f"{parts.prefix}-records", id="cat:1", refresh=True)
    assert update_inherited(parts.client, parts.prefix, "cat") == InheritanceUpdate(1, 0)
    assert found(parts, "passages", {"term": {"keywords": "dune"}}) == 1


def test_a_document_stays_restricted_when_the_record_of_its_doi_is_gone(parts: IngestParts) -> None:
    """Read again after the record was removed, it would have nobody to say who may see it."""
    put(parts, replace(OLD, doi="10.5555/dunes.1", access_groups=("coast",)))
    data = b"# Dunes\n\nhttps://doi.org/10.5555/dunes.1\n\n## Abstract\n\nMarram grass holds the sand of the dunes."
    restricted = {"bool": {"filter": [{"exists": {"field": "access_groups"}}]}}
    for content in (data, data + b" It grows."):
        if content != data:
            parts.client.delete(index=f"{parts.prefix}-records", id=OLD.id, refresh=True)
            with pytest.raises(NotFound, match="restore"):
                ingest(IncomingDocument(content, "dunes.md", "dunes.md"), parts)
        else:
            assert ingest(IncomingDocument(content, "dunes.md", "dunes.md"), parts).entry.record == OLD.id
        DocumentStore(parts.client, parts.prefix).refresh("public")
        assert found(parts, "passages", {"match_all": {}}) == found(parts, "passages", restricted) > 0
        assert found(parts, "records", {"term": {"source": "documents"}}) == 1
        own = {"bool": {"filter": [{"term": {"source": "documents"}}, {"exists": {"field": "access_groups"}}]}}
        assert found(parts, "records", own) == 1
