"""``/documents`` on the real service: public documents by their record's access, private ones for their owner alone."""

from __future__ import annotations

import csv
import io
import json
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from flask import Flask
from lxml import etree
from werkzeug.test import TestResponse

from core.access import Caller, NotAuthenticated
from indexer.documents.index.ingest import IncomingDocument, ingest
from indexer.documents.index.library import LibraryReading, read_queued
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts
from indexer.raw import restrict
from indexer.sources.folder import FolderSource
from net.gate import Gate, GatePolicy
from search_api.app import create_app
from search_api.library.personal_library import PersonalLibrary
from sonde.document_settings import LibrarySettings
from sonde.wiring.api import api_parts
from sonde.wiring.documents import document_parts
from sonde.wiring.file_store import FolderFiles
from tests.conftest import delete_indices
from tests.pdf_files import PdfPage, Put, paragraph, pdf
from tests.service import Service

OPEN, HIDDEN = "open:lake", "secret:glacier"
NO_DOCUMENT = "0" * 32
SENTENCE = "The Quixotanium lake froze to a depth of 47 cm."


class Users:
    """mia is of the group and owns a document; oda holds every scope but no group; rita only searches."""

    def identify(self, bearer: str | None) -> Caller:
        everything = frozenset(("search", "library", "write", "admin"))
        callers = {
            None: Caller(scopes=frozenset(("search",))),
            "mia": Caller("mia", frozenset(("search", "library")), frozenset(("glaciers",))),
            "oda": Caller("oda", everything),  # type: ignore[arg-type]
            "rita": Caller("rita", frozenset(("search",)), frozenset(("glaciers",))),
        }
        if bearer not in callers:
            raise NotAuthenticated("This key is not known.")
        return callers[bearer]


@dataclass(frozen=True)
class Papers:
    """The app, and ids: a public document, one whose record only a group sees, mia's own, one without a record."""

    app: Flask
    public: str
    hidden: str
    own: str
    alone: str

    def get(self, path: str, who: str | None = None, **headers: str) -> TestResponse:
        bearer = {"Authorization": f"Bearer {who}"} if who else {}
        return self.app.test_client().get(path, headers={**bearer, **headers})

    def json(self, path: str, who: str | None = None) -> dict[str, Any]:
        answer = self.get(path, who)
        assert answer.status_code == 200, answer.text
        return dict(answer.json or {})


def report(title: str) -> bytes:
    """Two sentences over three lines, and a ruled table with its caption."""
    lines = ["Ice of small lakes was observed in 2014. " + SENTENCE[:26], SENTENCE[27:], "No more was seen there."]
    ruled = [(72.0, y, 372.0, y) for y in (220.0, 240.0, 260.0, 280.0)]
    ruled += [(x, 220.0, x, 280.0) for x in (72.0, 172.0, 272.0, 372.0)]
    cells = (("Station", "Depth (m)", "Ice"), ("Lower lake", "4.5", "yes"), ("Upper lake", "-7.1", "no"))
    texts = [
        Put(76 + 100 * column, 234 + 20 * row, cell)
        for row, line in enumerate(cells)
        for column, cell in enumerate(line)
    ]
    texts += [Put(72, 212, "Table 1. Depths of the lakes."), *paragraph(72, 100, lines)]
    return pdf([PdfPage([Put(72, 60, title, 18, True), *texts], ruled)])


@pytest.fixture(scope="module")
def papers(
    es_client: Elasticsearch, elasticsearch_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Papers]:
    folder = tmp_path_factory.mktemp("documents")
    one = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    one.prepare()
    harvesting = HarvestParts(es_client, one.prefix, one.models.embedder)
    harvest("open", _records(folder / "open", "lake"), harvesting)
    harvest("secret", restrict(_records(folder / "secret", "glacier"), ("glaciers",)), harvesting)
    es_client.indices.refresh(index=f"{one.prefix}-records")
    settings = one.settings.model_copy(update={"library": LibrarySettings(folder=folder / "files")})
    reading = document_parts(settings, one.models, es_client)
    public, hidden = (
        ingest(
            IncomingDocument(report(f"Ice of the {name}"), f"/home/{name}.pdf", f"{name}.pdf", record=record), reading
        ).entry
        for name, record in (("Lakes", OPEN), ("Glacier", HIDDEN))
    )
    assert (public.state, hidden.state) == ("ready", "ready"), public
    markdown = b"# Alone\n\nNobody knows under which licence the Solitary moor may be shown.\n"
    alone = ingest(IncomingDocument(markdown, "https://example.org/alone.md", "alone.md"), reading).entry
    queued: list[str] = []
    parts = api_parts(settings, one.models)
    personal_library = PersonalLibrary(replace(parts.personal_library.parts, enqueue=queued.append))
    app = create_app(replace(parts, personal_library=personal_library, authenticator=Users()))
    form = {"file": (io.BytesIO(report("Ice of my own")), "mine.pdf")}
    headers = {"Authorization": "Bearer mia"}
    brought = app.test_client().post("/library/documents", data=form, headers=headers)
    assert brought.status_code == 202, brought.text
    files = FolderFiles(folder / "files")
    read_queued(queued.pop(), LibraryReading(reading, files, lambda: Gate(GatePolicy()), 10**7, 10**8))
    es_client.indices.refresh(index=f"{one.prefix}-*")
    yield Papers(app, public.id, hidden.id, str((brought.json or {})["id"]), alone.id)
    delete_indices(es_client, one.prefix)


def _records(folder: Path, name: str) -> Any:
    folder.mkdir()
    box = [[[8.0, 46.0], [9.0, 46.0], [9.0, 47.0], [8.0, 47.0], [8.0, 46.0]]]
    record = {
        "type": "Feature",
        "id": name,
        "conformsTo": ["http://www.opengis.net/spec/ogcapi-records-1/1.0/conf/record-core"],
        "geometry": {"type": "Polygon", "coordinates": box},
        "properties": {
            "type": "dataset",
            "title": f"Ice thickness, {name}",
            "description": "By drilling.",
            "license": "CC-BY-4.0",
        },
        "links": [],
    }
    (folder / f"{name}.json").write_text(json.dumps(record), "utf-8")
    return FolderSource(folder)


PARTS = ("", "?f=html", "/passages", "/passages/0", "/tables/1?f=csv", "/tables/1?f=json", "/file")
"""Every address of one document, below ``/documents/{id}``."""


def test_every_route_of_one_document_is_asked(papers: Papers) -> None:
    rules = {rule.rule for rule in papers.app.url_map.iter_rules() if rule.rule.startswith("/documents/")}
    asked = {re.sub(r"/\d+$", "/<number>", part.partition("?")[0]) for part in PARTS}
    assert rules == {f"/documents/<id>{part}" for part in asked}


@pytest.mark.parametrize("part", PARTS)
def test_a_public_document_is_for_everybody(papers: Papers, part: str) -> None:
    for who in (None, "rita", "oda", "mia"):
        answer = papers.get(f"/documents/{papers.public}{part}", who)
        assert answer.status_code == 200, answer.text
        assert "no-store" not in answer.headers["Cache-Control"]


@pytest.mark.parametrize("part", PARTS)
def test_a_document_is_as_hidden_as_its_record(papers: Papers, part: str) -> None:
    for who in ("mia", "rita"):
        assert papers.get(f"/documents/{papers.hidden}{part}", who).status_code == 200
    for who in (None, "oda"):
        assert _refusal(papers, papers.hidden, part, who) == _refusal(papers, NO_DOCUMENT, part, who)


@pytest.mark.parametrize("part", PARTS)
def test_a_private_document_is_its_owners_alone(papers: Papers, part: str) -> None:
    answer = papers.get(f"/documents/{papers.own}{part}", "mia")
    assert answer.status_code == 200, answer.text
    assert answer.headers["Cache-Control"] == "private, no-store"
    for who in (None, "oda", "rita"):
        assert _refusal(papers, papers.own, part, who) == _refusal(papers, NO_DOCUMENT, part, who)


def _refusal(papers: Papers, id: str, part: str, who: str | None) -> str:
    """What is said of a document that the caller may not see, without its id."""
    answer = papers.get(f"/documents/{id}{part}", who)
    assert answer.status_code == 404, answer.text
    assert "Quixotanium" not in answer.text
    return answer.text.replace(id, "ID")


def test_a_document_is_a_feature_with_its_metadata_tables_and_references(papers: Papers) -> None:
    found = papers.json(f"/documents/{papers.public}")
    assert (found["type"], found["properties"]["type"]) == ("Feature", "document")
    assert found["properties"]["title"] == "Ice of the Lakes"
    assert found["properties"]["sonde:record"] == OPEN
    assert found["geometry"]["type"] == "Polygon", "its record's place"
    (table,) = found["properties"]["sonde:tables"]
    assert table["caption"] == "Table 1. Depths of the lakes."
    assert (table["page"], table["rows"], table["columns"], table["units"]) == (1, 3, 3, ["", "m", ""])
    assert 0.5 < table["confidence"] <= 1.0
    assert "/home/" not in json.dumps(found), "a path of the server is nobody's business"


def test_a_table_is_csv_and_json(papers: Papers) -> None:
    here = f"/documents/{papers.public}/tables/1"
    sent = papers.get(f"{here}?f=csv")
    assert sent.mimetype == "text/csv"
    assert "attachment" in sent.headers["Content-Disposition"]
    rows = list(csv.reader(io.StringIO(sent.text, newline="")))
    assert rows == [["Station", "Depth (m)", "Ice"], ["Lower lake", "4.5", "yes"], ["Upper lake", "-7.1", "no"]]
    shown = papers.json(f"{here}?f=json")
    assert [*shown["header"], *shown["body"]] == rows
    for wrong, status in (("0", 400), ("2", 404), ("x", 400)):
        assert papers.get(f"/documents/{papers.public}/tables/{wrong}").status_code == status


def test_passages_come_in_pages_and_name_their_table(papers: Papers) -> None:
    here = f"/documents/{papers.public}/passages"
    passages = papers.json(here)["passages"]
    assert [one["number"] for one in passages] == list(range(len(passages)))
    assert SENTENCE in passages[0]["text"]
    assert [one["table"] for one in passages if one["kind"] == "table"] == [1]
    first = papers.json(f"{here}?limit=1")
    (following,) = [one["href"] for one in first["links"] if one["rel"] == "next"]
    assert papers.json(following.removeprefix("http://localhost"))["passages"] == passages[1:51]


def test_the_list_holds_what_the_caller_may_see(papers: Papers) -> None:
    def ids(who: str | None, query: str = "") -> set[str]:
        body = papers.json(f"/documents{query}", who)
        assert body["numberMatched"] == len(body["features"])
        return {one["id"] for one in body["features"]}

    assert ids(None) == ids("oda") == {papers.public, papers.alone}
    assert ids("mia") == ids("rita") == {papers.public, papers.hidden, papers.alone}
    assert ids("mia", f"?record={HIDDEN}") == {papers.hidden}
    assert ids("mia", "?source=open") == {papers.public}
    assert ids("oda", f"?record={HIDDEN}") == set()


def test_the_list_comes_in_pages(papers: Papers) -> None:
    first = papers.json("/documents?limit=1", "mia")
    (following,) = [one["href"] for one in first["links"] if one["rel"] == "next"]
    second = papers.json(following.removeprefix("http://localhost").replace("limit=1", "limit=9"), "mia")
    ids = [one["id"] for one in (*first["features"], *second["features"])]
    assert ids == sorted({papers.public, papers.hidden, papers.alone})
    assert not [one for one in second["links"] if one["rel"] == "next"]


def test_people_read_both_as_pages(papers: Papers) -> None:
    listed = papers.get("/documents", Accept="text/html").text
    assert f"/documents/{papers.public}" in listed
    assert papers.hidden not in listed
    page = papers.get(f"/documents/{papers.public}", Accept="text/html").text
    assert SENTENCE in page
    assert '<link rel="canonical"' in page


def test_the_sitemap_names_public_documents(papers: Papers) -> None:
    def addresses(path: str) -> list[str]:
        root = etree.fromstring(papers.get(path.removeprefix("http://localhost")).data)
        return [str(one.text) for one in root.iter("{*}loc")]

    parts = addresses("/sitemap.xml")
    found = [one for part in parts for one in addresses(part) if "/documents/" in one]
    assert found == [f"http://localhost/documents/{id}" for id in sorted((papers.public, papers.alone))]


def test_a_private_document_says_so(papers: Papers) -> None:
    assert "sonde:private" not in papers.json(f"/documents/{papers.public}")["properties"]
    assert papers.json(f"/documents/{papers.own}", "mia")["properties"]["sonde:private"] is True


def test_a_quoted_sentence_has_its_place_on_the_page(papers: Papers) -> None:
    here = f"/documents/{papers.public}/passages/0"
    found = papers.get(f"{here}?quote=the QUIXOTANIUM lake froze to a depth of 47cm").json or {}
    assert found["quote"] == SENTENCE.rstrip("."), "letters and digits alone are compared"
    (mark,) = found["marks"]
    (first, second) = mark["boxes"]
    assert mark["page"] == 1
    assert 200 < first[0] < first[2] < 420, "behind the sentence before it, to the end of the line"
    assert second[0] == pytest.approx(72, abs=1)
    for box, baseline in ((first, 100), (second, 112)):
        assert box[1] < baseline < box[3] + 3
    whole = papers.json(here)
    assert "quote" not in whole
    assert len(whole["marks"][0]["boxes"]) == 3
    elsewhere = papers.json(f"{here}?quote=Nobody wrote this sentence.")
    assert elsewhere["marks"] == whole["marks"]
    assert papers.get(f"/documents/{papers.public}/passages/999").status_code == 404


def test_a_file_comes_whole_or_in_ranges(papers: Papers) -> None:
    for here, who in ((f"/documents/{papers.public}/file", None), (f"/documents/{papers.own}/file", "mia")):
        whole = papers.get(here, who)
        assert whole.data.startswith(b"%PDF-")
        assert whole.headers["Accept-Ranges"] == "bytes"
        assert "sandbox" in whole.headers["Content-Security-Policy"]
        part = papers.get(here, who, Range="bytes=5-9")
        assert (part.status_code, part.data) == (206, whole.data[5:10])
        assert part.headers["Content-Range"] == f"bytes 5-9/{len(whole.data)}"
        assert papers.get(here, who, Range=f"bytes={len(whole.data)}-").status_code == 416
        assert papers.get(here, who, **{"If-None-Match": whole.headers["ETag"]}).status_code == 304


def test_a_public_file_is_shown_where_its_licence_allows_it(papers: Papers) -> None:
    def links(id: str) -> dict[str, str]:
        return {one["rel"]: one["href"] for one in papers.json(f"/documents/{id}", "mia")["links"]}

    assert links(papers.public)["enclosure"].endswith("/file")
    assert links(papers.own)["enclosure"].endswith("/file")
    assert "enclosure" not in links(papers.alone)
    assert links(papers.alone)["via"] == "https://example.org/alone.md"
    assert "via" not in links(papers.public)
    assert papers.get(f"/documents/{papers.alone}/file").status_code == 404


@pytest.mark.parametrize(("form", "beginning"), [("bibtex", "@techreport{"), ("ris", "TY  - RPRT"), ("csl", "[")])
def test_documents_and_records_are_cited(papers: Papers, form: str, beginning: str) -> None:
    for here, said in (
        (f"/documents/{papers.public}?f={form}", "Ice of the Lakes"),
        (f"/collections/all/items/{OPEN}?f={form}", "Ice thickness, lake"),
        (f"/search?q=ice+thickness&rerank=false&f={form}", "Ice thickness, lake"),
    ):
        answer = papers.get(here)
        assert answer.status_code == 200, answer.text
        assert said in answer.text
        if here.startswith("/documents"):
            assert answer.text.startswith(beginning)
    for who, status in ((None, 404), ("oda", 404), ("mia", 200)):
        assert papers.get(f"/documents/{papers.own}?f={form}", who).status_code == status


def test_a_bibliography_of_ones_own_holds_nothing_of_others(papers: Papers) -> None:
    assert "Ice of my own" in papers.get("/library/references", "mia").text
    assert papers.get("/library/references?f=csl", "oda").json == []
    assert papers.get("/library/references", "rita").status_code == 403
    assert papers.get("/library/references").status_code == 401


def test_an_answer_quotes_a_cell_with_its_headings_to_those_who_may_read_its_document(papers: Papers) -> None:
    def ask(who: str | None, **more: object) -> dict[str, Any]:
        bearer = {"Authorization": f"Bearer {who}"} if who else {}
        body = {"question": "What depth does the table give for Station Upper lake?", "threshold": 0.0, **more}
        return dict(papers.app.test_client().post("/ask", json=body, headers=bearer).json or {})

    public = ask(None, documents=[papers.public])
    (cell,) = [one["cell"] for one in public["sentences"] if "cell" in one]
    assert cell == {
        "text": "Upper lake – Depth (m): -7.1", "table": 1, "row": "Upper lake", "column": "Depth (m)", "value": "-7.1",
        "unit": "m", "caption": "Table 1. Depths of the lakes.", "page": 1, "confidence": 0.9,
    }  # fmt: skip
    assert "“Upper lake – Depth (m): -7.1” [1]" in public["answer"] or "-7.1” [2]" in public["answer"]
    mine = ask("mia", scope="mine")
    assert [one["cell"]["value"] for one in mine["sentences"] if "cell" in one] == ["-7.1"]
    assert ask("oda", scope="mine")["sentences"] == []
    hidden = ask("rita", documents=[papers.hidden])
    assert any("cell" in one for one in hidden["sentences"])
    for who in (None, "oda"):
        assert ask(who, documents=[papers.hidden])["sentences"] == []
