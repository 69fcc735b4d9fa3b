"""Where all matches lie, and when: the facets ``cell`` and ``year`` of ``/search``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
import shapely
from flask.testing import FlaskClient

from core.cells import MOST_CELLS, CellGrid, CellRange
from core.geo import WORLD, BBox
from search_api.search.retrieval.density import catalogue_density
from tests.service import Service


def cells(http: FlaskClient, **parameters: Any) -> dict[str, Any]:
    answer = http.get("/search", query_string={"facets": "cell", "limit": 1, **parameters})
    assert answer.status_code == 200, answer.get_data(as_text=True)
    facet: dict[str, Any] = answer.get_json()["sonde:facets"]["cell"]
    return facet


def by_label(facet: dict[str, Any]) -> dict[str, int]:
    return {one["label"]: one["count"] for one in facet["values"]}


def expected(records: Sequence[dict[str, Any]], level: int, area: BBox = WORLD) -> dict[str, int]:
    """Counted one by one in the cells of the area: boxes by their edges, polygons by what they share with a cell."""
    grid, counts = CellGrid(level), dict[str, int]()
    for record in records:
        boxes = [BBox(*box) for box in record["properties"].get("sonde:boxes", [])]
        ring = shapely.geometry.shape(record["geometry"]) if record["geometry"] else None
        whole = ring is None or len(boxes) != 1 or ring.area >= boxes[0].width_deg * boxes[0].height_deg * 0.999
        own = set()
        for block, part in product((one for box in boxes for one in grid.blocks(box)), grid.blocks(area)):
            for row in range(max(block.first_row, part.first_row), min(block.last_row, part.last_row) + 1):
                first, last = max(block.first_column, part.first_column), min(block.last_column, part.last_column)
                for column in range(first, last + 1):
                    cell = shapely.box(*grid.box(CellRange(column, row, column, row)).as_list())
                    if whole or (ring is not None and shapely.intersection(ring, cell).area > 1e-9):
                        own.add(f"{level}/{row}/{column}")
        for label in own:
            counts[label] = counts.get(label, 0) + 1
    return counts


@pytest.fixture(scope="module")
def every(samples: Service) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = samples.http.get("/collections/all/items?limit=1000").get_json()["features"]
    return listed


@pytest.mark.parametrize("level", [2, 3, 5])
def test_each_cell_counts_the_records_that_lie_in_it(samples: Service, every: list[dict[str, Any]], level: int) -> None:
    facet = cells(samples.http, cell_level=level, group="none")
    assert (facet["parameter"], facet["level"]) == ("bbox", level)
    assert by_label(facet) == expected(every, level)


def test_a_count_is_about_what_choosing_the_cell_gives(samples: Service) -> None:
    """A record that only touches the cell passes the filter and is not counted."""
    for one in cells(samples.http, cell_level=4)["values"][::40]:
        west, south, east, north = map(float, one["value"].split(","))
        inside = f"{west + 1e-6},{south + 1e-6},{east - 1e-6},{north - 1e-6}"
        assert samples.search("", bbox=inside, limit=1)["sonde:total"] == one["count"], one


def test_the_cells_follow_the_part_of_the_world_that_is_asked_for(
    samples: Service, every: list[dict[str, Any]]
) -> None:
    world = cells(samples.http)
    assert world["level"] == 5
    alps = cells(samples.http, cell_area="5,44,17,49")
    assert alps["level"] == 10
    assert by_label(alps) == expected(every, 10, BBox(5, 44, 17, 49))
    assert len(alps["values"]) <= MOST_CELLS
    assert cells(samples.http, cell_area="5,44,17,49", cell_level=6)["level"] == 6
    assert cells(samples.http, cell_area="-180,-90,180,90", cell_level=10)["level"] == 5


def test_an_area_across_the_antimeridian_has_cells_on_both_sides(samples: Service, every: list[dict[str, Any]]) -> None:
    facet = cells(samples.http, cell_area="170,-30,-170,10", cell_level=5)
    columns = {int(label.split("/")[2]) for label in by_label(facet)}
    assert columns == {0, 1, 62, 63}
    assert by_label(facet) == expected(every, 5, BBox(170, -30, -170, 10))


def test_the_cells_count_what_matches_the_words_and_passes_the_filters(samples: Service) -> None:
    found = samples.search("glacier", algorithm="bm25", facets="cell", cell_level=2, limit=100, source="samples")
    assert by_label(found["sonde:facets"]["cell"]) == expected(found["features"], 2)
    none = samples.search("", type="no such type", facets="cell,year", limit=1)["sonde:facets"]
    assert (none["cell"]["values"], none["year"]["values"]) == ([], [])


def test_stac_counts_the_cells_of_its_items(samples: Service, every: list[dict[str, Any]]) -> None:
    items = samples.http.get("/stac/search?limit=100").get_json()["features"]
    ids = {item["id"] for item in items}
    (counted,) = samples.http.get("/stac/aggregate?aggregations=sonde:cell_frequency").get_json()["aggregations"]
    found = {one["key"]: one["frequency"] for one in counted["buckets"]}
    assert found == expected([one for one in every if one["id"] in ids], 5)


def test_years_are_counted_in_time(samples: Service) -> None:
    values = samples.search("", facets="year", limit=1)["sonde:facets"]["year"]["values"]
    years = [one["label"] for one in values]
    assert years == sorted(years, key=lambda label: (not label.startswith("before"), label))
    assert "2020" in years
    for one in [*values[:3], *values[-3:]]:
        assert samples.search("", datetime=one["value"], limit=1)["sonde:total"] == one["count"], one


@pytest.mark.parametrize("wrong", ["cell_level=1", "cell_level=11", "cell_area=1,2,3", "cell_area=0,0,500,1"])
def test_a_grid_that_does_not_exist_is_refused(samples: Service, wrong: str) -> None:
    answer = samples.http.get(f"/search?facets=cell&{wrong}")
    assert (answer.status_code, answer.get_json()["parameter"]) == (400, wrong.split("=")[0])


def test_the_density_of_a_box_is_the_mean_of_its_cells(samples: Service) -> None:
    counts = {(cell["label"]): cell["count"] for cell in cells(samples.http, cell_level=5)["values"]}
    worldwide = min(counts.values()) if len(counts) == MOST_CELLS else 0
    density = catalogue_density(samples.client, samples.prefix)
    for label, count in list(counts.items())[::200]:
        level, row, column = map(int, label.split("/"))
        inside = CellGrid(level).box(CellRange(column, row, column, row))
        assert density(inside) == count - worldwide
    assert catalogue_density(samples.client, "no-such-prefix")(WORLD) == 0.0
