"""STAC's Aggregation extension: counts of the matching items, by one Elasticsearch search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field, model_validator

from core.cells import CellView
from core.errors import InvalidInput
from core.json_types import Json, JsonMapping
from core.timespan import iso
from search_api.catalogue.listing import Selection, selected
from search_api.formats_out.notations import nearest_rfc3339
from search_api.http.openapi import PROBLEMS, WITH_NOT_FOUND
from search_api.http.parameters import NoParameters, Text, Tokens
from search_api.http.responses import JSON, Addresses, link
from search_api.parts import Parts
from search_api.protocols.stac.documents import StacCollectionPath, collection_named
from search_api.protocols.stac.parameters import StacFilters, StacFiltersBody, stac_selection
from search_api.search.order import STARTS
from search_api.search.retrieval.facets import cell_aggregation, read_cells

Kind = Literal["string", "numeric", "datetime"]

_MOST_VALUES = 100
_MOST_INTERVALS = 60
_STARTS = "starts"
_YEAR_MS = 31_556_952_000
_USUAL_YEARS = {"gte": (-3000 - 1970) * _YEAR_MS, "lt": (2500 - 1970) * _YEAR_MS}
"""Elasticsearch's longest interval has 100 years: the 800,000 years of an ice core would be thousands of buckets."""
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

    def description(self) -> Json:
        members: Json = {"name": self.name, "data_type": self.data_type}
        return members if self.of is None else {**members, "frequency_distribution_data_type": self.of}


def _moment(answer: JsonMapping) -> Json:
    """No ``value`` if nothing matches."""
    return {} if answer["value"] is None else {"value": iso(nearest_rfc3339(int(answer["value"])))}


def _values(answer: JsonMapping) -> Json:
    buckets = [_bucket(str(bucket["key"]), "string", bucket["doc_count"]) for bucket in answer["buckets"]]
    return {"buckets": buckets, "overflow": int(answer.get("sum_other_doc_count", 0))}


def _periods(answer: JsonMapping) -> Json:
    """``overflow`` counts what begins outside of the usual years."""
    usual = answer["usual"]
    periods = usual["periods"]
    buckets = [
        _bucket(iso(nearest_rfc3339(int(bucket["key"]))), "datetime", bucket["doc_count"])
        for bucket in periods["buckets"]
        if bucket["doc_count"]
    ]
    overflow = answer["doc_count"] - usual["doc_count"]
    return {"buckets": buckets, "overflow": overflow, "interval": periods["interval"]}


def _ranges(answer: JsonMapping) -> Json:
    edges = ("from", "to")
    buckets = [
        {
            **_bucket(bucket["key"], "numeric", bucket["doc_count"]),
            **{edge: bucket[edge] for edge in edges if edge in bucket},
        }
        for bucket in answer["buckets"]
    ]
    return {"buckets": buckets, "overflow": 0}


def _cells(answer: JsonMapping) -> Json:
    """The key is the cell's address in OGC's WorldCRS84Quad: level/row/column."""
    cells = read_cells(answer, _WORLD)
    level = cells.grid.level
    buckets = [_bucket(f"{level}/{cell.row}/{cell.column}", "string", cell.count) for cell in cells.cells]
    return {"buckets": buckets, "overflow": 0}


def _bucket(key: str, kind: Kind, count: int) -> Json:
    return {"key": key, "data_type": kind, "frequency": count}


def _terms(name: str, field: str) -> Aggregation:
    body: Json = {"terms": {"field": field, "size": _MOST_VALUES}}
    return Aggregation(f"{name}_frequency", "frequency_distribution", body, _values, "string")


def _gsd() -> Json:
    least: Sequence[float | None] = (None, *_GSD_METRES)
    upper_bounds: Sequence[float | None] = (*_GSD_METRES, None)
    ranges = [
        {name: edge for name, edge in (("from", start), ("to", end)) if edge is not None}
        for start, end in zip(least, upper_bounds, strict=True)
    ]
    return {"range": {"field": "resolution.metres", "ranges": ranges}}


_ALL = (
    Aggregation("total_count", "integer", None, lambda answer: {"value": answer["value"]}),
    Aggregation("datetime_min", "datetime", {"min": {"field": _STARTS}}, _moment),
    Aggregation("datetime_max", "datetime", {"max": {"field": _STARTS}}, _moment),
    Aggregation(
        "datetime_frequency",
        "frequency_distribution",
        {
            "filter": {"exists": {"field": _STARTS}},
            "aggs": {
                "usual": {
                    "filter": {"range": {_STARTS: _USUAL_YEARS}},
                    "aggs": {"periods": {"auto_date_histogram": {"field": _STARTS, "buckets": _MOST_INTERVALS}}},
                }
            },
        },
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
AGGREGATIONS: Mapping[str, Aggregation] = {aggregation.name: aggregation for aggregation in _ALL}


def requested_aggregations(names: Sequence[str]) -> list[Aggregation]:
    """Without repetitions, in the order of ``names``. Raises InvalidInput for an unknown one."""
    unknown = [name for name in names if name not in AGGREGATIONS]
    if unknown:
        all_names = ", ".join(AGGREGATIONS)
        raise InvalidInput("aggregations", f"aggregations: there is no {', '.join(unknown)}; there are {all_names}")
    return [AGGREGATIONS[name] for name in dict.fromkeys(names)]


def aggregation_body(selection: Selection, aggregations: Sequence[Aggregation], has_words: bool) -> Json:
    """One search without hits. A period counts where it starts."""
    return {
        "query": selected(selection, has_words),
        "size": 0,
        "track_total_hits": True,
        "runtime_mappings": {_STARTS: {**STARTS, "type": "date"}},
        "aggs": {
            str(number): aggregation.body
            for number, aggregation in enumerate(aggregations)
            if aggregation.body is not None
        },
    }


def read_aggregations(answer: JsonMapping, aggregations: Sequence[Aggregation]) -> list[Json]:
    """The counts in Elasticsearch's answer, in the order of ``aggregations``."""
    counts = answer.get("aggregations", {})
    total = answer["hits"]["total"]
    return [
        {**aggregation.description(), **aggregation.read(total if aggregation.body is None else counts[str(number)])}
        for number, aggregation in enumerate(aggregations)
    ]


class AggregateQuery(StacFilters):
    aggregations: Tokens = Field(default=[], description="Names of /stac/aggregations.", examples=["total_count"])


class AggregateBody(StacFiltersBody):
    """Counts by POST."""

    aggregations: list[Text] = Field(default=[])

    @model_validator(mode="after")
    def _as_by_get(self) -> AggregateBody:
        self.as_query()
        return self

    def as_query(self) -> AggregateQuery:
        """The same as GET parameters. Raises ValueError for an invalid value."""
        return AggregateQuery.model_validate(self.as_parameters())


class AggregationsOffered(BaseModel):
    """The aggregations that can be asked for."""

    aggregations: list[Json]
    links: list[Json]


class AggregationCollection(BaseModel):
    """The asked counts."""

    type: str = "AggregationCollection"
    aggregations: list[Json]
    links: list[Json]


def stac_aggregate_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("stac_aggregate", __name__, abp_tags=[Tag(name="stac", description="STAC API")])

    @api.get("/stac/aggregations", summary="Counts that can be asked for", responses={200: AggregationsOffered})
    def offered(query: NoParameters) -> Response:  # noqa: ARG001
        return _offer(Addresses.of(parts.http), "/stac")

    @api.get(
        "/stac/collections/<collection>/aggregations",
        summary="Counts that can be asked for in a collection",
        responses={200: AggregationsOffered, **WITH_NOT_FOUND},
    )
    def offered_in(path: StacCollectionPath, query: NoParameters) -> Response:  # noqa: ARG001
        return _offer(Addresses.of(parts.http), f"/stac/collections/{collection_named(parts, path.collection).id}")

    @api.get("/stac/aggregate", summary="Counts of items", responses={200: AggregationCollection, **PROBLEMS})
    def aggregate(query: AggregateQuery) -> Response:
        return _counts(parts, query, None)

    @api.post("/stac/aggregate", summary="Counts by POST", responses={200: AggregationCollection, **PROBLEMS})
    def aggregate_by_body(body: AggregateBody) -> Response:
        return _counts(parts, body.as_query(), None)

    @api.get(
        "/stac/collections/<collection>/aggregate",
        summary="Counts of a collection's items",
        responses={200: AggregationCollection, **WITH_NOT_FOUND},
    )
    def aggregate_in(path: StacCollectionPath, query: AggregateQuery) -> Response:
        return _counts(parts, query, collection_named(parts, path.collection).id)

    return api


def _offer(addresses: Addresses, path: str) -> Response:
    links = [link("self", addresses.to(f"{path}/aggregations"), JSON), link("root", addresses.to("/stac"), JSON)]
    return jsonify(aggregations=[aggregation.description() for aggregation in AGGREGATIONS.values()], links=links)


def _counts(parts: Parts, query: AggregateQuery, collection: str | None) -> Response:
    aggregations = requested_aggregations(query.aggregations)
    selection = stac_selection(query, collection)
    answer = parts.records.search(aggregation_body(selection, aggregations, parts.records.has_words))
    addresses = Addresses.of(parts.http)
    links = [link("self", addresses.this(), JSON), link("root", addresses.to("/stac"), JSON)]
    return jsonify(type="AggregationCollection", aggregations=read_aggregations(answer, aggregations), links=links)
