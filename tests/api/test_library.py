"""``/library/documents`` on the real service: brought, listed, found by the owner alone, deleted and gone.

Reading happens at once here, in the place of the queue; tests/integration/test_library_worker.py has a real worker.
"""

from __future__ import annotations

import io
import json
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from flask import Flask
from werkzeug.test import TestResponse

from core.document import FileKey
from indexer.documents.index.library import LibraryReading, read_queued
from indexer.documents.index.repair_library import Queue, repair_library
from indexer.documents.index.store import DocumentStore
from indexer.documents.parse.isolation import ParseResult, read_isolated
from indexer.documents.parse.job_files import PageProgress
from indexer.documents.parse.limits import Limits, Ocr
from net.gate import Gate, GatePolicy
from search_api.library.personal_library import PersonalLibrary, Quota
from search_api.parts import Parts
from sonde.document_settings import LibrarySettings
from sonde.wiring.api import api_parts
from sonde.wiring.documents import document_parts
from sonde.wiring.file_store import FolderFiles
from tests.conftest import delete_indices
from tests.library_users import USERS, app_of
from tests.pdf_files import PdfPage, encrypted_pdf, paragraph, pdf
from tests.service import Service

SECRET = "Zwackelmoor"
LINES = [
    f"The {SECRET} peat cores were drilled to a depth of 731 cm in May 2014.",
    "Their radiocarbon ages were calibrated against tree rings.",
]
QUESTION = f"How deep were the {SECRET} peat cores drilled?"


def paper(*lines: str) -> bytes:
    return pdf([PdfPage(paragraph(72, 100, list(lines or LINES)))], info=f"/Title (Peat cores of {SECRET})")


@dataclass
class Library:
    """The app with users, a folder of files, and a queue that is emptied when a test says so."""

    service: Service
    parts: Parts
    files: FolderFiles
    queued: list[str]

    @cached_property
    def app(self) -> Flask:
        return app_of(self.parts)

    @property
    def store(self) -> DocumentStore:
        return DocumentStore(self.service.client, self.service.prefix)

    def reading(self, hosts: frozenset[str] = frozenset(), most_bytes: int = 10**8) -> LibraryReading:
        parts = document_parts(self.service.settings, self.service.models, self.service.client)
        return LibraryReading(parts, self.files, lambda: Gate(GatePolicy(allowed_hosts=hosts)), 10**7, most_bytes)

    def read_all(self, **more: Any) -> None:
        """What the worker would do."""
        while self.queued:
            read_queued(self.queued.pop(0), self.reading(**more))
        self.service.client.indices.refresh(index=f"{self.service.prefix}-library")

    def call(self, user: str | None, method: str, path: str, **more: Any) -> TestResponse:
        headers = {"Authorization": f"Bearer {user}"} if user else {}
        return self.app.test_client().open(path, method=method, headers=headers | more.pop("headers", {}), **more)

    def upload(self, user: str | None, data: bytes, name: str = "peat.pdf", **form: str) -> TestResponse:
        body = {"file": (io.BytesIO(data), name), **form}
        return self.call(user, "POST", "/library/documents", data=body)

    def brought(self, user: str, data: bytes, name: str = "peat.pdf") -> str:
        """The id of a document that was uploaded and read."""
        answer = self.upload(user, data, name)
        assert answer.status_code in (200, 202), answer.text
        self.read_all()
        return str(answer.json["id"])

    def with_quota(self, quota: Quota) -> Library:
        personal_library = PersonalLibrary(replace(self.parts.personal_library.parts, quota=quota))
        return Library(self.service, replace(self.parts, personal_library=personal_library), self.files, self.queued)

    def closed(self) -> Library:
        """The same library, which takes nothing more."""
        personal_library = PersonalLibrary(replace(self.parts.personal_library.parts, accepts_uploads=False))
        return Library(self.service, replace(self.parts, personal_library=personal_library), self.files, self.queued)

    def list(self, user: str, **query: Any) -> dict[str, Any]:
        answer = self.call(user, "GET", "/library/documents", query_string=query)
        assert answer.status_code == 200, answer.text
        return dict(answer.json)


@pytest.fixture(scope="module")
def service(es_client: Elasticsearch, elasticsearch_url: str) -> Iterator[Service]:
    one = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    one.harvest()
    yield one
    delete_indices(es_client, one.prefix)


@pytest.fixture
def library(service: Service, tmp_path: Path) -> Iterator[Library]:
    settings = service.settings.model_copy(update={"library": LibrarySettings(folder=tmp_path / "files")})
    parts = api_parts(settings, service.models)
    queued: list[str] = []
    personal_library = PersonalLibrary(replace(parts.personal_library.parts, enqueue=queued.append))
    yield Library(service, replace(parts, personal_library=personal_library), FolderFiles(tmp_path / "files"), queued)
    for caller in USERS.values():
        if caller.subject is not None and caller.subject != "public":
            for entry in personal_library.parts.entries.page(caller.subject, _all())[0]:
                personal_library.parts.delete(entry)


def _all() -> Any:
    from search_api.library.entries import LibraryQuery

    return LibraryQuery(limit=1000)


def test_an_upload_is_queued_then_ready_and_found_by_its_owner_alone(library: Library) -> None:
    answer = library.upload("anna", paper())
    assert answer.status_code == 202
    assert answer.json["state"] == "queued"
    id, here = answer.json["id"], f"/library/documents/{answer.json['id']}"
    assert answer.headers["Location"].endswith(here)
    assert library.queued == [id]
    library.read_all()

    ready = library.call("anna", "GET", here)
    assert ready.json["state"] == "ready"
    assert ready.json["pages"] == 1
    assert ready.json["title"] == f"Peat cores of {SECRET}"
    assert ready.headers["Cache-Control"] == "private, no-store"
    assert "anna" not in ready.text

    asked = library.call("anna", "POST", "/ask", json={"question": QUESTION, "scope": "mine"}).json
    assert "731 cm" in asked["answer"]
    found = library.call("anna", "GET", "/search", query_string={"q": f"{SECRET} peat cores", "scope": "mine"}).json
    assert [one["id"] for one in found["features"]] == [f"library:{id}"]
    assert "731 cm" in found["features"][0]["sonde:passages"][0]["text"]
    for scope in ("mine", "both"):
        query = {"q": f"{SECRET} peat cores", "scope": scope}
        assert f"library:{id}" not in library.call("berta", "GET", "/search", query_string=query).text
    assert library.call("berta", "GET", here).status_code == 404


def test_both_shows_records_and_own_documents_in_turn_and_pages_through_all(library: Library) -> None:
    id = library.brought("anna", paper("Sea surface temperature in the Baltic Sea was logged by the Zwackel buoy."))
    query = {"q": "sea surface temperature Baltic Sea", "scope": "both", "limit": 50}
    first = library.call("anna", "GET", "/search", query_string=query).json
    assert [one.get("sonde:library", False) for one in first["features"][:3]] == [False, True, False]
    assert first["features"][1]["id"] == f"library:{id}"
    alone = library.call("anna", "GET", "/search", query_string={**query, "scope": "public", "limit": 100}).json
    assert first["numberMatched"] == alone["numberMatched"] + 1
    seen, page = [one["id"] for one in first["features"]], first
    while following := [link["href"] for link in page["links"] if link["rel"] == "next"]:
        page = library.call("anna", "GET", following[0].partition("localhost")[2]).json
        seen += [one["id"] for one in page["features"]]
    records = [one for one in seen if not one.startswith("library:")]
    assert records[:100] == [one["id"] for one in alone["features"]]
    assert len(seen) == len(set(seen)) == first["numberMatched"]


def test_a_filter_that_documents_cannot_pass_leaves_them_out(library: Library) -> None:
    library.brought("anna", paper())
    for filters in ({"bbox": "0,40,20,60"}, {"keyword": "peat"}, {"filter": "type = 'dataset'"}):
        query = {"q": f"{SECRET} peat cores", "scope": "mine", **filters}
        assert library.call("anna", "GET", "/search", query_string=query).json["features"] == []


def test_a_document_joined_to_a_record_carries_its_filters(library: Library) -> None:
    answer = library.upload("anna", paper(), record="samples:gebco-2024")
    assert answer.status_code == 202, answer.text
    library.read_all()
    query = {"q": f"{SECRET} peat cores", "scope": "mine", "source": "samples"}
    (found,) = library.call("anna", "GET", "/search", query_string=query).json["features"]
    assert found["properties"]["sonde:record"] == "samples:gebco-2024"
    wrong = library.upload("anna", paper("Another one."), record="samples:no-such")
    assert (wrong.status_code, wrong.json["parameter"]) == (400, "record")


def test_deleted_is_gone_passages_file_and_entry(library: Library) -> None:
    id = library.brought("anna", paper())
    key = FileKey("anna, of the lakes", id)
    assert library.files.get(key) == paper()
    assert library.call("berta", "DELETE", f"/library/documents/{id}").status_code == 404
    assert library.files.get(key) is not None

    assert library.call("anna", "DELETE", f"/library/documents/{id}").status_code == 204

    assert library.files.get(key) is None
    assert library.call("anna", "GET", f"/library/documents/{id}").status_code == 404
    body = {"question": QUESTION, "scope": "mine", "threshold": 0.0}
    assert library.call("anna", "POST", "/ask", json=body).json["passages"] == []
    left = library.service.client.search(index=f"{library.service.prefix}-library", query={"match_all": {}})
    assert left["hits"]["total"]["value"] == 0


def test_what_is_deleted_while_it_is_read_does_not_come_back(library: Library) -> None:
    id = library.upload("anna", paper()).json["id"]
    reading = library.reading()

    def delete_then_embed(name: str) -> Any:
        assert library.call("anna", "DELETE", f"/library/documents/{id}").status_code == 204
        return library.service.models.embedder(name)

    late = replace(reading, parts=replace(reading.parts, embedder=delete_then_embed))
    assert read_queued(id, late) is None
    library.service.client.indices.refresh(index=f"{library.service.prefix}-library")
    assert library.store.entry(id) is None
    assert library.files.get(FileKey("anna, of the lakes", id)) is None
    assert library.service.client.count(index=f"{library.service.prefix}-library")["count"] == 0


def test_its_owner_sees_how_far_the_reading_is(library: Library) -> None:
    id = library.upload("anna", paper()).json["id"]
    reading = library.reading()
    seen: list[Any] = []

    def look() -> None:
        said = library.call("anna", "GET", f"/library/documents/{id}").json
        seen.append((said["state"], said.get("progress")))

    def read_slowly(data: bytes, limits: Limits, ocr: Ocr, progress: PageProgress) -> ParseResult:
        look()
        progress(3, 40)
        look()
        return read_isolated(data, limits, ocr)

    ready = read_queued(id, replace(reading, parts=replace(reading.parts, parse=read_slowly)))
    assert ready is not None
    look()
    library.store.put_entry(replace(ready, state="embedding", done=64, total=70))
    look()
    assert seen == [
        ("parsing", None),
        ("parsing", {"done": 3, "total": 40, "unit": "pages"}),
        ("ready", None),
        ("embedding", {"done": 64, "total": 70, "unit": "passages"}),
    ]


def test_the_file_comes_back_as_it_was_and_as_a_download(library: Library) -> None:
    id = library.brought("anna", paper(), "my\u0000 päper/../x.pdf")
    answer = library.call("anna", "GET", f"/library/documents/{id}/file")
    assert answer.data == paper()
    assert answer.mimetype == "application/pdf"
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=x.pdf")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert library.call("berta", "GET", f"/library/documents/{id}/file").status_code == 404


def test_the_same_file_again_is_the_same_document_and_a_failed_one_is_tried_again(library: Library) -> None:
    id = library.brought("anna", paper())
    again = library.upload("anna", paper(), "other-name.pdf")
    assert (again.status_code, again.json["id"], again.json["state"]) == (200, id, "ready")
    assert library.queued == []
    assert library.upload("berta", paper()).json["id"] != id

    failed = library.upload("anna", encrypted_pdf()).json["id"]
    library.read_all()
    assert library.call("anna", "GET", f"/library/documents/{failed}").json["reason"] == "encrypted"
    assert library.upload("anna", encrypted_pdf()).json["state"] == "queued"


@pytest.mark.parametrize(
    ("data", "status"),
    [(b"", 415), (b"MZ\x90\x00\x03\x00\x00\x00" * 20, 415), (b"PK\x03\x04 cut off", 415), (b"Plain words.", 202)],
)
def test_a_file_is_taken_by_its_content_whatever_its_name(library: Library, data: bytes, status: int) -> None:
    answer = library.upload("anna", data, "paper.pdf")
    assert answer.status_code == status
    if status == 202:
        assert answer.json["media_type"] == "text/plain"
    else:
        assert answer.mimetype == "application/problem+json"


def test_who_sends_too_much_is_told_the_limit_before_it_is_kept(library: Library) -> None:
    small = library.with_quota(Quota(file_bytes=1024))
    for size in (1025, 200_000):  # within the form's own size, and beyond
        answer = small.upload("anna", b"w" * size)
        assert answer.status_code == 413
        assert "1,024 bytes" in answer.json["detail"]
    assert list(library.files.files()) == []


def test_a_full_library_takes_no_more(library: Library) -> None:
    two = library.with_quota(Quota(documents=2))
    assert two.upload("anna", b"One.").status_code == 202
    assert two.upload("anna", b"Two.").status_code == 202
    assert two.upload("anna", b"Two.").status_code == 200  # the same again needs no room
    full = two.upload("anna", b"Three.")
    assert (full.status_code, "2 of 2 documents" in full.json["detail"]) == (409, True)
    assert two.upload("berta", b"Three.").status_code == 202
    few = library.with_quota(Quota(bytes=10))
    assert few.upload("anna", b"Words.").status_code == 409
    assert len(list(library.files.files())) == 3


def test_the_list_tells_its_owner_how_much_room_there_is(library: Library) -> None:
    small = library.with_quota(Quota(documents=3, bytes=100))
    assert small.upload("anna", b"One.").status_code == 202  # 4 bytes
    assert small.upload("anna", b"Three.").status_code == 202  # 6 bytes
    room = {"documents": 2, "most_documents": 3, "bytes": 10, "most_bytes": 100}
    assert small.list("anna", limit=1)["quota"] == room, "of all documents, not of the page"
    assert small.list("anna", q="nothing like it")["quota"] == room
    assert small.list("berta")["quota"] == {**room, "documents": 0, "bytes": 0}


def test_a_closed_library_takes_nothing_and_gives_back_what_it_has(library: Library) -> None:
    id = library.brought("anna", b"Words of before.", "before.txt")
    closed = library.closed()
    refused = [
        closed.upload("anna", b"Words."),
        closed.call("anna", "POST", "/library/references", json={"references": "10.5194/essd-1-1-2020"}),
        closed.call("anna", "PUT", f"/library/documents/{id}/file", data={"file": (io.BytesIO(b"New."), "a.txt")}),
    ]
    assert [one.status_code for one in refused] == [403, 403, 403]
    assert all("SONDE_LIBRARY__ENABLED" in one.json["detail"] for one in refused)
    assert len(list(library.files.files())) == 1
    assert closed.call("anna", "GET", f"/library/documents/{id}/file").data == b"Words of before."
    assert closed.call("anna", "DELETE", f"/library/documents/{id}").status_code == 204


def test_the_list_is_searched_filtered_sorted_and_paged(library: Library) -> None:
    first = library.brought("anna", b"# Alpine snow\n\nSnow fell.", "b-snow.txt")
    second = library.brought("anna", b"# Peat of the north\n\nPeat grew and grew.", "a-peat.txt")
    third = library.upload("anna", encrypted_pdf(), "c-shut.pdf").json["id"]
    library.read_all()

    def ids(**query: Any) -> list[str]:
        return [one["id"] for one in library.list("anna", **query)["documents"]]

    assert ids(sort="name", order="asc") == [second, first, third]
    assert ids(sort="bytes", order="asc") == [first, second, third]
    assert ids() == [third, second, first]
    assert ids(state="ready,failed", sort="name") == [third, first, second]
    assert ids(state="failed") == [third]
    assert ids(q="SNOW") == [first]
    assert ids(q="north pea") == [second]
    assert ids(q="a-pe") == [second]
    assert ids(q="*") == ids(q="nothing-like-it") == []
    assert library.list("berta")["documents"] == []
    page = library.list("anna", sort="name", order="asc", limit=2)
    assert (page["numberMatched"], page["numberReturned"]) == (3, 2)
    following = next(link["href"] for link in page["links"] if link["rel"] == "next")
    rest = library.call("anna", "GET", following.partition("localhost")[2]).json
    assert [one["id"] for one in rest["documents"]] == [third]
    (row,) = library.list("anna", q="snow", columns="name,state")["documents"]
    assert {name: row[name] for name in row if name != "links"} == {"id": first, "name": "b-snow.txt", "state": "ready"}


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ({"sort": "owner"}, "sort"),
        ({"state": "lost"}, "state"),
        ({"columns": "owner"}, "columns"),
        ({"limit": 101}, "limit"),
        ({"owner": "berta"}, "owner"),
        ({"q": "a\x00"}, "q"),
    ],
)
def test_bad_parameters_are_named(library: Library, query: dict[str, Any], parameter: str) -> None:
    answer = library.call("anna", "GET", "/library/documents", query_string=query)
    assert (answer.status_code, answer.json["parameter"]) == (400, parameter)


def test_only_who_holds_the_scope_has_a_library(library: Library) -> None:
    for user, status in ((None, 401), ("stranger", 401), ("reader", 403), ("public", 403)):
        assert library.call(user, "GET", "/library/documents").status_code == status
        assert library.upload(user, paper()).status_code == status
        query = {"q": "peat", "scope": "mine"}
        assert library.call(user, "GET", "/search", query_string=query).status_code == status
        body = {"question": "peat", "scope": "both"}
        assert library.call(user, "POST", "/ask", json=body).status_code == status
    assert library.service.client.count(index=f"{library.service.prefix}-passages")["count"] == 0


BIBTEX = r"""
@string{wr = "Water Research"}
@article{amsel, title = {Peat cores of the {Zwackelmoor}}, author = {Amsel, Anna and M{\"u}ller, Max}, journal = wr,
  year = 2015, url = {SITE/landing.html}}
@misc{gone, title = {A lost report}, url = {SITE/nothing.pdf}}
@book{shelf, title = {A book on paper}, author = {Hecht, H.}, year = {1901}}
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    import threading
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "own.pdf").write_bytes(paper())
    (folder / "landing.html").write_text('<html><head><meta name="citation_pdf_url" content="own.pdf"></head></html>')
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()


def test_a_bibtex_list_becomes_entries_whose_pdfs_follow(library: Library, site: str) -> None:
    body = {"references": BIBTEX.replace("SITE", f"http://{site}")}
    answer = library.call("anna", "POST", "/library/references", json=body)
    assert answer.status_code == 202, answer.text
    peat, gone, book = answer.json["documents"]
    assert [peat["state"], gone["state"], book["state"]] == ["queued", "queued", "waiting"]
    assert (peat["authors"], peat["journal"], peat["published"]) == (
        ["Anna Amsel", "Max Müller"],
        "Water Research",
        "2015",
    )
    library.read_all(hosts=frozenset((site,)))

    after = {one["id"]: one for one in library.list("anna")["documents"]}
    assert (after[peat["id"]]["state"], after[peat["id"]]["authors"]) == ("ready", ["Anna Amsel", "Max Müller"])
    assert (after[gone["id"]]["state"], after[gone["id"]]["reason"]) == ("failed", "unreachable")
    assert after[book["id"]]["state"] == "waiting"
    assert "731 cm" in library.call("anna", "POST", "/ask", json={"question": QUESTION, "scope": "mine"}).json["answer"]
    assert library.call("anna", "GET", f"/library/documents/{peat['id']}/file").data == paper()

    file = {"file": (io.BytesIO(b"# A book on paper\n\nInk fades."), "book.txt")}
    put = library.call("anna", "PUT", f"/library/documents/{book['id']}/file", data=file)
    assert put.status_code == 202
    library.read_all()
    assert library.call("anna", "GET", f"/library/documents/{book['id']}").json["state"] == "ready"
    again = {"file": (io.BytesIO(b"Other words."), "book.txt")}
    assert library.call("anna", "PUT", f"/library/documents/{book['id']}/file", data=again).status_code == 409

    twice = library.call("anna", "POST", "/library/references", json=body).json["documents"]
    assert [one["id"] for one in twice] == [peat["id"], gone["id"], book["id"]]
    assert [one["state"] for one in twice] == ["ready", "queued", "ready"]  # what could not be had is tried again


def test_a_private_address_behind_a_reference_is_not_fetched(library: Library, site: str) -> None:
    body = {"references": BIBTEX.replace("SITE", f"http://{site}")}
    library.call("anna", "POST", "/library/references", json=body)
    library.read_all()
    assert {one.get("reason") for one in library.list("anna", state="failed")["documents"]} == {"unreachable"}


def test_a_fetched_pdf_counts_against_the_quota(library: Library, site: str) -> None:
    body = {"references": BIBTEX.replace("SITE", f"http://{site}")}
    library.call("anna", "POST", "/library/references", json=body)
    library.read_all(hosts=frozenset((site,)), most_bytes=100)
    reasons = {one["title"]: one.get("reason") for one in library.list("anna", state="failed")["documents"]}
    assert reasons["Peat cores of the Zwackelmoor"] == "over_quota"


def test_the_clockwork_mends_what_a_power_cut_left(library: Library) -> None:
    """Four cuts: before the entry, before the queue, in the middle of deleting, and a worker's late passages."""
    import os
    from datetime import timedelta

    now = timedelta(0)
    lost = FileKey("anna, of the lakes", "f" * 32)
    library.files.put(lost, [b"no entry"])
    young = FileKey("anna, of the lakes", "e" * 32)
    library.files.put(young, [b"its entry may still come"])
    folder = next(library.files._folder.glob("*"))
    os.utime(folder / ("f" * 32), (0, 0))
    queued = library.upload("anna", b"Queued words.").json["id"]
    library.queued.clear()
    marked = library.brought("anna", paper())
    library.store.put_entry(replace(library.store.entry(marked), state="deleted"))
    orphan = library.brought("berta", paper())
    library.store.drop_entry(library.store.entry(orphan))
    held: list[str] = []

    def put_back(document: str) -> bool:
        library.queued.append(document)
        return True

    done = repair_library(library.store, library.files, Queue(held.__contains__, put_back), silent=now)

    assert library.files.get(lost) is None
    assert library.files.get(young) is not None
    assert library.queued == [queued]
    assert library.store.entry(marked) is None
    assert library.service.client.count(index=f"{library.service.prefix}-library")["count"] == 0
    assert (done.requeued, done.deleted, done.files) == (1, 1, 1)
    assert done.passages == 1
    library.read_all()
    assert library.call("anna", "GET", f"/library/documents/{queued}").json["state"] == "ready"
    held.append(queued)
    library.files.delete(young)
    assert repair_library(library.store, library.files, Queue(held.__contains__, put_back), silent=now).requeued == 0


def test_a_file_that_was_lost_is_named(library: Library) -> None:
    id = library.upload("anna", b"Words that are lost.").json["id"]
    library.files.delete(FileKey("anna, of the lakes", id))
    library.read_all()
    lost = library.call("anna", "GET", f"/library/documents/{id}").json
    assert (lost["reason"], lost.get("retry")) == ("file_lost", None)
    assert library.call("anna", "POST", f"/library/documents/{id}/retry").status_code == 409


def test_a_document_that_failed_is_read_again_on_request(library: Library) -> None:
    id = library.brought("anna", paper())
    assert library.call("anna", "POST", f"/library/documents/{id}/retry").status_code == 409, "it is ready"
    library.store.put_entry(replace(library.store.entry(id), state="failed", reason="crashed", attempts=3))
    assert library.call("anna", "GET", f"/library/documents/{id}").json["retry"] is True
    queued = library.call("anna", "POST", f"/library/documents/{id}/retry")
    assert (queued.status_code, queued.json["state"], queued.json.get("reason")) == (202, "queued", None)
    library.read_all()
    assert library.call("anna", "GET", f"/library/documents/{id}").json["state"] == "ready"


def test_another_users_passage_never_leaves_whatever_is_called(library: Library) -> None:
    """Every rule of the app by every method, with a second user's token and the ids of the first."""
    id = library.brought("anna", paper())
    before = library.store.entry(id)
    client = library.app.test_client()
    words = f"{SECRET} peat cores"
    queries: list[dict[str, str]] = [{}, {"q": words}, {"q": words, "scope": "both"}, {"q": words, "scope": "mine"}]
    answered = set()
    for rule in library.app.url_map.iter_rules():
        for value in (id, f"library:{id}") if rule.arguments else ("",):
            path = re.sub(r"<[^>]+>", value, rule.rule)
            for method in sorted((rule.methods or set()) - {"OPTIONS", "HEAD"}):
                for query in queries if method == "GET" else queries[1:]:
                    body = {"question": QUESTION, "scope": query.get("scope", "public"), "threshold": 0.0}
                    more: dict[str, Any] = {"query_string": query} if method == "GET" else {"json": body}
                    answer = client.open(path, method=method, headers={"Authorization": "Bearer berta"}, **more)
                    shown = answer.get_data(as_text=True)
                    assert "731 cm" not in shown, (method, path, query)
                    assert "Peat cores of" not in shown, (method, path, query)
                    answered.add((method, rule.rule, answer.status_code))
    assert {("GET", "/search", 200), ("POST", "/ask", 200), ("GET", "/library/documents", 200)} <= answered
    assert ("DELETE", "/library/documents/<id>", 404) in answered
    assert library.store.entry(id) == before
    assert library.files.get(FileKey("anna, of the lakes", id)) == paper()
    mine = library.call("anna", "POST", "/ask", json={"question": QUESTION, "scope": "mine"}).json
    assert "731 cm" in json.dumps(mine)


@pytest.mark.parametrize("word", ["9" * 400, "é" * 2000, "*" * 500])
def test_a_word_longer_than_any_finds_nothing(library: Library, word: str) -> None:
    library.brought("anna", paper())
    answer = library.call("anna", "GET", "/library/documents", query_string={"q": word})
    assert (answer.status_code, answer.json["documents"]) == (200, [])


def test_a_list_with_a_bad_line_is_imported_but_for_that_line(library: Library) -> None:
    body = {"references": "10.1234/one\nrubbish\n10.1234/two"}
    answer = library.call("anna", "POST", "/library/references", json=body)
    assert answer.status_code == 202, answer.text
    assert [one["doi"] for one in answer.json["documents"]] == ["10.1234/one", "10.1234/two"]
    assert answer.json["problems"] == [{"line": 2, "message": "not a DOI: 'rubbish'"}]


def test_what_the_owner_edits_survives_a_reading_again(library: Library) -> None:
    id = library.brought("anna", paper())
    here = f"/library/documents/{id}"
    change = {"title": "Bohrkerne", "authors": ["Anna Amsel"], "published": "2015-05", "doi": "10.1234/peat"}
    edited = library.call("anna", "PATCH", here, json=change)
    assert edited.status_code == 200, edited.text
    assert {name: edited.json[name] for name in change} == change
    assert edited.json["edited"] == sorted(change)
    passages = library.call("anna", "POST", "/ask", json={"question": QUESTION, "scope": "mine"}).json["passages"]
    assert {one["title"] for one in passages} == {"Bohrkerne"}, "answers show it at once"

    entry = library.store.entry(id)
    assert entry is not None
    library.store.keep_entry(replace(entry, state="queued", recipe="0:", title="As read", edited={}))  # a worker's view
    read_queued(id, library.reading())
    again = library.call("anna", "GET", here).json
    assert again["state"] == "ready"
    assert {name: again[name] for name in change} == change

    kept = library.call("anna", "PATCH", here, json={"doi": None}).json
    assert "doi" not in kept
    assert kept["title"] == "Bohrkerne"
    for wrong in ({"title": ""}, {"published": "2015-13"}, {"state": "ready"}, {"owner": "berta"}, {"doi": "x"}):
        assert library.call("anna", "PATCH", here, json=wrong).status_code == 400, wrong
    assert library.call("berta", "PATCH", here, json=change).status_code == 404
