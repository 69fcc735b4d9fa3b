"""Documents completed by Crossref and DataCite, whose recorded answers a small server of ours gives: no test can reach
the registries themselves.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

import pytest
from elasticsearch import Elasticsearch

from core.document import PUBLIC, DocumentEntry, FileKey
from core.record import Record
from core.timespan import now_iso
from es_mappings.codecs.records import to_document
from es_mappings.names import alias
from indexer.documents.index.ingest import IncomingDocument, ingest
from indexer.documents.index.library import LibraryReading, read_queued
from indexer.documents.index.steps import IngestParts
from indexer.documents.index.store import DocumentStore
from net.gate import Gate
from sonde.document_settings import RegistrySettings
from sonde.settings import NetSettings, Settings
from sonde.wiring.documents import document_parts, registries
from sonde.wiring.file_store import FolderFiles
from sonde.wiring.models import gate_policy
from tests.conftest import delete_indices
from tests.service import Service

CROSSREF = {
    "title": ["The water balance of Quellmoos"],
    "author": [{"given": "Ida", "family": "Moor"}, {"given": "Bo", "family": "Peat"}],
    "container-title": ["Journal of Peat"],
    "issued": {"date-parts": [[2019, 4]]},
}
DATACITE = {
    "titles": [{"title": "Cores of Quellmoos, a report"}],
    "creators": [{"name": "Fen, Carla"}],
    "publicationYear": 2020,
}


@dataclass
class StandIn:
    """Both registries; ``asked``: path and User-Agent of each request; ``is_down``: answers 503."""

    url: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)
    is_down: bool = False

    def answer(self, path: str) -> tuple[int, object]:
        registry, _, doi = unquote(urlsplit(path).path).strip("/").partition("/")
        if self.is_down:
            return 503, {}
        if registry == "works" and doi.startswith("10.5555/water"):
            return 200, {"message": CROSSREF}
        if registry == "dois" and doi == "10.5555/cores":
            return 200, {"data": {"attributes": DATACITE}}
        return 404, {"errors": [{"status": "404"}]}


@pytest.fixture
def registry() -> Iterator[StandIn]:
    stand_in = StandIn()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            stand_in.asked.append((self.path, self.headers["User-Agent"]))
            status, body = stand_in.answer(self.path)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *_: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    stand_in.url = f"http://127.0.0.1:{server.server_port}"
    yield stand_in
    server.shutdown()


@pytest.fixture(scope="module")
def service(es_client: Elasticsearch, elasticsearch_url: str) -> Iterator[Service]:
    one = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    one.prepare()
    index = alias(one.prefix, "records")
    for record in (
        Record("a:open", "a", "open", "Open moors"),
        Record("a:shade", "a", "shade", "Hidden moors", access_groups=("peat",)),
    ):
        es_client.index(index=index, id=record.id, document=to_document(record), refresh=True)
    yield one
    delete_indices(es_client, one.prefix)


@pytest.fixture(scope="module")
def plain(service: Service) -> IngestParts:
    return document_parts(service.settings, service.models, service.client)


def asking(
    plain: IngestParts, service: Service, registry: StandIn, ask: Literal["none", "public", "all"]
) -> IngestParts:
    """As an installation has them that names a contact, and the stand-in as both registries."""
    more = {
        "registries": RegistrySettings(ask=ask, crossref_url=registry.url, datacite_url=registry.url),
        "net": NetSettings(contact="ops@moor.example"),
    }
    settings = service.settings.model_copy(update=more)
    return replace(plain, registries=registries(settings, lambda: Gate(gate_policy(settings))))


def paper(doi: str, title: str = "The water balance of Quellmoos", more: str = "") -> bytes:
    head = f"# {title}\n\ndoi: {doi}\n\n## Results\n\n"
    return f"{head}The moor lost water in each year of the survey. {more}\n".encode()


def put(parts: IngestParts, data: bytes, owner: str = PUBLIC, record: str | None = None) -> DocumentEntry:
    entry = ingest(IncomingDocument(data, uuid.uuid4().hex, "paper.md", owner, record), parts).entry
    assert entry.state == "ready", entry.message
    return entry


def test_a_public_document_is_completed_politely_and_asked_for_once(
    plain: IngestParts, service: Service, registry: StandIn
) -> None:
    parts = asking(plain, service, registry, "public")
    done = put(parts, paper("10.5555/water.1"))
    assert (done.authors, done.journal, done.published) == (("Ida Moor", "Bo Peat"), "Journal of Peat", "2019-04")
    assert done.front_source == {
        "title": "page", "doi": "page", "authors": "crossref", "journal": "crossref", "published": "crossref",
    }  # fmt: skip
    ((path, agent),) = registry.asked
    assert path == "/works/10.5555%2Fwater.1?mailto=ops%40moor.example"
    assert agent.startswith("Sonde/")
    assert "(ops@moor.example)" in agent
    put(parts, paper("10.5555/water.1", more="A second edition."))
    anew = asking(plain, service, registry, "public")  # another process: the entry remembers
    store = DocumentStore(plain.client, plain.prefix)
    store.put_entry(replace(done, recipe="1:180:0"))
    again = ingest(IncomingDocument(paper("10.5555/water.1"), done.origin, "paper.md"), anew).entry
    assert (again.id, again.authors, again.recipe) == (done.id, done.authors, done.recipe)
    assert len(registry.asked) == 1
    seen = service.http.get(f"/documents/{done.id}").get_json()["properties"]
    assert seen["sonde:metadataFrom"]["authors"] == "crossref"
    assert [one["name"] for one in seen["contacts"]] == ["Ida Moor", "Bo Peat"]


def test_datacite_is_asked_for_what_crossref_does_not_know_and_an_unknown_doi_once(
    plain: IngestParts, service: Service, registry: StandIn
) -> None:
    parts = asking(plain, service, registry, "public")
    done = put(parts, paper("10.5555/cores", "Cores of Quellmoos, a report"))
    assert (done.authors, done.published, done.front_source["authors"]) == (("Carla Fen",), "2020", "datacite")
    for more in ("One.", "Two."):
        assert put(parts, paper("10.5555/unknown", more=more)).authors == ()
    assert [urlsplit(path).path for path, _ in registry.asked[2:]] == [
        "/works/10.5555%2Funknown",
        "/dois/10.5555%2Funknown",
    ]


def test_dois_of_users_and_of_hidden_documents_are_not_asked_unless_the_operator_says_so(
    plain: IngestParts, service: Service, registry: StandIn
) -> None:
    parts = asking(plain, service, registry, "public")
    assert put(parts, paper("10.5555/water.2"), "anna").authors == ()
    assert put(parts, paper("10.5555/water.3"), record="a:shade").authors == ()
    assert registry.asked == []
    assert put(parts, paper("10.5555/water.4"), record="a:open").authors == ("Ida Moor", "Bo Peat")
    asked = asking(plain, service, registry, "all")
    assert put(asked, paper("10.5555/water.5"), "berta").journal == "Journal of Peat"
    assert asking(plain, service, registry, "none").registries is None


def test_a_registry_that_is_down_is_left_alone_and_no_reading_fails(
    plain: IngestParts, service: Service, registry: StandIn
) -> None:
    parts = asking(plain, service, registry, "public")
    registry.is_down = True
    for more in ("One.", "Two."):
        assert put(parts, paper("10.5555/water.6", more=more)).journal is None
    assert len(registry.asked) == 2  # each registry once


def test_what_its_owner_set_stays_and_a_bare_doi_gets_its_title_without_a_file(
    plain: IngestParts, service: Service, registry: StandIn, tmp_path: Path
) -> None:
    parts = asking(plain, service, registry, "all")
    store = DocumentStore(plain.client, plain.prefix)
    files = FolderFiles(tmp_path)
    reading = LibraryReading(parts, files, lambda: Gate(), 1 << 20, 1 << 20)
    times = {"created": now_iso(), "updated": now_iso()}
    edits = {"title": "My own name", "authors": []}
    own = DocumentEntry("own", "anna", "upload:own", "a.md", "queued", edited=edits, **times)
    files.put(FileKey("anna", "own"), [paper("10.5555/water.7")])
    bare = DocumentEntry("bare", "anna", f"{registry.url}/x", "b", "queued", title="10.5555/water.8",
                         doi="10.5555/water.8", **times)  # fmt: skip
    for entry in (own, bare):
        store.put_entry(entry)
        read_queued(entry.id, reading)
    read, failed = store.entry("own"), store.entry("bare")
    assert read is not None
    assert failed is not None
    assert (read.state, read.title, read.authors, read.journal) == ("ready", "My own name", (), "Journal of Peat")
    assert (failed.state, failed.reason) == ("failed", "unreachable")
    assert (failed.title, failed.authors) == ("The water balance of Quellmoos", ("Ida Moor", "Bo Peat"))


def test_asking_for_private_documents_needs_a_contact() -> None:
    with pytest.raises(ValueError, match="needs SONDE_NET__CONTACT"):
        Settings(registries=RegistrySettings(ask="all"), net=NetSettings(contact=""))
    assert registries(Settings(net=NetSettings(contact="")), lambda: Gate()) is None
