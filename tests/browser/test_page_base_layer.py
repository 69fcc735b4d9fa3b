"""An operator's base layer on the map: tiles of another origin."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask, Response
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Shoot, served
from tests.browser.test_page_people import flaws
from tests.browser.test_page_portal import app_of
from tests.service import Service

NAMED = {"name": "Relief", "attribution": "© The survey", "attribution_url": "https://survey.example/"}


@pytest.fixture(scope="module")
def tiles() -> Iterator[str]:
    """A tile server: any tile is a picture, below ``/broken/`` none is."""
    site = Flask("tiles")
    drawn = io.BytesIO()
    Image.new("RGB", (256, 256), "#88aa66").save(drawn, "PNG")

    def tile(_path: str) -> Response:
        return Response(drawn.getvalue(), mimetype="image/png")

    site.add_url_rule("/tiles/<path:_path>", "tile", tile)
    with served(site) as address:
        yield address


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(locale="en-GB", viewport={"width": 1366, "height": 900})
    yield context.new_page()
    context.close()


def with_tiles(page: Page, address: str) -> list[str]:
    """Opens a search; the addresses that the page asks for outside the service."""
    others: list[str] = []
    page.on("request", lambda one: None if one.url.startswith((address, "data:", "blob:")) else others.append(one.url))
    page.goto(f"{address}?q=rainfall")
    page.wait_for_selector(".hit")
    return others


def test_tiles_are_drawn_named_and_switched_off(samples: Service, tiles: str, page: Page, shoot: Shoot) -> None:
    layer = {**NAMED, "xyz": f"{tiles}tiles/{{z}}/{{x}}/{{y}}.png", "projection": "EPSG:4326", "max_zoom": 3}
    with served(app_of(samples, base_layer=layer)) as address:
        others = with_tiles(page, address)
        picture = page.locator(".leaflet-tiles-pane img")
        expect(picture.first).to_have_js_property("naturalWidth", 256)
        expect(page.get_by_role("link", name="© The survey")).to_have_attribute("href", "https://survey.example/")
        page.wait_for_load_state("networkidle")
        assert others
        assert all(url.startswith(f"{tiles}tiles/") for url in others)
        policy = page.request.get(address, headers={"Accept": "text/html"}).headers["content-security-policy"]
        assert f"img-src 'self' data: {tiles.rstrip('/')};" in policy
        assert flaws(page) == []
        shoot(page, "base-layer")
        page.get_by_label("Base layer: Relief").uncheck()
        expect(picture).to_have_count(0)
        expect(page.get_by_text("© The survey")).to_have_count(0)
        page.reload()
        page.wait_for_selector(".leaflet-container .land", state="attached")
        expect(page.get_by_label("Base layer: Relief")).not_to_be_checked()
        page.wait_for_load_state("networkidle")
        page.close()


def test_without_its_tiles_the_map_shows_its_own_land(samples: Service, tiles: str, page: Page) -> None:
    layer: dict[str, Any] = {**NAMED, "xyz": f"{tiles}broken/{{z}}/{{x}}/{{y}}.png", "projection": "EPSG:4326"}
    with served(app_of(samples, base_layer=layer)) as address:
        page.goto(f"{address}?q=rainfall&bbox=0,40,20,50")
        expect(page.get_by_text("The tiles cannot be loaded, so the map shows its own land.")).to_be_visible()
        expect(page.get_by_label("Base layer: Relief")).not_to_be_checked()
        page.wait_for_selector(".leaflet-container .land", state="attached")
        assert page.locator(".leaflet-tiles-pane img").count() == 0
        page.wait_for_load_state("networkidle")
        page.close()
