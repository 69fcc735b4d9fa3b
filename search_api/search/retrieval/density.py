"""Where the catalogue has records: counts by cell, read once an hour; decides between places with the same name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.cells import CellGrid, CellView
from core.geo import BBox
from es_gateway.client import Elasticsearch
from es_mappings.names import alias
from reading.namesakes import RecordDensity
from search_api.search.caches import PeriodicReader
from search_api.search.retrieval.facets import CellCounts, cell_aggregation, read_cells

READ_EVERY_S = 3600.0
_VIEW = CellView()


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


def catalogue_density(client: Elasticsearch, prefix: str) -> RecordDensity:
    """Counts once an hour. Without an index, and for records of an older schema, everything has density 0.

    The counts are of all records, also of those that not everybody may see: they only order places.
    """

    def read(_last: DensityMap) -> DensityMap:
        answer = client.search(index=alias(prefix, "records"), size=0, aggs={"cells": cell_aggregation(_VIEW)})
        return DensityMap.of(read_cells(answer["aggregations"]["cells"], _VIEW))

    density_map = PeriodicReader(read, DensityMap(_VIEW.grid), READ_EVERY_S, "density")
    return lambda box: density_map().of_box(box)
