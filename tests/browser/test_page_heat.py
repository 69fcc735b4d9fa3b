"""All matches on the map and on the time line, not only the hits of the list."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import Shoot, Visit
from tests.browser.test_page_map import drawn
from tests.browser.test_page_search import asked, titles


def _counts_cells(request: Request) -> bool:
    return "facets=cell" in request.url


def _area(request: Request) -> list[float]:
    return [float(edge) for edge in parse_qs(urlsplit(request.url).query)["cell_area"][0].split(",")]


def _shades(page: Page) -> int:
    """Pixels of the heat's canvas that are not empty."""
    count: int = page.evaluate(
        """() => {
            const canvas = document.querySelector(".leaflet-heat-pane canvas");
            const copy = new OffscreenCanvas(canvas.width, canvas.height);
            const drawn = copy.getContext("2d", { willReadFrequently: true });
            drawn.drawImage(canvas, 0, 0);
            const { data } = drawn.getImageData(0, 0, canvas.width, canvas.height);
            return data.filter((value, at) => at % 4 === 3 && value > 0).length;
        }"""
    )
    return count


def test_the_cells_of_all_matches_follow_the_map(visit: Visit, shoot: Shoot) -> None:
    asked_for: list[Request] = []

    def listen(page: Page) -> None:
        page.on("request", lambda request: asked_for.append(request) if _counts_cells(request) else None)

    page = visit("?q=rainfall", before=listen)
    drawn(page)
    expect(page.locator(".heat-scale")).to_contain_text("in one area")
    page.wait_for_load_state("networkidle")
    assert _area(asked_for[-1]) == [-180, -90, 180, 90]
    assert _shades(page) > 1000
    shoot(page, "heat-world")
    for _ in range(3):
        with page.expect_request(_counts_cells):
            page.get_by_role("button", name="Zoom in").click()
    page.wait_for_load_state("networkidle")
    west, _, east, _ = _area(asked_for[-1])
    assert 0 < east - west < 180
    shoot(page, "heat-near")
    page.get_by_label("Shade: number of records").uncheck()
    expect(page.locator(".heat-scale")).to_have_count(0)
    while _shades(page) > 0:  # drawn with the next frame
        page.wait_for_timeout(20)
    page.wait_for_load_state("networkidle")


def test_years_are_chosen_by_dragging_over_their_bars(visit: Visit, shoot: Shoot) -> None:
    page = visit("?q=rainfall")
    titles(page)
    bars = page.locator(".histogram li")
    first = bars.filter(has_text="1990 to 1999").bounding_box()
    last = bars.filter(has_text="2000 to 2009").bounding_box()
    assert first is not None
    assert last is not None
    page.mouse.move(first["x"] + first["width"] / 2, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] / 2, last["y"] + last["height"] / 2, steps=4)
    page.mouse.up()
    page.wait_for_url("**datetime=**")
    assert asked(page)["datetime"] == ["1990-01-01/2009-12-31"]
    expect(bars.filter(has_text="1997:")).to_have_count(1)  # a short period is counted by year
    page.wait_for_load_state("networkidle")
    shoot(page, "heat-years")
