"""For everybody: keys only, small screens, dark colours, paper, and what axe-core finds."""

from __future__ import annotations

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, Visit
from tests.browser.test_page_search import RAINFALL, asked, titles

WCAG: dict[str, object] = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "rules": {"label-content-name-mismatch": {"enabled": True}},  # what is read aloud begins with what is seen
}
CONTRAST: dict[str, object] = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

SETTLED = {
    "": "Ask in your own words",
    RAINFALL: "Seasonal",
    "?q=zzqx": "Nothing found",
    "?q=rain&bbox=1,2": "That did not work",
    "?q=rain&bbox=10,-35,41,-8&relation=within&datetime=1990/..&type=dataset": "Remove all filters",
    "records/samples%3Aera5-single-levels-hourly": "Similar records",
    "records/samples%3Anope": "no such record",
    "sources": "169 records",
}


def flaws(page: Page, rules: dict[str, object] = WCAG) -> list[str]:
    found = Axe().run(page, options=rules).response["violations"]
    return [f"{one['id']}: {node['html'][:120]} {node['failureSummary']}" for one in found for node in one["nodes"]]


@pytest.mark.parametrize("path", SETTLED)
def test_axe_finds_nothing_in_either_colours(visit: Visit, path: str) -> None:
    page = visit(path)
    expect(page.get_by_text(SETTLED[path]).first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert flaws(page) == []
    page.emulate_media(color_scheme="dark")
    assert flaws(page, CONTRAST) == []


@pytest.mark.parametrize("path", [RAINFALL, "records/samples%3Aera5-single-levels-hourly"])
def test_a_phone_shows_everything_without_scrolling_sideways(visit: Visit, shoot: Shoot, path: str) -> None:
    page = visit(path, **PHONE)
    expect(page.get_by_text(SETTLED[path]).first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert flaws(page) == []
    shoot(page, "phone-search" if path == RAINFALL else "phone-record")


def test_everything_opened_is_as_accessible(visit: Visit) -> None:
    page = visit(RAINFALL, **PHONE)
    titles(page)
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    for name in ("Map", "Filters"):
        page.get_by_role("button", name=name, exact=True).click()
        sheet = page.get_by_role("dialog")
        expect(sheet.locator(".panel").first).to_be_visible()
        sheet.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        assert flaws(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        page.keyboard.press("Escape")


def test_a_phone_shows_hits_first_and_opens_map_and_filters(visit: Visit) -> None:
    page = visit(RAINFALL, **PHONE)
    titles(page)
    first = page.locator(".hit").first
    top = first.bounding_box()
    assert top is not None
    assert top["y"] < 844 / 2
    assert page.locator(".map-place, .facet").count() == 0
    page.get_by_role("button", name="Filters", exact=True).click()
    sheet = page.get_by_role("dialog", name="Filters")
    expect(sheet.get_by_role("region", name="Period")).to_be_visible()
    assert flaws(page) == []
    total = page.get_by_role("status").first.inner_text()
    sheet.get_by_role("button", name=f"Show {total}").click()
    expect(sheet).to_have_count(0)
    first.get_by_role("button", name="on the map").click()
    expect(page.get_by_role("dialog", name="Map of the hits").locator(".map-place")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_tools_of_a_phone_fit_into_one_row(visit: Visit) -> None:
    page = visit(RAINFALL, **PHONE)
    titles(page)
    tops = page.locator(".list-tools > :not(.keep)").evaluate_all("all => all.map(one => one.offsetTop)")
    assert len(tops) == 4
    assert len(set(tops)) == 1
    page.get_by_role("button", name="Share, save, export").click()
    page.get_by_role("button", name="Compact list").click()
    expect(page.locator(".snippet")).to_have_count(0)


@pytest.mark.parametrize("options", [PHONE, {}], ids=["phone", "desktop"])
def test_many_filters_are_one_row_until_they_are_opened(visit: Visit, options: dict[str, Any]) -> None:
    page = visit("?q=rainfall&" + "&".join(f"keyword=number+{number}+of+many" for number in range(14)), **options)
    row = page.get_by_role("region", name="Filters", exact=True)
    closed = row.bounding_box()
    assert closed is not None
    assert closed["height"] < 60
    more = row.get_by_role("button", name="Show all (15)")
    expect(more).to_have_attribute("aria-expanded", "false")
    row.get_by_role("button", name="Remove the filter keyword number 13 of many").focus()
    expect(row.get_by_role("button", name="Show fewer")).to_have_attribute("aria-expanded", "true")
    opened = row.bounding_box()
    assert opened is not None
    assert opened["height"] > closed["height"]


def test_a_compact_list_stays_compact(visit: Visit) -> None:
    page = visit(RAINFALL)
    titles(page)
    expect(page.locator(".snippet").first).to_be_visible()
    page.get_by_role("button", name="Compact list").click()
    expect(page.locator(".snippet")).to_have_count(0)
    expect(page.locator(".because").first).to_be_visible()
    page.reload()
    titles(page)
    expect(page.locator(".snippet")).to_have_count(0)
    expect(page.get_by_role("button", name="Compact list")).to_have_attribute("aria-pressed", "true")


def test_german_by_the_browser_and_english_by_the_switch(visit: Visit, shoot: Shoot) -> None:
    page = visit("?q=Meerestemperatur+Ostsee", locale="de-AT", color_scheme="dark")
    expect(page.get_by_label("Wonach suchen Sie?")).to_have_value("Meerestemperatur Ostsee")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    titles(page)
    assert re.search(r"\b\d+ Datensätze\b", page.get_by_role("status").first.inner_text() or page.inner_text("#main"))
    page.wait_for_selector(".leaflet-container .land", state="attached")
    shoot(page, "german-dark")
    page.get_by_label("Sprache der Seite").select_option("en")
    expect(page.get_by_label("What are you looking for?")).to_be_visible()
    page.reload()
    expect(page.get_by_label("What are you looking for?")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "en")


def test_a_whole_search_with_keys_only(visit: Visit) -> None:
    page = visit()
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "q":
            break
    page.keyboard.type("glaciers in the Himalaya")
    page.keyboard.press("Enter")
    titles(page)
    page.keyboard.press("Tab")  # the search button
    stops = []
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.side-filters .skip-to')"):
            page.keyboard.press("Enter")  # over the filters
            continue
        stops.append(page.evaluate("document.activeElement.ariaLabel || document.activeElement.innerText"))
        if page.evaluate("document.activeElement.matches('.hit h2 a')"):
            break
    assert "Only records in Himalaya" in stops[0]
    title = page.evaluate("document.activeElement.innerText")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".hit details[open] dl").first).to_be_visible()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    beside = page.get_by_role("complementary", name="The chosen record")
    expect(beside).to_be_focused()
    expect(beside.get_by_role("heading", name=title)).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(title)


def test_the_first_stop_skips_to_the_results(visit: Visit) -> None:
    page = visit(RAINFALL)
    titles(page)
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Skip to the results").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_suggestions_are_chosen_by_arrow(visit: Visit) -> None:
    page = visit()
    field = page.get_by_role("combobox", name="What are you looking for?")
    field.press_sequentially("greenl")
    option = page.get_by_role("option", name="Greenland place", exact=True)
    expect(option).to_be_visible()
    for _ in range(page.get_by_role("option").count()):
        page.keyboard.press("ArrowDown")
        if option.get_attribute("aria-selected") == "true":
            break
    assert field.get_attribute("aria-activedescendant") == option.get_attribute("id")
    assert flaws(page) == []
    page.keyboard.press("Enter")
    titles(page)
    assert asked(page)["q"] == ["Greenland"]


def test_the_colours_are_a_choice_that_stays(visit: Visit) -> None:
    page = visit()
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Colours: as the system").click()
    page.get_by_role("button", name="Colours: light").click()
    page.wait_for_selector("html[data-theme=dark]")
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    page.wait_for_selector("html[data-theme=dark]")
    assert page.evaluate(ground) == dark


def test_paper_gets_the_hits_and_the_map_but_no_buttons(visit: Visit, shoot: Shoot) -> None:
    page = visit(RAINFALL, color_scheme="dark")
    titles(page)
    page.emulate_media(media="print")
    assert page.locator(".hit").first.is_visible()
    assert not page.get_by_role("button", name="Draw a box").is_visible()
    assert not page.locator(".ask").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    shoot(page, "print")


def test_axe_finds_nothing_on_an_error_page(visit: Visit, shoot: Shoot) -> None:
    page = visit("nowhere")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing at this address")
    assert flaws(page) == []
    page.emulate_media(color_scheme="dark")
    assert flaws(page, CONTRAST) == []
    shoot(page, "error")
    page.get_by_role("link", name="New search").click()
    expect(page.get_by_label("What are you looking for?")).to_be_visible()


def test_the_api_is_read_and_tried_and_axe_finds_nothing(visit: Visit, shoot: Shoot) -> None:
    page = visit("docs#get-search")
    operation = page.locator("#get-search")
    expect(operation).to_have_attribute("open", "")
    operation.get_by_label("q", exact=True).fill("rainfall")
    operation.get_by_label("limit").fill("1")
    operation.get_by_role("button", name="Send GET /search").click()
    answer = operation.get_by_role("status", name="Answer to GET /search")
    expect(answer).to_contain_text("200 application/geo+json")
    expect(answer.get_by_role("link")).to_have_text("/search?q=rainfall&limit=1")
    expect(answer.locator("pre")).to_contain_text('"numberReturned": 1')
    assert flaws(page) == []
    page.emulate_media(color_scheme="dark")
    assert flaws(page, CONTRAST) == []
    shoot(page, "api-dark")
    body = page.locator("#post-saved-searches")
    body.locator("summary").first.click()
    body.get_by_label("Body (application/json)").fill("{}")
    body.get_by_role("button", name="Send POST /saved-searches").click()
    expect(body.get_by_role("status")).to_contain_text("application/problem+json")


OTHER_PAGES = {
    "embed?q=rainfall": "records",
    "collections?f=html": "Catalogues",
    "collections/all/items?f=html": "records",
    "documents?f=html": "Documents",
    "desk": "Key or token",
    "answers": "Ask a question",
}


@pytest.mark.parametrize("path", OTHER_PAGES)
def test_axe_finds_nothing_beside_the_search(visit: Visit, path: str) -> None:
    page = visit(path)
    expect(page.get_by_text(OTHER_PAGES[path]).first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert flaws(page) == []
    page.emulate_media(color_scheme="dark")
    assert flaws(page, CONTRAST) == []
