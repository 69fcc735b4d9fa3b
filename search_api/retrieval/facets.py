"""Facets: counts of the matching records by type, source, decade, region, cell, ...

Each value is valid for the facet's parameter. Chosen values stay in the list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

import numpy as np

from core.cells import CellView
from core.extent import BBox
from core.json_types import Json, JsonMapping
from core.ports import Geocoder
from core.timespan import TimeSpan, instant_ms
from core.year_counts import BEFORE
from search_api.request import FacetName, Filters
from search_api.retrieval.cell_counts import cell_aggregation, read_cells, read_years, year_aggregation
from search_api.retrieval.filters import area_clause, span_clause

FACETS: tuple[FacetName, ...] = get_args(FacetName)

MOST_VALUES = 20
_FIRST_DECADE = 1850
_TERMS: dict[FacetName, tuple[str, str]] = {  # field of the index, field of Filters
    "type": ("type", "types"),
    "source": ("source", "sources"),
    "organisation": ("contacts.organisation.exact", "organisations"),
    "keyword": ("keywords.exact", "keywords"),
    "theme": ("themes", "themes"),
    "provenance": ("provenance.kind", "provenance"),
    "licence": ("licence", "licences"),
    "format": ("formats", "formats"),
    "platform": ("names.platforms", "platforms"),
    "instrument": ("names.instruments", "instruments"),
    "project": ("names.projects", "projects"),
    "variable": ("names.variables.name", "variables"),
    "processing_level": ("names.processing_level", "processing_levels"),
}
_PARAMETERS: dict[FacetName, str] = {"decade": "datetime", "region": "place", "cell": "bbox", "year": "datetime"}
_REGIONS = (
    "Africa",
    "Antarctica",
    "Arctic",
    "Asia",
    "Europe",
    "North America",
    "Oceania",
    "South America",
    "Atlantic Ocean",
    "Indian Ocean",
    "Pacific Ocean",
    "Southern Ocean",
)


@dataclass(frozen=True, slots=True)
class FacetValue:
    """``value`` is for the parameter, ``label`` for people."""

    value: str
    count: int
    label: str = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Facet:
    """Most frequent first (decades and years in time, regions by name, cells from the upper left, row by row).

    ``others``: values that are not listed; ``level``: of the cells' grid, None for another facet.
    """

    parameter: str
    values: tuple[FacetValue, ...] = ()
    others: int = 0
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Choices:
    """What decides the values: the active filters, the time of the question, the regions' boxes, the map's part."""

    filters: Filters
    place: str | None = None
    now_ms: int = 0
    regions: Mapping[str, BBox] = field(default_factory=dict)
    cells: CellView = field(default_factory=CellView)

    @property
    def year(self) -> int:
        return int(str(np.datetime64(self.now_ms, "ms"))[:4])


def region_boxes(geocoder: Geocoder) -> Mapping[str, BBox]:
    """Continents and oceans as ``place=`` resolves them, so that a count equals the number of hits after choosing
    it.
    """
    found = {name: geocoder.lookup(name) for name in _REGIONS}
    return {name: places[0].bbox for name, places in found.items() if places}


def facet_aggregations(names: Sequence[FacetName], choices: Choices) -> Json:
    """The aggregations for the named facets."""
    aggs: Json = {}
    for name in names:
        if name in _TERMS:
            index_field, chosen = _TERMS[name]
            aggs[name] = {"terms": {"field": index_field, "size": MOST_VALUES}}
            values = getattr(choices.filters, chosen)
            if values:
                filters = {value: {"term": {index_field: value}} for value in values}
                aggs[f"{name}_chosen"] = {"filters": {"filters": filters}}
        elif name == "decade":
            decades = {label: span_clause(span) for label, (_, span) in decades_until(choices.now_ms).items()}
            aggs[name] = {"filters": {"filters": decades}}
        elif name == "cell":
            aggs[name] = cell_aggregation(choices.cells)
        elif name == "year":
            aggs[name] = year_aggregation()
        elif choices.regions:
            regions = {label: area_clause(box, "intersects") for label, box in choices.regions.items()}
            aggs[name] = {"filters": {"filters": regions}}
    return aggs


def decades_until(now_ms: int) -> dict[str, tuple[str, TimeSpan]]:
    """Maps a label to the value of ``datetime`` and its span: all before 1850, then by decade."""
    last = int(str(np.datetime64(now_ms, "ms"))[:4]) // 10 * 10
    found = {f"before {_FIRST_DECADE}": (f"../{_FIRST_DECADE - 1}", _span_of(None, _FIRST_DECADE - 1))}
    for year in range(_FIRST_DECADE, last + 1, 10):
        found[f"{year}s"] = (f"{year}/{year + 9}", _span_of(year, year + 9))
    return found


def _span_of(first: int | None, last: int) -> TimeSpan:
    return TimeSpan(None if first is None else instant_ms(str(first)), instant_ms(str(last), at_end=True))


def read_facets(names: Sequence[FacetName], found: JsonMapping, choices: Choices) -> dict[FacetName, Facet]:
    """The counts in Elasticsearch's aggregations, in the order of ``names``."""
    read: dict[FacetName, Facet] = {}
    for name in names:
        if name in _TERMS:
            read[name] = _terms(name, found[name], found.get(f"{name}_chosen", {"buckets": {}}))
        elif name == "decade":
            read[name] = _decades(found[name]["buckets"], choices)
        elif name == "cell":
            read[name] = _cells(found[name], choices)
        elif name == "year":
            read[name] = _years(found[name], choices)
        else:
            buckets = found[name]["buckets"] if name in found else {}
            read[name] = _regions(buckets, choices)
    return read


def _terms(name: FacetName, listed: JsonMapping, chosen: JsonMapping) -> Facet:
    kept = {value: bucket["doc_count"] for value, bucket in chosen["buckets"].items()}
    folded = {value.lower() for value in kept}
    values = [
        FacetValue(str(bucket["key"]), bucket["doc_count"], str(bucket["key"]), str(bucket["key"]).lower() in folded)
        for bucket in listed["buckets"]
    ]
    there = {one.value.lower() for one in values}
    values += [FacetValue(value, count, value, True) for value, count in kept.items() if value.lower() not in there]
    return Facet(name, tuple(values), int(listed.get("sum_other_doc_count", 0)))


def _decades(buckets: JsonMapping, choices: Choices) -> Facet:
    values = tuple(
        FacetValue(value, buckets[label]["doc_count"], label, span == choices.filters.span)
        for label, (value, span) in decades_until(choices.now_ms).items()
        if buckets[label]["doc_count"] or span == choices.filters.span
    )
    return Facet(_PARAMETERS["decade"], values)


def _regions(buckets: JsonMapping, choices: Choices) -> Facet:
    asked = (choices.place or "").lower()
    values = tuple(
        FacetValue(label, bucket["doc_count"], label, label.lower() == asked)
        for label, bucket in buckets.items()
        if bucket["doc_count"] or label.lower() == asked
    )
    return Facet(_PARAMETERS["region"], values)


def _cells(found: JsonMapping, choices: Choices) -> Facet:
    """The label is the cell's address in WorldCRS84Quad: level/row/column."""
    counted = read_cells(found, choices.cells)
    level = counted.grid.level
    values = tuple(
        FacetValue(
            ",".join(f"{edge:.9g}" for edge in counted.box(cell).as_list()),
            cell.count,
            f"{level}/{cell.row}/{cell.column}",
        )
        for cell in counted.cells
    )
    return Facet(_PARAMETERS["cell"], values, level=level)


def _years(found: JsonMapping, choices: Choices) -> Facet:
    values = tuple(
        FacetValue(f"../{BEFORE}", count, f"before {BEFORE + 1}")
        if year == BEFORE
        else FacetValue(f"{year}/{year}", count, str(year))
        for year, count in read_years(found, choices.year).items()
    )
    return Facet(_PARAMETERS["year"], values)
