"""Where the catalogue has records: counts by cell, read once an hour; decides between places with the same name."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import structlog

from core.cells import CellGrid, CellView
from core.geo import BBox
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_mappings.names import alias
from search_api.search.retrieval.facets import CellCounts, cell_aggregation, read_cells

READ_EVERY_S = 3600.0
_VIEW = CellView()

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class DensityMap:
    """Records by (row, column), without those that lie in every cell: a worldwide record says nothing."""

    grid: CellGrid
    count_by_cell: Mapping[tuple[int, int], int] = field(default_factory=dict)

    @classmethod
    def of(cls, counts: CellCounts) -> DensityMap:
        is_everywhere = len(counts.cells) == counts.grid.rows * counts.grid.columns
        worldwide = min(cell.count for cell in counts.cells) if is_everywhere else 0
        return cls(counts.grid, {(cell.row, cell.column): cell.count - worldwide for cell in counts.cells})

    def of_box(self, box: BBox) -> float:
        """The mean over the box's cells."""
        cells = [
            (row, column)
            for block in self.grid.blocks(box)
            for row in range(block.first_row, block.last_row + 1)
            for column in range(block.first_column, block.last_column + 1)
        ]
        return sum(self.count_by_cell.get(cell, 0) for cell in cells) / len(cells)


class CatalogueDensity:
    """Call it with a box. Thread-safe; the first caller reads, later ones use the last counts while one reads again.

    Without an index, and for records of an older schema, everything has density 0. The counts are of all records, also
    of those that not everybody may see: they only order places.
    """

    def __init__(self, client: Elasticsearch, prefix: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._index = alias(prefix, "records")
        self._clock = clock
        self._reading = threading.Lock()
        self._read_at: float | None = None
        self._map = DensityMap(_VIEW.grid)

    def __call__(self, box: BBox) -> float:
        if self._is_due() and self._reading.acquire(blocking=False):
            try:
                self._read()
            finally:
                self._reading.release()
        return self._map.of_box(box)

    def _is_due(self) -> bool:
        return self._read_at is None or self._clock() - self._read_at >= READ_EVERY_S

    def _read(self) -> None:
        self._read_at = self._clock()
        try:
            answer = self._client.search(index=self._index, size=0, aggs={"cells": cell_aggregation(_VIEW)})
        except ElasticsearchError as error:
            log.warning("density.not_read", error=type(error).__name__)
            return
        self._map = DensityMap.of(read_cells(answer["aggregations"]["cells"], _VIEW))
