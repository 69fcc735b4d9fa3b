"""The start page tells what the catalogue holds."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, Visit


def test_the_start_page_says_what_is_here(visit: Visit, shoot: Shoot) -> None:
    page = visit()
    expect(page.get_by_role("heading", name="169 records from 1 catalogue")).to_be_visible()
    theme = page.get_by_role("link", name="oceans 24")
    expect(theme).to_have_attribute("href", "./?theme=oceans")
    expect(page.locator(".latest a")).to_have_count(6)
    expect(page.locator(".histogram li").first).to_be_visible()
    catalogue = page.locator(".catalogues li")
    expect(catalogue).to_contain_text("The Sonde project")
    expect(catalogue).to_contain_text("CC0-1.0")
    expect(catalogue).to_contain_text("written by hand")
    page.wait_for_selector(".leaflet-container .extent")
    shoot(page, "home")
    theme.press("Enter")
    page.wait_for_url("**/?theme=oceans")
    expect(page.locator(".state")).to_contain_text("24 records")


def test_each_example_finds_records(visit: Visit) -> None:
    page = visit()
    examples = page.locator(".examples a")
    expect(examples).to_have_count(6)
    examples.nth(1).click()
    expect(page.locator(".hit").first).to_be_visible()


def test_what_one_answer_lacks_does_not_take_the_rest_of_the_start_page(visit: Visit) -> None:
    page = visit(before=lambda page: page.route("**/search?*", lambda route: route.abort()))
    expect(page.get_by_label("What are you looking for?")).to_be_visible()
    expect(page.locator(".catalogues li")).to_contain_text("The Sonde project")
    expect(page.locator(".latest a")).to_have_count(6)


def test_without_any_answer_the_start_page_still_searches(visit: Visit) -> None:
    def refuse_all(page: Page) -> None:
        for call in ("**/search?*", "**/collections*", "**/collections/**"):
            page.route(call, lambda route: route.abort())

    page = visit(before=refuse_all)
    expect(page.get_by_label("What are you looking for?")).to_be_visible()
    expect(page.locator("#holdings")).to_have_count(0)
