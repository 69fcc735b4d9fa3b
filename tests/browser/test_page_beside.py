"""A record beside the list, and the basket: hits are looked at, kept and compared without leaving the list."""

from __future__ import annotations

import csv
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, Visit, open_record
from tests.browser.test_page_people import CONTRAST, flaws
from tests.browser.test_page_search import titles

WIDE = {"width": 1366, "height": 900}
NARROW = {"width": 390, "height": 800}


def top_of(page: Page, number: int) -> float:
    box = page.locator(".hit").nth(number).bounding_box()
    assert box is not None
    return float(box["y"])


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_a_record_beside_the_list_moves_no_hit(visit: Visit, shoot: Shoot, colours: Any) -> None:
    page = visit("?q=sea+ice", color_scheme=colours, viewport=WIDE)
    title = titles(page)[1]
    page.locator(".hit h2 a").nth(1).scroll_into_view_if_needed()
    before = top_of(page, 1)
    page.locator(".hit h2 a").nth(1).click()
    detail = page.get_by_role("complementary", name="The chosen record")
    expect(detail.get_by_role("heading", name=title)).to_be_visible()
    expect(detail).to_be_focused()
    assert top_of(page, 1) == pytest.approx(before, abs=1)
    expect(page.locator("#side-map")).to_be_hidden()
    expect(page.locator(".hit h2 a[aria-current]")).to_have_text(title)
    page.wait_for_load_state("networkidle")
    assert flaws(page) == []
    assert flaws(page, CONTRAST) == []
    shoot(page, f"beside-{colours}")
    page.locator(".hit h2 a").nth(2).click()
    expect(detail.get_by_role("heading", name=titles(page)[2])).to_be_visible()
    before = top_of(page, 1)
    page.keyboard.press("Escape")
    expect(detail).to_have_count(0)
    expect(page.locator(".hit h2 a").nth(2)).to_be_focused()
    expect(page.locator("#side-map")).to_be_visible()
    assert "record=" not in page.url
    assert top_of(page, 1) == pytest.approx(before, abs=1)


def test_a_narrow_page_shows_it_in_a_drawer(visit: Visit, shoot: Shoot) -> None:
    page = visit("?q=sea+ice", viewport=NARROW, has_touch=True)
    title = titles(page)[0]
    page.locator(".hit h2 a").first.click()
    drawer = page.get_by_role("dialog", name="The chosen record")
    expect(drawer.get_by_role("heading", name=title)).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert flaws(page) == []
    shoot(page, "drawer")
    page.go_back()
    expect(drawer).to_have_count(0)
    page.go_forward()
    expect(drawer).to_be_visible()
    page.reload()
    drawer.get_by_role("button", name="Close the record").click()
    expect(drawer).to_have_count(0)
    assert titles(page)


def test_the_basket_compares_cites_exports_and_is_shared(visit: Visit, shoot: Shoot) -> None:
    page = visit("?q=rainfall")
    kept = titles(page)[:2]
    for number in range(2):
        page.locator(".to-basket").nth(number).click()
    expect(page.locator(".to-basket").first).to_have_attribute("aria-pressed", "true")
    page.reload()
    page.get_by_role("link", name="Basket (2)").click()
    table = page.get_by_role("table", name="Comparison of the records")
    expect(table.get_by_role("columnheader").get_by_role("link")).to_have_text(kept)
    assert flaws(page) == []
    assert flaws(page, CONTRAST) == []
    shoot(page, "basket")
    rows = table.get_by_role("row").count()
    page.get_by_label("Only rows that differ").check()
    assert 1 < table.get_by_role("row").count() < rows
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    with download.value.path().open(encoding="utf-8", newline="") as file:
        assert sorted(row["title"] for row in csv.DictReader(file)) == sorted(kept)
    page.get_by_role("button", name="Show the code").click()
    expect(page.locator(".code code")).to_contain_text(f"# %% {kept[0]}")
    address = page.locator("section", has_text="Share the basket").locator("code").inner_text()
    page.get_by_role("button", name=f"Remove {kept[0]} from the basket").click()
    expect(table.get_by_role("columnheader").get_by_role("link")).to_have_text(kept[1:])
    page.goto(address)
    expect(table.get_by_role("columnheader").get_by_role("link")).to_have_text(kept)
    page.get_by_role("button", name="Add all to my basket").click()
    expect(page.get_by_role("link", name="Basket (2)")).to_be_visible()
    page.goto(address.partition("?")[0])
    page.get_by_role("button", name="Empty the basket").click()
    page.get_by_role("button", name="Really empty it?").click()
    expect(page.locator("#main")).to_contain_text("Your basket is empty.")


def test_a_record_of_the_basket_that_is_gone_is_counted(visit: Visit) -> None:
    page = visit("basket?id=samples%3Aera5-single-levels-hourly&id=samples%3Ait%27s-gone")
    expect(page.get_by_role("columnheader").get_by_role("link")).to_have_count(1)
    expect(page.locator("#main")).to_contain_text("1 record is no longer in the catalogue.")


def test_a_record_is_put_into_the_basket_on_its_page(visit: Visit) -> None:
    page = visit("?q=glacier")
    open_record(page)
    page.locator(".actions-row .to-basket").click()
    expect(page.get_by_role("link", name="Basket (1)")).to_be_visible()
