"""Facets of a listing, as OGC API - Records Part 2 (draft 25-013) defines them: requested, counted and written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.errors import InvalidInput
from core.json_types import Json, JsonMapping
from core.timespan import TimeSpan, utc_now
from search_api.search.filtering.queryables import QUERYABLES
from search_api.search.retrieval.clauses import span_clause
from search_api.search.retrieval.facets import decades_until

FacetOrder = Literal["count_desc", "count_asc", "value_asc", "value_desc"]

DEFAULT_BUCKETS = 10
MOST_BUCKETS = 100
PATTERN = "[A-Za-z_]+(:[0-9]*(:(value_asc|value_desc|count_asc|count_desc)?)?)?"
_TERMS = (
    "type", "source", "keywords", "themes", "organisation", "language", "license", "access", "formats", "media_type",
    "provenance", "platform", "instrument", "project", "variable", "processingLevel",
)  # fmt: skip
"""Queryables with few values, so that a client can filter by what it sees."""
TIME = "time"
FACET_NAMES = (*_TERMS, TIME)
_OVERVIEW = ("type",)
"""What an answer shows that nobody asked for: the draft wants facets there, and this one costs no time."""
_ORDERS: dict[FacetOrder, Json] = {
    "count_desc": {"_count": "desc"},
    "count_asc": {"_count": "asc"},
    "value_asc": {"_key": "asc"},
    "value_desc": {"_key": "desc"},
}


@dataclass(frozen=True, slots=True)
class FacetRequest:
    """At most so many ``buckets``; ``order`` None: by count, of a histogram by time."""

    name: str
    buckets: int = DEFAULT_BUCKETS
    order: FacetOrder | None = None


def facet_definitions() -> Json:
    """Each facet by its name, for the resource ``/facets``."""
    terms: Json = {
        name: {"type": "term", "property": name, "sortedBy": "count", "minOccurs": 1, "title": QUERYABLES[name].title}
        for name in _TERMS
    }
    histogram = {"type": "histogram", "property": TIME, "sortedBy": "value", "bucketType": "fixedInterval"}
    return {**terms, TIME: {**histogram, "title": "Decades that the period of a record touches"}}


def facet_requests(values: Sequence[str] | None, *, is_first_page: bool) -> tuple[FacetRequest, ...]:
    """``values``: ``name:buckets:order``; None: an overview, on the first page only.

    Raises InvalidInput for an unknown facet and for a value of another form.
    """
    if values is None:
        return tuple(map(FacetRequest, _OVERVIEW)) if is_first_page else ()
    requests = {request.name: request for request in map(_request, values)}
    return tuple(requests.values())


def _request(value: str) -> FacetRequest:
    if re.fullmatch(PATTERN, value) is None:
        raise InvalidInput("facets", f"facets: {value[:80]!r} is not of the form `name:buckets:order`")
    name, _, rest = value.partition(":")
    buckets, _, order = rest.partition(":")
    if name not in FACET_NAMES:
        raise InvalidInput("facets", f"facets: there is no {name!r}; there are {', '.join(FACET_NAMES)}")
    request = FacetRequest(name, order=next((each for each in _ORDERS if each == order), None))
    if not buckets:
        return request
    if not 1 <= int(buckets) <= MOST_BUCKETS:
        raise InvalidInput("facets", f"facets: {name} can have 1 to {MOST_BUCKETS} buckets")
    return replace(request, buckets=int(buckets))


def facets_body(requests: Sequence[FacetRequest]) -> Json:
    """The aggregations of a search."""
    aggregations = {request.name: _aggregation(request) for request in requests}
    return {"aggs": aggregations} if aggregations else {}


def _aggregation(request: FacetRequest) -> Json:
    if request.name == TIME:
        return {"filters": {"filters": {label: span_clause(span) for label, span in _decades().items()}}}
    (field,) = QUERYABLES[request.name].fields
    order = _ORDERS[request.order or "count_desc"]
    return {"terms": {"field": field, "size": request.buckets, "order": order}}


def read_counts(requests: Sequence[FacetRequest], counts: JsonMapping) -> Json:
    """The ``facets`` of an answer, in the order of the requests."""
    return {
        request.name: _histogram(request, counts[request.name])
        if request.name == TIME
        else _terms(request, counts[request.name])
        for request in requests
    }


def _terms(request: FacetRequest, count: JsonMapping) -> Json:
    buckets = [{"value": str(bucket["key"]), "count": bucket["doc_count"]} for bucket in count["buckets"]]
    more = count["sum_other_doc_count"] > 0
    return {"type": "term", "property": request.name, "buckets": buckets, "more": more}


def _histogram(request: FacetRequest, count: JsonMapping) -> Json:
    """The latest decades with records; each count is what ``datetime=min/max`` finds."""
    decades = [
        {"min": span.start_iso, "max": span.end_iso, "count": count["buckets"][label]["doc_count"]}
        for label, span in _decades().items()
        if count["buckets"][label]["doc_count"]
    ]
    buckets = decades[-request.buckets :]
    if request.order in ("count_desc", "count_asc"):
        buckets.sort(key=lambda bucket: int(bucket["count"] or 0), reverse=request.order == "count_desc")
    if request.order == "value_desc":
        buckets.reverse()
    return {"type": "histogram", "property": TIME, "buckets": buckets, "more": len(decades) > len(buckets)}


def _decades() -> dict[str, TimeSpan]:
    """Those that have two ends."""
    now_ms = round(utc_now().timestamp() * 1000)
    return {label: span for label, (_, span) in decades_until(now_ms).items() if span.start_ms is not None}
