"""Relations of a record's place to a shape, as Simple Features define them, on what Elasticsearch can judge.

Lucene takes edges another way: it does not say `contains` where two edges coincide, and says `within` of what lies on
the edge alone. So a shape is also asked for a hair's breadth smaller.
"""

from __future__ import annotations

from typing import Any, cast

import shapely
from shapely.geometry import mapping, shape

from core.json_types import Json

Clause = Json
Shape = Json

RELATIONS = {"s_intersects": "intersects", "s_within": "within", "s_contains": "contains", "s_disjoint": "disjoint"}
MIRRORED = {"within": "contains", "contains": "within"}

_HAIR_DEG = 1e-6
"""About 10 cm: more than the 1e-7 degrees in which Lucene counts, less than metadata say."""


def spatial_clause(field: str, relation: str, given: Shape) -> Clause:
    """Records whose place has the relation to the shape."""
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


def _halves(given: Shape) -> list[Shape]:
    """A box across the antimeridian in two, as the records that reach up to it are."""
    if given["type"] != "envelope" or _west(given) <= _east(given):
        return [given]
    (west, north), (east, south) = given["coordinates"]
    return [_envelope(west, south, 180.0, north), _envelope(-180.0, south, east, north)]


def _inside(given: Shape) -> list[Shape]:
    """The shape without its edge, in parts; none where it has no inside (a point, a line, a flat box)."""
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
    """Past the antimeridian the numbers start again at the other side."""
    if longitude > 180.0:
        return longitude - 360.0
    return longitude + 360.0 if longitude < -180.0 else longitude


def _envelope(west: float, south: float, east: float, north: float) -> Shape:
    return {"type": "envelope", "coordinates": [[west, north], [east, south]]}


def _west(given: Shape) -> float:
    return float(given["coordinates"][0][0])


def _east(given: Shape) -> float:
    return float(given["coordinates"][1][0])
