"""The literals of a filter expression: texts, numbers, instants, intervals and geometries, checked."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, cast

import shapely
from shapely.errors import ShapelyError
from shapely.geometry import shape

from core.errors import InvalidInput
from core.extent import BBox
from core.json_types import Json, JsonMapping
from core.timespan import TimeSpan, instant_ms
from es_mappings.codecs.records import envelope

LONGEST_TEXT = 512
_GEOMETRIES = ("Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "GeometryCollection")


def wrong(message: str) -> InvalidInput:
    return InvalidInput("filter", f"filter: {message}")


def text_of(node: object) -> str:
    """Raises InvalidInput if the node is not a text that a record can contain."""
    if not isinstance(node, str):
        raise wrong(f"{shown(node)} is not a text in quotes")
    if len(node) > LONGEST_TEXT or any(unicodedata.category(c) in ("Cc", "Cs") for c in node):
        raise wrong(f"a text is longer than {LONGEST_TEXT} characters or holds control characters")
    return node


def number_of(node: object) -> float:
    if isinstance(node, bool) or not isinstance(node, int | float) or not math.isfinite(node) or abs(node) > 1e18:
        raise wrong(f"{shown(node)} is not a number")
    return float(node)


def span_of(node: object) -> TimeSpan:
    """A date (its whole day), a timestamp or an interval, an open end written as ``..``."""
    try:
        if isinstance(node, Mapping) and isinstance(node.get("interval"), list) and len(node["interval"]) == 2:
            return TimeSpan.from_iso(*(_edge(one) for one in node["interval"]))
        text = _edge(node)
        return TimeSpan(instant_ms(text), instant_ms(text, at_end=True))
    except ValueError as error:
        raise wrong(str(error)) from None


def _edge(node: object) -> str:
    if isinstance(node, Mapping):
        node = node.get("date", node.get("timestamp"))
    if not isinstance(node, str):
        raise wrong(f"{shown(node)} is not a date; write DATE('1990-01-01') or TIMESTAMP('1990-01-01T00:00:00Z')")
    return node


def geometry_of(node: object, parameter: str = "filter") -> Json:
    """GeoJSON or ``{"bbox": [...]}`` as a shape of Elasticsearch's; degrees WGS 84."""
    try:
        return _geometry(node)
    except InvalidInput as error:
        raise InvalidInput(parameter, str(error).replace("filter:", f"{parameter}:", 1)) from None


def _geometry(node: object) -> Json:
    if isinstance(node, Mapping) and isinstance(node.get("bbox"), list):
        return _box([number_of(one) for one in node["bbox"]])
    if not isinstance(node, Mapping) or node.get("type") not in _GEOMETRIES:
        raise wrong(f"{shown(node)} is not a geometry; write POINT(lon lat), POLYGON(...) or BBOX(w,s,e,n)")
    _refuse_nested(node)
    _refuse_outside(node)
    try:
        valid = bool(shapely.is_valid(shape(cast(Any, node))))
    except (ShapelyError, ValueError, TypeError, IndexError, AttributeError, KeyError):
        valid = False
    if not valid:
        raise wrong("the geometry is not valid: rings must close and may not cross themselves")
    return dict(node)


def _refuse_nested(node: JsonMapping) -> None:
    """Refuses a nested collection, which RFC 7946 (3.1.8) discourages and Elasticsearch refuses when deep."""
    parts = node.get("geometries")
    if isinstance(parts, list) and any(isinstance(one, Mapping) and "geometries" in one for one in parts):
        raise wrong("a GeometryCollection may not contain another one")


def _box(edges: list[float]) -> Json:
    if len(edges) not in (4, 6):
        raise wrong("a bbox has four numbers (west, south, east, north) or six")
    try:
        return envelope(BBox(*edges) if len(edges) == 4 else BBox(edges[0], edges[1], edges[3], edges[4]))
    except ValueError as error:
        raise wrong(f"bbox: {error}") from None


def _refuse_outside(node: JsonMapping) -> None:
    for position in _positions(node):
        lon, lat = number_of(position[0]), number_of(position[1])
        if not (-180 <= lon <= 180 and -90 <= lat <= 90):
            raise wrong(f"the position {lon:g} {lat:g} is outside -180..180, -90..90 degrees")


def _positions(node: JsonMapping) -> Iterator[list[object]]:
    """Every coordinate pair at any depth; refuses anything else."""
    for inner in node.get("geometries") or ():
        if not isinstance(inner, Mapping):
            raise wrong("the geometry is not valid")
        yield from _positions(inner)
    waiting = [node.get("coordinates", [])]
    while waiting:
        one = waiting.pop()
        if not isinstance(one, list | tuple):
            raise wrong("the geometry is not valid: a position is [lon, lat]")
        if len(one) >= 2 and not isinstance(one[0], list | tuple):
            yield list(one)
        else:
            waiting.extend(one)


def shown(node: object) -> str:
    """The node as a short text for a message."""
    text = str(node)
    return text if len(text) <= 60 else text[:57] + "..."
