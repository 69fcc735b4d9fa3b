"""What stewards decided about a question, on its retrieval: which records are candidates anyway, and which never."""

from __future__ import annotations

from dataclasses import replace

from core.json_types import Json
from search_api.search.curation.curated import CurationDecisions
from search_api.search.request import SearchRequest
from search_api.search.retrieval.arms import pinned_arm
from search_api.search.retrieval.plan import RetrievalPlan


def blocked_clauses(decided: CurationDecisions) -> list[Json]:
    """What the blocked records match; empty if none is blocked."""
    clauses: list[Json] = [{"ids": {"values": sorted(decided.blocked)}}] if decided.blocked else []
    return clauses + ([{"terms": {"source": sorted(decided.blocked_sources)}}] if decided.blocked_sources else [])


def without_blocked(request: SearchRequest, decided: CurationDecisions) -> SearchRequest:
    """The request with a filter, so that counts and facets leave the blocked records out too."""
    blocked = blocked_clauses(decided)
    if not blocked:
        return request
    clause = {"bool": {"must_not": blocked}}
    return replace(request, filters=replace(request.filters, expression=(*request.filters.expression, clause)))


def with_pinned(plan: RetrievalPlan, decided: CurationDecisions) -> RetrievalPlan:
    """One more search in the same request, if there is a pin."""
    if not decided.pins:
        return plan
    pinned = tuple(pin.record for pin in decided.pins)
    return replace(plan, arms=(*plan.arms, pinned_arm(plan.index, pinned, plan.filters)), pinned=pinned)
