"""Results while the user types: by words at once, the whole search a moment later, asked only in the end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, Request, Route, expect
from pydantic import SecretStr

from search_api.app import create_app
from search_api.parts import Parts
from sonde.portal_settings import PortalSettings
from sonde.settings import QueriesSettings
from sonde.wiring.api import api_parts
from tests.browser.conftest import Visit, open_record, served
from tests.browser.test_page_people import flaws
from tests.browser.test_page_search import asked, titles
from tests.browser.test_page_stillness import _WATCH, MOST, shift
from tests.service import Service

FIELD = "What are you looking for?"


@pytest.fixture(scope="module")
def logged(samples: Service) -> Iterator[Parts]:
    """The samples' service with a query log."""
    given = QueriesSettings(keep="full", secret=SecretStr("a secret of the test"))
    parts = api_parts(samples.settings.model_copy(update={"queries": given}), samples.models)
    yield parts
    parts.queries.delete({"match_all": {}})


def searches(page: Page) -> list[dict[str, str]]:
    """The parameters of every question that the page sends from now on, without the counts of its map."""
    sent: list[dict[str, str]] = []

    def note(request: Request) -> None:
        given = {name: values[0] for name, values in parse_qs(urlsplit(request.url).query).items()}
        if "/search?" in request.url and "q" in given and "cell_area" not in given:
            sent.append(given)

    page.on("request", note)
    return sent


def settled(page: Page) -> None:
    page.wait_for_selector(".columns[aria-busy=false] .hit")


def test_hits_come_while_one_types_and_the_question_is_noted_once(visit: Visit, logged: Parts) -> None:
    with served(create_app(logged)) as address:
        page = visit(at=address, before=lambda page: page.add_init_script(_WATCH))
        sent = searches(page)
        field = page.get_by_label(FIELD)
        field.press_sequentially("rainfall")
        settled(page)
        assert [(one["typed"], one.get("algorithm")) for one in sent] == [("true", "bm25"), ("true", None)]
        field.press_sequentially(" in southern Africa ")
        page.wait_for_url("**q=rainfall+in+southern+Africa")
        expect(page.locator(".chip.place")).to_contain_text("Southern Africa")
        settled(page)
        assert all("typed" in one for one in sent)
        expect(field).to_have_value("rainfall in southern Africa ")
        expect(field).to_be_focused()
        assert shift(page) < MOST
        assert flaws(page) == []
        page.keyboard.press("Enter")
        open_record(page)
        expect(page.get_by_role("link", name="Back to the results")).to_be_visible()
        assert [one["q"] for one in sent if "typed" not in one] == ["rainfall in southern Africa"]
        page.go_back()
        expect(page.locator(".detail")).to_be_visible()
        page.go_back()
        assert titles(page)
        page.go_back()  # one entry for all that was typed
        expect(page.get_by_role("heading", name="Ask in your own words")).to_be_visible()
        page.close()
    assert noted(logged) == [("rainfall in southern africa", 1)]


def noted(parts: Parts) -> list[tuple[str, int]]:
    """The questions of the log, each with the number of hits that were opened."""
    parts.queries.tick()
    index = f"{parts.queries.prefix}-queries"
    parts.queries.client.indices.refresh(index=index)
    found = parts.queries.client.search(index=index)["hits"]["hits"]
    return [(one["_source"]["question"], len(one["_source"].get("opened", []))) for one in found]


def test_an_answer_that_comes_too_late_is_dropped(visit: Visit) -> None:
    page = visit("?q=glacier")
    before = titles(page)
    page.route("**/search?q=rain&**", lambda _: None)  # never answered
    dropped: list[str] = []
    page.on("requestfailed", lambda request: dropped.append(request.url))
    field = page.get_by_label(FIELD)
    field.fill("rain")
    page.wait_for_url("**q=rain")
    assert page.locator(".hit h2 a").all_inner_texts() == before  # the old hits stay until there are new ones
    field.press_sequentially("fall")
    page.wait_for_url("**q=rainfall")
    settled(page)
    assert "rainfall" in page.locator(".hit h2 a").first.inner_text().lower()
    assert len([url for url in dropped if "/search?q=rain&" in url]) == 1
    page.go_back()
    expect(field).to_have_value("glacier")
    assert titles(page) == before


def test_better_results_wait_while_the_pointer_is_on_the_list(visit: Visit) -> None:
    page = visit("?q=glacier")
    titles(page)
    held: list[Route] = []
    page.route(re.compile(r"/search\?q=rainfall&.*facets=.*typed=true"), lambda route: held.append(route))
    page.get_by_label(FIELD).fill("rainfall")
    expect(page.locator(".state")).to_contain_text("by words")
    by_words = page.locator(".hit h2 a").all_inner_texts()
    page.locator(".hit").first.hover()
    expect(page.locator(".hit-list:hover")).to_have_count(1)
    page.wait_for_timeout(600)  # until the whole search is asked
    held[0].continue_()
    expect(page.locator(".better")).to_contain_text("Better results are there.")
    assert page.locator(".hit h2 a").all_inner_texts() == by_words
    page.get_by_role("button", name="Show them").click()
    expect(page.locator(".better")).to_have_count(0)
    expect(page.locator(".state")).not_to_contain_text("by words")


def test_a_slip_is_mended_while_one_types(visit: Visit) -> None:
    page = visit("?q=ice&algorithm=bm25&interpret=place,time")
    titles(page)
    page.get_by_label(FIELD).fill("glacer alps")
    expect(page.locator(".meant")).to_have_text("Showing results for glacier alps. Search instead for glacer alps")
    page.get_by_role("link", name="Search instead for glacer alps").click()
    expect(page.locator(".note")).to_contain_text("No record is about the topic.")
    expect(page.get_by_label(FIELD)).to_have_value("glacer alps")
    page.wait_for_load_state("networkidle")


SAVES_DATA = "Object.defineProperty(navigator, 'connection', {value: {saveData: true}})"


@pytest.mark.parametrize("because", ["saves data", "switched off"])
def test_nothing_is_searched_before_enter(samples: Service, visit: Visit, because: str) -> None:
    look = PortalSettings(search_while_typing=because != "switched off")
    parts = api_parts(samples.settings.model_copy(update={"portal": look}), samples.models)
    saves: dict[str, Any] = {"before": lambda page: page.add_init_script(SAVES_DATA)} if because == "saves data" else {}
    with served(create_app(parts)) as address:
        page = visit(at=address, **saves)
        sent = searches(page)
        page.get_by_label(FIELD).press_sequentially("rainfall")
        page.wait_for_selector(".suggestions li")  # later than a typed search would be
        page.wait_for_load_state("networkidle")
        assert sent == []
        page.keyboard.press("Enter")
        assert titles(page)
        assert asked(page) == {"q": ["rainfall"]}
        assert ["typed" in one for one in sent] == [False]
        page.wait_for_load_state("networkidle")
        page.close()
