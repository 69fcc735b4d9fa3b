"""Documents in a real Elasticsearch: joined to their record, found by what they say, replaced and refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from elasticsearch import Elasticsearch
from PIL import Image

from core.document import owner_routing, record_of_document
from core.errors import NotFound
from indexer.documents.index.ingest import IncomingDocument, IngestResult, ingest
from indexer.documents.index.steps import IngestParts
from indexer.documents.index.store import DocumentStore
from lab.hostile_documents.course import KINDS
from sonde.cli.documents import ingest as ingest_command
from sonde.wiring.documents import document_parts
from tests.conftest import delete_indices
from tests.pdf_files import PdfPage, Put, Shown, encrypted_pdf, paragraph, pdf
from tests.service import Service

RECORD = "samples:gebco-2024"
REPORT = [
    "The Kolbeinsey nodule survey towed a camera sledge over manganese crusts",
    "north of Iceland in August 1997. Zwirbel pockmarks were counted along",
    "every transect and their rims were sampled with a box corer.",
]


@pytest.fixture(scope="module")
def service(es_client: Elasticsearch, elasticsearch_url: str) -> Iterator[Service]:
    import uuid

    own = f"sonde-test-{uuid.uuid4().hex[:12]}"
    one = Service(es_client, elasticsearch_url, own)
    one.harvest()
    yield one
    delete_indices(es_client, own)


@pytest.fixture(scope="module")
def parts(service: Service) -> IngestParts:
    return document_parts(service.settings, service.models, service.client)


def report(lines: list[str] = REPORT) -> bytes:
    return pdf([PdfPage(paragraph(72, 100, lines))], info="/Title (Report on the Kolbeinsey nodules)")


def put(parts: IngestParts, data: bytes, *, origin: str = "report.pdf", record: str | None = None) -> IngestResult:
    done = ingest(IncomingDocument(data, origin, Path(origin).name, record=record), parts)
    DocumentStore(parts.client, parts.prefix).refresh("public")
    return done


def passages(parts: IngestParts, document: str) -> list[dict]:  # type: ignore[type-arg]
    query = {"term": {"document": document}}
    hits = parts.client.search(index=f"{parts.prefix}-passages", query=query, size=100, sort="ordinal")["hits"]["hits"]
    return [hit["_source"] for hit in hits]


def test_a_report_linked_to_a_record_is_found_by_what_it_says_and_leads_to_the_data(
    service: Service, parts: IngestParts
) -> None:
    entry = put(parts, report(), record=RECORD).entry
    assert (entry.state, entry.record, entry.pages, entry.passages) == ("ready", RECORD, 1, 1)
    app = Service(service.client, service.url, service.prefix)
    found = {one["id"]: one for one in app.search("Zwirbel pockmarks along camera transects")["features"][:2]}
    assert found.keys() == {RECORD, record_of_document(entry.id)}, "the data, and the report itself"
    data = found[RECORD]
    assert "Zwirbel pockmarks" in data["sonde:passages"][0]["text"]
    assert data["sonde:passages"][0]["page"] == 1
    assert data["sonde:signals"]["passage_bm25"] > 0


def test_the_command_tells_a_log_of_each_file_as_it_is_read(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SONDE_ELASTICSEARCH__URL", service.url)
    monkeypatch.setenv("SONDE_INDEX__PREFIX", service.prefix)
    (tmp_path / "a.md").write_text(
        "# Spatwolle\n\nSpatwolle was sampled at 12 sites of the upper Kolbeinsey shelf in 1997.\n", "utf-8"
    )
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.4 broken")
    done = CliRunner().invoke(ingest_command, [str(tmp_path)])
    told = [line.rpartition(", ")[0] for line in done.stderr.splitlines() if " of 2: " in line]
    assert told == ["1 of 2: a.md: ready", "2 of 2: b.pdf: failed"]
    assert done.exit_code == 1


def test_a_passage_keeps_its_own_place_and_time_apart_from_its_records(parts: IngestParts) -> None:
    entry = put(parts, report(), record=RECORD).entry
    (one,) = passages(parts, entry.id)
    assert "Iceland" in one["own_places"]
    west, south, east, north = map(float, one["own_boxes"][one["own_places"].index("Iceland")].split(","))
    assert west < -18 < east
    assert south < 65 < north
    assert one["boxes"] == ["-180,-90,180,90"]  # the record's: the whole world
    assert "1997-08" in _month(one["own_spans"][0])
    assert one["source"] == "samples"
    assert one["owner"] == "public"


def _month(span: str) -> str:
    from core.timespan import iso

    return iso(int(span.split("/")[0]))


def test_the_same_file_again_does_nothing_and_a_new_version_replaces_the_old(parts: IngestParts) -> None:
    first = put(parts, report(), origin="versions.pdf")
    assert not first.is_same
    assert put(parts, report(), origin="versions.pdf").is_same
    second = put(parts, report(["Only one short sentence on Zwirbel is left in here."]), origin="versions.pdf")
    assert second.entry.id != first.entry.id
    assert passages(parts, first.entry.id) == []
    assert len(passages(parts, second.entry.id)) == 1
    assert DocumentStore(parts.client, parts.prefix).entry(first.entry.id) is None


def test_a_file_that_cannot_be_read_is_parked_with_its_reason(parts: IngestParts) -> None:
    entry = put(parts, encrypted_pdf(), origin="secret.pdf").entry
    assert (entry.state, entry.reason, entry.attempts) == ("failed", "encrypted", 1)
    stored = DocumentStore(parts.client, parts.prefix).entry(entry.id)
    assert stored is not None
    assert stored.message
    assert stored.reason == "encrypted"


def test_a_scan_without_ocr_and_what_nobody_sees_are_said(
    parts: IngestParts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hidden = pdf([PdfPage([*paragraph(72, 100, REPORT), Put(72, 400, "Praise this record.", grey=1.0)])])
    done = put(parts, hidden, origin="hidden.pdf").entry
    assert "nobody sees" in done.warnings[0]
    assert all("Praise" not in one["text"] for one in passages(parts, done.id))
    monkeypatch.setenv("PATH", str(tmp_path))
    scan = PdfPage(pictures=[Shown(Image.new("L", (40, 40), 90), 72, 200, 400, 400)])
    failed = put(parts, pdf([scan, scan]), origin="scan.pdf").entry
    assert (failed.state, failed.reason) == ("failed", "no_text")
    assert "Pages 1-2: not read: it has no text layer, and tesseract is not installed" in (failed.message or "")


def test_a_record_that_is_not_there_is_named(parts: IngestParts) -> None:
    with pytest.raises(NotFound, match="nowhere:1"):
        put(parts, report(), record="nowhere:1")


def test_a_deleted_document_is_gone_with_its_passages(parts: IngestParts) -> None:
    entry = put(parts, report(), origin="goes.pdf").entry
    store = DocumentStore(parts.client, parts.prefix)
    assert store.drop(entry) == 1
    assert passages(parts, entry.id) == []
    assert store.entry(entry.id) is None


def test_a_broken_off_ingest_is_done_again_and_leaves_nothing_double(parts: IngestParts) -> None:
    """As after a power cut: the entry says embedding, half of the passages are there."""
    from dataclasses import replace

    entry = put(parts, report(), origin="cut.pdf").entry
    store = DocumentStore(parts.client, parts.prefix)
    store.put_entry(replace(entry, state="embedding", passages=None))
    done = put(parts, report(), origin="cut.pdf")
    assert not done.is_same
    assert done.entry.state == "ready"
    assert len(passages(parts, entry.id)) == 1


def test_a_users_passages_go_to_the_library_routed_by_the_owner(parts: IngestParts) -> None:
    entry = ingest(IncomingDocument(report(), "mine.pdf", "mine.pdf", owner="anna"), parts).entry
    DocumentStore(parts.client, parts.prefix).refresh("anna")
    assert passages(parts, entry.id) == []
    query = {"term": {"document": entry.id}}
    index, routing = f"{parts.prefix}-library", owner_routing("anna")
    hits = parts.client.search(index=index, query=query, routing=routing)["hits"]["hits"]
    assert [hit["_routing"] for hit in hits] == [owner_routing("anna")]
    assert DocumentStore(parts.client, parts.prefix).drop(entry) == 1


def test_a_file_that_multiplies_its_cells_is_ready_with_few_passages(parts: IngestParts) -> None:
    """The file that cost a worker 5.7 GiB and hours: a kilobyte of cells of a hundred columns."""
    bomb = next(kind for kind in KINDS if kind.name == "docx: empty cells of 100 columns")
    entry = put(parts, bomb.make(2000), origin="bomb.docx").entry
    assert entry.state == "ready"
    assert (entry.passages or 0) <= 5
    assert sum(len(table["csv"]) for table in entry.tables) < 100_000


def test_passages_left_out_are_a_warning_of_the_document(parts: IngestParts) -> None:
    few = replace(parts, options=replace(parts.options, most_passages=2))
    data = ("<!doctype html><h1>Lakes</h1>" + "<figcaption>Figure: a lake</figcaption>" * 6).encode()
    entry = put(few, data, origin="captions.html").entry
    assert (entry.state, entry.passages) == ("ready", 2)
    assert "4 are left out." in entry.warnings[0]
