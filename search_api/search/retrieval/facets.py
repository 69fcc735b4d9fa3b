"""Facets: counts of the matching records by type, source, decade, region, cell, ...

Each value is valid for the facet's parameter. A count is what choosing the value gives: of a facet with chosen values,
what another value adds. Chosen values stay in the list, with their own counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from core.json_types import JsonMapping
from core.timespan import BEFORE
from search_api.search.request import FacetName
from search_api.search.retrieval.cell_counts import read_cells, read_years
from search_api.search.retrieval.facet_counts import TERMS, Choices, decades_until, inner

FACETS: tuple[FacetName, ...] = get_args(FacetName)

_PARAMETERS: dict[FacetName, str] = {"decade": "datetime", "region": "place", "cell": "bbox", "year": "datetime"}


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


def read_facets(names: Sequence[FacetName], counted: JsonMapping, choices: Choices) -> dict[FacetName, Facet]:
    """The counts in Elasticsearch's aggregations, in the order of ``names``."""
    found = {name: inner(one) for name, one in counted.items()}
    read: dict[FacetName, Facet] = {}
    for name in names:
        if name in TERMS:
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
    values = [FacetValue(value, bucket["doc_count"], value, True) for value, bucket in chosen["buckets"].items()]
    for bucket in listed["buckets"]:
        values.append(FacetValue(str(bucket["key"]), bucket["doc_count"], str(bucket["key"])))
    values.sort(key=lambda one: -one.count)
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
