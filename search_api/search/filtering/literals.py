"""The literals of a filter expression: texts, numbers, instants, intervals and geometries, checked."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping

from core.errors import InvalidInput
from core.geo import BBox
from core.json_types import Json
from core.timespan import TimeSpan, instant_ms
from es_mappings.codecs.records import envelope
from search_api.search.filtering.geometries import checked_geometry, shown

LONGEST_TEXT = 512


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
    if isinstance(node, Mapping) and "type" not in node and isinstance(node.get("bbox"), list):
        return _box([number_of(one) for one in node["bbox"]])
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
