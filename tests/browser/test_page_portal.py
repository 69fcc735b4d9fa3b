"""The page in an operator's look, and the search in a frame of another page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Browser, expect

from search_api.app import create_app
from sonde.portal_settings import PortalSettings
from sonde.wiring.api import api_parts
from tests.browser.conftest import Shoot, Visit, served
from tests.browser.test_page_people import CONTRAST, flaws
from tests.service import Service

PLAIN_PAGE = Path(__file__).resolve().parents[2] / "integrations" / "plain-page" / "index.html"
LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle cx="20" cy="20" r="20"/></svg>'


def app_of(samples: Service, **look: object) -> Flask:
    portal = PortalSettings.model_validate(look)
    return create_app(api_parts(samples.settings.model_copy(update={"portal": portal}), samples.models))


def test_a_portal_s_look(samples: Service, visit: Visit, shoot: Shoot, tmp_path: Path) -> None:
    logo = tmp_path / "mark.svg"
    logo.write_text(LOGO, "utf-8")
    links = [{"title": "Help", "url": "https://portal.example/help"}]
    app = app_of(
        samples, name="Polar Portal", tagline="Ice & more", intro="Find what we know of <ice>.", footer="Run by us.",
        links=links, accent="#7a1f5c", accent_dark="#f0a8d8", logo=logo, favicon=logo, start_map=[-20, 60, 40, 85],
    )  # fmt: skip
    with served(app) as address:
        page = visit(at=address)
        expect(page).to_have_title("Polar Portal")
        expect(page.get_by_role("banner")).to_contain_text("Ice & more")
        expect(page.locator(".logo")).to_have_js_property("naturalWidth", 40)
        expect(page.get_by_role("link", name="Help")).to_have_attribute("href", "https://portal.example/help")
        expect(page.get_by_text("Find what we know of <ice>.")).to_be_visible()
        expect(page.get_by_role("contentinfo")).to_contain_text("Run by us.")
        search = page.get_by_role("search").get_by_role("button", name="Search")
        expect(search).to_have_css("background-color", "rgb(122, 31, 92)")
        expect(page.locator("link[rel=icon]")).to_have_attribute("href", "page/favicon.svg")
        page.wait_for_load_state("networkidle")
        assert flaws(page) == []
        page.emulate_media(color_scheme="dark")
        assert flaws(page, CONTRAST) == []
        shoot(page, "portal-dark")
        card = visit("records/samples%3Aera5-single-levels-hourly", at=address)
        expect(card.locator('meta[property="og:site_name"]')).to_have_attribute("content", "Polar Portal")
        expect(card.locator('meta[property="og:title"]')).to_have_attribute("content", re.compile("^ERA5 hourly"))
        card.wait_for_load_state("networkidle")


@contextmanager
def plain_page(sonde: str) -> Iterator[str]:
    """The example, on another origin than the service."""
    site = Flask("plain")
    text = PLAIN_PAGE.read_text("utf-8").replace("http://127.0.0.1:8080/", sonde)
    site.add_url_rule("/", "page", lambda: text)
    with served(site) as address:
        yield address.replace("127.0.0.1", "localhost")


@pytest.mark.parametrize("allowed", [True, False])
def test_another_page_embeds_the_search_if_it_may(
    samples: Service, browser: Browser, shoot: Shoot, allowed: bool
) -> None:
    ancestors = ["http://localhost:*"] if allowed else ["https://another.example"]
    with served(app_of(samples, frame_ancestors=ancestors)) as sonde, plain_page(sonde) as site:
        page = browser.new_page(viewport={"width": 1366, "height": 900})
        page.goto(site)
        search = page.frame_locator("sonde-search iframe")
        if not allowed:
            page.wait_for_load_state("networkidle")
            expect(search.locator(".hit")).to_have_count(0)
        else:
            expect(search.locator(".hit").first).to_be_visible()
            expect(search.get_by_role("banner")).to_have_count(0)
            page.wait_for_function("document.querySelector('sonde-search').shadowRoot.firstChild.offsetHeight > 1000")
            search.get_by_label("What are you looking for?").fill("sea ice")
            search.get_by_label("What are you looking for?").press("Enter")
            expect(search.get_by_role("link", name="Sea ice").first).to_have_attribute("target", "_blank")
            assert flaws(page) == []
            shoot(page, "embedded")
        page.close()
