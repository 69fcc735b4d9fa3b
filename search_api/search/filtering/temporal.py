"""Compares a record's periods with a span: a record passes if one of its periods does."""

from __future__ import annotations

from core.json_types import Json
from core.timespan import TimeSpan
from search_api.search.filtering.literals import wrong

Clause = Json


def compared_interval(field: str, op: str, span: TimeSpan) -> Clause:
    """``<``: ends before the span; ``>``: starts after it; ``=``: has its ends; ``<=`` and ``>=``: not ``>``, ``<``."""
    if op in ("<=", ">="):
        other = interval_clause(field, _ALLEN[">" if op == "<=" else "<"], span)
        return {"bool": {"filter": [{"exists": {"field": field}}], "must_not": [other]}}
    return interval_clause(field, _ALLEN[op], span)


def interval_clause(field: str, op: str, span: TimeSpan) -> Clause:
    """The relation as the standard defines it: ``t_during`` and ``t_contains`` share no edge with the span."""
    start, end = span.start_ms, span.end_ms
    if op == "t_after":
        return _range(field, "within", gt=end) if end is not None else _NOTHING
    if op == "t_before":
        return _range(field, "within", lt=start) if start is not None else _NOTHING
    if op == "t_during":
        return _range(field, "within", gt=start, lt=end)
    if op == "t_contains":
        if start is None or end is None:
            return _NOTHING
        return _range(field, "contains", gte=start - 1, lte=end + 1)
    if op == "t_intersects":
        return _range(field, "intersects", gte=start, lte=end)
    if op == "t_disjoint":
        meets = _range(field, "intersects", gte=start, lte=end)
        return {"bool": {"filter": [{"exists": {"field": field}}], "must_not": [meets]}}
    if op == "t_equals":
        same = [_range(field, relation, gte=start, lte=end) for relation in ("within", "contains")]
        return {"bool": {"filter": same}}
    raise wrong(f"{op} is not supported")


_ALLEN = {"<": "t_before", ">": "t_after", "=": "t_equals"}
_NOTHING: Clause = {"match_none": {}}


def _range(field: str, relation: str, **edges: int | None) -> Clause:
    limits = {name: edge for name, edge in edges.items() if edge is not None}
    return {"range": {field: {**limits, "relation": relation}}}
