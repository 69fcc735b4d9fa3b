"""How facets are counted: one search over all matches, in which each facet leaves out its own filter.

The values of a facet add: two of them are either one or the other. So beside chosen values another one counts what it
would add. A place or a period replaces the chosen one, and counts what it would give instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.cells import CellView
from core.extent import BBox
from core.json_types import Json, JsonMapping
from core.ports import Geocoder
from core.timespan import TimeSpan, instant_ms
from search_api.search.request import FacetName, Filters
from search_api.search.retrieval.cell_counts import cell_aggregation, year_aggregation
from search_api.search.retrieval.filters import Clause, area_clause, one_of, record_filters, span_clause

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
}
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
        if not names:
            return cls()
        own = {name: clause for name in names if (clause := _own_filter(name, choices.filters)) is not None}
        base = choices.filters
        for name in own:
            base = replace(base, **_without(name))
        counts: Json = {}
        for name in names:
            others = [clause for facet, clause in own.items() if facet != name]
            mine = own.get(name)
            beside: list[Clause] = [{"bool": {"must_not": [mine]}}] if mine is not None and name in TERMS else []
            for key, aggregation in _aggregations(name, choices).items():
                counts[key] = _among(others if key != name else [*others, *beside], aggregation)
        return cls(tuple(record_filters(base)), tuple(own.values()), counts)

    def section(self) -> Json:
        """The parts of a search body."""
        if not self.aggregations:
            return {}
        hits: Json = {"post_filter": {"bool": {"filter": list(self.narrowing)}}} if self.narrowing else {}
        return {**hits, "aggs": self.aggregations}


def inner(answer: JsonMapping) -> JsonMapping:
    """The answer to one aggregation, whatever conditions it stood in."""
    found: JsonMapping = answer.get(_INNER, answer)
    return found


def _among(conditions: Sequence[Clause], aggregation: Json) -> Json:
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
        aggs: Json = {name: {"terms": {"field": index_field, "size": MOST_VALUES}}}
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
    found = {name: geocoder.lookup(name) for name in _REGIONS}
    return {name: places[0].bbox for name, places in found.items() if places}


def decades_until(now_ms: int) -> dict[str, tuple[str, TimeSpan]]:
    """Maps a label to the value of ``datetime`` and its span: all before 1850, then by decade."""
    last = int(str(np.datetime64(now_ms, "ms"))[:4]) // 10 * 10
    found = {f"before {_FIRST_DECADE}": (f"../{_FIRST_DECADE - 1}", _span_of(None, _FIRST_DECADE - 1))}
    for year in range(_FIRST_DECADE, last + 1, 10):
        found[f"{year}s"] = (f"{year}/{year + 9}", _span_of(year, year + 9))
    return found


def _span_of(first: int | None, last: int) -> TimeSpan:
    return TimeSpan(None if first is None else instant_ms(str(first)), instant_ms(str(last), at_end=True))
