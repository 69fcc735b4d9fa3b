"""Applies to the retrieval of a search what stewards decided about its question: blocked and pinned records.

The ranking applies their boosts and the places of pins (:mod:`search_api.search.ranking.curated`).
"""

from __future__ import annotations

from dataclasses import replace

from core.json_types import Json
from search_api.search.curation.curated import CurationDecisions
from search_api.search.request import SearchRequest


def blocked_clauses(rules: CurationDecisions) -> list[Json]:
    """What the blocked records match; empty if none is blocked."""
    clauses: list[Json] = [{"ids": {"values": sorted(rules.blocked)}}] if rules.blocked else []
    return clauses + ([{"terms": {"source": sorted(rules.blocked_sources)}}] if rules.blocked_sources else [])


def curated_request(request: SearchRequest, rules: CurationDecisions) -> SearchRequest:
    """With a filter, so that counts and facets leave the blocked records out too, and with the pinned records."""
    if rules.pins:
        request = replace(request, pinned=tuple(pin.record for pin in rules.pins))
    blocked = blocked_clauses(rules)
    if not blocked:
        return request
    expression = (*request.filters.expression, {"bool": {"must_not": blocked}})
    return replace(request, filters=replace(request.filters, expression=expression))
