"""Facets: counts of the matching records by type, source, decade, region, cell, ...

Each value is valid for the facet's parameter. A count is what choosing the value gives: of a facet with chosen values,
what another value adds. Chosen values stay in the list, with their own counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np

from core.cells import CellGrid, CellRange, CellView
from core.geo import WORLD, BBox
from core.json_types import Json, JsonMapping
from core.names import folded_phrase
from core.ports import Geocoder
from core.timespan import LAST_YEAR, YEAR_BEFORE_FIRST, TimeSpan, counts_by_year, instant_ms
from es_mappings.codecs.cells import field_of
from reading.names import DESK_WORDS
from search_api.search.request import PERSON, FacetName, Filters
from search_api.search.retrieval.clauses import Clause, area_clause, one_of, record_filters, span_clause

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


def read_facets(names: Sequence[FacetName], aggregations: JsonMapping, choices: Choices) -> dict[FacetName, Facet]:
    """The counts in Elasticsearch's aggregations, in the order of ``names``."""
    counts = {name: inner(count) for name, count in aggregations.items()}
    facets: dict[FacetName, Facet] = {}
    for name in names:
        if name in TERMS:
            facets[name] = _terms(name, counts[name], counts.get(f"{name}_chosen", {"buckets": {}}))
        elif name == "decade":
            facets[name] = _decades(counts[name]["buckets"], choices)
        elif name == "cell":
            facets[name] = _cells(counts[name], choices)
        elif name == "year":
            facets[name] = _years(counts[name], choices)
        else:
            buckets = counts[name]["buckets"] if name in counts else {}
            facets[name] = _regions(buckets, choices)
    return facets


def _terms(name: FacetName, answer: JsonMapping, choice: JsonMapping) -> Facet:
    chosen = [FacetValue(value, bucket["doc_count"], value, True) for value, bucket in choice["buckets"].items()]
    values = [*chosen, *contact_values(answer["buckets"], people=name == PERSON)]
    values.sort(key=lambda value: -value.count)
    return Facet(name, tuple(values[: MOST_VALUES + len(chosen)]), int(answer.get("sum_other_doc_count", 0)))


def contact_values(buckets: Sequence[JsonMapping], *, people: bool) -> list[FacetValue]:
    """The values of a facet; a person's short name only where some records write no longer one."""
    values = [FacetValue(str(bucket["key"]), bucket["doc_count"], _written_contact(bucket)) for bucket in buckets]
    long_counts: dict[str, int] = defaultdict(int)
    for value in values if people else ():
        if len(value.value.split()) > 2:
            long_counts[short_name(value.value)] += value.count
    return [value for value in values if value.count > long_counts.get(value.value, 0)]


def _written_contact(bucket: JsonMapping) -> str:
    """The bucket's person or organisation as its first record writes it, the first name first; else its key."""
    key = folded_phrase(str(bucket["key"]))
    contacts = [
        contact
        for hit in bucket.get(_RECORD, {"hits": {"hits": ()}})["hits"]["hits"]
        for contact in hit["_source"].get("contacts", ())
    ]
    names = [first_name_first(str(contact["name"])) for contact in contacts if contact.get("name")]
    texts = [str(contact["organisation"]) for contact in contacts if contact.get("organisation")]
    written = (text for text in (*texts, *names, *map(short_name, names)) if folded_phrase(text) == key)
    return next(written, str(bucket["key"]))


def first_name_first(name: str) -> str:
    """``Serreze, Mark`` as ``Mark Serreze``."""
    last, comma, first = name.partition(",")
    return f"{first.strip()} {last.strip()}" if comma else name.strip()


def short_name(name: str) -> str:
    """The first and the last word: ``Mark Serreze`` of ``Mark C. Serreze``."""
    words = name.split()
    return f"{words[0]} {words[-1]}" if words else ""


def _decades(buckets: JsonMapping, choices: Choices) -> Facet:
    values = tuple(
        FacetValue(value, buckets[label]["doc_count"], label, span == choices.filters.span)
        for label, (value, span) in decades_until(choices.now_ms).items()
        if buckets[label]["doc_count"] or span == choices.filters.span
    )
    return Facet(_PARAMETERS["decade"], values)


def _regions(buckets: JsonMapping, choices: Choices) -> Facet:
    place_name = (choices.place or "").lower()
    values = tuple(
        FacetValue(label, bucket["doc_count"], label, label.lower() == place_name)
        for label, bucket in buckets.items()
        if bucket["doc_count"] or label.lower() == place_name
    )
    return Facet(_PARAMETERS["region"], values)


def _cells(answer: JsonMapping, choices: Choices) -> Facet:
    """The label is the cell's address in WorldCRS84Quad: level/row/column."""
    cell_counts = read_cells(answer, choices.cells)
    level = cell_counts.grid.level
    values = tuple(
        FacetValue(
            ",".join(f"{edge:.9g}" for edge in cell_counts.box(cell).as_list()),
            cell.count,
            f"{level}/{cell.row}/{cell.column}",
        )
        for cell in cell_counts.cells
    )
    return Facet(_PARAMETERS["cell"], values, level=level)


def _years(answer: JsonMapping, choices: Choices) -> Facet:
    values = tuple(
        FacetValue(f"../{YEAR_BEFORE_FIRST}", count, f"before {YEAR_BEFORE_FIRST + 1}")
        if year == YEAR_BEFORE_FIRST
        else FacetValue(f"{year}/{year}", count, str(year))
        for year, count in read_years(answer, choices.year).items()
    )
    return Facet(_PARAMETERS["year"], values)


MOST_VALUES = 20
_FIRST_DECADE = 1850
TERMS: dict[FacetName, tuple[str, str]] = {  # field of the index, field of Filters
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
    PERSON: (PERSON, "people"),
}
PEOPLE: Json = {
    PERSON: {
        "type": "keyword",
        "script": {
            "params": {"desk": sorted(DESK_WORDS)},
            "source": """
            if (params._source.contacts == null) return;
            for (contact in params._source.contacts) {
              if (contact.name == null) continue;
              String name = contact.name.toLowerCase();
              int comma = name.indexOf(',');
              if (comma > 0) name = name.substring(comma + 1).trim() + ' ' + name.substring(0, comma);
              String[] words = name.trim().splitOnToken(' ');
              boolean isDesk = false;
              for (word in words) if (params.desk.contains(word)) isDesk = true;
              if (isDesk) continue;
              emit(name);
              if (words.length > 2) emit(words[0] + ' ' + words[words.length - 1]);
            }
        """,
        },
    }
}
"""Reads the contacts at search time, the first name first: indices need no field for it.

A person with several first names also counts by the first and last name; a help desk is no person.
"""
_RECORD = "record"
WRITTEN: Json = {_RECORD: {"top_hits": {"size": 1, "_source": ["contacts.name", "contacts.organisation"]}}}
"""One record for each contact: fields of the index are folded."""
_INNER = "among"
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
class Choices:
    """What decides the values: the active filters, the time of the question, the regions' boxes, the map's part."""

    filters: Filters = field(default_factory=Filters)
    place: str | None = None
    now_ms: int = 0
    regions: Mapping[str, BBox] = field(default_factory=dict)
    cells: CellView = field(default_factory=CellView)

    @property
    def year(self) -> int:
        return int(str(np.datetime64(self.now_ms, "ms"))[:4])


@dataclass(frozen=True, slots=True)
class FacetCounts:
    """``filters``: of all counted records, None for those of the search; ``narrowing``: the further conditions of a
    hit.
    """

    filters: tuple[Clause, ...] | None = None
    narrowing: tuple[Clause, ...] = ()
    aggregations: Json = field(default_factory=dict)

    @classmethod
    def of(cls, names: Sequence[FacetName], choices: Choices) -> FacetCounts:
        """The counts of the named facets."""
        own_clauses = {name: clause for name in names if (clause := _own_filter(name, choices.filters)) is not None}
        base = choices.filters
        for name in own_clauses:
            base = replace(base, **_without(name))
        counts: Json = {}
        for name in names:
            other_clauses = [clause for facet, clause in own_clauses.items() if facet != name]
            own_clause = own_clauses.get(name)
            own_values: list[Clause] = (
                [{"bool": {"must_not": [own_clause]}}] if own_clause is not None and name in TERMS else []
            )
            for key, aggregation in _aggregations(name, choices).items():
                counts[key] = _filter_aggregation(
                    other_clauses if key != name else [*other_clauses, *own_values], aggregation
                )
        return cls(tuple(record_filters(base)), tuple(own_clauses.values()), counts)

    def section(self) -> Json:
        """The parts of a search body."""
        if not self.aggregations:
            return {}
        hits: Json = {"post_filter": {"bool": {"filter": list(self.narrowing)}}} if self.narrowing else {}
        reads_people: Json = {"runtime_mappings": PEOPLE} if PERSON in self.aggregations else {}
        return {**hits, **reads_people, "aggs": self.aggregations}


def inner(answer: JsonMapping) -> JsonMapping:
    """The answer to one aggregation, whatever conditions it stood in."""
    nested: JsonMapping = answer.get(_INNER, answer)
    return nested


def _filter_aggregation(conditions: Sequence[Clause], aggregation: Json) -> Json:
    if not conditions:
        return aggregation
    return {"filter": {"bool": {"filter": list(conditions)}}, "aggs": {_INNER: aggregation}}


def _own_filter(name: FacetName, filters: Filters) -> Clause | None:
    """The clause of the facet's own parameter; None if nothing is chosen."""
    if name in TERMS:
        values = getattr(filters, TERMS[name][1])
        return one_of(TERMS[name][1], list(values)) if values else None
    if name == "decade" and filters.span is not None:
        return span_clause(filters.span)
    if name == "region" and filters.area is not None:
        return area_clause(filters.area, filters.relation or "intersects")
    return None


def _without(name: FacetName) -> Json:
    if name in TERMS:
        return {TERMS[name][1]: ()}
    return {"span": None} if name == "decade" else {"area": None}


def _aggregations(name: FacetName, choices: Choices) -> Json:
    if name in TERMS:
        index_field, chosen = TERMS[name]
        size = 2 * MOST_VALUES if name == PERSON else MOST_VALUES
        aggs: Json = {name: {"terms": {"field": index_field, "size": size}}}
        if name in (PERSON, "organisation"):
            aggs[name]["aggs"] = WRITTEN
        values = getattr(choices.filters, chosen)
        if values:
            aggs[f"{name}_chosen"] = {"filters": {"filters": {value: one_of(chosen, [value]) for value in values}}}
        return aggs
    if name == "decade":
        decades = {label: span_clause(span) for label, (_, span) in decades_until(choices.now_ms).items()}
        return {name: {"filters": {"filters": decades}}}
    if name == "cell":
        return {name: cell_aggregation(choices.cells)}
    if name == "year":
        return {name: year_aggregation()}
    relation = choices.filters.relation or "intersects"
    regions = {label: area_clause(box, relation) for label, box in choices.regions.items()}
    return {name: {"filters": {"filters": regions}}} if regions else {}


def region_boxes(geocoder: Geocoder) -> Mapping[str, BBox]:
    """Continents and oceans as ``place=`` resolves them, so that a count equals the number of hits after choosing
    it.
    """
    by_name = {name: geocoder.lookup(name) for name in _REGIONS}
    return {name: places[0].bbox for name, places in by_name.items() if places}


def decades_until(now_ms: int) -> dict[str, tuple[str, TimeSpan]]:
    """Maps a label to the value of ``datetime`` and its span: all before 1850, then by decade."""
    last = int(str(np.datetime64(now_ms, "ms"))[:4]) // 10 * 10
    ranges = {f"before {_FIRST_DECADE}": (f"../{_FIRST_DECADE - 1}", _span_of(None, _FIRST_DECADE - 1))}
    for year in range(_FIRST_DECADE, last + 1, 10):
        ranges[f"{year}s"] = (f"{year}/{year + 9}", _span_of(year, year + 9))
    return ranges


def _span_of(first: int | None, last: int) -> TimeSpan:
    return TimeSpan(None if first is None else instant_ms(str(first)), instant_ms(str(last), at_end=True))


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
    aggregations = {str(level): {"terms": {"field": field_of(level), "size": _MOST_CORNERS}} for level in levels}
    area_filter: Json = {"match_all": {}} if view.area == WORLD else area_clause(view.area, "intersects")
    return {"filter": area_filter, "aggs": aggregations}


def read_cells(answer: JsonMapping, view: CellView) -> CellCounts:
    """The counts in the finest level of the answer that is complete."""
    level = view.grid.level
    complete = answer[str(level)]["sum_other_doc_count"] == 0
    grid = CellGrid(level if complete else min(level, _FALLBACK))
    buckets = answer[str(grid.level)]["buckets"]
    corners, areas = [int(bucket["key"]) for bucket in buckets], [int(bucket["doc_count"]) for bucket in buckets]
    count_by_cell: dict[tuple[int, int], int] = {}
    for block in grid.blocks(view.area):
        counts = grid.counts(corners, areas, block)
        rows, columns = np.nonzero(counts)
        places = zip((rows + block.first_row).tolist(), (columns + block.first_column).tolist(), strict=True)
        count_by_cell |= dict(zip(places, counts[rows, columns].tolist(), strict=True))
    return CellCounts(grid, tuple(Cell(*place, count) for place, count in sorted(count_by_cell.items())))


def year_aggregation() -> Json:
    """One aggregation; ``read_years`` reads its answer."""
    return {"terms": {"field": "years", "size": 2 * (LAST_YEAR + 2 - YEAR_BEFORE_FIRST)}}


def read_years(answer: JsonMapping, this_year: int) -> dict[int, int]:
    """Records by year, without empty years, until this one or the last in which one ends, at most 2100.

    ``BEFORE`` counts those that begin before 1850.
    """
    changes_by_year = {int(bucket["key"]): int(bucket["doc_count"]) for bucket in answer["buckets"]}
    last = max([this_year, *(change // 2 - 1 for change in changes_by_year if change % 2)])
    return {year: count for year, count in counts_by_year(changes_by_year).items() if count and year <= last}
