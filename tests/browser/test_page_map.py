"""The map: the same records as in the list, and the asked area."""

from __future__ import annotations

import re

from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser.conftest import Shoot, Visit, until
from tests.browser.test_page_search import asked, titles

GASES = "?q=greenhouse+gas+measurements+north+of+Italy+since+2010"


def drawn(page: Page) -> None:
    page.wait_for_selector(".leaflet-container .land", state="attached")
    page.wait_for_selector(".leaflet-container .extent", state="attached")  # the first may lie beyond the map


def open_tools(page: Page) -> None:
    page.get_by_text("Search in an area").click()
    page.get_by_role("button", name="Draw a box").wait_for()


def still(page: Page, shape: Locator) -> FloatRect | None:
    """Where a shape is, once the map no longer glides."""
    before, now = None, shape.bounding_box()
    while before != now:
        page.wait_for_timeout(100)
        before, now = now, shape.bounding_box()
    return now


def lies_in(frame: FloatRect | None, place: FloatRect | None) -> bool:
    assert frame is not None
    assert place is not None
    right, bottom = place["x"] + place["width"], place["y"] + place["height"]
    return (
        frame["x"] - 1 <= place["x"]
        and frame["y"] - 1 <= place["y"]
        and right <= frame["x"] + frame["width"] + 1
        and bottom <= frame["y"] + frame["height"] + 1
    )


def test_the_asked_place_and_the_hits_lie_on_the_map(visit: Visit) -> None:
    page = visit(GASES)
    drawn(page)
    assert page.locator(".leaflet-container .asked").count() == 3  # here and on either side of the world
    assert page.locator(".leaflet-container .extent").count() >= 20
    assert page.locator(".leaflet-container .extent.dot").count() >= 2


def test_a_hit_that_is_pointed_at_is_marked_on_the_map(visit: Visit) -> None:
    page = visit(GASES)
    drawn(page)
    page.locator(".hit").nth(1).hover()
    expect(page.locator(".hit.marked")).to_have_count(1)
    assert page.locator(".leaflet-container .extent.marked").count() >= 1
    page.locator(".hit h2 a").nth(2).focus()
    expect(page.locator(".hit").nth(2)).to_have_class(re.compile("marked"))


def test_a_place_on_the_map_leads_to_its_hit(visit: Visit) -> None:
    page = visit("?q=carbon+dioxide+record+of+a+volcano")
    drawn(page)
    frame = page.locator(".map-place").bounding_box()
    spot = next(
        box
        for one in page.locator(".leaflet-container .extent.dot").all()
        if (box := still(page, one)) is not None and lies_in(frame, box)
    )
    # The pointer is followed, not the dot: the dot under it comes to the front and changes its place among the dots.
    where = spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2
    page.mouse.move(*where)
    tip = page.locator(".map-tip")
    expect(tip).to_have_count(1)
    title = tip.inner_text()
    page.mouse.click(*where)
    focused = page.locator(".hit h2 a:focus")
    expect(focused).to_have_count(1)
    assert focused.inner_text() == title


def test_the_list_brings_a_record_into_view(visit: Visit) -> None:
    page = visit("?q=coral+reefs+of+the+Great+Barrier+Reef")
    drawn(page)
    page.get_by_role("button", name=re.compile("on the map")).first.click()
    marked = page.locator(".leaflet-container .extent.marked").first
    page.wait_for_timeout(400)  # the map glides there
    assert lies_in(page.locator(".map-place").bounding_box(), marked.bounding_box())


def test_two_places_beside_the_antimeridian_are_seen_together(visit: Visit) -> None:
    page = visit("?q=sea+level+rise+in+Fiji+and+Tonga")
    drawn(page)
    frame = page.locator(".map-place").bounding_box()
    seen = [one for one in page.locator(".leaflet-container .asked").all() if lies_in(frame, one.bounding_box())]
    assert len(seen) == 2
    widths = [box["width"] for one in seen if (box := one.bounding_box()) is not None]
    assert min(widths) > 15  # on a map of the whole world they would be specks on its two edges


def test_a_box_is_drawn(visit: Visit) -> None:
    page = visit("?q=rainfall")
    titles(page)
    drawn(page)
    open_tools(page)
    page.get_by_role("button", name="Draw a box").click()
    page.wait_for_selector(".leaflet-container.drawing")
    box = page.locator(".map-place").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.3)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.5, steps=4)
    page.mouse.up()
    page.wait_for_url("**bbox=**")
    west, south, east, north = map(float, asked(page)["bbox"][0].split(","))
    assert abs(west) < 2  # half of the map's width is longitude 0
    assert 25 < east < 55
    assert abs(south) < 3  # half of its height is the equator
    assert 25 < north < 75  # the map is higher than the world that it shows
    expect(page.locator(".leaflet-container .asked.filter")).to_have_count(3)


def test_drawing_is_given_up_by_escape(visit: Visit) -> None:
    page = visit("?q=rainfall")
    drawn(page)
    open_tools(page)
    page.get_by_role("button", name="Draw a box").click()
    page.wait_for_selector(".leaflet-container.drawing")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Draw a box")).to_have_attribute("aria-pressed", "false")
    assert "bbox" not in asked(page)


def test_a_box_is_typed_by_who_does_not_draw(visit: Visit) -> None:
    page = visit("?q=rainfall")
    titles(page)
    open_tools(page)
    for name, edge in (("West", "10"), ("South", "-35"), ("East", "41")):
        page.get_by_label(name, exact=True).fill(edge)
    page.get_by_role("button", name="Search here").click()
    expect(page.get_by_role("alert").filter(has_text="Four numbers are needed")).to_be_visible()
    page.get_by_label("North", exact=True).fill("-8")
    page.keyboard.press("Enter")
    page.wait_for_url("**bbox=10%2C-35%2C41%2C-8")
    page.locator(".area-tools .row select").select_option("within")
    page.wait_for_url("**relation=within**")
    expect(page.locator(".hit h2", has_text="CHIRPS 2.0 monthly rainfall for Africa")).to_have_count(0)
    assert "Monthly district rainfall of South Africa since 1921" in titles(page)


def test_what_lies_within_a_distance_is_drawn_round(visit: Visit) -> None:
    page = visit("?q=temperature+within+300+km+of+Boulder+Colorado")
    page.wait_for_selector(".leaflet-container .asked", state="attached")
    outlines = [shape.get_attribute("d") or "" for shape in page.locator(".leaflet-container .asked").all()]
    assert max(outline.count("L") for outline in outlines) > 20
    page.goto(page.url.replace("within+300+km+of", "near"))
    page.wait_for_selector(".leaflet-container .asked", state="attached")
    outlines = [shape.get_attribute("d") or "" for shape in page.locator(".leaflet-container .asked").all()]
    assert max(outline.count("L") for outline in outlines) <= 4


def test_an_area_comes_from_a_file_that_is_not_sent(visit: Visit) -> None:
    page = visit("?q=data")
    titles(page)
    everywhere = page.locator(".state").inner_text()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    polygon = '{"type": "Polygon", "coordinates": [[[-5, 42], [20, 42], [8, 52], [-5, 42]]]}'
    open_tools(page)
    field = page.get_by_label("Area from a file")
    field.set_input_files({"name": "a.geojson", "mimeType": "application/json", "buffer": polygon.encode()})
    expect(page.locator(".chip.filter")).to_contain_text("outline")
    expect(page.locator("path.asked.filter")).to_have_count(3)  # here and on either side of the world
    expect(page.locator(".state")).not_to_have_text(everywhere)
    assert titles(page)
    assert set(sent) == {"GET"}
    page.get_by_role("button", name="Remove the area").click()
    expect(page.locator(".state")).to_have_text(everywhere)
    field.set_input_files({"name": "b.kml", "mimeType": "text/xml", "buffer": b"<kml/>"})
    expect(page.get_by_role("alert").filter(has_text="no polygon")).to_be_visible()


def at(page: Page, across: float, down: float) -> tuple[float, float]:
    """A point of the map, by its share of width and height."""
    box = page.locator(".map-place").bounding_box()
    assert box is not None
    return box["x"] + box["width"] * across, box["y"] + box["height"] * down


def outline(page: Page) -> list[tuple[float, float]]:
    """Longitude and latitude of each corner in the address."""
    (geometry,) = asked(page)["geometry"]
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", geometry)]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def test_a_polygon_is_drawn_changed_and_removed(visit: Visit, shoot: Shoot) -> None:
    page = visit("?q=rainfall")
    titles(page)
    drawn(page)
    open_tools(page)
    page.get_by_role("button", name="Draw a polygon").click()
    page.wait_for_selector(".leaflet-container.drawing")
    for corner in ((0.5, 0.3), (0.6, 0.5), (0.45, 0.55), (0.45, 0.55)):
        page.mouse.click(*at(page, *corner))
    page.wait_for_url("**geometry=**")
    corners = outline(page)
    assert len(corners) == 4
    assert corners[0] == corners[-1]
    assert abs(corners[0][0]) < 2
    expect(page.locator(".chip.filter")).to_contain_text("outline")
    page.get_by_role("button", name="Change on the map").click()
    expect(page.locator(".area-handle")).to_have_count(3)
    titles(page)
    page.wait_for_load_state("networkidle")
    shoot(page, "area-polygon")
    handle = page.locator(".area-handle").first.bounding_box()
    assert handle is not None
    page.mouse.move(handle["x"] + 8, handle["y"] + 8)
    page.mouse.down()
    page.mouse.move(handle["x"] + 60, handle["y"] + 8, steps=4)
    page.mouse.up()
    until(page, f"!location.href.includes('{corners[0][0]:g}+{corners[0][1]:g}')")
    assert outline(page)[1:-1] == corners[1:-1]
    page.get_by_role("button", name="Remove the area").click()
    expect(page.locator(".area-handle")).to_have_count(0)
    assert "geometry" not in asked(page)


def test_a_circle_is_drawn_and_typed(visit: Visit, shoot: Shoot) -> None:
    page = visit("?q=rainfall", color_scheme="dark")
    titles(page)
    drawn(page)
    open_tools(page)
    page.get_by_role("button", name="Draw a circle").click()
    page.wait_for_selector(".leaflet-container.drawing")
    page.mouse.move(*at(page, 0.5, 0.5))
    page.mouse.down()
    page.mouse.move(*at(page, 0.55, 0.5), steps=4)
    page.mouse.up()
    page.wait_for_url("**geometry=**")
    radius = page.get_by_label("Radius in km")
    assert 1500 < float(radius.input_value()) < 3500
    titles(page)
    page.wait_for_load_state("networkidle")
    shoot(page, "area-circle-dark")
    radius.fill("500")
    page.get_by_label("Latitude").fill("60")
    page.keyboard.press("Enter")
    until(page, "location.search.includes('64.49')")
    assert max(latitude for _, latitude in outline(page)) - 60 < 4.6
    radius.fill("-1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="a radius below")).to_be_visible()


def test_a_polygon_is_typed_over_the_antimeridian(visit: Visit) -> None:
    page = visit("?q=sea")
    titles(page)
    open_tools(page)
    page.locator(".area-fields select").select_option("polygon")
    page.get_by_label("Corners").fill("-20 170\n-20 190\n0 180")
    page.get_by_role("button", name="Search here").click()
    page.wait_for_url("**geometry=**")
    assert titles(page) is not None
    assert all(abs(longitude) <= 180 for longitude, _ in outline(page))
    page.locator(".area-fields select").select_option("polygon")
    page.get_by_label("Corners").fill("0 0\n10 10\n10 0\n0 10")
    page.get_by_role("button", name="Search here").click()
    expect(page.get_by_role("alert").filter(has_text="may not cross")).to_be_visible()


def test_a_finger_draws_on_a_phone(visit: Visit, shoot: Shoot) -> None:
    page = visit("?q=rainfall", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    titles(page)
    page.get_by_role("button", name="Map", exact=True).click()
    drawn(page)
    page.get_by_text("Search in an area").tap()
    page.get_by_role("button", name="Draw a polygon").tap()
    page.wait_for_selector(".leaflet-container.drawing")
    for corner in ((0.5, 0.3), (0.7, 0.5), (0.4, 0.6)):
        page.touchscreen.tap(*at(page, *corner))
    shoot(page, "area-phone")
    page.touchscreen.tap(*at(page, 0.4, 0.6))
    page.wait_for_url("**geometry=**")
    assert len(outline(page)) == 4
