"""Relations of a record's place to a shape, as in Simple Features, with what Elasticsearch can evaluate.

Lucene treats edges differently: `contains` is false if two edges coincide, and `within` is true for geometry on the
edge alone. Therefore a slightly smaller shape is queried too.
"""

from __future__ import annotations

from typing import Any, cast

import shapely
from shapely.geometry import mapping, shape

from core.errors import InvalidInput
from core.json_types import Json

Clause = Json
Shape = Json

RELATIONS = {"s_intersects": "intersects", "s_within": "within", "s_contains": "contains", "s_disjoint": "disjoint"}
MIRRORED = {"within": "contains", "contains": "within"}

_HAIR_DEG = 1e-6
"""About 10 cm: more than Lucene's precision of 1e-7 degrees, less than the precision of metadata."""


def spatial_clause(field: str, relation: str, given: Shape) -> Clause:
    """Records whose place has this relation to the shape. Raises InvalidInput for `within` a line."""
    if relation == "within" and _has_line(given):
        raise InvalidInput("filter", "filter: whether a place lies within a line cannot be asked; S_INTERSECTS can")
    if relation == "contains":
        parts = [part for half in _halves(given) for part in _inside(half)] or [given]
        return {"bool": {"filter": [_judged(field, relation, part) for part in parts]}}
    inside = _inside(given) if relation == "within" else []
    if not inside:
        return _judged(field, relation, given)
    meets = [_judged(field, "intersects", part) for part in inside]
    return {
        "bool": {"filter": [_judged(field, relation, given), {"bool": {"should": meets, "minimum_should_match": 1}}]}
    }


def _judged(field: str, relation: str, given: Shape) -> Clause:
    return {"geo_shape": {field: {"shape": given, "relation": relation}}}


def _has_line(given: Shape) -> bool:
    if given["type"] == "GeometryCollection":
        return any(map(_has_line, given["geometries"]))
    return given["type"] in ("LineString", "MultiLineString")


def _halves(given: Shape) -> list[Shape]:
    """A box across the antimeridian in two halves, like the records at it."""
    if given["type"] != "envelope" or _west(given) <= _east(given):
        return [given]
    (west, north), (east, south) = given["coordinates"]
    return [_envelope(west, south, 180.0, north), _envelope(-180.0, south, east, north)]


def _inside(given: Shape) -> list[Shape]:
    """The interior of the shape, in parts; empty if it has none (a point, a line, a flat box)."""
    if given["type"] == "envelope":
        (west, north), (east, south) = given["coordinates"]
        width = east - west + (360.0 if west > east else 0.0)
        if width <= 2 * _HAIR_DEG or north - south <= 2 * _HAIR_DEG:
            return []
        return [_envelope(_turned(west + _HAIR_DEG), south + _HAIR_DEG, _turned(east - _HAIR_DEG), north - _HAIR_DEG)]
    if given["type"] not in ("Polygon", "MultiPolygon"):
        return []
    smaller = shapely.buffer(shape(cast(Any, given)), -_HAIR_DEG, join_style="mitre")
    return [dict(mapping(part)) for part in shapely.get_parts(smaller) if not part.is_empty]


def _turned(longitude: float) -> float:
    """A longitude past the antimeridian, brought back to -180..180."""
    if longitude > 180.0:
        return longitude - 360.0
    return longitude + 360.0 if longitude < -180.0 else longitude


def _envelope(west: float, south: float, east: float, north: float) -> Shape:
    return {"type": "envelope", "coordinates": [[west, north], [east, south]]}


def _west(given: Shape) -> float:
    return float(given["coordinates"][0][0])


def _east(given: Shape) -> float:
    return float(given["coordinates"][1][0])
