"""Five tasks as a new user does them over the samples, with the number of steps; ``docs/comparison.md`` has the table.

A step is a click, or a text that is typed and sent. Each task begins on the start page, with nothing known.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.test_page_search import RIGHT

COMPARISON = Path(__file__).resolve().parents[2] / "docs" / "comparison.md"


class NewUser:
    """Counts what a person does with the page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.steps = 0

    def ask(self, question: str) -> None:
        self.page.get_by_label("What are you looking for?").fill(question)
        self.page.keyboard.press("Enter")
        self.steps += 1
        self.page.locator(".columns[aria-busy=false] .hit").first.wait_for()

    def click(self, target: Locator) -> None:
        target.click()
        self.steps += 1

    def right_hit(self) -> Locator:
        """The first hit, which the judgements of the samples call right."""
        hit = self.page.locator(".hit").first
        assert hit.locator("h2 a").inner_text() in RIGHT
        return hit


QUESTION = "rainfall in southern Africa since 1990"


def find(user: NewUser) -> None:
    """A data set of a topic, a place and a time."""
    user.ask(QUESTION)
    expect(user.right_hit()).to_be_visible()


def judge(user: NewUser) -> None:
    """Whether it fits: period, area, licence, format and origin."""
    user.ask(QUESTION)
    user.click(user.right_hit().locator("h2 a"))
    detail = user.page.get_by_role("complementary", name="The chosen record")
    expect(detail.locator(".facts-list")).to_contain_text(re.compile("Licence|Rights|Area|Period"))


def compare(user: NewUser) -> None:
    """Two of them, side by side."""
    user.ask(QUESTION)
    for number in range(2):
        user.click(user.page.locator(".to-basket").nth(number))
    user.click(user.page.get_by_role("link", name="Basket (2)"))
    expect(user.page.get_by_role("table", name="Comparison of the records")).to_be_visible()


def cite(user: NewUser) -> None:
    """As BibTeX."""
    user.ask(QUESTION)
    user.click(user.right_hit().locator("h2 a"))
    detail = user.page.get_by_role("complementary", name="The chosen record")
    user.click(detail.get_by_role("button", name="Cite"))
    expect(detail.get_by_role("group", name="Cite")).to_contain_text("BibTeX")


def open_data(user: NewUser) -> None:
    """The map service in QGIS."""
    user.ask("map service of European bathymetry")
    user.click(user.page.locator(".hit", has_text="WMS").first.locator("h2 a"))
    detail = user.page.get_by_role("complementary", name="The chosen record")
    user.click(detail.get_by_role("button", name="Open in QGIS"))
    expect(detail.get_by_role("group", name="Open in QGIS")).to_contain_text("WMS")


TASKS = {"find": (find, 1), "judge": (judge, 2), "compare": (compare, 4), "cite": (cite, 3), "open": (open_data, 3)}


@pytest.mark.parametrize("name", TASKS)
def test_a_new_user_needs_so_many_steps(visit: Visit, name: str) -> None:
    task, steps = TASKS[name]
    user = NewUser(visit())
    task(user)
    assert user.steps == steps


def test_the_guide_names_the_steps() -> None:
    rows = dict(re.findall(r"^\| (\w+): [^|]+\| (\d+) \|", COMPARISON.read_text("utf-8"), re.MULTILINE))
    assert rows == {name: str(steps) for name, (_, steps) in TASKS.items()}
