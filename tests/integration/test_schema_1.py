"""Indices that Sonde 0.1.0 made: read by today's code, named by /readyz and the doctor, written to, and reindexed.

``schema_1/`` holds the mappings and settings of that version, and records as it stored them.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from core.cells import LEVELS
from core.errors import IndexMismatch
from es_mappings.codecs.records import from_document
from es_mappings.indices import serving
from es_mappings.meta import SCHEMA_VERSION, IndexMeta, refuse_unknown_schema, reindex_reasons
from es_mappings.migration import migrate, missing_fields
from es_mappings.names import KINDS, alias, concrete
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts
from indexer.reindex.run import ReindexParts, reindex, rollback
from indexer.sources.folder import FolderSource
from search_api.catalogue.listing import ListRequest, RecordReader
from search_api.search.ranking.config import default_config
from search_api.search.request import SearchRequest
from search_api.search.retrieval.serving import Readiness, ServingResolver
from sonde.settings import IndexSettings, Settings
from sonde.wiring.api import Models, search_pipeline
from tests.integration.hashing import Hashing
from tests.service import SAMPLES

_FOLDER = Path(__file__).parent / "schema_1"
_INDICES: dict[str, Any] = json.loads((_FOLDER / "indices.json").read_text("utf-8"))
RECORDS: list[dict[str, Any]] = json.loads((_FOLDER / "records.json").read_text("utf-8"))
_NATIVE_IDS = [record["id"].partition(":")[2] for record in RECORDS]


@pytest.fixture
def made(es_client: Elasticsearch, prefix: str) -> str:
    """The prefix of indices as 0.1.0 made them, with six records and their vectors."""
    for kind, mapping in _INDICES["mappings"].items():
        es_client.indices.create(
            index=concrete(prefix, kind, 1),
            mappings=mapping,
            settings=_INDICES["settings"],
            aliases={alias(prefix, kind): {"is_write_index": True}},
        )
    vectors = Hashing("one").embed([from_document(record).embedding_text for record in RECORDS], "document")
    for record, vector in zip(RECORDS, vectors, strict=True):
        document = {**record, "vector": vector.tolist()}
        es_client.index(index=alias(prefix, "records"), id=record["id"], document=document, refresh=True)
    return prefix


def _schema(client: Elasticsearch, prefix: str, kind: Any) -> int:
    found = serving(client, prefix, kind)
    assert found is not None
    return found.meta.schema_version


def _edition(client: Elasticsearch, index: str) -> bool:
    found = client.indices.get_mapping(index=index).body
    return "edition" in next(iter(found.values()))["mappings"]["properties"]


def test_an_index_of_0_1_0_answers_and_asks_for_a_reindex(es_client: Elasticsearch, made: str) -> None:
    resolver = ServingResolver(es_client, made, Hashing)
    reader = RecordReader(es_client, made, resolver)
    page = reader.page(ListRequest())
    assert [stored.record for stored in page.records] == sorted(
        (from_document(record) for record in RECORDS), key=lambda record: record.id
    )
    report = Readiness(es_client, resolver, "one")()
    assert report.ready
    assert report.notes == [
        "The index has schema 1, made by an earlier Sonde; this one writes schema "
        f"{SCHEMA_VERSION}. It still answers. Run `sonde reindex` to bring every record up to date."
    ]


def test_todays_search_answers_from_it(es_client: Elasticsearch, made: str) -> None:
    resolver = ServingResolver(es_client, made, Hashing)
    models = Models(Settings(index=IndexSettings(prefix=made)))
    pipeline, _ = search_pipeline(es_client, made, models, default_config(), resolver=resolver)
    request = SearchRequest(q="daily precipitation for Monsoon Asia", algorithm="bm25", facets=("type", "source"))
    assert pipeline.search(request).hits[0].record.id == "samples:aphrodite-monsoon-asia"
    older = pipeline.search(replace(request, facets=("type", "cell", "year")))
    assert set(older.facets) == {"type"}, "its records have no cells: no count, not a count of nothing"


def test_the_next_harvest_writes_todays_documents_into_it(es_client: Elasticsearch, made: str, tmp_path: Path) -> None:
    for name in _NATIVE_IDS:
        (tmp_path / f"{name}.xml").write_bytes((SAMPLES / f"{name}.xml").read_bytes())
    for _ in range(2):
        migrate(es_client, made)
    assert _edition(es_client, alias(made, "records"))
    assert _schema(es_client, made, "records") == 1, "its records are still those of 0.1.0"
    assert _schema(es_client, made, "ledger") == SCHEMA_VERSION
    report = harvest("samples", FolderSource(tmp_path), HarvestParts(es_client, made, Hashing))
    assert report.state == "complete", report.message
    assert report.counts.failed == 0


def test_a_reindex_brings_it_to_todays_schema_and_there_is_a_way_back(es_client: Elasticsearch, made: str) -> None:
    embedder = Hashing("one")
    report = reindex(ReindexParts(es_client, made, embedder), least_overlap=0.0)
    assert report.moved
    assert embedder.embedded == 0, "vectors of the same model are taken over"
    assert {kind: _schema(es_client, made, kind) for kind in KINDS} == dict.fromkeys(KINDS, SCHEMA_VERSION)
    stored = RecordReader(es_client, made, ServingResolver(es_client, made, Hashing)).record(RECORDS[0]["id"])
    assert stored.record == from_document(RECORDS[0])
    (anew,) = es_client.search(index=alias(made, "records"), query={"ids": {"values": [RECORDS[0]["id"]]}})["hits"][
        "hits"
    ]
    assert set(anew["_source"]["cells"]) == {str(level) for level in LEVELS}
    assert anew["_source"]["years"]
    rollback(es_client, made)
    assert _schema(es_client, made, "records") == 1


def test_a_schema_too_old_or_too_new_is_refused_with_what_to_do() -> None:
    def of(version: int) -> IndexMeta:
        return IndexMeta(version, "one", 8, "cosine", "")

    refuse_unknown_schema("i", of(1))
    refuse_unknown_schema("i", of(SCHEMA_VERSION))
    with pytest.raises(IndexMismatch, match="upgrade this one"):
        refuse_unknown_schema("i", of(SCHEMA_VERSION + 1))
    with pytest.raises(IndexMismatch, match="sonde reindex"):
        refuse_unknown_schema("i", of(0))
    assert reindex_reasons(of(SCHEMA_VERSION), "one") == []
    assert len(reindex_reasons(of(1), "two")) == 2


def test_only_what_is_missing_is_added() -> None:
    there = {"a": {"type": "text"}, "o": {"properties": {"x": {"type": "long"}}}}
    wanted = {
        "a": {"type": "keyword"},
        "o": {"properties": {"x": {"type": "long"}, "y": {"type": "date"}}},
        "n": {"type": "float"},
    }
    assert missing_fields(wanted, there) == {"o": {"properties": {"y": {"type": "date"}}}, "n": {"type": "float"}}
