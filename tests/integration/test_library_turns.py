"""Users' documents in slices, on a real Elasticsearch and broker: whose turn it is, and what a kill leaves to do."""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from elasticsearch import Elasticsearch

from core.document import PUBLIC, DocumentEntry, FileKey, WhereWhen
from core.timespan import now_iso
from indexer.documents.index.ingest import IncomingDocument, ingest
from indexer.documents.index.library import LibraryReading, read_queued, remove_document
from indexer.documents.index.repair_library import Queue, repair_library
from indexer.documents.index.steps import IngestParts
from indexer.documents.index.store import DocumentStore
from indexer.documents.parse import isolation
from indexer.documents.parse.isolation import PagesSlice, SliceOver, read_isolated
from indexer.documents.parse.job_files import PageStore
from indexer.documents.parse.limits import DocumentRefused, Limits, Ocr
from indexer.documents.parse.pdf.read_pdf import read_pdf
from net.gate import Gate, GatePolicy
from sonde.wiring.documents import document_parts
from sonde.wiring.file_store import FolderFiles
from tests.conftest import delete_indices
from tests.pdf_files import PdfPage, paragraph, pdf
from tests.service import Service
from workers.config import LibraryWork, WorkerConfig, WorkerParts
from workers.slices import UserTurns, Worker, read_turn

pytestmark = [pytest.mark.elasticsearch, pytest.mark.broker]


def parts_of(word: str, number: int) -> bytes:
    """Text of ``number`` passages."""
    told = "was weighed in the hall. It was heavy and it was put away."
    return "\n\n".join(f"# Part {n}\n\nThe {word} number {n} {told}" for n in range(number)).encode()


def no_gate() -> Gate:
    return Gate(GatePolicy())


@dataclass
class Library:
    """A library whose slices end after each piece of work, and the worker that reads it."""

    parts: IngestParts
    files: FolderFiles
    broker: redis.Redis
    broker_url: str
    read: list[tuple[str, str]] = field(default_factory=list)
    """Owner and state after each slice."""

    @property
    def store(self) -> DocumentStore:
        return DocumentStore(self.parts.client, self.parts.prefix)

    def bring(self, owner: str, data: bytes) -> str:
        id = uuid.uuid4().hex
        self.files.put(FileKey(owner, id), [data])
        self.store.put_entry(
            DocumentEntry(id, owner, f"upload:{id}", "x", "queued", created=now_iso(), updated=now_iso())
        )
        return id

    def slice(self, id: str, seconds: float = 0.0, parts: IngestParts | None = None) -> DocumentEntry:
        reading = LibraryReading(parts or self.parts, self.files, no_gate, 10**7, 10**8)
        entry = read_queued(id, reading, seconds)
        assert entry is not None
        self.read.append((entry.owner, entry.state))
        return entry

    def worker(self) -> Worker:
        work = LibraryWork(self.store.unread, lambda id, s: self.slice(id, s) and None, lambda *_: None)  # type: ignore
        config = WorkerConfig(self.broker_url, self.parts.prefix, Path("none.yaml"), library_slice_s=0.0)
        return Worker.of(config, WorkerParts(self.parts.client, lambda *_: None, lambda _: None, library=work))  # type: ignore

    def passages(self, id: str) -> int:
        index = f"{self.parts.prefix}-library"
        self.parts.client.indices.refresh(index=index)
        return int(self.parts.client.count(index=index, query={"term": {"document": id}})["count"])


@pytest.fixture(scope="module")
def parts(es_client: Elasticsearch, elasticsearch_url: str, tmp_path_factory: Any) -> Iterator[IngestParts]:
    service = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    service.prepare()
    settings = service.settings
    own = settings.model_copy(
        update={"library": settings.library.model_copy(update={"folder": tmp_path_factory.mktemp("library")})}
    )
    yield document_parts(own, service.models, es_client)
    delete_indices(es_client, service.prefix)


@pytest.fixture
def library(parts: IngestParts, broker_url: str) -> Iterator[Library]:
    assert parts.unfinished is not None
    with redis.Redis.from_url(broker_url) as broker:
        yield Library(parts, FolderFiles(parts.unfinished.folder.parent), broker, broker_url)
        for key in broker.scan_iter(f"{parts.prefix}:*"):
            broker.delete(key)
    parts.client.delete_by_query(index=f"{parts.prefix}-documents", query={"match_all": {}}, refresh=True)


def test_two_large_files_of_one_user_do_not_delay_the_page_of_another(library: Library) -> None:
    large = [library.bring("anna", parts_of(f"boulder {number}", 100)) for number in range(2)]
    worker = library.worker()
    for _ in range(3):
        assert read_turn(worker) in large
    page = library.bring("berta", parts_of("pebble", 1))
    turns = 0
    while library.store.entry(page).state != "ready":  # type: ignore[union-attr]
        assert read_turn(worker) is not None
        turns += 1
    assert turns <= 6
    assert [library.store.entry(id).state for id in large] != ["ready", "ready"]  # type: ignore[union-attr]
    while read_turn(worker) is not None:
        pass
    assert [library.store.entry(id).state for id in (*large, page)] == ["ready"] * 3  # type: ignore[union-attr]
    assert [library.passages(id) for id in (*large, page)] == [100, 100, 1]
    owners = [owner for owner, _ in library.read]
    assert owners[3 : 3 + turns].count("berta") * 2 >= turns
    assert not list(library.parts.unfinished.folder.iterdir())  # type: ignore[union-attr]


def test_as_many_turns_wait_as_documents_are_unread(library: Library) -> None:
    library.bring("anna", parts_of("boulder", 40))
    worker = library.worker()
    assert read_turn(worker) is not None
    library.broker.lpush(f"{library.parts.prefix}:library", "a turn")
    assert read_turn(worker) is None


def test_the_owner_whose_turn_is_longest_ago_comes_first(library: Library) -> None:
    turns = UserTurns(library.broker, library.parts.prefix)
    assert turns.in_order(["cora", "anna", "berta"]) == ["anna", "berta", "cora"]
    for owner in ("anna", "berta", "anna"):
        turns.take(owner)
    assert turns.in_order(["anna", "berta", "cora"]) == ["cora", "berta", "anna"]
    assert turns.in_order([]) == []


class KilledReader:
    """Reads places and times of ``good`` passages; then the process is killed."""

    def __init__(self, good: int) -> None:
        self.texts: list[str] = []
        self.good = good

    def read(self, text: str) -> WhereWhen:
        if len(self.texts) >= self.good:
            raise SystemExit(9)
        self.texts.append(text)
        return WhereWhen()


def test_a_killed_reading_continues_where_it_stopped(library: Library) -> None:
    id = library.bring("anna", parts_of("boulder", 60))
    killed = KilledReader(40)
    with pytest.raises(SystemExit):
        library.slice(id, 600.0, replace(library.parts, reader=killed))  # type: ignore[arg-type]
    half = library.store.entry(id)
    assert half is not None
    assert (half.state, half.done, half.total, library.passages(id)) == ("embedding", 32, 60, 32)
    repaired: list[str] = []
    queue = Queue(lambda _: False, lambda document: repaired.append(document) is None)
    repair_library(
        library.store, library.files, queue, silent=timedelta(0), unfinished_readings=library.parts.unfinished
    )
    assert repaired == [id]  # at the next start it is queued again, and what is done is kept
    again = KilledReader(10**6)

    def parsed_again(*_: object) -> Any:
        raise AssertionError("it was read already")

    entry = library.slice(id, 600.0, replace(library.parts, reader=again, parse=parsed_again))  # type: ignore[arg-type]
    assert (entry.state, entry.passages, library.passages(id)) == ("ready", 60, 60)
    assert len(again.texts) == 28
    assert not set(again.texts) & set(killed.texts[:32])


def test_a_document_that_never_gets_further_is_parked_with_a_sentence(library: Library) -> None:
    id = library.bring("anna", parts_of("boulder", 30))
    for _ in range(3):
        with pytest.raises(SystemExit):
            library.slice(id, 600.0, replace(library.parts, reader=KilledReader(10)))  # type: ignore[arg-type]
    entry = library.slice(id, 600.0)
    assert (entry.state, entry.reason) == ("failed", "crashed")
    assert "broken off 3 times" in (entry.message or "")
    assert library.passages(id) == 0
    assert not (library.parts.unfinished.folder / id).exists()  # type: ignore[union-attr]


def test_what_is_kept_of_a_document_goes_with_it(library: Library) -> None:
    kept = library.parts.unfinished
    assert kept is not None
    id = library.bring("anna", parts_of("boulder", 40))
    entry = library.slice(id)
    assert (kept.folder / id).exists()
    remove_document(entry, library.store, library.files, kept)
    assert not (kept.folder / id).exists()
    other = library.bring("anna", parts_of("pebble", 40))

    def deleted_meanwhile(*_: object) -> Any:
        remove_document(library.store.entry(other), library.store, library.files, kept)  # type: ignore[arg-type]
        raise SliceOver("The slice is over.")

    reading = LibraryReading(replace(library.parts, parse=deleted_meanwhile), library.files, no_gate, 10**7, 10**8)
    assert read_queued(other, reading, 0.0) is None
    assert not (kept.folder / other).exists()
    assert library.passages(other) == 0


def test_bytes_that_changed_are_read_from_the_start(library: Library) -> None:
    id = library.bring("anna", parts_of("boulder", 40))
    for _ in range(3):
        library.slice(id)
    assert library.passages(id) == 16
    library.files.put(FileKey("anna", id), [parts_of("pebble", 20)])
    entry = library.slice(id, 600.0)
    assert (entry.state, entry.passages, library.passages(id)) == ("ready", 20, 20)


def test_a_linked_document_is_read_in_slices_too(library: Library) -> None:
    incoming = IncomingDocument(parts_of("glacier", 40), "https://example.org/a.md", "a.md")
    states = [ingest(incoming, library.parts, seconds=0.0).entry.state for _ in range(5)]
    assert states == ["parsing", "embedding", "embedding", "embedding", "ready"]
    store = library.store
    entry = store.entry(incoming.id)
    assert entry is not None
    assert (entry.owner, entry.passages) == (PUBLIC, 40)


def document(pages: int) -> bytes:
    def lines(number: int) -> list[str]:
        return [f"Line {line} of page {number} says something about the river." for line in range(50)]

    return pdf([PdfPage(paragraph(72, 60, lines(number))) for number in range(1, pages + 1)])


@pytest.mark.parametrize("left", [b"", b'{"number": 4, "wid', b"rubbish\n"], ids=["whole", "half a line", "rubbish"])
def test_reading_goes_on_after_the_pages_that_are_kept(tmp_path: Path, left: bytes) -> None:
    data, file = document(6), tmp_path / "pages.jsonl"
    file.touch()
    whole = read_pdf(data, Limits(), Ocr(None), store=PageStore(file))
    first = file.read_bytes().splitlines(keepends=True)
    assert len(first) == 6
    file.write_bytes(b"".join(first[:3]) + left)
    seen: list[tuple[int, int]] = []
    again = read_pdf(data, Limits(), Ocr(None), lambda *at: seen.append(at), PageStore(file))
    assert seen == [(4, 6), (5, 6), (6, 6)]
    assert again == whole
    assert file.read_bytes() == b"".join(first)


def test_a_document_of_many_pages_is_read_in_several_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "_LOOK_S", 0.02)
    data, file = document(150), tmp_path / "pages.jsonl"
    with pytest.raises(SliceOver, match="of 150 pages are read"):
        read_isolated(data, Limits(), Ocr(None), pages=PagesSlice(file, 0.0))
    first = file.read_bytes()
    assert 1 <= first.count(b"\n") < 150
    sliced = read_isolated(data, Limits(), Ocr(None), pages=PagesSlice(file, math.inf)).document
    assert sliced == read_isolated(data, Limits(), Ocr(None)).document
    assert file.read_bytes().startswith(first.rpartition(b"\n")[0])
    with pytest.raises(DocumentRefused, match="300 seconds"):
        read_isolated(document(2), Limits(), Ocr(None), pages=PagesSlice(tmp_path / "other", 0.0, spent_s=300.0))
