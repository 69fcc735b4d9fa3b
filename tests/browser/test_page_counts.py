"""Numbers that agree, what became of the question's words, and finding one's place again."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, Visit, open_record, until
from tests.browser.test_page_search import asked, changed_answer, titles


def longer(shown: int, total: int, relation: str) -> Any:
    return changed_answer(
        lambda answer: answer.update({"numberMatched": shown, "sonde:total": total, "sonde:totalRelation": relation})
    )


@pytest.mark.parametrize(
    ("relation", "said"),
    [("about", "About 3,500 records"), ("at_least", "More than 3,400 records")],
)
def test_a_list_that_was_cut_says_of_how_many_and_leads_to_all(visit: Visit, relation: str, said: str) -> None:
    page = visit("?q=rainfall+in+Africa&type=dataset", before=longer(1000, 3451, relation))
    expect(page.locator(".state")).to_contain_text(said)
    link = page.get_by_role("link", name="List every record with any of these words")
    link.click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert asked(page) == {"type": ["dataset"], "q": ["rainfall"]}
    assert "of 0 records" not in page.inner_text("main")


def test_a_whole_list_has_one_number(visit: Visit) -> None:
    page = visit("?q=rainfall")
    titles(page)
    state = page.locator(".state").inner_text()
    assert page.get_by_text("List every record").count() == 0
    assert f"of {state.split(' ')[0]} shown" in page.locator(".more").inner_text()


def forty(visit: Visit, **options: Any) -> tuple[Page, int]:
    """A list of forty hits, read to the thirtieth."""
    page = visit("?q=rainfall", **options)
    titles(page)
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".hit")).to_have_count(40)
    page.locator(".hit").nth(30).scroll_into_view_if_needed()
    until(page, "history.state && history.state.y === scrollY && scrollY > 0")
    return page, page.evaluate("Math.round(scrollY)")


@pytest.mark.parametrize("way", ["browser", "page", "page after another record", "reload"])
def test_going_back_leads_to_where_one_was(visit: Visit, way: str) -> None:
    page, y = forty(visit)
    if way == "reload":
        page.reload()
    else:
        title = page.locator(".hit h2 a").nth(30).inner_text()
        open_record(page, 30)
        expect(page.get_by_role("link", name="Back to the results")).to_be_visible()
        assert page.evaluate("scrollY") == 0
        if way == "page after another record":
            page.locator(".similar a").first.click()
            expect(page.get_by_role("heading", level=1)).not_to_have_text(title)
        if way == "browser":
            page.go_back()
        else:
            page.get_by_role("link", name="Back to the results").click()
    expect(page.locator(".hit")).to_have_count(40)
    until(page, f"Math.abs(scrollY - {y}) < 3")


def test_a_new_question_begins_at_the_top(visit: Visit) -> None:
    page, _ = forty(visit)
    page.get_by_label("What are you looking for?").fill("glacier")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=glacier**")
    expect(page.locator(".hit")).to_have_count(20)  # the old list stands, greyed, until the answer is there
    expect(page.locator(".hit h2").first).to_be_in_viewport()
    page.go_back()
    expect(page.locator(".hit")).to_have_count(40)


def test_a_code_that_no_record_bears_is_said(visit: Visit, shoot: Shoot) -> None:
    page = visit("?q=rainfall+ds083.2")
    expect(page.locator(".unknown-code")).to_have_text(
        "No record has the code ds083.2. These records are the nearest by words and meaning."
    )
    shoot(page, "unknown-code")


def test_a_word_that_no_record_contains_is_named_above_the_hits_about_the_rest(visit: Visit, shoot: Shoot) -> None:
    page = visit("search?q=volcanoes on Venus")
    expect(page.locator(".hit").first).to_be_visible()
    expect(page.locator(".unknown-words")).to_have_text("No record contains the word venus.")
    shoot(page, "unknown-word")


def test_a_mended_question_is_answered_and_can_be_asked_as_it_was_typed(visit: Visit) -> None:
    page = visit("?q=glacer+alps&algorithm=bm25&interpret=place,time")  # as a name it would be found misspelt
    expect(page.locator(".meant")).to_have_text("Showing results for glacier alps. Search instead for glacer alps")
    assert titles(page)
    page.get_by_role("link", name="Search instead for glacer alps").click()
    expect(page.locator(".note")).to_contain_text("No record is about the topic.")  # but some are in the Alps
    assert asked(page)["spelling"] == ["off"]
    assert page.locator(".chip.filter", has_text="spelling").count() == 0
    page.locator(".meant a", has_text="glacier alps").click()
    expect(page.locator(".hit").first).to_be_visible()
    assert "spelling" not in asked(page)


def test_a_rank_stays_on_one_line_beside_a_long_title(visit: Visit) -> None:
    def lengthen(answer: dict[str, Any]) -> None:
        for feature in answer["features"]:
            feature["properties"]["title"] = "A very long title of a data set " * 8
            feature.pop("sonde:highlights", None)

    page = visit("?q=rainfall", before=changed_answer(lengthen))
    titles(page)
    lines = """ranks => ranks.map(rank => {
        const inside = document.createRange();
        inside.selectNodeContents(rank);
        return new Set([...inside.getClientRects()].map(line => line.top)).size;
    })"""
    assert page.locator(".rank").evaluate_all(lines) == [1] * 20


def test_one_count_in_list_facets_map_time_line_sources_and_start_page(visit: Visit) -> None:
    page = visit("?source=samples")
    titles(page)
    expect(page.locator(".state")).to_contain_text("169 records")
    types = page.locator(".facet", has_text="type").first.locator(".count").all_inner_texts()
    assert sum(map(int, types)) == 169
    expect(page.locator(".heat-scale")).to_contain_text("in one area")
    fewest, most = map(int, re.findall(r"\d+", page.locator(".heat-scale").inner_text()))
    assert 0 < fewest <= most <= 169
    bars = [int(text.rsplit(": ", 1)[1]) for text in page.locator(".histogram li").all_inner_texts()]
    assert 0 < max(bars) <= 169
    page.wait_for_load_state("networkidle")
    for path, place in (("sources", ".sources li"), ("", "#holdings")):
        other = visit(path)
        expect(other.locator(place).first).to_contain_text("169 records")
        other.wait_for_load_state("networkidle")
