"""The literals of a filter expression, checked: texts, numbers, instants, intervals, and geometries."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, cast

import shapely
from shapely.errors import ShapelyError
from shapely.geometry import shape

from core.errors import InvalidInput
from core.geo import BBox
from core.json_types import Json
from core.timespan import TimeSpan, instant_ms
from es_mappings.codecs.records import envelope

_SMALLEST_DEG = 1e-6
"""About 10 cm; the index tells smaller shapes apart no longer, and cannot hold an area without corners."""
_MOST_NUMBERS = 4

Part = Any
"""A position, or a list of parts, as JSON gives it."""


def checked_geometry(node: object) -> Json:
    """The geometry with longitudes and latitudes alone, WGS 84. Raises ValueError that names what is wrong."""
    kind = node.get("type") if isinstance(node, Mapping) else None
    if not isinstance(node, Mapping) or not isinstance(kind, str) or kind not in (*_READERS, "GeometryCollection"):
        raise ValueError(f"{short_text(node)} is not a geometry; write POINT(lon lat), POLYGON(...) or BBOX(w,s,e,n)")
    if kind == "GeometryCollection":
        return {
            "type": kind,
            "geometries": [_member(member) for member in _non_empty(node.get("geometries"), kind, "geometry")],
        }
    geometry = {"type": kind, "coordinates": _READERS[kind](node.get("coordinates"), kind)}
    _refuse_invalid(geometry)
    return geometry


def _member(node: object) -> Json:
    """RFC 7946 (3.1.8) discourages a nested collection, and Elasticsearch refuses a deep one."""
    if isinstance(node, Mapping) and node.get("type") == "GeometryCollection":
        raise ValueError("a GeometryCollection may not contain another one")
    return checked_geometry(node)


def _non_empty(part: Part, kind: str, member: str, least: int = 1) -> list[Part]:
    if not isinstance(part, list | tuple):
        raise ValueError(f"the geometry is not valid ({kind}): {short_text(part)} is not a list")
    if not part:
        raise ValueError(f"the {kind} is empty: it has no {member}")
    if len(part) < least:
        raise ValueError(f"the {kind} has {len(part)} of the at least {least} positions that it needs")
    return list(part)


def _position(part: Part, kind: str) -> list[float]:
    """``[lon, lat]``; a height is left out."""
    if not isinstance(part, list | tuple):
        raise ValueError(f"the geometry is not valid ({kind}): a position is [lon, lat], not {short_text(part)}")
    if not part:
        raise ValueError(f"the {kind} is empty: a position is [lon, lat]")
    if not 2 <= len(part) <= _MOST_NUMBERS:
        raise ValueError(f"the geometry is not valid ({kind}): a position is [lon, lat], not {short_text(part)}")
    for number in part:
        if isinstance(number, bool) or not isinstance(number, int | float) or not _is_finite(number):
            raise ValueError(f"{short_text(number)} is not a number")
    lon, lat = part[0], part[1]
    if not (-180 <= lon <= 180 and -90 <= lat <= 90):
        raise ValueError(f"the position {lon:g} {lat:g} is outside -180..180, -90..90 degrees")
    return [float(lon), float(lat)]


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # an integer of hundreds of digits
        return False


def _positions(part: Part, kind: str) -> list[list[float]]:
    return [_position(position, kind) for position in _non_empty(part, kind, "position")]


def _line(part: Part, kind: str) -> list[list[float]]:
    return [_position(position, kind) for position in _non_empty(part, kind, "position", 2)]


def _lines(part: Part, kind: str) -> list[list[list[float]]]:
    return [_line(line, kind) for line in _non_empty(part, kind, "line")]


def _ring(part: Part, kind: str) -> list[list[float]]:
    ring = [_position(position, kind) for position in _non_empty(part, kind, "position in a ring", 4)]
    if ring[0] != ring[-1]:
        raise ValueError(f"the geometry is not valid ({kind}): rings must close, so the last position is the first")
    return ring


def _rings(part: Part, kind: str) -> list[list[list[float]]]:
    return [_ring(ring, kind) for ring in _non_empty(part, kind, "ring")]


def _polygons(part: Part, kind: str) -> list[list[list[list[float]]]]:
    return [_rings(rings, kind) for rings in _non_empty(part, kind, "polygon")]


_READERS: dict[str, Callable[[Part, str], Part]] = {
    "Point": _position,
    "MultiPoint": _positions,
    "LineString": _line,
    "MultiLineString": _lines,
    "Polygon": _rings,
    "MultiPolygon": _polygons,
}


def _refuse_invalid(geometry: Json) -> None:
    """Rings that cross, lines and areas that are no more than a point."""
    kind = geometry["type"]
    try:
        geometry_shape = shape(cast(Any, geometry))
        valid = bool(shapely.is_valid(geometry_shape))
        small = valid and bool(shapely.is_empty(shapely.set_precision(geometry_shape, _SMALLEST_DEG)))
    except (ShapelyError, ValueError):
        valid = small = False
    if not valid:
        raise ValueError(
            f"the geometry is not valid ({kind}): rings must close and may not cross themselves or each other, a line "
            "has two different positions"
        )
    if small:
        raise ValueError(f"the {kind} is smaller than {_SMALLEST_DEG:g} degrees; ask with a point")


def short_text(node: object) -> str:
    """The node as a short text for a message."""
    text = str(node)
    return text if len(text) <= 60 else text[:57] + "..."


LONGEST_TEXT = 512


def wrong(message: str) -> InvalidInput:
    return InvalidInput("filter", f"filter: {message}")


def text_of(node: object) -> str:
    """Raises InvalidInput if the node is not a text that a record can contain."""
    if not isinstance(node, str):
        raise wrong(f"{short_text(node)} is not a text in quotes")
    if len(node) > LONGEST_TEXT or any(unicodedata.category(c) in ("Cc", "Cs") for c in node):
        raise wrong(f"a text is longer than {LONGEST_TEXT} characters or holds control characters")
    return node


def number_of(node: object) -> float:
    if isinstance(node, bool) or not isinstance(node, int | float) or not math.isfinite(node) or abs(node) > 1e18:
        raise wrong(f"{short_text(node)} is not a number")
    return float(node)


def span_of(node: object) -> TimeSpan:
    """A date (its whole day), a timestamp or an interval, an open end written as ``..``."""
    try:
        if isinstance(node, Mapping) and isinstance(node.get("interval"), list) and len(node["interval"]) == 2:
            return TimeSpan.from_iso(*(_edge(edge) for edge in node["interval"]))
        text = _edge(node)
        return TimeSpan(instant_ms(text), instant_ms(text, at_end=True))
    except ValueError as error:
        raise wrong(str(error)) from None


def _edge(node: object) -> str:
    if isinstance(node, Mapping):
        node = node.get("date", node.get("timestamp"))
    if not isinstance(node, str):
        raise wrong(f"{short_text(node)} is not a date; write DATE('1990-01-01') or TIMESTAMP('1990-01-01T00:00:00Z')")
    return node


def geometry_of(node: object, parameter: str = "filter") -> Json:
    """GeoJSON or ``{"bbox": [...]}`` as a shape of Elasticsearch's; degrees WGS 84."""
    try:
        return _geometry(node)
    except InvalidInput as error:
        raise InvalidInput(parameter, str(error).replace("filter:", f"{parameter}:", 1)) from None


def _geometry(node: object) -> Json:
    if isinstance(node, Mapping) and "type" not in node and isinstance(node.get("bbox"), list):
        return _box([number_of(edge) for edge in node["bbox"]])
    try:
        return checked_geometry(node)
    except ValueError as error:
        raise wrong(str(error)) from None


def _box(edges: list[float]) -> Json:
    if len(edges) not in (4, 6):
        raise wrong("a bbox has four numbers (west, south, east, north) or six")
    try:
        return envelope(BBox(*edges) if len(edges) == 4 else BBox(edges[0], edges[1], edges[3], edges[4]))
    except ValueError as error:
        raise wrong(f"bbox: {error}") from None
