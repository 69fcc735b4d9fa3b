"""Cells of a grid over the world, and how many areas lie in each of them, from the corners of the areas alone.

The grid of level n has 2^(n+1) columns and 2^n rows of 180/2^n degrees, from the upper left: OGC's WorldCRS84Quad.

An area is stored by the corners of its cells and not by the cells, so that a worldwide one costs no more than a small
one: +1 where its cells begin, -1 behind their last column and row. The sums from the upper left then give the number of
areas in each cell (a two-dimensional difference array). An area has at most ``MOST_CORNERS`` corners in a level; if it
has more, it is drawn by the larger cells of a coarser level.

Cells are half-open: an area that only touches a cell is not in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.geo import WORLD, BBox

COARSEST, FINEST = 2, 10
LEVELS = range(COARSEST, FINEST + 1)
"""Cells of 45 to 0.18 degrees."""
MOST_CORNERS = 64
MOST_CELLS = 2048
"""The cells of one answer: the world in cells of 5.6 degrees."""

_WEIGHTS = (1, -1, 2, -2)
_TOLERANCE = 1e-9  # in cells: 0.1 degrees are not exact in binary

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, order=True)
class CellRange:
    """Cells from one column and row to another, all inclusive."""

    first_column: int
    first_row: int
    last_column: int
    last_row: int

    def finer(self, steps: int) -> CellRange:
        """The same area in the cells of a level that is finer by ``steps``."""
        last = (1 << steps) - 1
        return CellRange(
            self.first_column << steps,
            self.first_row << steps,
            (self.last_column << steps) + last,
            (self.last_row << steps) + last,
        )


@dataclass(frozen=True, slots=True)
class CellGrid:
    """``level``: 0 or more."""

    level: int

    @property
    def columns(self) -> int:
        return 2 << self.level

    @property
    def rows(self) -> int:
        return 1 << self.level

    @property
    def size_deg(self) -> float:
        return 180.0 / self.rows

    def blocks(self, box: BBox) -> list[CellRange]:
        """The cells of the box: two blocks if it crosses the antimeridian."""
        return [self._block(part) for part in box.parts()]

    def _block(self, box: BBox) -> CellRange:
        first_column, last_column = self._first_and_last(box.west + 180.0, box.east + 180.0, self.columns)
        first_row, last_row = self._first_and_last(90.0 - box.north, 90.0 - box.south, self.rows)
        return CellRange(first_column, first_row, last_column, last_row)

    def _first_and_last(self, start_deg: float, end_deg: float, count: int) -> tuple[int, int]:
        first = min(max(math.floor(start_deg / self.size_deg + _TOLERANCE), 0), count - 1)
        last = min(math.ceil(end_deg / self.size_deg - _TOLERANCE) - 1, count - 1)
        return first, max(first, last)

    def box(self, block: CellRange) -> BBox:
        """The block's edges in degrees."""
        size = self.size_deg
        return BBox(
            block.first_column * size - 180.0,
            90.0 - (block.last_row + 1) * size,
            (block.last_column + 1) * size - 180.0,
            90.0 - block.first_row * size,
        )

    def corners(self, blocks: Iterable[CellRange]) -> list[int]:
        """The corners of the union of the blocks, as whole numbers, sorted; ``counts`` reads them."""
        distinct_blocks = sorted(set(blocks))
        if len(distinct_blocks) < 2:
            return self._corners_of(distinct_blocks[0]) if distinct_blocks else []
        columns = np.unique([(block.first_column, block.last_column + 1) for block in distinct_blocks])
        rows = np.unique([(block.first_row, block.last_row + 1) for block in distinct_blocks])
        differences = np.zeros((len(rows) + 1, len(columns) + 1), dtype=np.int64)
        for block in distinct_blocks:
            columns_of_edges = np.searchsorted(columns, (block.first_column, block.last_column + 1)) + 1
            rows_of_edges = np.searchsorted(rows, (block.first_row, block.last_row + 1)) + 1
            differences[rows_of_edges[0] : rows_of_edges[1], columns_of_edges[0] : columns_of_edges[1]] = 1
        weights = np.diff(np.diff(differences, axis=0), axis=1)
        weighted_corners = [
            (int(columns[column]), int(rows[row]), int(weights[row, column]))
            for row, column in zip(*np.nonzero(weights), strict=True)
        ]
        return self._encode(weighted_corners)

    def _corners_of(self, block: CellRange) -> list[int]:
        west, north, east, south = block.first_column, block.first_row, block.last_column + 1, block.last_row + 1
        return self._encode([(west, north, 1), (east, north, -1), (west, south, -1), (east, south, 1)])

    def _encode(self, corners: Iterable[tuple[int, int, int]]) -> list[int]:
        """Column, row and weight as one number; without corners after the last cell, which count nothing."""
        return sorted(
            (row * self.columns + column) * len(_WEIGHTS) + _WEIGHTS.index(weight)
            for column, row, weight in corners
            if row < self.rows and column < self.columns
        )

    def counts(self, corners: Sequence[int], area_counts: Sequence[int], within: CellRange | None = None) -> Counts:
        """How many areas each cell of ``within`` has (None: of the grid), (rows, columns).

        ``area_counts``: how many areas have each of the corners.
        """
        part = within or CellRange(0, 0, self.columns - 1, self.rows - 1)
        numbers = np.asarray(corners, dtype=np.int64)
        weights = np.asarray(_WEIGHTS)[numbers % len(_WEIGHTS)] * np.asarray(area_counts, dtype=np.int64)
        rows, columns = np.divmod(numbers // len(_WEIGHTS), self.columns)
        # What begins behind the part does not count.
        is_counted = (rows <= part.last_row) & (columns <= part.last_column)
        sums = np.zeros((part.last_row - part.first_row + 1, part.last_column - part.first_column + 1), dtype=np.int64)
        targets = np.maximum(rows - part.first_row, 0), np.maximum(columns - part.first_column, 0)
        np.add.at(sums, (targets[0][is_counted], targets[1][is_counted]), weights[is_counted])
        sums_2d: Counts = sums.cumsum(axis=0).cumsum(axis=1)
        return sums_2d


def outline(cells_in: Callable[[CellGrid], Iterable[CellRange]], level: int) -> list[int]:
    """The corners in ``level`` of an area, at most ``MOST_CORNERS``: ``cells_in`` gives its cells in a grid."""
    grid = CellGrid(level)
    for steps in range(level + 1):
        blocks = cells_in(CellGrid(level - steps))
        corners = grid.corners(block.finer(steps) for block in blocks)
        if len(corners) <= MOST_CORNERS:
            return corners
    return grid.corners([CellRange(0, 0, grid.columns - 1, grid.rows - 1)])


@dataclass(frozen=True, slots=True)
class CellView:
    """What to count: the part of the world, and at most how fine. ``level``: None: as fine as ``MOST_CELLS`` allows."""

    area: BBox = WORLD
    level: int | None = None

    @property
    def grid(self) -> CellGrid:
        """The finest grid that is allowed, with at most ``MOST_CELLS`` cells in the area."""
        finest_allowed = FINEST if self.level is None else min(max(self.level, COARSEST), FINEST)
        return next(
            (
                grid
                for level in range(finest_allowed, COARSEST, -1)
                if _size(grid := CellGrid(level), self.area) <= MOST_CELLS
            ),
            CellGrid(COARSEST),
        )


def _size(grid: CellGrid, area: BBox) -> int:
    return sum(
        (block.last_column - block.first_column + 1) * (block.last_row - block.first_row + 1)
        for block in grid.blocks(area)
    )
