"""A record's map: its real geometry, and where its granules lie."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import expect

from core.json_types import Json
from core.record import Link
from net.gate import Gate, GatePolicy
from search_api.app import create_app
from search_api.catalogue.granules.searches import GranuleSearches
from search_api.catalogue.listing import RecordReader, StoredRecord
from sonde.wiring.api import api_parts
from tests.browser.conftest import Shoot, Visit, served
from tests.browser.test_page_map import drawn
from tests.servers.pictures import Linked
from tests.service import Service

BALTIC = "records/samples%3Ahelcom-eutrophication"
ERA5 = "records/samples%3Aera5-single-levels-hourly"
HOLED = {
    "type": "Polygon",
    "coordinates": [
        [[0, 40], [20, 40], [10, 55], [0, 40]],
        [[8, 43], [12, 43], [10, 46], [8, 43]],
    ],
}
TRACK = {"type": "LineString", "coordinates": [[170, -10], [178, -15], [-175, -20]]}
BOX = {"type": "Polygon", "coordinates": [[[0, 40], [20, 40], [20, 55], [0, 55], [0, 40]]]}


class Drawn:
    """The real records, each with this geometry."""

    def __init__(self, records: RecordReader, geometry: Json) -> None:
        self._records, self._geometry = records, geometry

    def record(self, record_id: str, source: str | None = None) -> StoredRecord:
        found = self._records.record(record_id, source)
        return replace(found, record=replace(found.record, geometry=self._geometry))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._records, name)


def test_a_record_s_polygon_is_drawn_as_it_is(visit: Visit, shoot: Shoot) -> None:
    page = visit(BALTIC)
    figure = page.locator(".leaflet-container .figure")
    expect(figure).to_have_count(3)  # here and on either side of the world
    assert (figure.first.get_attribute("d") or "").count("L") >= 7  # a box has three
    page.wait_for_load_state("networkidle")
    shoot(page, "record-figure")


@pytest.mark.parametrize(
    ("geometry", "count", "pattern"),
    [
        (HOLED, 3, "M.*M"),
        (TRACK, 3, "M"),
        ({"type": "MultiPoint", "coordinates": [[5, 50], [6, 51]]}, 6, "M"),
        ({"type": "GeometryCollection", "geometries": [TRACK, HOLED]}, 6, "M"),
        (BOX, 0, ""),
        ({"type": "Point", "coordinates": [5, 50]}, 0, ""),
    ],
    ids=["hole", "line", "points", "collection", "box", "point"],
)
def test_geometries_of_each_kind(samples: Service, visit: Visit, geometry: Json, count: int, pattern: str) -> None:
    parts = api_parts(samples.settings, samples.models)
    app = create_app(replace(parts, records=Drawn(parts.records, geometry)))  # type: ignore[arg-type]
    with served(app) as address:
        page = visit(ERA5, at=address)
        drawn(page)
        page.wait_for_load_state("networkidle")
        figures = page.locator(".leaflet-container .figure")
        expect(figures).to_have_count(count)
        paths = figures.evaluate_all("all => all.map(one => one.getAttribute('d'))")
        assert all(path.count("M") >= pattern.count("M") for path in paths[:1])
        page.get_by_label("View of the map").select_option("north")
        drawn(page)
        page.wait_for_load_state("networkidle")
        expect(figures).to_have_count(count // 3)


def test_granules_lie_on_a_map_and_are_marked_from_their_list(
    samples: Service, address: str, visit: Visit, shoot: Shoot
) -> None:
    parts = api_parts(samples.settings, samples.models)
    searches = GranuleSearches(lambda: Gate(GatePolicy(allowed_hosts=frozenset(("127.0.0.1",)))))
    linked = Linked(parts.records, (Link(f"{address}stac/collections/samples", rel="related"),))
    app = create_app(replace(parts, records=linked, granules=searches))  # type: ignore[arg-type]
    with served(app) as url:
        page = visit(ERA5, at=url)
        panel = page.get_by_role("region", name="Granules", exact=True)
        panel.get_by_label("Area").fill("5,47,6,48")
        panel.get_by_role("button", name="Look there").click()
        panel.locator(".extent").first.wait_for(state="attached")
        expect(panel.locator(".extent.marked")).to_have_count(0)
        panel.get_by_role("link", name="CHIRPS Version 2.0").focus()
        expect(panel.locator(".extent.marked").first).to_be_attached()
        panel.locator(".map").scroll_into_view_if_needed()
        page.wait_for_load_state("networkidle")
        shoot(page, "granules-map")
        panel.locator(".similar li").nth(1).hover()
        expect(panel.locator(".similar li.marked")).to_have_count(1)
        page.wait_for_load_state("networkidle")
