"""Compares a record's dates (created, updated) with a span: the first field that the record has counts."""

from __future__ import annotations

from core.json_types import Json
from core.timespan import TimeSpan
from search_api.search.filtering.literals import wrong
from search_api.search.filtering.queryables import Queryable

Clause = Json
Bounds = Json


def compared_instant(one: Queryable, op: str, span: TimeSpan) -> Clause:
    """``=`` a day or year means inside it; ``<`` means before its start, ``>`` after its end."""
    bounds: dict[str, Bounds] = {
        "=": {"gte": span.start_ms, "lte": span.end_ms},
        "<": {"lt": span.start_ms},
        "<=": {"lte": span.end_ms},
        ">": {"gt": span.end_ms},
        ">=": {"gte": span.start_ms},
    }
    return _within(one, bounds[op])


def instant_clause(one: Queryable, op: str, span: TimeSpan) -> Clause:
    """Allen's relations of an instant to a span; raises InvalidInput for one that an instant cannot have."""
    inside = {"gte": span.start_ms, "lte": span.end_ms}
    bounds: dict[str, Bounds] = {
        "t_after": {"gt": span.end_ms},
        "t_before": {"lt": span.start_ms},
        "t_during": {"gt": span.start_ms, "lt": span.end_ms},
        "t_equals": inside,
        "t_intersects": inside,
    }
    if op == "t_disjoint":
        return {"bool": {"filter": [_within(one, {})], "must_not": [_within(one, inside)]}}
    if op not in bounds:
        raise wrong(f"{op} needs a period; {one.name} is an instant")
    if (op == "t_after" and span.end_ms is None) or (op == "t_before" and span.start_ms is None):
        return {"match_none": {}}
    return _within(one, bounds[op])


def _within(one: Queryable, bounds: Bounds) -> Clause:
    limits = {name: edge for name, edge in bounds.items() if edge is not None}
    clauses: list[Clause] = []
    for position, field in enumerate(one.fields):
        earlier = [{"exists": {"field": before}} for before in one.fields[:position]]
        judged: Clause = {"range": {field: {**limits, "format": "epoch_millis"}}}
        clauses.append({"bool": {"filter": [judged], "must_not": earlier}})
    return {"bool": {"should": clauses, "minimum_should_match": 1}}
