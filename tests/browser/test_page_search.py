"""Asking, and what the page makes of the answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Shoot, Visit, open_record

RAINFALL = "?q=rainfall+in+southern+Africa+since+1990"
RIGHT = {  # samples/questions.jsonl, q01
    "Seasonal rainfall accumulation and anomaly maps for Southern Africa (FEWS NET)",
    "Monthly district rainfall of South Africa since 1921",
    "African Rainfall Climatology version 2 (ARC2)",
}


def asked(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def titles(page: Page) -> list[str]:
    page.wait_for_selector(".columns[aria-busy=false] .hit")
    return page.locator(".hit h2 a").all_inner_texts()


def changed_answer(change: Callable[[dict[str, object]], None]) -> Callable[[Page], None]:
    """The service's own answer with something changed in it on its way to the page."""

    def handle(route: Route) -> None:
        if "facets=cell" in route.request.url:  # the map's counts of the same search
            route.continue_()
            return
        response = route.fetch()
        answer = response.json()
        change(answer)
        route.fulfill(response=response, body=json.dumps(answer))

    return lambda page: page.route("**/search?**", handle)


def test_a_question_is_typed_read_and_answered(visit: Visit, shoot: Shoot) -> None:
    page = visit()
    page.get_by_label("What are you looking for?").fill("rainfall in southern Africa since 1990")
    page.keyboard.press("Enter")
    assert titles(page)[0] in RIGHT
    assert asked(page) == {"q": ["rainfall in southern Africa since 1990"]}
    assert page.title() == "rainfall in southern Africa since 1990 – Sonde"
    chips = [text.replace("\n", " ") for text in page.locator(".chip").all_inner_texts()]
    assert [c.split(" filter")[0] for c in chips] == ["what rainfall", "where Southern Africa", "when since 1990"]
    page.wait_for_selector(".leaflet-container .land", state="attached")
    shoot(page, "search")


def test_each_hit_says_why_it_is_here(visit: Visit) -> None:
    page = visit(RAINFALL)
    first = page.locator(".hit").first
    expect(first.locator(".because")).to_have_text("Covers all of Southern Africa, since 1981, 5.6 km")
    expect(first.locator(".bar").first).to_be_hidden()
    first.locator("summary").first.click()
    expect(first.locator(".bar")).to_have_count(4)
    names = [bar.split("\n")[0] for bar in first.locator(".bar").all_inner_texts()]
    assert names == ["words", "meaning", "place", "time"]
    expect(first.get_by_text("of the box around Southern Africa; its own area")).to_be_visible()


def test_a_place_that_was_read_can_be_left_as_words_and_read_again(visit: Visit) -> None:
    page = visit(RAINFALL)
    page.get_by_role("button", name='Stop treating "southern Africa" as a place').click()
    expect(page.get_by_text("where: not used")).to_be_visible()
    assert asked(page)["interpret"] == ["time,relation,scale,kind,names,terms,conditions"]
    page.get_by_role("button", name="Use where from the question again").click()
    expect(page.locator(".chip.place")).to_contain_text("Southern Africa")
    assert "interpret" not in asked(page)


def test_a_reading_becomes_a_filter_and_goes_again(visit: Visit) -> None:
    page = visit("?q=earthquakes+in+Italy")
    page.get_by_role("button", name="Only records in Italy").click()
    expect(page.locator(".chip.filter")).to_contain_text("area")
    west, south, east, north = map(float, asked(page)["bbox"][0].split(","))
    assert 6 < west < 7
    assert 35 < south < 37
    assert 18 < east < 19
    assert 46 < north < 48
    page.locator(".chip.filter").get_by_role("button").click()
    expect(page.locator(".chip.filter")).to_have_count(0)
    assert "bbox" not in asked(page)


def test_paging_shows_further_hits_and_none_twice(visit: Visit) -> None:
    page = visit("?q=rainfall")
    first = titles(page)
    assert len(first) == 20
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".hit")).to_have_count(40)
    ids = page.locator(".hit").evaluate_all("items => items.map(item => item.id)")
    assert len(set(ids)) == 40
    assert titles(page)[:20] == first


def test_a_facet_narrows_down_to_what_it_counted(visit: Visit) -> None:
    page = visit("?q=map")
    titles(page)
    value = page.locator(".facet", has_text="type").locator("li", has_text="service").first
    counted = int(value.locator(".count").inner_text())
    value.get_by_role("checkbox").click()
    expect(page.locator(".chip.filter")).to_contain_text("service")
    assert asked(page)["type"] == ["service"]
    titles(page)
    kinds = page.locator(".hit .facts:not(.offers) span:first-child").all_inner_texts()
    assert set(kinds) == {"service"}
    assert len(kinds) == min(20, counted)


def test_a_period_is_typed_and_slid(visit: Visit) -> None:
    page = visit("?q=rainfall")
    titles(page)
    period = page.get_by_role("region", name="Period")
    period.locator("input[type=number]").first.fill("1990")
    period.get_by_role("button", name="Search").click()
    expect(page.locator(".chip.filter")).to_contain_text("since 1990")
    assert asked(page)["datetime"] == ["1990-01-01/.."]
    slider = period.get_by_role("slider", name="From year")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**datetime=1992-01-01**")
    expect(slider).to_be_focused()
    assert page.locator(".histogram li.out").count() > 0


def test_nothing_found_says_what_may_help(visit: Visit, shoot: Shoot) -> None:
    page = visit("?q=zzqx&type=dataset")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="0 records")).to_be_visible()
    shoot(page, "nothing")
    page.locator("#main").get_by_role("button", name="Remove all filters").click()
    assert asked(page) == {"q": ["zzqx"]}


def test_a_refused_parameter_is_named(visit: Visit) -> None:
    page = visit("?q=rain&bbox=1,2")
    alert = page.get_by_role("alert").filter(has_text="That did not work")
    expect(alert).to_contain_text("bbox: needs four numbers west,south,east,north; there are 2")
    expect(alert.get_by_role("button", name="Try again")).to_have_count(0)  # it would be refused again
    page.locator(".chip.filter").get_by_role("button").click()
    assert len(titles(page)) == 20


def test_a_service_that_does_not_answer_is_asked_again(visit: Visit) -> None:
    page = visit("?q=rain", before=lambda page: page.route("**/search?**", lambda route: route.abort()))
    expect(page.get_by_role("alert").first).to_contain_text("The service does not answer.")
    expect(page.get_by_role("alert").first).not_to_contain_text("Failed to fetch")  # a browser's words
    page.unroute("**/search?**")
    page.get_by_role("button", name="Try again").click()
    assert len(titles(page)) == 20


def test_a_signal_that_is_down_is_named(visit: Visit) -> None:
    page = visit("?q=rain", before=changed_answer(lambda answer: answer.update({"sonde:degraded": ["dense"]})))
    expect(page.locator(".degraded")).to_contain_text("Ranked without meaning")


def test_metadata_cannot_run_code_in_the_page(visit: Visit) -> None:
    evil = "<img src=x onerror=document.title='owned'><script>document.title='owned'</script>"

    def poison(answer: dict[str, object]) -> None:
        feature = answer["features"][0]  # type: ignore[index]
        feature["properties"].update(
            {"title": evil, "description": evil, "keywords": [evil], "license": "javascript:alert(1)"}
        )
        feature["sonde:highlights"] = {"title": [f"<em>{evil}</em>"], "abstract": [evil]}
        feature["links"] = [{"href": "javascript:document.title='owned'", "rel": "about", "title": evil}]

    page = visit("?q=rain", before=changed_answer(poison))
    assert evil in titles(page)[0]
    page.wait_for_selector(".leaflet-container .extent")
    page.locator(".hit").first.hover()
    page.route("**/collections/**", lambda route: route.fulfill(status=404))
    open_record(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(evil)
    assert page.locator("#page img, #page script, #page [onerror], #page a[href^='javascript']").count() == 0
    assert page.title() == f"{evil} – Sonde"


def test_a_proxys_error_is_said_in_the_pages_words(visit: Visit) -> None:
    def gateway(route: Route) -> None:
        route.fulfill(status=502, content_type="text/html", body="<h1>Bad Gateway</h1>")

    page = visit("?q=rain", before=lambda page: page.route("**/search?**", gateway))
    alert = page.get_by_role("alert").first
    expect(alert).to_contain_text("The service is not ready, because a part of it is down.")
    expect(alert).not_to_contain_text("Bad Gateway")


def test_a_hit_without_an_area_says_so(visit: Visit) -> None:
    def without(answer: dict[str, object]) -> None:
        first = answer["features"][0]  # type: ignore[index]
        first["properties"]["sonde:boxes"] = []
        first["links"] = []

    page = visit("?q=rain", before=changed_answer(without))
    expect(page.locator(".hit").first).to_contain_text("area not stated")
    expect(page.locator(".hit").first.locator(".thumb")).to_have_count(0)
    expect(page.locator(".hit").nth(1)).not_to_contain_text("area not stated")


def test_what_was_opened_stays_open_when_the_columns_change(visit: Visit) -> None:
    page = visit("?q=rain")
    page.locator(".hit").first.locator("summary").first.click()
    expect(page.locator(".hit").first.locator("details.why")).to_have_attribute("open", "")
    title = page.locator("details.facet:not([open]) summary").first.text_content() or ""
    heading = page.locator("summary").get_by_text(title, exact=True)
    facet = page.locator("details.facet", has=heading)  # by its title: the first closed one may be another by now
    facet.locator("summary").click()
    expect(facet).to_have_attribute("open", "")
    for width in (1100, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        expect(page.locator(".hit").first.locator("details.why")).to_have_attribute("open", "")
        expect(facet).to_have_attribute("open", "")


def test_an_empty_filtered_list_blames_the_filters(visit: Visit) -> None:
    page = visit("?q=rain&organisation=Nobody")
    expect(page.locator("#main")).to_contain_text("The filters may be too narrow.")
    expect(page.locator("#main")).not_to_contain_text("No record matches this question")
