"""The page in six languages, and the languages of the records in it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, Visit
from tests.browser.test_page_people import flaws
from tests.browser.test_page_search import RAINFALL, changed_answer, titles

ASKING = {
    "en": "What are you looking for?",
    "de": "Wonach suchen Sie?",
    "fr": "Que cherchez-vous\u00a0?",
    "es": "¿Qué busca?",
    "it": "Che cosa cerca?",
    "pt": "O que você procura?",
}
NAMES = ["English", "Deutsch", "Français", "Español", "Italiano", "Português"]
ERA5 = "records/samples%3Aera5-single-levels-hourly"
SMALL = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}

WATCHED = "a, button, select, label, summary, .chip, .badge, h1, h2, h3, dt, dd"
CUT_OFF = """([watched, width]) => [...document.querySelectorAll(watched)]
    .filter((one) => one.clientWidth > 0 && !one.closest(".unseen, .leaflet-container") && !one.matches(".skip"))
    .filter((one) => one.scrollWidth > one.clientWidth + 1 ||
        (one.getBoundingClientRect().right > width + 1 && !one.closest(".reading ul")))
    .map((one) => one.outerHTML.slice(0, 120))"""


def switch(page: Page) -> str:
    """The language that the switch shows."""
    return str(page.locator("header select").input_value())


def fits(page: Page, width: int) -> None:
    """Nothing is wider than the window, and no text than its element; on a phone the reading's chips are a strip to
    be pushed sideways.
    """
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate(CUT_OFF, [WATCHED, width]) == []


@pytest.mark.parametrize("language", ASKING)
def test_the_browser_chooses_the_language(visit: Visit, language: str) -> None:
    page = visit(locale=f"{language}-{'BR' if language == 'pt' else 'CH'}")
    expect(page.get_by_label(ASKING[language])).to_be_visible()
    assert page.locator("html").get_attribute("lang") == language
    assert switch(page) == language
    assert page.locator("header option").all_inner_texts() == NAMES


def test_a_language_that_the_page_does_not_have_is_english(visit: Visit) -> None:
    page = visit("?lang=xx", locale="nl-NL")
    expect(page.get_by_label(ASKING["en"])).to_be_visible()


def test_the_address_precedes_the_browser_and_the_choice_precedes_the_address(visit: Visit) -> None:
    page = visit("?lang=fr&q=rainfall", locale="de-DE")
    titles(page)
    assert page.locator("html").get_attribute("lang") == "fr"
    page.locator(".hit h2 a").first.click()
    page.get_by_role("link", name="Ouvrir la page entière").click()
    page.wait_for_url("**/records/*?lang=fr")
    page.reload()
    expect(page.get_by_role("link", name="Vers la recherche")).to_be_visible()
    page.locator("header select").select_option("it")
    expect(page.get_by_role("link", name="Alla ricerca")).to_be_visible()
    page.wait_for_url("**/records/*?lang=it")
    page.goto(page.url.replace("lang=it", "lang=es"))
    expect(page.get_by_role("link", name="Alla ricerca")).to_be_visible()


def test_only_the_words_of_the_shown_language_are_loaded(visit: Visit) -> None:
    loaded: list[str] = []
    page = visit(locale="pt-PT", before=lambda page: page.on("request", lambda request: loaded.append(request.url)))
    expect(page.get_by_label(ASKING["pt"])).to_be_visible()
    own = [re.sub(r".*/page/(\w\w)-\w+\.js", r"\1", url) for url in loaded if re.search(r"/page/\w\w-", url)]
    assert own == ["pt"]


def test_without_its_words_the_page_is_english(visit: Visit) -> None:
    page = visit(locale="de-DE", before=lambda page: page.route("**/page/de-*", lambda route: route.abort()))
    expect(page.get_by_label(ASKING["en"])).to_be_visible()
    assert page.locator("html").get_attribute("lang") == "en"


def test_numbers_and_dates_are_of_the_language(visit: Visit) -> None:
    page = visit("?q=rainfall&datetime=1990-02-03/..&bbox=-10.5,0,20.25,45", locale="fr-FR")
    expect(page.locator(".chip.filter").nth(0)).to_contain_text("depuis le 3 févr. 1990")
    expect(page.locator(".chip.filter").nth(1)).to_contain_text("10,5° O – 20,3° E, 0° – 45° N")


@pytest.mark.parametrize("language", ASKING)
def test_every_view_fits_in_every_language(visit: Visit, shoot: Shoot, language: str) -> None:
    for path, name, ready in (
        ("", "start", ".examples a"),
        (RAINFALL, "search", ".facets .facet"),
        ("?q=rainfall&bbox=-10,0,20,45&type=dataset", "filters", ".area-tools[open]"),
        (ERA5, "record", ".similar a"),
        ("sources", "sources", ".sources li"),
    ):
        address = f"{path}{'&' if '?' in path else '?'}lang={language}"
        page = visit(address, **SMALL)
        if path.startswith("?"):
            page.locator(".list-tools").wait_for()
            page.locator(".list-tools [aria-haspopup=dialog]").nth(1 if name == "search" else 0).click()
        page.wait_for_selector(ready, state="attached")
        page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        fits(page, 360)
        shoot(page, f"{language}-{name}-360")
        wide = visit(address, viewport={"width": 1280, "height": 900})
        wide.wait_for_selector(ready, state="attached")
        fits(wide, 1280)
        shoot(wide, f"{language}-{name}-1280")


GERMAN = "?q=Gletscher+in+der+Schweiz"


def test_a_text_bears_the_language_that_its_record_states(visit: Visit) -> None:
    page = visit(GERMAN)
    titles(page)
    hit = page.locator(".hit", has=page.locator("h2 a[lang=de]")).first
    assert hit.locator(".snippet").get_attribute("lang") == "de"
    expect(hit.locator(".foreign")).to_have_text("German")
    assert flaws(page) == []
    page.locator("header select").select_option("it")
    expect(hit.locator(".foreign")).to_have_text("tedesco")
    page.locator("header select").select_option("de")
    expect(hit.locator(".foreign")).to_have_count(0)
    assert hit.locator("h2 a").get_attribute("lang") == "de"
    title = hit.locator("h2 a").inner_text()
    hit.locator("h2 a").click()
    page.get_by_role("link", name="Als Seite öffnen").click()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text(title)
    assert heading.get_attribute("lang") == "de"
    assert page.locator(".description").first.get_attribute("lang") == "de"
    expect(page.locator(".facts-list div", has_text="Sprache").locator("dd")).to_have_text("Deutsch")


@pytest.mark.parametrize("stated", [None, {"code": "und"}, {"code": "no language"}])
def test_without_a_language_nothing_is_marked(visit: Visit, stated: dict[str, str] | None) -> None:
    def change(answer: dict[str, object]) -> None:
        features = answer["features"]
        assert isinstance(features, list)
        for feature in features:
            feature["properties"]["language"] = stated

    page = visit(GERMAN, before=changed_answer(change))
    titles(page)
    assert page.locator(".hit [lang]").count() == 0
    assert page.locator(".foreign").count() == 0
