"""A list of hits: its layout, its order, its pictures, its ranks on the map, and what a reader can do with it."""

from __future__ import annotations

import base64
import csv
import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page, Route, expect
from pydantic import SecretStr

from core.access import Caller
from search_api.app import create_app
from sonde.settings import AlertsSettings, MailSettings
from sonde.wiring.api import api_parts
from tests.browser.conftest import Shoot, Visit, served
from tests.browser.test_page_map import drawn
from tests.browser.test_page_people import CONTRAST, flaws
from tests.browser.test_page_search import RAINFALL, asked, changed_answer, titles
from tests.service import Service

PIXEL = base64.b64decode("R0lGODlhAQABAIAAAP8AAAAAACH5BAQAAAAALAAAAAABAAEAAAICRAEAOw==")
FACET_STOPS = 30
"""From the field to the first facet at most; 139 were counted while the hits came first."""


def box(page: Page, selector: str) -> dict[str, float]:
    found = page.locator(selector).first.bounding_box()
    assert found is not None
    return dict(found)


def test_filters_left_list_and_map_right_stay_in_view(visit: Visit, shoot: Shoot) -> None:
    page = visit(RAINFALL)
    titles(page)
    drawn(page)
    for _ in range(2):
        filters, hits, seen = (box(page, f".columns > {part}") for part in (".side-filters", ".hits", ".side-map"))
        assert filters["x"] + filters["width"] <= hits["x"]
        assert hits["x"] + hits["width"] <= seen["x"]
        assert hits["width"] > 500
        for name in (".side-filters", ".map-place", ".histogram"):
            expect(page.locator(name)).to_be_in_viewport()
        page.locator(".hit").nth(15).scroll_into_view_if_needed()
        page.wait_for_timeout(50)
    shoot(page, "three-columns")


@pytest.mark.parametrize(
    ("width", "order"), [(1366, ["facet", "hit", "map-place"]), (1100, ["map-place", "facet", "hit"])]
)
def test_the_order_of_tab_stops_is_that_of_the_columns(visit: Visit, width: int, order: list[str]) -> None:
    page = visit(RAINFALL, viewport={"width": width, "height": 900})
    titles(page)
    drawn(page)
    places = """names => names.map(name => [name, document.querySelector("." + name)])
        .sort(([, a], [, b]) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1)
        .map(([name]) => name)"""
    assert page.evaluate(places, order[::-1]) == order


def test_few_tab_stops_lead_to_the_facets_and_skips_lead_on(visit: Visit) -> None:
    page = visit(RAINFALL)
    titles(page)
    drawn(page)
    page.locator("#q").focus()
    inside = "document.activeElement.closest('.facet') !== null"
    stops = 0
    while not page.evaluate(inside):
        page.keyboard.press("Tab")
        stops += 1
        assert stops <= FACET_STOPS
    page.keyboard.press("Shift+Tab")
    skip = page.get_by_role("button", name="Skip to the results").last
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    for _ in range(8):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('skip-to')"):
            break
    expect(page.get_by_role("button", name="Skip to the map and the period")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator(".map-place")).to_be_focused()


def plain(title: str) -> str:
    """As titles are compared: without case and accents."""
    return "".join(one for one in unicodedata.normalize("NFKD", title.lower()) if not unicodedata.combining(one))


def test_the_order_is_chosen_and_kept_by_paging_and_filters(visit: Visit) -> None:
    page = visit("?q=rainfall")
    best_first = titles(page)
    page.get_by_label("Order").select_option("By title")
    page.wait_for_url("**sortby=**")
    expect(page.locator(".hit h2 a").first).not_to_have_text(best_first[0])
    assert asked(page)["sortby"] == ["+title"]
    assert page.locator(".chip.filter").count() == 0
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".hit")).to_have_count(40)
    shown = [plain(title) for title in page.locator(".hit h2 a").all_inner_texts()]
    assert shown == sorted(shown)
    page.locator(".facet", has_text="type").locator("li", has_text="data set").first.get_by_role("checkbox").click()
    expect(page.locator(".chip.filter")).to_have_count(1)
    assert asked(page)["sortby"] == ["+title"]
    page.get_by_label("Order").select_option("Best first")
    page.wait_for_url(re.compile("^(?!.*sortby)"))


def test_a_hit_has_its_picture_or_a_small_map_of_its_area(visit: Visit, shoot: Shoot) -> None:
    def name_pictures(answer: dict[str, Any]) -> None:
        ids.extend(feature["id"] for feature in answer["features"][: 1 - len(ids)])
        for place, feature in enumerate(answer["features"][:2]):
            feature["links"] = [{"href": f"https://pictures.example/{place}.png", "rel": "preview"}, *feature["links"]]
        for feature in answer["features"][:3]:
            feature["properties"]["sonde:boxes"] = [[170, -20, -170, -10]]

    def picture(route: Route) -> None:
        pictures.append(route.request.url)
        if ids[0] in unquote(route.request.url):
            route.fulfill(body=PIXEL, content_type="image/gif")
        else:
            route.fulfill(status=404, json={"title": "No picture"})

    def before(page: Page) -> None:
        changed_answer(name_pictures)(page)
        page.route("**/preview", picture)

    ids: list[str] = []
    pictures: list[str] = []
    page = visit("?q=rainfall", before=before)
    titles(page)
    hits = page.locator(".hit")
    expect(hits.locator(".thumb img")).to_have_count(1)
    expect(hits.nth(1).locator(".thumb-land")).to_have_count(1)
    expect(hits.nth(2).locator(".thumb-land")).to_have_count(1)
    assert len(pictures) == 2
    frame, place = box(page, ".hit:nth-child(3) .thumb"), box(page, ".hit:nth-child(3) .thumb-box")
    assert frame["x"] < place["x"] < frame["x"] + frame["width"] / 2 < place["x"] + place["width"]
    land = page.evaluate("fetch('page/land.svg').then(answer => answer.headers.get('content-type'))")
    assert land == "image/svg+xml; charset=utf-8"
    shoot(page, "thumbs")
    page.get_by_role("button", name="Compact list").click()
    expect(page.locator(".thumb")).to_have_count(0)


def test_no_hit_hides_another_on_the_map(visit: Visit, shoot: Shoot) -> None:
    """Twenty hits, half of them with one box: every rank is on the map, and each click leads to the next of them."""

    def place(answer: dict[str, Any]) -> None:
        for number, feature in enumerate(answer["features"]):
            west = -10 - number * 7
            boxes = [[10, 10, 30, 30]] if number % 2 == 0 else [[west, -60, west + 2, -58]]
            feature["properties"]["sonde:boxes"] = boxes

    page = visit("?q=rainfall", before=changed_answer(place))
    titles(page)
    drawn(page)
    labels = page.locator(".rank-label span")
    expect(labels.first).to_be_visible()
    said = [text for text in labels.all_inner_texts() if text]
    counted = 0
    for text in said:
        ranks, _, more = text.partition(" +")
        counted += len(ranks.split(", ")) + int(more or 0)
    assert counted == 20
    assert any(text.startswith("1, 3, 5 +7") for text in said)
    shoot(page, "ranks")
    shared = labels.filter(has_text="1, 3, 5")
    shared.click()
    expect(page.locator(".hit").nth(0).locator("h2 a")).to_be_focused()
    shared.click()
    expect(page.locator(".hit").nth(2).locator("h2 a")).to_be_focused()


def test_the_list_is_saved_as_a_table_citations_and_geojson(visit: Visit) -> None:
    page = visit(f"{RAINFALL}&sortby=%2Btitle")
    titles(page)
    state = page.locator(".state").inner_text()
    total = int(state.split(" ")[0])
    assert total > 100, "more than one page of a file"
    page.get_by_role("button", name="Share, save, export").click()
    texts: dict[str, str] = {}
    for name in ("CSV", "BibTeX", "GeoJSON"):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Save as {name}").click()
        texts[name] = download.value.path().read_text("utf-8")
        assert download.value.suggested_filename.startswith("rainfall")
        expect(page.get_by_text(f"Saved: {total} records.")).to_be_visible()
    lines = list(csv.DictReader(texts["CSV"].splitlines(keepends=True)))
    features = json.loads(texts["GeoJSON"])["features"]
    assert [line["id"] for line in lines] == [one["id"] for one in features]
    assert len(features) == total == texts["BibTeX"].count("\n}\n")
    assert page.get_by_text("http").first.inner_text().endswith(f"/{RAINFALL}&sortby=%2Btitle")


class Readers:
    """Anybody by name."""

    def identify(self, bearer: str | None) -> Caller:
        return Caller(bearer, frozenset(("search",)))


@pytest.fixture(scope="module")
def watching(samples: Service) -> Iterator[str]:
    given = {
        "alerts": AlertsSettings(secret=SecretStr("a secret of tests, long enough")),
        "mail": MailSettings(host="127.0.0.1"),
    }
    parts = api_parts(samples.settings.model_copy(update=given), samples.models)
    with served(create_app(replace(parts, authenticator=Readers()))) as address:
        yield address


def test_a_search_is_kept_from_its_results_and_deleted(visit: Visit, watching: str, shoot: Shoot) -> None:
    page = visit("?q=sea+ice&type=dataset&type=series", at=watching)
    titles(page)
    page.get_by_role("button", name="Share, save, export").click()
    page.locator(".key-form input").fill("mia")
    page.keyboard.press("Enter")
    page.get_by_label("Name of the search").fill("Ice & snow")
    page.get_by_label("How often").select_option("each week, on Mondays")
    assert page.get_by_label("Mail address, if you want mails").is_visible()
    page.get_by_role("button", name="Save this search").click()
    expect(page.get_by_text("The search is saved.")).to_be_visible()
    kept = page.locator(".keep li", has_text="Ice & snow")
    expect(kept.get_by_role("link", name="Feed (Atom) of Ice & snow")).to_have_attribute("href", re.compile("/feed$"))
    page.wait_for_load_state("networkidle")
    assert flaws(page) == []
    page.emulate_media(color_scheme="dark")
    assert flaws(page, CONTRAST) == []
    shoot(page, "keep")
    href = kept.get_by_role("link", name="Ice & snow", exact=True).get_attribute("href")
    assert href is not None
    assert sorted(href.partition("?")[2].split("&")) == ["q=sea+ice", "type=dataset", "type=series"]
    kept.get_by_role("button", name="Delete the search Ice & snow").click()
    kept.get_by_role("button", name="Really delete?").click()
    expect(page.get_by_text("There are none yet.")).to_be_visible()


def test_keeping_is_not_offered_where_nothing_is_kept(visit: Visit) -> None:
    page = visit("?q=sea+ice")
    titles(page)
    page.get_by_role("button", name="Share, save, export").click()
    expect(page.get_by_role("heading", name="Save the list as a file")).to_be_visible()
    assert page.get_by_role("heading", name="Get notified of new records").count() == 0


def test_the_values_of_a_facet_are_searched(visit: Visit) -> None:
    def many(answer: dict[str, Any]) -> None:
        values = [{"value": f"word {number}", "label": f"word {number}", "count": 99 - number} for number in range(30)]
        answer["sonde:facets"]["keyword"] = {"parameter": "keyword", "values": values, "others": 12}

    page = visit("?q=rain", before=changed_answer(many))
    titles(page)
    facet = page.locator(".facet", has_text="keyword")
    facet.locator("summary").click()
    facet.get_by_role("button", name="More of keyword").click()
    expect(facet.get_by_role("checkbox")).to_have_count(30)
    expect(facet).to_contain_text("12 more values are not listed")
    facet.get_by_label("Find in keyword").fill("WORD 2")
    expect(facet.get_by_role("checkbox")).to_have_count(11)
    assert flaws(page) == []


def test_the_numbers_behind_a_reason_are_shown_last(visit: Visit) -> None:
    page = visit(RAINFALL)
    titles(page)
    why = page.locator(".why").first
    expect(why.locator("summary").first).to_contain_text("Why?")
    why.locator("summary").first.click()
    expect(why.locator(".bars")).to_be_visible()
    expect(why.locator(".numbers dl")).to_be_hidden()
    why.locator(".numbers summary").click()
    expect(why.locator(".numbers")).to_contain_text("score")
