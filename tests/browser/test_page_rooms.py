"""The rooms beside the search, on real parts: answers with citations, one's own documents, the stewards' sources."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
import redis
from playwright.sync_api import FloatRect, Page, expect

from indexer.documents.index.ingest import IncomingDocument, ingest
from indexer.documents.index.library import LibraryReading, read_queued
from indexer.documents.index.store import DocumentStore
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts as HarvestParts
from indexer.sources.folder import FolderSource
from net.gate import Gate, GatePolicy
from sonde.document_settings import DocumentsSettings, LibrarySettings
from sonde.settings import BrokerSettings, HarvestSettings
from sonde.wiring.api import api_parts
from sonde.wiring.documents import document_parts
from sonde.wiring.file_store import FolderFiles
from tests.browser.conftest import Shoot, Visit, served
from tests.browser.test_page_languages import ASKING, SMALL, fits
from tests.browser.test_page_people import CONTRAST, PHONE, flaws
from tests.conftest import delete_indices
from tests.library_users import app_of
from tests.pdf_files import WIDTH, PdfPage, Put, paragraph, pdf
from tests.service import Service

pytestmark = [pytest.mark.elasticsearch, pytest.mark.broker]

REPORT = """# Soil moisture in the Grumbach experiment

## Methods

Soil moisture was measured by 42 sensors in the Grumbach experiment, at depths of 10, 30 and 60 cm.
"""
QUESTION = "How many sensors measured soil moisture in the Grumbach experiment?"
CITED = "The Zwackelmoor peat cores were drilled to a depth of 731 cm with a Russian corer"
LINES = (
    "Bogs keep the pollen of ten thousand years. The Zwackelmoor peat cores",
    "were drilled to a depth of 731 cm with a Russian",
    "corer. Their ages were calibrated against tree rings.",
)
PAPER = pdf(
    [
        PdfPage(
            [Put(72, 80, "Peat cores of the Zwackelmoor", 18, True), *paragraph(72, 120, ["An introduction to bogs."])]
        ),
        PdfPage([Put(72, 80, "Methods", 14, True), *paragraph(72, 300, LINES)]),
    ]
)
LONG = pdf(
    [
        PdfPage([Put(72, 80, "Long and turned", 18, True), *paragraph(72, 120, ["A report of many pages."])]),
        *(PdfPage([Put(72, 80, f"Station {number}", 12)]) for number in range(2, 119)),
        PdfPage([Put(72, 80, "A wide page", 14)], rotate=90),
        PdfPage([]),
    ]
)
SOURCES = """
sources:
  - {id: gauges, title: Rain gauges, type: folder, path: catalogue, schedule: {interval: 1d}}
"""


@dataclass(frozen=True)
class Rooms:
    """A service with one document for all, one source whose only file cannot be read, and users with keys."""

    address: str
    reading: LibraryReading
    store: DocumentStore

    def read(self, id: str) -> None:
        """What a worker would do with an upload."""
        read_queued(id, self.reading)
        for owner in ("anna, of the lakes", "berta", "gerda"):
            self.store.refresh(owner)


@pytest.fixture(scope="module")
def rooms(samples: Service, broker_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rooms]:
    folder = tmp_path_factory.mktemp("rooms")
    (folder / "catalogue").mkdir()
    (folder / "catalogue" / "spoilt.xml").write_text("<gmd:MD_Metadata", "utf-8")
    (folder / "sources.yaml").write_text(SOURCES, "utf-8")
    service = Service(samples.client, samples.url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    more = {
        "broker": BrokerSettings(url=broker_url),
        "harvest": HarvestSettings(sources=folder / "sources.yaml"),
        "library": LibrarySettings(folder=folder / "files"),
        "documents": DocumentsSettings(public_files="all"),
    }
    settings = service.settings.model_copy(update=more)
    service.prepare()
    parts = document_parts(settings, samples.models, service.client)
    assert ingest(IncomingDocument(REPORT.encode(), "grumbach.md", "grumbach.md"), parts).entry.state == "ready"
    assert ingest(IncomingDocument(PAPER, "peat.pdf", "peat.pdf"), parts).entry.state == "ready"
    assert ingest(IncomingDocument(LONG, "long.pdf", "long.pdf"), parts).entry.state == "ready"
    store = DocumentStore(service.client, service.prefix)
    store.refresh("public")
    harvest("gauges", FolderSource(folder / "catalogue"), HarvestParts(service.client, service.prefix))
    reading = LibraryReading(parts, FolderFiles(folder / "files"), lambda: Gate(GatePolicy()), 10**7, 10**8)
    with served(app_of(api_parts(settings, samples.models))) as address:
        yield Rooms(address, reading, store)
    delete_indices(service.client, service.prefix)
    with redis.Redis.from_url(broker_url) as broker:
        for key in broker.scan_iter(f"{service.prefix}:*"):
            broker.delete(key)


def give_key(page: Page, key: str) -> None:
    page.get_by_label("Key or token").fill(key)
    page.get_by_role("button", name="Sign in").click()


def sound(page: Page) -> None:
    """axe finds nothing, in light and in dark, and a phone does not scroll sideways."""
    assert flaws(page) == []
    page.emulate_media(color_scheme="dark")
    assert flaws(page, CONTRAST) == []
    page.emulate_media(color_scheme="light")
    before = page.viewport_size
    page.set_viewport_size(PHONE["viewport"])  # type: ignore[arg-type]
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert before is not None
    page.set_viewport_size(before)


def test_an_answer_leads_to_the_passage_that_it_stands_on(visit: Visit, rooms: Rooms, shoot: Shoot) -> None:
    page = visit("", at=rooms.address)
    page.get_by_role("link", name="Ask", exact=True).click()
    page.get_by_label("Your question").fill(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_url("**/answers?q=How+many+sensors**")
    expect(page.locator(".answer")).to_contain_text("42 sensors")
    passage = page.locator(".passages details").first
    assert passage.get_attribute("open") is None
    page.get_by_role("button", name="Show passage 1").first.press("Enter")
    expect(passage.locator("summary")).to_be_focused()
    expect(passage.locator("blockquote")).to_contain_text("Soil moisture was measured by 42 sensors")
    expect(passage.locator("summary")).to_contain_text("Methods")
    sound(page)
    shoot(page, "ask")

    page.get_by_label("Your question").fill("And at which depths?")
    page.get_by_role("button", name="Ask a follow-up").click()
    expect(page.locator(".exchange")).to_have_count(2)
    expect(page.locator(".exchange").last.get_by_role("status")).to_have_text("The answer is there.")
    page.get_by_role("button", name="New question").click()
    expect(page.locator(".exchange")).to_have_count(0)


def test_a_citation_opens_the_file_with_the_sentence_marked(visit: Visit, rooms: Rooms, shoot: Shoot) -> None:
    page = visit("answers?q=How+deep+were+the+Zwackelmoor+peat+cores+drilled", at=rooms.address)
    expect(page.locator(".answer")).to_contain_text("731 cm")
    page.get_by_role("button", name="Show passage 1").first.click()
    page.get_by_role("link", name="Show in the document").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Peat cores of the Zwackelmoor")
    expect(page.locator("blockquote mark")).to_have_text(CITED)
    field = page.get_by_role("spinbutton", name="Page")
    expect(field).to_have_value("2")
    marks = page.locator(".pdf-mark")
    expect(marks).to_have_count(3)  # the sentence stands on three lines
    expect(page.locator(f"{SHEET} canvas")).to_be_visible()
    assert_marked(page)
    sound(page)
    page.wait_for_timeout(800)
    expect(marks.first).to_be_in_viewport()
    shoot(page, "cited")

    page.set_viewport_size({"width": 700, "height": 900})
    page.wait_for_timeout(800)  # pdf.js draws again half a second after the last change
    expect(marks).to_have_count(3)
    expect(marks.first).to_be_in_viewport()
    assert_marked(page)
    page.get_by_role("button", name="Larger").click()
    expect(page.get_by_label("Zoom").locator("option:checked")).to_contain_text("%")
    page.wait_for_timeout(800)
    expect(marks.first).to_be_in_viewport()
    assert_marked(page)
    page.get_by_label("Zoom").select_option("page-width")

    field.fill("1")
    field.press("Enter")
    expect(page.get_by_text("Page 1 of 2")).to_be_attached()
    page.get_by_role("button", name="Back to the sentence").click()
    expect(field).to_have_value("2")
    expect(marks.first).to_be_in_viewport()
    page.get_by_role("link", name="Back to the answer").click()
    expect(page.locator(".answer")).to_contain_text("731 cm", timeout=2_000)


SHEET = '.pdfViewer .page[data-page-number="2"]'


def assert_marked(page: Page) -> None:
    """The marks of the cited sentence lie on its words."""
    sheet = page.locator(SHEET).bounding_box()
    marks = page.locator(".pdf-mark")
    first, second, third = (mark.bounding_box() for mark in marks.all())
    assert sheet is not None
    assert first is not None
    assert second is not None
    assert third is not None
    points = sheet["width"] / WIDTH
    assert abs((second["x"] - sheet["x"]) / points - 72) < 2
    assert first["x"] > second["x"] + 190 * points, "it begins behind the sentence before it"
    assert third["width"] < 30 * points, "it ends with one word of the third line"
    assert abs((first["y"] - sheet["y"]) / points - 292) < 4
    assert inked(page, second) > 0.05, "the words are drawn below the mark"


def test_a_file_is_read_by_words_keys_and_pages(visit: Visit, rooms: Rooms, shoot: Shoot) -> None:
    page = visit(opened(rooms, "Peat cores of the Zwackelmoor"), at=rooms.address)
    page.get_by_role("button", name="Show the file").click()
    pages = page.get_by_role("group", name="The pages of the file")
    first = pages.get_by_role("region", name="Page 1 of 2")
    expect(first.locator(".textLayer")).to_contain_text("introduction to bogs")
    pages.press("n")
    field = page.get_by_role("spinbutton", name="Page")
    expect(field).to_have_value("2")
    pages.press("Control+f")
    find = page.get_by_role("searchbox", name="Find in the file")
    expect(find).to_be_focused()
    find.fill("bogs")
    expect(page.get_by_text("1 of 2", exact=True).or_(page.get_by_text("2 of 2", exact=True))).to_be_visible()
    expect(page.locator(".textLayer .highlight.selected")).to_have_count(1)
    find.press("Enter")
    shoot(page, "file-find")
    find.fill("volcano")
    expect(page.get_by_text("Not in the file")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('.textLayer span')).color") == "rgba(0, 0, 0, 0)"


def test_long_turned_and_scanned_pages_are_shown(visit: Visit, rooms: Rooms, shoot: Shoot) -> None:
    page = visit(opened(rooms, "Long and turned"), at=rooms.address)
    page.get_by_role("button", name="Show the file").click()
    field = page.get_by_role("spinbutton", name="Page")
    expect(field).to_have_attribute("max", "120")
    field.fill("119")
    field.press("Enter")
    turned = page.get_by_role("region", name="Page 119 of 120")
    expect(turned.locator(".textLayer")).to_contain_text("A wide page")
    box = turned.bounding_box()
    assert box is not None
    assert box["width"] > box["height"]
    assert page.locator(".pdfViewer canvas").count() < 15, "only what is near is drawn"
    shoot(page, "file-turned")
    field.fill("120")
    field.press("Enter")
    expect(page.get_by_text("This page has no text to select or to find")).to_be_visible()


@pytest.mark.parametrize("status", [404, 503])
def test_a_file_that_does_not_come_is_said(visit: Visit, rooms: Rooms, status: int) -> None:
    def refuse(page: Page) -> None:
        page.route("**/documents/*/file", lambda route: route.fulfill(status=status, body="no"))

    page = visit(opened(rooms, "Peat cores of the Zwackelmoor"), at=rooms.address, before=refuse)
    page.get_by_role("button", name="Show the file").click()
    expect(page.get_by_text("The file cannot be shown.")).to_be_visible()


def test_an_address_names_a_page_of_the_file(visit: Visit, rooms: Rooms) -> None:
    page = visit(f"{opened(rooms, 'Peat cores of the Zwackelmoor')}#page=2", at=rooms.address)
    expect(page.get_by_role("spinbutton", name="Page")).to_have_value("2")


def opened(rooms: Rooms, title: str) -> str:
    """The address of a document by its title."""
    listed = httpx.get(f"{rooms.address}documents", params={"limit": 50}).json()["features"]
    return next(f"documents/{one['id']}" for one in listed if one["properties"]["title"] == title)


def inked(page: Page, box: FloatRect) -> float:
    """The share of dark points in this part of the drawn page."""
    share = page.evaluate(
        """box => {
          const canvas = document.querySelector(`.page[data-page-number="2"] canvas`);
          const at = canvas.getBoundingClientRect(), dense = canvas.width / at.width;
          const part = canvas.getContext("2d").getImageData(
            (box.x - at.x) * dense, (box.y - at.y) * dense, box.width * dense, box.height * dense).data;
          let dark = 0;
          for (let i = 0; i < part.length; i += 4) dark += part[i] < 128;
          return dark / (part.length / 4);
        }""",
        box,
    )
    return float(share)


def test_a_document_that_others_own_is_not_shown_without_its_key(visit: Visit, rooms: Rooms) -> None:
    page = visit(f"documents/{'0' * 32}", at=rooms.address)
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such document")
    expect(page.get_by_label("Key or token")).to_be_visible()


def test_a_service_without_documents_says_that_there_is_nothing_to_ask(visit: Visit, rooms: Rooms) -> None:
    page = visit("answers")
    expect(page.locator(".note")).to_have_text(re.compile("has no public documents yet"))
    expect(page.get_by_role("link", name="Ask", exact=True)).to_have_count(0)
    assert flaws(page) == []
    page = visit("answers", at=rooms.address)
    with page.expect_response(lambda answer: "/documents?limit=1" in answer.url):
        page.reload()
    expect(page.locator(".note")).to_have_count(0)


def test_what_no_passage_answers_and_what_fails_is_said(visit: Visit, rooms: Rooms) -> None:
    page = visit("answers?q=Who+won+the+opera+contest+of+Zanzibar", at=rooms.address, locale="de-DE")
    expect(page.locator(".exchange")).to_contain_text("Keine Textstelle beantwortet das.")
    page.route("**/ask", lambda route: route.abort())
    page.get_by_label("Ihre Frage").fill("Warum?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Der Dienst antwortet nicht.")
    page.unroute("**/ask")
    page.get_by_role("button", name="Noch einmal").click()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_document_is_brought_watched_searched_asked_and_deleted(
    visit: Visit, rooms: Rooms, shoot: Shoot, tmp_path: Path
) -> None:
    page = visit("my-documents", at=rooms.address)
    give_key(page, "nobody")
    expect(page.get_by_role("alert")).to_contain_text("This key is not known.")
    give_key(page, "anna")
    expect(page.get_by_text("Nothing here yet.")).to_be_visible()
    paper = tmp_path / "moor.md"
    paper.write_text(REPORT.replace("42 sensors", "77 sensors").replace("Grumbach", "Zwackelmoor"), "utf-8")
    with page.expect_response(lambda answer: answer.request.method == "POST") as sent:
        page.locator("input[type=file]").set_input_files(paper)
    expect(page.locator(".sending")).to_contain_text("moor.md: sent. The list below")
    row = page.locator(".document")
    expect(row.locator(".badge")).to_have_text("in the queue")
    sound(page)
    rooms.read(sent.value.json()["id"])
    expect(row.locator(".badge")).to_have_text("ready")
    expect(row).to_contain_text("passage")
    shoot(page, "library")

    page.get_by_label("Search in titles").fill("elephants")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No document fits.")).to_be_visible()
    page.get_by_label("Search in titles").fill("moor")
    page.keyboard.press("Enter")
    expect(row).to_have_count(1)
    with page.expect_download() as download:
        row.get_by_role("button", name=re.compile("Fetch the file")).click()
    assert download.value.suggested_filename == "moor.md"

    page.get_by_role("link", name="Ask my documents").click()
    expect(page.get_by_label("Look in")).to_have_value("mine")
    page.get_by_label("Your question").fill(QUESTION.replace("Grumbach", "Zwackelmoor"))
    page.keyboard.press("Enter")
    expect(page.locator(".answer")).to_contain_text("77 sensors")

    page.get_by_role("link", name="My documents").click()
    row.get_by_role("button", name=re.compile("Delete")).click()
    row.get_by_role("button", name="Really delete?").click()
    expect(page.get_by_text("Nothing here yet.")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Key or token")).to_be_visible()


def test_what_waits_gets_its_file_and_what_failed_is_read_again_by_keys_alone(
    visit: Visit, rooms: Rooms, shoot: Shoot, tmp_path: Path
) -> None:
    page = visit("my-documents", at=rooms.address)
    give_key(page, "berta")
    page.locator("summary", has_text="Add by BibTeX").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("@misc{a, title = {The Zwackelmoor log of winds}, year = {2014}}")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    row = page.locator(".document")
    expect(row.locator(".badge")).to_have_text("waits for its file")
    broken, whole = tmp_path / "broken.pdf", tmp_path / "whole.md"
    broken.write_bytes(PAPER[: len(PAPER) // 3])
    whole.write_text(REPORT.replace("42 sensors", "55 sensors").replace("Grumbach", "Windlog"), "utf-8")
    sent = _file_by_keys(page, broken)
    rooms.read(sent)
    expect(row.locator(".badge")).to_have_text("failed")
    expect(row.locator(".wrong-field")).not_to_be_empty()
    sound(page)
    shoot(page, "library-failed")
    row.get_by_role("button", name=re.compile("Try again: ")).press("Enter")
    expect(row.locator(".badge")).to_have_text("in the queue")
    rooms.read(sent)
    expect(row.locator(".badge")).to_have_text("failed")
    assert _file_by_keys(page, whole) == sent
    _show_progress(rooms, sent)
    bar = row.get_by_role("progressbar", name="150 of 300 pages read")
    expect(bar).to_have_attribute("value", "150")
    rooms.read(sent)
    expect(row.locator(".badge")).to_have_text("ready")
    expect(page.locator(".moved")).to_have_text("Soil moisture in the Windlog experiment: ready")
    row.get_by_role("button", name=re.compile("Delete")).press("Enter")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing here yet.")).to_be_visible()


def _file_by_keys(page: Page, file: Path) -> str:
    """Gives the only document its file; returns its id."""
    with page.expect_file_chooser() as chooser:
        page.locator(".document").get_by_role("button", name=re.compile("Upload its file: ")).press("Enter")
    with page.expect_response(lambda answer: answer.request.method == "PUT") as sent:
        chooser.value.set_files(file)
    return str(sent.value.url.split("/documents/")[1].split("/")[0])


def _show_progress(rooms: Rooms, id: str) -> None:
    """What a worker notes in the middle of a file of 300 pages."""
    entry = rooms.store.entry(id)
    assert entry is not None
    rooms.store.put_entry(replace(entry, state="parsing", done=150, total=300))


def test_documents_are_collected_shared_asked_compared_and_the_talk_is_kept(
    visit: Visit, rooms: Rooms, shoot: Shoot, tmp_path: Path
) -> None:
    page = visit("my-documents", at=rooms.address)
    give_key(page, "gerda")
    names = [f"{'very-long-name-' * 13}77.md", "moor-13.md"]
    for number, name in zip((77, 13), names, strict=True):
        paper = tmp_path / name
        text = REPORT.replace("42 sensors", f"{number} sensors").replace("Grumbach", f"Talk{number}")
        paper.write_text(text, "utf-8")
        with page.expect_response(lambda answer: answer.request.method == "POST") as sent:
            page.locator("input[type=file]").first.set_input_files(paper)
        rooms.read(sent.value.json()["id"])
    expect(page.locator(".document .badge.ready")).to_have_count(2)
    page.get_by_label("Sort by").select_option("name asc")
    expect(page.locator(".document h2").first).to_contain_text("Talk13")
    for box in page.locator(".document input[type=checkbox]").all():
        box.check()
    expect(page.get_by_text("2 documents chosen")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("Moor")
    page.get_by_role("button", name="Put in").click()
    expect(page.get_by_text("2 documents put into Moor.")).to_be_visible()
    sound(page)
    shoot(page, "library-chosen")
    page.set_viewport_size(PHONE["viewport"])  # type: ignore[arg-type]
    shoot(page, "phone-library-chosen")
    page.set_viewport_size({"width": 1366, "height": 900})

    page.get_by_role("link", name="Collections", exact=True).click()
    page.get_by_role("link", name="Moor", exact=True).click()
    expect(page.get_by_role("heading", level=2, name="Moor")).to_be_visible()
    page.get_by_role("checkbox", name="peat").click()
    expect(page.get_by_text("shared with peat")).to_be_visible()
    expect(page.get_by_role("checkbox", name="peat")).to_be_focused()
    sound(page)
    shoot(page, "collection")

    page.get_by_role("link", name="Compare its documents").click()
    page.get_by_label("Questions, one a line").fill("How many sensors measured soil moisture?")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_text("All 2 documents answered.")).to_be_visible()
    table = page.get_by_role("table")
    expect(table.get_by_role("row")).to_have_count(3)
    expect(table).to_contain_text("77 sensors")
    expect(table).to_contain_text("13 sensors")
    sound(page)
    shoot(page, "compared")
    page.set_viewport_size(PHONE["viewport"])  # type: ignore[arg-type]
    shoot(page, "phone-compared")
    page.set_viewport_size({"width": 1366, "height": 900})
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    lines = Path(download.value.path()).read_text("utf-8-sig").splitlines()
    assert lines[0] == "Document,URL,How many sensors measured soil moisture?,Pages"
    assert len(lines) == 3
    assert any("13 sensors" in line for line in lines)
    table.locator("a.cited").first.click()
    expect(page.locator("blockquote mark")).to_contain_text("sensors")

    public = page.request.get(f"{rooms.address}documents").json()["features"]
    (cores,) = [one["id"] for one in public if one["properties"]["title"].startswith("Peat cores")]
    page.goto(f"{rooms.address}documents/{cores}")
    page.get_by_role("button", name="Put into a collection").click()
    page.get_by_label("Put into").select_option(label="Moor")
    page.get_by_role("button", name="Put in").click()
    expect(page.get_by_text("1 document put into Moor.")).to_be_visible()
    sound(page)
    shoot(page, "document-collected")

    page.goto(f"{rooms.address}my-documents/collections")
    page.get_by_role("link", name="Moor", exact=True).click()
    expect(page.get_by_role("link", name="Peat cores of the Zwackelmoor")).to_be_visible()
    page.get_by_role("link", name="Ask it").click()
    expect(page.get_by_text("Only in the collection Moor")).to_be_visible()
    expect(page.get_by_label("Keep this conversation")).to_be_checked()
    page.get_by_label("Your question").fill("How many sensors measured soil moisture in the Talk77 experiment?")
    page.keyboard.press("Enter")
    page.wait_for_url("**/answers?conversation=*")
    expect(page.locator(".answer")).to_contain_text("77 sensors")
    page.reload()
    expect(page.locator(".answer")).to_contain_text("77 sensors")
    page.get_by_label("Your question").fill("And at which depths?")
    page.get_by_role("button", name="Ask a follow-up").click()
    expect(page.locator(".exchange").last.get_by_role("status")).to_have_text("The answer is there.")
    page.get_by_role("link", name="My conversations").click()
    expect(page.locator(".document")).to_contain_text("2 questions")
    sound(page)
    shoot(page, "conversations")
    page.get_by_role("button", name="Delete all").click()
    page.get_by_role("button", name="Really?").click()
    expect(page.get_by_text("Nothing here yet.")).to_be_visible()
    page.wait_for_load_state("networkidle")


def test_a_steward_sees_why_documents_were_refused_and_runs_and_pauses(
    visit: Visit, rooms: Rooms, shoot: Shoot
) -> None:
    page = visit("sources", at=rooms.address)
    give_key(page, "reader")
    expect(page.get_by_role("alert")).to_contain_text("does not hold the scope admin")
    give_key(page, "admin")
    source = page.locator(".sources li", has=page.get_by_role("heading", name="Rain gauges"))
    expect(source).to_contain_text("1 refused")
    expect(source.get_by_role("img")).to_have_accessible_name(re.compile("The last 1 run.*saw 1 and refused 1"))
    source.get_by_role("button", name="Pause the schedule of Rain gauges").click()
    expect(source.get_by_role("button", name="Resume the schedule of Rain gauges")).to_be_visible()
    source.get_by_role("button", name="Resume the schedule of Rain gauges").click()
    expect(source).to_contain_text("next run")
    source.get_by_role("button", name="Run now: Rain gauges").click()
    expect(source).to_contain_text("In the queue")
    sound(page)
    shoot(page, "stewards")

    source.get_by_role("link", name="Runs, refusals, quality: Rain gauges").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Rain gauges")
    page.locator(".runs summary").first.press("Enter")
    expect(page.locator(".refusals")).to_contain_text("spoilt.xml")
    expect(page.locator(".refusals")).to_contain_text("not well-formed")
    page.get_by_role("button", name="Measure now").click()
    expect(page.get_by_text("Could not be read")).to_be_visible()
    sound(page)
    shoot(page, "source")


def test_a_steward_reads_refusals_in_german_at_night_and_on_paper(visit: Visit, rooms: Rooms, shoot: Shoot) -> None:
    page = visit("sources/gauges", at=rooms.address, locale="de-DE", color_scheme="dark")
    page.get_by_label("Schlüssel oder Token").fill("admin")
    page.get_by_role("button", name="Anmelden").click()
    expect(page.locator(".state-line")).to_contain_text("jeden Tag")
    page.get_by_role("button", name="Jetzt messen").click()
    expect(page.locator(".findings").first).to_contain_text("kein wohlgeformtes XML")
    page.locator(".runs summary").first.press("Enter")
    expect(page.locator(".refusals")).to_contain_text("kein wohlgeformtes XML")
    shoot(page, "source-german-dark")
    page.emulate_media(media="print")
    expect(page.locator(".refusals")).to_be_visible()
    expect(page.get_by_role("button", name="Bericht")).to_be_hidden()
    expect(page.get_by_role("navigation")).to_be_hidden()
    shoot(page, "source-print")


def test_an_answer_fits_a_phone_and_paper(visit: Visit, rooms: Rooms, shoot: Shoot) -> None:
    page = visit(f"answers?q={quote(QUESTION)}", at=rooms.address, **PHONE)
    expect(page.get_by_role("button", name="Show passage 1").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    shoot(page, "phone-answer")
    page.emulate_media(media="print")
    expect(page.locator(".passages blockquote").first).to_contain_text("42 sensors")
    expect(page.locator(".passages blockquote").first).to_be_visible()
    expect(page.locator("#question")).to_be_hidden()
    shoot(page, "answer-print")


def test_reasons_are_said_in_german(visit: Visit) -> None:
    page = visit("?q=rainfall+in+southern+Africa+since+1990", locale="de-DE")
    first = page.locator(".hit").first
    first.locator("summary").first.click()
    expect(first.locator("dl").first).to_contain_text("deckt 100 % von dem Rechteck um Southern Africa ab")
    expect(first.locator("dl").first).to_contain_text("bis heute ab")


@pytest.mark.parametrize("language", ASKING)
def test_the_rooms_fit_a_narrow_phone_in_every_language(
    visit: Visit, rooms: Rooms, shoot: Shoot, tmp_path: Path, language: str
) -> None:
    page = visit(f"my-documents?lang={language}", at=rooms.address, **SMALL)
    fits(page, 360)
    page.locator(".key-form input").fill("admin")
    page.keyboard.press("Enter")
    paper = tmp_path / f"{language}.md"
    paper.write_text(REPORT.replace("Grumbach", f"Grumbach {language}"), "utf-8")
    page.locator("input[type=file]").set_input_files(paper)
    expect(page.locator(".document", has_text=f"{language}.md")).to_be_visible()
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    fits(page, 360)
    shoot(page, f"{language}-library-360")
    page.set_viewport_size({"width": 1280, "height": 900})
    fits(page, 1280)
    shoot(page, f"{language}-library-1280")

    page.goto(f"{rooms.address}sources/gauges?lang={language}")
    page.locator(".source section button").last.click()
    expect(page.locator(".findings")).to_be_visible()
    page.locator(".runs summary").first.click()
    expect(page.locator(".refusals")).to_be_visible()
    shoot(page, f"{language}-source-1280")
    page.set_viewport_size({"width": 360, "height": 740})
    fits(page, 360)
    shoot(page, f"{language}-source-360")
    page.goto(f"{rooms.address}answers?lang={language}&q={quote(QUESTION)}")
    expect(page.locator(".answer")).to_contain_text("42 sensors")
    fits(page, 360)
    shoot(page, f"{language}-ask-360")
