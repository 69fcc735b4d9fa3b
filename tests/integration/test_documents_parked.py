"""A document that Sonde itself fails at: parked, nothing of it searchable, left alone, and named by the doctor."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from core.document import PUBLIC, DocumentEntry, FileKey, WhereWhen
from core.errors import Unavailable
from core.record import Link, Record
from core.timespan import now_iso
from es_mappings.codecs import passages
from es_mappings.codecs.records import to_document
from es_mappings.names import alias
from indexer.documents.index import attempts as parking
from indexer.documents.index.attempts import READING
from indexer.documents.index.ingest import IncomingDocument, ingest
from indexer.documents.index.library import LibraryReading, read_queued
from indexer.documents.index.linked_documents import follow_links
from indexer.documents.index.repair_library import Queue, repair_library
from indexer.documents.index.steps import IngestParts
from indexer.documents.index.store import DocumentStore
from indexer.documents.parse.isolation import ParseResult, read_isolated
from indexer.documents.parse.limits import Limits
from net.gate import Gate, GatePolicy
from sonde.ops.doctor.content import parked_documents
from sonde.wiring.documents import document_parts
from sonde.wiring.file_store import FolderFiles
from tests.conftest import delete_indices
from tests.service import Service

WORD = "Zwurbelstein"
LONG = "\n\n".join(
    f"# Part {n}\n\nThe {WORD} number {n} was weighed in the hall. It was heavy and it was put away." for n in range(70)
).encode()  # more than one batch of passages


@pytest.fixture(scope="module")
def parts(es_client: Elasticsearch, elasticsearch_url: str) -> Iterator[IngestParts]:
    service = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    service.prepare()
    yield document_parts(service.settings, service.models, es_client)
    delete_indices(es_client, service.prefix)


class FailingReader:
    """Reads places and times of ``good`` passages, then meets a text that it fails at."""

    def __init__(self, good: int = 0) -> None:
        self.good = good
        self.asked = 0

    def read(self, text: str) -> WhereWhen:
        self.asked += 1
        if self.asked > self.good:
            raise ValueError(f"cannot read: {text}")
        return WhereWhen()


class FailingParse:
    def __init__(self, error: BaseException) -> None:
        self.error = error
        self.asked = 0

    def __call__(self, *_: object) -> ParseResult:
        self.asked += 1
        raise self.error


def found(parts: IngestParts, document: str) -> int:
    index = f"{alias(parts.prefix, 'passages')},{alias(parts.prefix, 'library')}"
    parts.client.indices.refresh(index=index)
    return int(parts.client.count(index=index, query={"term": {"document": document}})["count"])


def stored(parts: IngestParts, id: str) -> DocumentEntry:
    entry = DocumentStore(parts.client, parts.prefix).entry(id)
    assert entry is not None
    return entry


def test_a_reader_that_fails_in_the_second_batch_leaves_nothing_searchable(parts: IngestParts) -> None:
    reader = FailingReader(good=66)
    failing = replace(parts, reader=reader)  # type: ignore[arg-type]
    entry = ingest(IncomingDocument(LONG, "long.md", "long.md"), failing).entry
    assert reader.asked == 67
    assert (entry.state, entry.reason, entry.attempts) == ("failed", "crashed", 1)
    assert found(parts, entry.id) == 0
    assert "Nothing of it is searchable" in (entry.message or "")
    assert "ValueError" in (entry.message or "")
    assert WORD not in (entry.message or "")
    assert stored(parts, entry.id).state == "failed"

    again = ingest(IncomingDocument(LONG, "long.md", "long.md"), failing)
    assert again.is_same  # parked: not tried for ever
    assert reader.asked == 67
    mended = ingest(IncomingDocument(LONG, "long.md", "long.md", retry=True), parts).entry
    assert mended.state == "ready"
    assert found(parts, entry.id) == mended.passages == 70


@pytest.mark.parametrize("step", ["parse", "coherence"])
def test_every_step_that_fails_parks_the_document(parts: IngestParts, step: str) -> None:
    def incoherent(texts: Any) -> list[float]:
        raise IndexError("list index out of range")

    broken = (
        replace(parts, parse=FailingParse(KeyError("glyph")))
        if step == "parse"
        else replace(parts, coherence=incoherent)
    )
    text = f"The {WORD} was seen {step}. ".encode() * 400
    entry = ingest(IncomingDocument(text, f"{step}.txt", f"{step}.txt"), broken).entry
    assert (entry.state, entry.reason) == ("failed", "crashed")
    assert found(parts, entry.id) == 0


def test_a_document_whose_process_was_killed_thrice_is_parked(parts: IngestParts) -> None:
    """As when reading it kills the worker each time: the entry says ``parsing``, and nobody wrote why."""
    killed = replace(parts, parse=FailingParse(SystemExit(9)))
    incoming = IncomingDocument(b"Short text about a lake and its shores.", "killer.txt", "killer.txt")
    for start in (1, 2, 3):
        with pytest.raises(SystemExit):
            ingest(incoming, killed)
        assert (stored(parts, incoming.id).state, stored(parts, incoming.id).attempts) == ("parsing", start)
    entry = ingest(incoming, killed).entry
    assert (entry.state, entry.reason) == ("failed", "crashed")
    assert "broken off 3 times" in (entry.message or "")
    assert killed.parse.asked == 3  # type: ignore[attr-defined]


def test_that_elasticsearch_went_away_does_not_count_against_a_document(parts: IngestParts) -> None:
    away = replace(parts, parse=FailingParse(Unavailable("gone")))
    incoming = IncomingDocument(b"Another short text about a river.", "away.txt", "away.txt")
    for _ in range(4):
        with pytest.raises(Unavailable):
            ingest(incoming, away)
    assert stored(parts, incoming.id).attempts == 0
    assert ingest(incoming, parts).entry.state == "ready"


def test_a_process_that_dies_parks_the_document(parts: IngestParts) -> None:
    """The real child, with too little memory to begin."""
    dying = replace(parts, limits=Limits(memory_bytes=40 * 1024 * 1024), parse=read_isolated)
    entry = ingest(IncomingDocument(b"A text that nobody reads.", "dies.txt", "dies.txt"), dying).entry
    assert entry.state == "failed"
    assert entry.reason in ("crashed", "out_of_memory")
    assert found(parts, entry.id) == 0


def test_what_a_power_cut_left_of_a_public_document_is_taken_out_at_the_next_start(parts: IngestParts) -> None:
    entry = ingest(IncomingDocument(LONG + b"\n\ncut", "cut.md", "cut.md"), parts).entry
    assert found(parts, entry.id) > 0
    store = DocumentStore(parts.client, parts.prefix)
    store.put_entry(replace(entry, state="embedding", passages=None, updated=now_iso()))
    assert parking.delete_interrupted(store) == 0  # somebody may be at it
    store.put_entry(replace(entry, state="embedding", passages=None, updated="2026-01-01T00:00:00.000Z"))
    assert parking.delete_interrupted(store) == 1
    assert found(parts, entry.id) == 0
    assert stored(parts, entry.id).reason == "interrupted"
    assert ingest(IncomingDocument(LONG + b"\n\ncut", "cut.md", "cut.md"), parts).entry.state == "ready"


def test_a_users_document_is_parked_left_alone_and_read_after_an_upgrade(parts: IngestParts, tmp_path: Any) -> None:
    files = FolderFiles(tmp_path)
    store = DocumentStore(parts.client, parts.prefix)
    data = b"The user's own text about moors and mires."
    entry = DocumentEntry("u1", "anna", "upload:u1", "mine.txt", "queued", created=now_iso(), updated=now_iso())
    store.put_entry(entry)
    files.put(FileKey("anna", "u1"), [data])
    failing = replace(parts, reader=FailingReader())  # type: ignore[arg-type]

    def reading(parts: IngestParts) -> LibraryReading:
        return LibraryReading(parts, files, lambda: Gate(GatePolicy()), 10**7, 10**8)

    done = read_queued("u1", reading(failing))
    assert done is not None
    assert (done.state, done.reason) == ("failed", "crashed")
    assert found(parts, "u1") == 0
    assert read_queued("u1", reading(failing)) is None
    sent: list[str] = []
    queue = Queue(lambda _: False, lambda id: sent.append(id) is None)
    repair_library(store, files, queue)
    assert sent == []  # not tried for ever
    store.put_entry(replace(done, version="0.0.1"))
    repair_library(store, files, queue)
    assert sent == ["u1"]
    mended = read_queued("u1", reading(parts))
    assert mended is not None
    assert mended.state == "ready"
    store.drop(mended)


def test_users_documents_that_an_older_reader_read_are_read_again_a_few_at_a_time(
    parts: IngestParts, tmp_path: Any
) -> None:
    files = FolderFiles(tmp_path)
    store = DocumentStore(parts.client, parts.prefix)
    older = [
        DocumentEntry(f"o{n}", "anna", f"upload:o{n}", "old.txt", "ready", recipe="1:180:0", updated=now_iso())
        for n in range(13)
    ]
    for entry in older:
        store.put_entry(entry)
    for entry in older[1:]:  # the first one's file is lost: it stays readable as it was
        files.put(FileKey("anna", entry.id), [b"Moors and mires were mapped by Anna in the summer."])
    sent: list[str] = []
    queue = Queue(lambda _: False, lambda id: sent.append(id) is None)
    repair_library(store, files, queue)
    assert len(sent) == 10
    repair_library(store, files, queue)  # while they are on their way no other one is begun
    assert len(sent) == 10
    reading = LibraryReading(parts, files, lambda: Gate(GatePolicy()), 10**7, 10**8)
    for id in sent[:2]:
        done = read_queued(id, reading)
        assert done is not None
        assert done.state == "ready"
        assert done.recipe is not None
        assert done.recipe.startswith(f"{READING}:")
    repair_library(store, files, queue)
    assert sorted(sent) == sorted(entry.id for entry in older[1:])
    assert stored(parts, "o0").state == "ready"
    for entry in older:
        store.drop(entry)


def test_a_linked_document_is_parked_and_left_alone(parts: IngestParts) -> None:
    link = Link("http://[no-address/report.pdf", media_type="application/pdf")
    record = Record("odd:1", "odd", "1", "Shores", links=(link,))
    index = alias(parts.prefix, "records")
    parts.client.index(index=index, id="odd:1", document=to_document(record), refresh=True)
    first = follow_links("odd", "pdf", parts, Gate(GatePolicy()), seconds=60.0)
    assert (first.ready, first.failed) == (0, 1)
    tried = [first]
    while tried[-1].failed and len(tried) < 5:
        tried.append(follow_links("odd", "pdf", parts, Gate(GatePolicy()), seconds=60.0))
    assert len(tried) <= 3
    parts.client.delete(index=index, id="odd:1", refresh=True)


def test_the_doctor_says_how_many_are_parked_which_and_what_to_do(parts: IngestParts) -> None:
    store = DocumentStore(parts.client, parts.prefix)
    for hit in parts.client.search(index=alias(parts.prefix, "documents"), size=100)["hits"]["hits"]:
        store.drop(passages.entry_from_document(hit["_id"], hit["_source"]))
    assert parked_documents(parts.client, parts.prefix) == (
        "ok",
        "none failed because of Sonde; unreadable files: none",
    )
    store.put_entry(DocumentEntry("o", PUBLIC, "old.pdf", "old.pdf", "ready", recipe="1:180:0", updated=now_iso()))
    assert "1 for everybody were read by an older reader" in parked_documents(parts.client, parts.prefix)[1]
    failing = replace(parts, reader=FailingReader())  # type: ignore[arg-type]
    entry = ingest(IncomingDocument(b"A short text about lakes.", "lakes.txt", "lakes.txt"), failing).entry
    store.put_entry(replace(entry, id="u2", owner="anna", name="diary.txt"))
    state, told = parked_documents(parts.client, parts.prefix)
    assert state == "warning"
    assert told.startswith("2 parked")
    assert "lakes.txt (crashed)" in told
    assert "a user's document u2 (crashed)" in told
    assert "diary" not in told
    assert "`sonde ingest --retry FILE`" in told
