"""What records link to is followed through the gate: a PDF, a landing page that names one, one that is not there."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from core.record import Link, Record
from es_mappings.codecs.records import to_document
from es_mappings.names import alias
from indexer.documents.index.linked_documents import document_links, follow_links, pdf_of_page
from indexer.documents.index.steps import IngestParts
from indexer.documents.index.store import DocumentStore
from net.gate import Gate, GatePolicy
from sonde.wiring.documents import document_parts
from tests.conftest import delete_indices
from tests.pdf_files import PdfPage, paragraph, pdf
from tests.service import Service


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "report.pdf").write_bytes(pdf([PdfPage(paragraph(72, 100, ["Quibble stones line the shore."]))]))
    (tmp_path / "own.pdf").write_bytes(pdf([PdfPage(paragraph(72, 100, ["Wombat burrows were mapped."]))]))
    (tmp_path / "landing.html").write_text('<html><head><meta name="citation_pdf_url" content="own.pdf"></head></html>')
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture
def parts(es_client: Elasticsearch, elasticsearch_url: str) -> Iterator[IngestParts]:
    service = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    service.prepare()
    yield document_parts(service.settings, service.models, es_client)
    delete_indices(es_client, service.prefix)


def record(site: str) -> Record:
    links = (
        Link(f"{site}/report.pdf", rel="about"),
        Link(f"{site}/landing.html", rel="about", media_type="text/html"),
        Link(f"{site}/gone.pdf", media_type="application/pdf"),
        Link("file:///etc/passwd.pdf", media_type="application/pdf"),
        Link(f"{site}/data.zip", rel="download"),
    )
    return Record("src:1", "src", "1", "Shores", links=links)


def test_only_documents_are_followed_and_landing_pages_only_where_asked(site: str) -> None:
    names = {mode: [link.href.rsplit("/", 1)[-1] for link in document_links(record(site), mode)] for mode in
             ("none", "pdf", "landing")}  # fmt: skip
    assert names == {
        "none": [],
        "pdf": ["report.pdf", "gone.pdf"],
        "landing": ["report.pdf", "landing.html", "gone.pdf"],
    }


def test_a_landing_page_names_its_pdf() -> None:
    page = b'<html><head><meta name="citation_pdf_url" content="/a/b.pdf"></head></html>'
    assert pdf_of_page(page, "http://host/x/y") == "http://host/a/b.pdf"
    assert pdf_of_page(b"<html><body>nothing</body></html>", "http://host/") is None


def test_linked_documents_become_passages_of_their_record_and_what_is_gone_is_parked(
    site: str, parts: IngestParts
) -> None:
    parts.client.index(
        index=alias(parts.prefix, "records"), id="src:1", document=to_document(record(site)), refresh=True
    )
    gate = Gate(GatePolicy(allowed_hosts=frozenset((site.removeprefix("http://"),))))
    first = follow_links("src", "landing", parts, gate, seconds=60)
    assert (first.ready, first.failed, first.more) == (2, 1, False)
    store = DocumentStore(parts.client, parts.prefix)
    store.refresh("public")
    hits = parts.client.search(index=alias(parts.prefix, "passages"), query={"term": {"record": "src:1"}})["hits"][
        "hits"
    ]
    assert {hit["_source"]["text"] for hit in hits} == {"Quibble stones line the shore.", "Wombat burrows were mapped."}
    again = follow_links("src", "landing", parts, gate, seconds=60)
    assert (again.ready, again.failed) == (0, 1)  # what may pass is tried once more
    (gone,) = store.of_origin("public", f"{site}/gone.pdf")
    assert (gone.state, gone.reason, gone.attempts) == ("failed", "unreachable", 2)
    assert follow_links("src", "landing", parts, gate, seconds=60).failed == 0  # then left alone
    (read,) = store.of_origin("public", f"{site}/report.pdf")
    store.put_entry(replace(read, recipe="1:180:0"))
    anew = follow_links("src", "landing", parts, gate, seconds=60)
    assert (anew.ready, anew.failed) == (1, 0)  # an older reader had read it
    assert store.of_origin("public", f"{site}/report.pdf")[0].recipe == read.recipe


def test_a_private_address_is_not_fetched(site: str, parts: IngestParts) -> None:
    """The record of a stranger cannot make us read our own network."""
    parts.client.index(
        index=alias(parts.prefix, "records"), id="src:1", document=to_document(record(site)), refresh=True
    )
    done = follow_links("src", "pdf", parts, Gate(GatePolicy()), seconds=60)
    assert (done.ready, done.failed) == (0, 2)
    (entry,) = DocumentStore(parts.client, parts.prefix).of_origin("public", f"{site}/report.pdf")
    assert entry.reason == "unreachable"
