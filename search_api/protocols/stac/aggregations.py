"""STAC's Aggregation extension: counts of the matching items, by one Elasticsearch search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.cells import CellView
from core.errors import InvalidInput
from core.json_types import Json, JsonMapping
from core.timespan import iso
from search_api.catalogue.listing.query import selected
from search_api.catalogue.listing.request import Selection
from search_api.formats_out.rfc3339 import nearest
from search_api.search.order import STARTS
from search_api.search.retrieval.cell_counts import cell_aggregation, read_cells

Kind = Literal["string", "numeric", "datetime"]

_MOST_VALUES = 100
_MOST_INTERVALS = 60
_STARTS = "starts"
_WORLD = CellView()
_GSD_METRES = (10.0, 30.0, 100.0, 300.0, 1000.0, 10_000.0)


@dataclass(frozen=True, slots=True)
class Aggregation:
    """``body``: what Elasticsearch computes, None for the total. ``read``: its answer as members of the extension."""

    name: str
    data_type: Literal["integer", "datetime", "frequency_distribution"]
    body: Json | None
    read: Callable[[JsonMapping], Json]
    of: Kind | None = None

    def described(self) -> Json:
        said: Json = {"name": self.name, "data_type": self.data_type}
        return said if self.of is None else {**said, "frequency_distribution_data_type": self.of}


def _moment(found: JsonMapping) -> Json:
    """No ``value`` if nothing matches."""
    return {} if found["value"] is None else {"value": iso(nearest(int(found["value"])))}


def _values(found: JsonMapping) -> Json:
    buckets = [_bucket(str(one["key"]), "string", one["doc_count"]) for one in found["buckets"]]
    return {"buckets": buckets, "overflow": int(found.get("sum_other_doc_count", 0))}


def _periods(found: JsonMapping) -> Json:
    buckets = [
        _bucket(iso(nearest(int(one["key"]))), "datetime", one["doc_count"])
        for one in found["buckets"]
        if one["doc_count"]
    ]
    return {"buckets": buckets, "overflow": 0, "interval": found["interval"]}


def _ranges(found: JsonMapping) -> Json:
    edges = ("from", "to")
    buckets = [
        {**_bucket(one["key"], "numeric", one["doc_count"]), **{edge: one[edge] for edge in edges if edge in one}}
        for one in found["buckets"]
    ]
    return {"buckets": buckets, "overflow": 0}


def _cells(found: JsonMapping) -> Json:
    """The key is the cell's address in OGC's WorldCRS84Quad: level/row/column."""
    counted = read_cells(found, _WORLD)
    level = counted.grid.level
    buckets = [_bucket(f"{level}/{one.row}/{one.column}", "string", one.count) for one in counted.cells]
    return {"buckets": buckets, "overflow": 0}


def _bucket(key: str, kind: Kind, count: int) -> Json:
    return {"key": key, "data_type": kind, "frequency": count}


def _terms(name: str, field: str) -> Aggregation:
    body: Json = {"terms": {"field": field, "size": _MOST_VALUES}}
    return Aggregation(f"{name}_frequency", "frequency_distribution", body, _values, "string")


def _gsd() -> Json:
    least: Sequence[float | None] = (None, *_GSD_METRES)
    most: Sequence[float | None] = (*_GSD_METRES, None)
    ranges = [
        {name: edge for name, edge in (("from", start), ("to", end)) if edge is not None}
        for start, end in zip(least, most, strict=True)
    ]
    return {"range": {"field": "resolution.metres", "ranges": ranges}}


_ALL = (
    Aggregation("total_count", "integer", None, lambda found: {"value": found["value"]}),
    Aggregation("datetime_min", "datetime", {"min": {"field": _STARTS}}, _moment),
    Aggregation("datetime_max", "datetime", {"max": {"field": _STARTS}}, _moment),
    Aggregation(
        "datetime_frequency",
        "frequency_distribution",
        {"auto_date_histogram": {"field": _STARTS, "buckets": _MOST_INTERVALS}},
        _periods,
        "datetime",
    ),
    _terms("collection", "source"),
    _terms("sonde:type", "type"),
    _terms("platform", "names.platforms"),
    _terms("instruments", "names.instruments"),
    _terms("keywords", "keywords.exact"),
    _terms("processing:level", "names.processing_level"),
    _terms("license", "licence"),
    Aggregation("sonde:cell_frequency", "frequency_distribution", cell_aggregation(_WORLD), _cells, "string"),
    Aggregation("gsd_frequency", "frequency_distribution", _gsd(), _ranges, "numeric"),
)
AGGREGATIONS: Mapping[str, Aggregation] = {one.name: one for one in _ALL}


def asked_aggregations(names: Sequence[str]) -> list[Aggregation]:
    """Without repetitions, in the order of ``names``. Raises InvalidInput for an unknown one."""
    unknown = [name for name in names if name not in AGGREGATIONS]
    if unknown:
        known = ", ".join(AGGREGATIONS)
        raise InvalidInput("aggregations", f"aggregations: there is no {', '.join(unknown)}; there are {known}")
    return [AGGREGATIONS[name] for name in dict.fromkeys(names)]


def aggregation_body(selection: Selection, asked: Sequence[Aggregation], has_words: bool) -> Json:
    """One search without hits. A period counts where it starts."""
    return {
        "query": selected(selection, has_words),
        "size": 0,
        "track_total_hits": True,
        "runtime_mappings": {_STARTS: {**STARTS, "type": "date"}},
        "aggs": {str(number): one.body for number, one in enumerate(asked) if one.body is not None},
    }


def read_aggregations(answer: JsonMapping, asked: Sequence[Aggregation]) -> list[Json]:
    """The counts in Elasticsearch's answer, in the order of ``asked``."""
    found = answer.get("aggregations", {})
    total = answer["hits"]["total"]
    return [
        {**one.described(), **one.read(total if one.body is None else found[str(number)])}
        for number, one in enumerate(asked)
    ]
