"""Counts of areas by cell and of periods by year, from their corners and turns alone."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from core.cells import FINEST, LEVELS, MOST_CORNERS, CellGrid, CellRange, outline
from core.geo import WORLD, BBox
from core.timespan import LAST_YEAR, YEAR_BEFORE_FIRST, TimeSpan, counts_by_year, turns_of
from es_mappings.codecs import cells

_COLUMNS = st.tuples(st.integers(0, 7), st.integers(0, 7)).map(sorted)
_ROWS = st.tuples(st.integers(0, 3), st.integers(0, 3)).map(sorted)
BLOCKS = st.lists(
    st.builds(lambda columns, rows: CellRange(columns[0], rows[0], columns[1], rows[1]), _COLUMNS, _ROWS),
    min_size=1,
    max_size=5,
)


def _counted(grid: CellGrid, areas: list[list[int]]) -> Any:
    times = Counter(corner for corners in areas for corner in corners)
    return grid.counts(list(times), list(times.values()))


@given(st.lists(BLOCKS, min_size=1, max_size=4))
def test_the_corners_count_each_area_once_in_each_of_its_cells(areas: list[list[CellRange]]) -> None:
    grid = CellGrid(2)  # 8 columns, 4 rows
    expected = np.zeros((4, 8), dtype=int)
    for area in areas:
        drawn = np.zeros((4, 8), dtype=bool)
        for one in area:
            drawn[one.first_row : one.last_row + 1, one.first_column : one.last_column + 1] = True
        expected += drawn
    corners = [grid.corners(area) for area in areas]
    assert (_counted(grid, corners) == expected).all()
    times = Counter(corner for one in corners for corner in one)
    part = grid.counts(list(times), list(times.values()), CellRange(3, 1, 6, 2))
    assert (part == expected[1:3, 3:7]).all()


def test_the_whole_world_is_one_corner_in_every_level() -> None:
    assert {len(corners) for corners in cells.to_fields([WORLD], None).values()} == {1}


@pytest.mark.parametrize(
    ("box", "blocks"),
    [
        (BBox(0, 0, 45, 45), [CellRange(4, 1, 4, 1)]),  # its edges only touch the next cells
        (BBox(0, 0, 45.1, 45), [CellRange(4, 1, 5, 1)]),
        (BBox(10, 10, 10, 10), [CellRange(4, 1, 4, 1)]),
        (BBox(0, 0, 0, 0), [CellRange(4, 2, 4, 2)]),  # a point on the corner of four cells is in one
        (BBox(180, 90, 180, 90), [CellRange(7, 0, 7, 0)]),
        (BBox(-180, -90, -180, -90), [CellRange(0, 3, 0, 3)]),
        (BBox(-180, 80, 180, 90), [CellRange(0, 0, 7, 0)]),
        (BBox(170, -10, -170, 10), [CellRange(7, 1, 7, 2), CellRange(0, 1, 0, 2)]),
    ],
)
def test_cells_of_a_box(box: BBox, blocks: list[CellRange]) -> None:
    assert CellGrid(2).blocks(box) == blocks


def test_cells_end_where_their_box_does() -> None:
    assert CellGrid(2).box(CellRange(7, 0, 7, 0)) == BBox(135, 45, 180, 90)
    assert CellGrid(5).box(CellRange(0, 31, 1, 31)) == BBox(-180, -90, -168.75, -84.375)


def test_a_polygon_is_in_the_cells_that_it_lies_in_and_not_in_those_of_its_box() -> None:
    ring = [[0, 0], [44, 0], [0, 44], [0, 0]]
    grid = CellGrid(5)
    counted = _counted(grid, [cells.to_fields([], {"type": "Polygon", "coordinates": [ring]})["5"]])
    found = {(int(row), int(column)) for row, column in zip(*np.nonzero(counted), strict=True)}
    triangle = shapely.Polygon(ring)
    boxes = {(row, column): grid.box(CellRange(column, row, column, row)) for row in range(32) for column in range(64)}
    assert found == {
        place for place, box in boxes.items() if shapely.intersection(triangle, shapely.box(*box.as_list())).area > 1e-6
    }
    assert counted.max() == 1


def test_a_ragged_area_has_few_corners_and_hides_none_of_its_cells() -> None:
    points = [[lon, lat] for lon in range(-170, 170, 7) for lat in range(-80, 80, 7)]
    fields = cells.to_fields([], {"type": "MultiPoint", "coordinates": points})
    assert max(map(len, fields.values())) <= MOST_CORNERS
    grid = CellGrid(FINEST)
    counted = _counted(grid, [fields[str(FINEST)]])
    for lon, lat in points:
        (block,) = grid.blocks(BBox(lon, lat, lon, lat))
        assert counted[block.first_row, block.first_column] == 1


def test_boxes_of_one_record_that_overlap_are_counted_once() -> None:
    fields = cells.to_fields([BBox(0, 0, 60, 30), BBox(30, 10, 90, 60)], None)
    assert {_counted(CellGrid(level), [fields[str(level)]]).max() for level in LEVELS} == {1}


def test_an_outline_with_too_many_corners_is_drawn_coarser() -> None:
    def stairs(grid: CellGrid) -> list[CellRange]:
        return [CellRange(step, step, step, step) for step in range(0, grid.rows, 2)]

    assert len(CellGrid(8).corners(stairs(CellGrid(8)))) > MOST_CORNERS
    assert len(outline(stairs, 8)) <= MOST_CORNERS


def _spans(*years: tuple[int | None, int | None]) -> list[TimeSpan]:
    return [
        TimeSpan.from_iso(*(None if y is None else f"{y:05d}" if y < 0 else f"{y:04d}" for y in span)) for span in years
    ]


@pytest.mark.parametrize(
    ("spans", "turns"),
    [
        ([(1981, 1983)], [2 * 1981, 2 * 1984 + 1]),
        ([(1981, 1983), (1983, 1990), (1991, 1991)], [2 * 1981, 2 * 1992 + 1]),
        ([(1981, 1983), (1985, None)], [2 * 1981, 2 * 1984 + 1, 2 * 1985]),
        ([(None, 1900)], [2 * YEAR_BEFORE_FIRST, 2 * 1901 + 1]),
        ([(-500, 200)], [2 * YEAR_BEFORE_FIRST, 2 * 1850 + 1]),
        ([(1990, LAST_YEAR)], [2 * 1990]),
        ([(2150, 2200)], []),
        ([], []),
    ],
)  # fmt: skip
def test_turns_of_periods(spans: list[tuple[int | None, int | None]], turns: list[int]) -> None:
    assert turns_of(_spans(*spans)) == turns


@given(st.lists(st.lists(st.tuples(st.integers(1800, 2150), st.integers(0, 200)), max_size=4), max_size=5))
def test_each_record_is_counted_once_in_each_of_its_years(records: list[list[tuple[int, int]]]) -> None:
    own = [[(first, first + length) for first, length in spans] for spans in records]
    turns = Counter(turn for spans in own for turn in turns_of(_spans(*spans)))
    counted = counts_by_year(turns)
    for year in (1850, 1900, 1999, LAST_YEAR):
        assert counted[year] == sum(any(first <= year <= last for first, last in spans) for spans in own)
    assert counted[YEAR_BEFORE_FIRST] == sum(any(first <= YEAR_BEFORE_FIRST for first, _ in spans) for spans in own)
