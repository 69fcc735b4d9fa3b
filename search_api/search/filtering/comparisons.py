"""Compares the place, the periods and the dates of a record with those of a filter.

Relations of places are those of Simple Features, with what Elasticsearch can evaluate. Lucene treats edges differently:
`contains` is false if two edges coincide, and `within` is true for geometry on the edge alone. Therefore a slightly
smaller shape is queried too.
"""

from __future__ import annotations

from typing import Any, cast

import shapely
from shapely.geometry import mapping
from shapely.geometry import shape as geometry_of_shape

from core.errors import InvalidInput
from core.geo import normalise_longitude
from core.json_types import Json
from core.timespan import TimeSpan
from search_api.search.filtering.literals import wrong
from search_api.search.filtering.queryables import Queryable

Clause = Json
Shape = Json

RELATIONS = {"s_intersects": "intersects", "s_within": "within", "s_contains": "contains", "s_disjoint": "disjoint"}
MIRRORED = {"within": "contains", "contains": "within"}

_HAIR_DEG = 1e-6
"""About 10 cm: more than Lucene's precision of 1e-7 degrees, less than the precision of metadata."""


def spatial_clause(field: str, relation: str, shape: Shape) -> Clause:
    """Records whose place has this relation to the shape. Raises InvalidInput for `within` a line."""
    if relation == "within" and _has_line(shape):
        raise InvalidInput("filter", "filter: whether a place lies within a line cannot be asked; S_INTERSECTS can")
    if relation == "contains":
        parts = [part for half in _halves(shape) for part in _inside(half)] or [shape]
        return {"bool": {"filter": [_relation_clause(field, relation, part) for part in parts]}}
    inside = _inside(shape) if relation == "within" else []
    if not inside:
        return _relation_clause(field, relation, shape)
    meets = [_relation_clause(field, "intersects", part) for part in inside]
    return {
        "bool": {
            "filter": [_relation_clause(field, relation, shape), {"bool": {"should": meets, "minimum_should_match": 1}}]
        }
    }


def _relation_clause(field: str, relation: str, shape: Shape) -> Clause:
    return {"geo_shape": {field: {"shape": shape, "relation": relation}}}


def _has_line(shape: Shape) -> bool:
    if shape["type"] == "GeometryCollection":
        return any(map(_has_line, shape["geometries"]))
    return shape["type"] in ("LineString", "MultiLineString")


def _halves(shape: Shape) -> list[Shape]:
    """A box across the antimeridian in two halves, like the records at it."""
    if shape["type"] != "envelope":
        return [shape]
    (west, north), (east, south) = shape["coordinates"]
    if west <= east:
        return [shape]
    return [_envelope(west, south, 180.0, north), _envelope(-180.0, south, east, north)]


def _inside(shape: Shape) -> list[Shape]:
    """The interior of the shape, in parts; empty if it has none (a point, a line, a flat box)."""
    if shape["type"] == "envelope":
        (west, north), (east, south) = shape["coordinates"]
        width = east - west + (360.0 if west > east else 0.0)
        if width <= 2 * _HAIR_DEG or north - south <= 2 * _HAIR_DEG:
            return []
        return [
            _envelope(
                normalise_longitude(west + _HAIR_DEG),
                south + _HAIR_DEG,
                normalise_longitude(east - _HAIR_DEG),
                north - _HAIR_DEG,
            )
        ]
    if shape["type"] not in ("Polygon", "MultiPolygon"):
        return []
    smaller = shapely.buffer(geometry_of_shape(cast(Any, shape)), -_HAIR_DEG, join_style="mitre")
    return [dict(mapping(part)) for part in shapely.get_parts(smaller) if not part.is_empty]


def _envelope(west: float, south: float, east: float, north: float) -> Shape:
    return {"type": "envelope", "coordinates": [[west, north], [east, south]]}


def compared_interval(field: str, op: str, span: TimeSpan) -> Clause:
    """``<``: ends before the span; ``>``: starts after it; ``=``: has its ends; ``<=`` and ``>=``: not ``>``, ``<``."""
    if op in ("<=", ">="):
        opposite = interval_clause(field, _ALLEN[">" if op == "<=" else "<"], span)
        return {"bool": {"filter": [{"exists": {"field": field}}], "must_not": [opposite]}}
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
        clauses = [_range(field, relation, gte=start, lte=end) for relation in ("within", "contains")]
        return {"bool": {"filter": clauses}}
    raise wrong(f"{op} is not supported")


_ALLEN = {"<": "t_before", ">": "t_after", "=": "t_equals"}
_NOTHING: Clause = {"match_none": {}}


def _range(field: str, relation: str, **edges: int | None) -> Clause:
    limits = {name: edge for name, edge in edges.items() if edge is not None}
    return {"range": {field: {**limits, "relation": relation}}}


def compared_instant(queryable: Queryable, op: str, span: TimeSpan) -> Clause:
    """``=`` a day or year means inside it; ``<`` means before its start, ``>`` after its end."""
    bounds: dict[str, Json] = {
        "=": {"gte": span.start_ms, "lte": span.end_ms},
        "<": {"lt": span.start_ms},
        "<=": {"lte": span.end_ms},
        ">": {"gt": span.end_ms},
        ">=": {"gte": span.start_ms},
    }
    return _within(queryable, bounds[op])


def instant_clause(queryable: Queryable, op: str, span: TimeSpan) -> Clause:
    """Allen's relations of an instant to a span; raises InvalidInput for one that an instant cannot have."""
    inside = {"gte": span.start_ms, "lte": span.end_ms}
    bounds: dict[str, Json] = {
        "t_after": {"gt": span.end_ms},
        "t_before": {"lt": span.start_ms},
        "t_during": {"gt": span.start_ms, "lt": span.end_ms},
        "t_equals": inside,
        "t_intersects": inside,
    }
    if op == "t_disjoint":
        return {"bool": {"filter": [_within(queryable, {})], "must_not": [_within(queryable, inside)]}}
    if op not in bounds:
        raise wrong(f"{op} needs a period; {queryable.name} is an instant")
    if (op == "t_after" and span.end_ms is None) or (op == "t_before" and span.start_ms is None):
        return {"match_none": {}}
    return _within(queryable, bounds[op])


def _within(queryable: Queryable, bounds: Json) -> Clause:
    limits = {name: edge for name, edge in bounds.items() if edge is not None}
    clauses: list[Clause] = []
    for position, field in enumerate(queryable.fields):
        earlier = [{"exists": {"field": earlier_field}} for earlier_field in queryable.fields[:position]]
        condition: Clause = {"range": {field: {**limits, "format": "epoch_millis"}}}
        clauses.append({"bool": {"filter": [condition], "must_not": earlier}})
    return {"bool": {"should": clauses, "minimum_should_match": 1}}
