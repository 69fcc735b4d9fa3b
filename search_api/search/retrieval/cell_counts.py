"""How many records lie in each cell of a grid, and in each year: aggregations over what ``core.cells`` made of them.

They count the records of the query that they stand in, so they respect its filters and access rights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.cells import CellGrid, CellRange, CellView
from core.extent import WORLD, BBox
from core.json_types import Json, JsonMapping
from core.timespan import BEFORE, LAST_YEAR, counts_by_year
from es_mappings.codecs.cells import field_of
from search_api.search.retrieval.filters import area_clause

_MOST_CORNERS = 20_000
"""The corners that one aggregation counts. If there are more, ``_FALLBACK`` answers."""
_FALLBACK = 6
"""This level and the coarser ones have no more corners than ``_MOST_CORNERS``."""


@dataclass(frozen=True, slots=True)
class Cell:
    """``count`` records lie in it; ``row`` and ``column`` from the upper left."""

    row: int
    column: int
    count: int


@dataclass(frozen=True, slots=True)
class CellCounts:
    """The cells with records, row by row. ``grid`` may be coarser than asked, where records have too many corners."""

    grid: CellGrid
    cells: tuple[Cell, ...] = ()

    def box(self, cell: Cell) -> BBox:
        return self.grid.box(CellRange(cell.column, cell.row, cell.column, cell.row))


def cell_aggregation(view: CellView) -> Json:
    """One aggregation; ``read_cells`` reads its answer."""
    levels = dict.fromkeys((view.grid.level, min(view.grid.level, _FALLBACK)))
    counted = {str(level): {"terms": {"field": field_of(level), "size": _MOST_CORNERS}} for level in levels}
    within: Json = {"match_all": {}} if view.area == WORLD else area_clause(view.area, "intersects")
    return {"filter": within, "aggs": counted}


def read_cells(found: JsonMapping, view: CellView) -> CellCounts:
    """The counts in the finest level of the answer that is complete."""
    asked = view.grid.level
    complete = found[str(asked)]["sum_other_doc_count"] == 0
    grid = CellGrid(asked if complete else min(asked, _FALLBACK))
    buckets = found[str(grid.level)]["buckets"]
    corners, times = [int(one["key"]) for one in buckets], [int(one["doc_count"]) for one in buckets]
    listed: dict[tuple[int, int], int] = {}
    for block in grid.blocks(view.area):
        counts = grid.counts(corners, times, block)
        rows, columns = np.nonzero(counts)
        places = zip((rows + block.first_row).tolist(), (columns + block.first_column).tolist(), strict=True)
        listed |= dict(zip(places, counts[rows, columns].tolist(), strict=True))
    return CellCounts(grid, tuple(Cell(*place, count) for place, count in sorted(listed.items())))


def year_aggregation() -> Json:
    """One aggregation; ``read_years`` reads its answer."""
    return {"terms": {"field": "years", "size": 2 * (LAST_YEAR + 2 - BEFORE)}}


def read_years(found: JsonMapping, this_year: int) -> dict[int, int]:
    """Records by year, without empty years, until this one or the last in which one ends, at most 2100.

    ``BEFORE`` counts those that begin before 1850.
    """
    turns = {int(one["key"]): int(one["doc_count"]) for one in found["buckets"]}
    last = max([this_year, *(turn // 2 - 1 for turn in turns if turn % 2)])
    return {year: count for year, count in counts_by_year(turns).items() if count and year <= last}
