"""The cells of a record's extent by level, as fields of its document; what ``core.cells`` needs to count records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, partial
from itertools import groupby
from typing import Any, cast

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import shape
from shapely.geometry.base import BaseGeometry

from core.cells import COARSEST, LEVELS, CellGrid, CellRange, outline
from core.geo import BBox
from core.json_types import Json, JsonMapping

FIELD = "cells"
_WINDOW = 32
"""A geometry is compared with at most so many columns and rows of cells; a larger one with those of a coarser level."""
_MOST_PARTS = 200
"""The parts of a geometry that are compared one by one. Of more, the whole is compared."""
_MARGIN_DEG = 1e-9
"""Cells are made smaller by this, so that a geometry which only touches a cell is not in it."""


def field_of(level: int) -> str:
    return f"{FIELD}.{level}"


def shape_of(geometry: JsonMapping) -> BaseGeometry:
    """GeoJSON as a geometry of shapely."""
    geometry_read: BaseGeometry = shape(cast(Any, geometry))
    return geometry_read


def to_fields(boxes: Sequence[BBox], geometry: JsonMapping | None) -> Json:
    """The corners of the area in each level, at most 64 (see ``core.cells``); empty without boxes and geometry."""
    parts = [] if geometry is None else _parts(shape_of(geometry))
    if not parts:
        return {level: list(corners) for level, corners in _of_boxes(tuple(boxes))} if boxes else {}
    return _outlines(boxes, parts)


@lru_cache(1024)
def _of_boxes(boxes: tuple[BBox, ...]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Kept, because the records of a campaign share their extent."""
    return tuple((level, tuple(corners)) for level, corners in _outlines(boxes, ()).items())


def _outlines(boxes: Sequence[BBox], parts: Sequence[BaseGeometry]) -> dict[str, list[int]]:
    blocks = cache(partial(_blocks, boxes, parts))
    return {str(level): outline(blocks, level) for level in LEVELS}


def _parts(geometry: BaseGeometry) -> Sequence[BaseGeometry]:
    parts = shapely.get_parts(geometry, return_index=False)
    members = list(parts) if len(parts) <= _MOST_PARTS else [geometry]
    return [part for part in members if not part.is_empty]


def _blocks(boxes: Sequence[BBox], parts: Sequence[BaseGeometry], grid: CellGrid) -> list[CellRange]:
    blocks = [block for box in boxes for block in grid.blocks(box)]
    for part in parts:
        blocks += _blocks_of(part, grid)
    return blocks


def _blocks_of(part: BaseGeometry, grid: CellGrid) -> list[CellRange]:
    """Drawn by a coarser level if it has more cells than the window."""
    west, south, east, north = (float(edge) for edge in part.bounds)
    box = BBox(max(west, -180.0), max(south, -90.0), min(east, 180.0), min(north, 90.0))
    for steps in range(grid.level - COARSEST + 1):
        coarse = CellGrid(grid.level - steps)
        (cell_range,) = coarse.blocks(box)
        if max(cell_range.last_column - cell_range.first_column, cell_range.last_row - cell_range.first_row) < _WINDOW:
            return [block.finer(steps) for block in _cells_of_part(part, coarse, cell_range)]
    return grid.blocks(box)


def _cells_of_part(part: BaseGeometry, grid: CellGrid, cell_range: CellRange) -> Iterator[CellRange]:
    """The cells of ``cell_range`` that the part lies in, one block for each run of cells in a row."""
    columns = np.arange(cell_range.first_column, cell_range.last_column + 1)
    rows = np.arange(cell_range.first_row, cell_range.last_row + 1)
    west = columns * grid.size_deg - 180.0
    north = 90.0 - rows * grid.size_deg
    cells = shapely.box(
        west[None, :] + _MARGIN_DEG,
        north[:, None] - grid.size_deg + _MARGIN_DEG,
        west[None, :] + grid.size_deg - _MARGIN_DEG,
        north[:, None] - _MARGIN_DEG,
    )
    shapely.prepare(part)
    is_inside: NDArray[np.bool_] = shapely.intersects(part, cells)
    if not is_inside.any():  # a point, or a line, between the cells
        yield cell_range
        return
    for row, in_row in zip(rows.tolist(), is_inside, strict=True):
        touched_columns = columns[in_row].tolist()
        for _, run in groupby(enumerate(touched_columns), lambda pair: pair[1] - pair[0]):
            first, *other_columns = (column for _, column in run)
            yield CellRange(first, row, other_columns[-1] if other_columns else first, row)
