"""What stands beside the hits: the facets that were asked for, and a better spelling where words were not found."""

from __future__ import annotations

from collections.abc import Mapping

from elasticsearch import Elasticsearch

from search_api.request import FacetName, SearchRequest
from search_api.retrieval.candidates import Found, checked
from search_api.retrieval.facets import Choices, Facet, facets_body, read_facets
from search_api.retrieval.filters import Clause, record_filters
from search_api.retrieval.plan import RetrievalPlan, asked_clauses
from search_api.retrieval.spelling import did_you_mean
from search_api.understanding.interpretation import Interpretation


def facets_of(
    client: Elasticsearch, index: str, request: SearchRequest, counted: Clause, choices: Choices
) -> Mapping[FacetName, Facet]:
    """In the order they were asked for; none where none was."""
    if not request.facets:
        return {}
    answer = checked(client, [{"index": index}, facets_body(request.facets, counted, choices)])[0]
    return read_facets(request.facets, answer, choices)


def counted_clause(request: SearchRequest, read: Interpretation, plan: RetrievalPlan, found: Found) -> Clause:
    """The records that facets count: those that pass the filters and match the words; for ``dense`` its window."""
    filters = record_filters(request.filters)
    if request.algorithm == "dense" and read.text:
        return {"bool": {"filter": [*filters, {"ids": {"values": list(found.signals)}}]}}
    if read.thematic or read.identifiers or read.asks_nothing:
        return {"bool": {"filter": [*filters, plan.words]}}
    asked = asked_clauses(read, request.filters)
    if read.text and asked:
        either = [plan.words, {"bool": {"filter": list(asked)}}]
        return {"bool": {"filter": [*filters, {"bool": {"should": either, "minimum_should_match": 1}}]}}
    return {"bool": {"filter": filters}}


def spelling_of(client: Elasticsearch, index: str, read: Interpretation, found: Found) -> str | None:
    """Only where no record holds every word: a question that is answered in full is not corrected."""
    if not read.thematic or found.all_words:
        return None
    return did_you_mean(client, index, read.text, read.thematic)
