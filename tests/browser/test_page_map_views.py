"""The world once, from above a pole where all hits are, and gestures that leave the page's own scrolling alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, Visit, until
from tests.browser.test_page_map import drawn
from tests.browser.test_page_search import titles

NORTH = "?q=ice+sheet&bbox=-180,54,180,90&relation=within"
SOUTH = "?q=ice+sheet&bbox=-180,-90,180,-54&relation=within"
WORLDWIDE = "records/samples%3Aera5-single-levels-hourly"
_PHONE = {"width": 390, "height": 844}


def view(page: Page) -> str:
    return page.get_by_label("View of the map").input_value()


def seen_width_deg(page: Page) -> float:
    """Of the paper's hole, in which the world is seen."""
    shares: float = page.evaluate(
        """() => {
            const width = selector => document.querySelector(selector).getBoundingClientRect().width;
            const path = document.querySelector(".frame").getAttribute("d");
            const hole = path.split("M")[2].match(/-?[0-9.]+/g).map(Number);
            const xs = hole.filter((_, at) => at % 2 === 0);
            return 360 * (Math.max(...xs) - Math.min(...xs)) / (width(".extent") || 1);
        }"""
    )
    return shares


@pytest.mark.parametrize("viewport", [{"width": 1366, "height": 900}, _PHONE], ids=["desktop", "phone"])
def test_a_worldwide_record_shows_one_world(visit: Visit, shoot: Shoot, viewport: dict[str, int]) -> None:
    page = visit(WORLDWIDE, viewport=viewport)
    drawn(page)
    assert abs(seen_width_deg(page) - 360) < 5  # its own area is as wide as the world
    page.locator(".map").scroll_into_view_if_needed()
    page.wait_for_load_state("networkidle")
    shoot(page, f"map-once-{viewport['width']}")


@pytest.mark.parametrize(("path", "pole"), [(NORTH, "north"), (SOUTH, "south")], ids=["north", "south"])
def test_polar_hits_are_seen_from_above_their_pole(visit: Visit, shoot: Shoot, path: str, pole: str) -> None:
    page = visit(path, color_scheme="dark" if pole == "south" else "light")
    assert titles(page)
    drawn(page)
    expect(page.get_by_label("View of the map")).to_have_value(pole)
    page.wait_for_load_state("networkidle")
    shoot(page, f"map-{pole}")
    page.get_by_label("View of the map").select_option("world")
    drawn(page)
    expect(page.locator(".leaflet-container .asked")).to_have_count(3)
    page.get_by_label("View of the map").select_option("south")
    expect(page.locator(".leaflet-container .asked")).to_have_count(1)
    drawn(page)
    page.wait_for_load_state("networkidle")


def test_hits_of_the_whole_world_are_seen_flat(visit: Visit) -> None:
    page = visit("?q=rainfall")
    drawn(page)
    expect(page.get_by_label("View of the map")).to_have_value("world")


def test_the_wheel_scrolls_the_page_and_zooms_with_ctrl(visit: Visit, shoot: Shoot) -> None:
    page = visit(WORLDWIDE)
    drawn(page)
    page.locator(".map-view").wait_for()
    page.wait_for_load_state("networkidle")
    page.locator(".map-place").hover()
    before = page.locator(".frame").get_attribute("d")
    page.mouse.wheel(0, 120)
    expect(page.locator(".map-hint")).to_contain_text("Ctrl")
    shoot(page, "map-hint")
    until(page, "scrollY > 0")
    assert page.locator(".frame").get_attribute("d") == before
    page.locator(".map-place").hover()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -240)
    page.keyboard.up("Control")
    expect(page.locator(".frame")).not_to_have_attribute("d", before or "")


def test_one_finger_scrolls_the_page_above_the_map(visit: Visit) -> None:
    page = visit(WORLDWIDE, viewport=_PHONE, has_touch=True, is_mobile=True)
    drawn(page)
    assert page.locator(".map-place").evaluate("one => getComputedStyle(one).touchAction") == "pan-x pan-y"


def test_the_hint_names_the_key_of_a_mac(visit: Visit) -> None:
    mac = "Object.defineProperty(Navigator.prototype, 'platform', { get: () => 'MacIntel' })"
    page = visit(WORLDWIDE, before=lambda page: page.add_init_script(mac))
    drawn(page)
    page.locator(".map-place").hover()
    page.mouse.wheel(0, 120)
    expect(page.locator(".map-hint")).to_have_text("⌘ and the wheel zoom the map")


def test_an_area_of_several_parts_says_how_it_is_changed(visit: Visit) -> None:
    parts = "MULTIPOLYGON(((0 0,9 0,9 9,0 0)),((20 0,29 0,29 9,20 0)))"
    page = visit(f"?q=rainfall&geometry={parts}")
    titles(page)
    expect(page.get_by_text("This area has 2 parts")).to_be_visible()
    expect(page.get_by_role("button", name="Change on the map")).to_have_count(0)
