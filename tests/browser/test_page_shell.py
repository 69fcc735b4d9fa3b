"""One shell: the same header, language and help around every page, and around every failure."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Shoot, Visit
from tests.browser.test_page_people import CONTRAST, PHONE, flaws

PAGES = (
    "docs",
    "collections?f=html",
    "collections/samples?f=html",
    "collections/samples/items?f=html",
    "conformance?f=html",
)
LANGUAGES = {"de": "Kataloge", "fr": "Catalogues", "es": "Catálogos", "it": "Cataloghi", "pt": "Catálogos"}


@pytest.mark.parametrize("path", PAGES)
def test_the_service_s_own_pages_have_the_header_of_all_pages(visit: Visit, path: str, shoot: Shoot) -> None:
    page = visit(path, locale="de-DE")
    banner = page.get_by_role("banner")
    expect(banner.get_by_role("link", name="Kataloge")).to_have_attribute("href", "sources")
    expect(banner.get_by_role("combobox", name="Sprache der Seite")).to_have_value("de")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("main")).to_have_attribute("lang", "en")
    expect(page.locator("main > p").first).to_have_text("Der Text dieser Seite ist englisch.")
    expect(page.get_by_role("contentinfo")).to_be_visible()
    assert flaws(page) == []
    page.emulate_media(color_scheme="dark")
    assert flaws(page, CONTRAST) == []
    page.set_viewport_size(PHONE["viewport"])  # type: ignore[arg-type]
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    shoot(page, f"shell-{re.sub('[^a-z]+', '-', path)}")


def test_from_the_api_to_the_search_and_back(visit: Visit) -> None:
    page = visit("docs#get-search")
    expect(page).to_have_title("API – Sonde")
    expect(page.get_by_role("link", name="API", exact=True)).to_have_attribute("aria-current", "page")
    page.get_by_role("link", name="Search", exact=True).click()
    expect(page.get_by_label("What are you looking for?")).to_be_visible()
    page.go_back()
    expect(page.locator("#get-search")).to_be_in_viewport()
    expect(page).to_have_title("API – Sonde")
    page.get_by_role("link", name="Catalogues", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Catalogues")


def test_without_a_script_the_text_stays_below_a_header(visit: Visit) -> None:
    page = visit("docs", java_script_enabled=False)
    expect(page.get_by_role("banner").get_by_role("link", name="Catalogues")).to_be_visible()
    expect(page.locator("#get-search")).to_be_visible()
    assert "needs JavaScript" not in page.content()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_missing_page_speaks_the_reader_s_language(visit: Visit, language: str) -> None:
    page = visit("nowhere/at/all", locale=language)
    expect(page.get_by_role("banner").get_by_role("link", name=LANGUAGES[language], exact=True)).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", language)
    assert "mistyped" not in page.locator("main").inner_text()


def answering(page: Page, status: int, body: str = "", kind: str = "application/problem+json") -> None:
    """Every search is answered so."""

    def answer(route: Route) -> None:
        route.fulfill(status=status, body=body, content_type=kind)

    page.route(re.compile(r"/search\?"), answer)


DOWN = "a part of it is down"
FAILURES = {
    "400": (400, '{"title": "Bad Request", "detail": "q: too long", "parameter": "q"}', "start a new search", False),
    "403": (403, '{"title": "Forbidden", "detail": "lacks the scope search"}', "does not allow this", None),
    "413": (413, "", "too large for the service", False),
    "429": (429, '{"title": "Too Many Requests"}', "Wait a moment", True),
    "500": (500, '{"title": "Internal Server Error"}', DOWN, True),
    "502": (502, "<html><h1>Bad Gateway</h1></html>", DOWN, True),
    "503": (503, '{"title": "Service Unavailable", "detail": "Index (9200) is down"}', DOWN, True),
}  # fmt: skip
"""Status and body, what a person reads, and whether trying again is offered (None: signing in is)."""


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_says_what_to_do(visit: Visit, name: str, shoot: Shoot) -> None:
    status, body, sentence, again = FAILURES[name]
    kind = "text/html" if body.startswith("<") else "application/problem+json"
    page = visit("?q=rain", before=lambda page: answering(page, status, body, kind))
    note = page.get_by_role("alert")
    expect(note).to_contain_text(sentence)
    assert not re.search("Bad Gateway|Failed to fetch|Internal Server Error|undefined", note.inner_text())
    expect(note.get_by_role("button", name="Try again")).to_have_count(1 if again else 0)
    if again is None:
        expect(note.get_by_label("Key or token")).to_be_visible()
    elif not again:
        expect(note.get_by_role("link", name="New search")).to_be_visible()
    if status == 503:
        expect(note.get_by_text("Index (9200)")).not_to_be_visible()  # for operators, in the details
        note.get_by_text("For the people who run this service").click()
        expect(note.get_by_text("Index (9200)")).to_be_visible()
        shoot(page, "failure-503")


def test_offline_is_said_and_passes(visit: Visit) -> None:
    page = visit("?q=rain")
    expect(page.locator(".hit").first).to_be_visible()
    page.context.set_offline(True)
    page.get_by_label("What are you looking for?").fill("sea ice")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("You are offline.")
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".hit").first).to_be_visible()


def test_the_start_page_says_that_the_service_is_down_and_looks_again(visit: Visit) -> None:
    page = visit("", before=lambda page: answering(page, 503))
    expect(page.get_by_role("alert")).to_contain_text("a part of it is down")
    page.unroute_all(behavior="wait")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#holdings")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


ROOMS = ("", "?q=rain", "records/samples%3Aera5-single-levels-hourly", "basket", "answers", "my-documents", "sources",
         "sources/samples", "desk", "sign-in", "docs", "collections?f=html", "nowhere")  # fmt: skip


_CONTENT = "main h1, main > section, main > p, form label"
_LEAST_LEFT = """part => Math.min(...[...document.querySelectorAll(part)].map(one => one.getBoundingClientRect())
  .filter(box => box.width > 2).map(box => Math.round(box.left)))"""


@pytest.mark.parametrize("width", [320, 1366, 2200])
def test_every_room_has_the_same_left_edge_and_none_scrolls_sideways(visit: Visit, width: int) -> None:
    page = visit("", viewport={"width": width, "height": 800})
    edges = {}
    for room in ROOMS:
        page.goto(page.evaluate("document.baseURI") + room)
        page.wait_for_load_state("networkidle")
        edges[room] = [page.evaluate(_LEAST_LEFT, part) for part in (".top .name", _CONTENT, ".bottom p")]
        assert page.evaluate("document.documentElement.scrollWidth") == width, room
    assert {edge for parts in edges.values() for edge in parts} == {edges[""][0]}, edges


def test_a_long_address_in_a_description_is_a_link_and_fits_a_small_phone(visit: Visit) -> None:
    long = "https://data.example/" + "a/very/long/path/" * 12 + "file.nc"

    def described(route: Route) -> None:
        answer = route.fetch()
        record = answer.json()
        record["properties"]["description"] = f"See {long}. Or (http://x.example/b), or javascript:alert(1)."
        route.fulfill(response=answer, json=record)

    page = visit(
        "records/samples%3Aera5-single-levels-hourly",
        viewport={"width": 320, "height": 700},
        before=lambda page: page.route(re.compile("/items/samples[^/]*era5-single-levels-hourly$"), described),
    )
    expect(page.locator(".description a")).to_have_text([long, "http://x.example/b"])
    expect(page.locator(".description a").first).to_have_attribute("href", long)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
