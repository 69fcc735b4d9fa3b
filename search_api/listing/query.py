"""A selection as one Elasticsearch query: filters only, nothing is scored."""

from __future__ import annotations

from typing import Any

from search_api.listing.order import sort_body
from search_api.listing.request import ListRequest, Selection
from search_api.retrieval.filters import area_clause, span_clause

Clause = dict[str, Any]

_TEXTS = ("title", "alternate_titles", "abstract", "keywords.term")
_READINGS = ("", ".en", ".de", ".fr", ".es", ".it", ".pt")


def selected(selection: Selection) -> Clause:
    """What every record of the listing passes; all records where nothing was asked."""
    exact = {
        "source": [selection.source] if selection.source is not None else [],
        "type": selection.types,
        "id": selection.ids,
        "identifiers": selection.external_ids,
    }
    clauses: list[Clause] = [{"terms": {field: list(values)}} for field, values in exact.items() if values]
    if selection.terms:
        clauses.append(_any_term(selection.terms))
    if selection.area is not None:
        clauses.append(area_clause(selection.area, "intersects"))
    if selection.span is not None:
        clauses.append(span_clause(selection.span))
    clauses += selection.also
    return {"bool": {"filter": clauses}} if clauses else {"match_all": {}}


def _any_term(terms: tuple[str, ...]) -> Clause:
    """A term of several words must stand there in that order (OGC API - Records, q-response)."""
    fields = [f"{text}{reading}" for text in _TEXTS for reading in _READINGS]
    found: list[Clause] = [{"multi_match": {"query": term, "type": "phrase", "fields": fields}} for term in terms]
    return {"bool": {"should": found, "minimum_should_match": 1}}


def page_body(request: ListRequest) -> dict[str, Any]:
    """One page and one record more, by which the caller sees whether there is a next page."""
    after = {"search_after": list(request.after)} if request.after is not None else {}
    return {
        "query": selected(request.selection),
        "size": request.limit + 1,
        "track_total_hits": True,
        **sort_body(request.order),
        **after,
    }
