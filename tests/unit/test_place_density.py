"""The catalogue's own density between places with one name."""

from __future__ import annotations

import pytest

from core.cells import CellGrid
from core.geo import BBox
from reading.gazetteer import Gazetteer
from reading.places import PlaceReader
from search_api.search.retrieval.density import DensityMap
from search_api.search.retrieval.facets import Cell, CellCounts

GAZETTEER = Gazetteer()
GRID = CellGrid(2)  # 8 x 4 cells of 45 degrees


def _american(box: BBox) -> float:
    return 140.0 if -130.0 < box.centre[0] < -60.0 else 10.0


def _slightly_american(box: BBox) -> float:
    return 140.0 if -130.0 < box.centre[0] < -60.0 else 70.0


def _country(question: str, reader: PlaceReader) -> str | None:
    (mention,) = reader.read(question)
    return mention.place.country


@pytest.mark.parametrize(
    ("question", "without", "american"),
    [
        ("Georgia rainfall", "GE", "US"),
        ("Paris air quality", "FR", "FR"),
        ("London fog", "GB", "GB"),
        ("Athens Georgia lightning", "US", "US"),
    ],
)
def test_states_gain_by_density_and_capitals_do_not_lose(question: str, without: str, american: str) -> None:
    assert _country(question, PlaceReader(GAZETTEER)) == without
    assert _country(question, PlaceReader(GAZETTEER, density=_american)) == american


def test_a_small_difference_of_density_is_no_evidence() -> None:
    assert _country("Georgia rainfall", PlaceReader(GAZETTEER, density=_slightly_american)) == "GE"


def test_density_is_the_mean_over_the_cells_without_worldwide_records() -> None:
    everywhere = [Cell(row, column, 5) for row in range(4) for column in range(8) if (row, column) != (1, 1)]
    density = DensityMap.of(CellCounts(GRID, (*everywhere, Cell(1, 1, 15))))
    assert density.of_box(BBox(-130.0, 10.0, -100.0, 40.0)) == 10.0  # in cell (1, 1)
    assert density.of_box(BBox(-170.0, 10.0, -100.0, 40.0)) == 5.0  # and in (1, 0)
    assert density.of_box(BBox(10.0, 10.0, 40.0, 40.0)) == 0.0


def test_without_records_the_density_is_nothing() -> None:
    assert DensityMap(GRID).of_box(BBox(10.0, 10.0, 40.0, 40.0)) == 0.0
