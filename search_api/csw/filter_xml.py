"""OGC Filter 1.1 as the tree of CQL2's JSON, so that one translator serves both."""

from __future__ import annotations

import math
from collections.abc import Callable

from lxml import etree

from core.json_types import Json
from search_api.csw.errors import CswError
from search_api.csw.names import GML, OGC
from search_api.filtering.tokens import DEEPEST
from search_api.parameter_types import plain_number

_COMPARED = {
    "PropertyIsEqualTo": "=",
    "PropertyIsNotEqualTo": "<>",
    "PropertyIsLessThan": "<",
    "PropertyIsGreaterThan": ">",
    "PropertyIsLessThanOrEqualTo": "<=",
    "PropertyIsGreaterThanOrEqualTo": ">=",
}
_SPATIAL = {
    "BBOX": "s_intersects",
    "Intersects": "s_intersects",
    "Within": "s_within",
    "Contains": "s_contains",
    "Disjoint": "s_disjoint",
}
COMPARISONS = (*(name.removeprefix("PropertyIs") for name in _COMPARED), "Like", "NullCheck", "Between")
SPATIAL = tuple(_SPATIAL)


def tree_of(element: etree._Element) -> Json:
    """``element``: the ``ogc:Filter``. Raises CswError."""
    if etree.QName(element).namespace != OGC or etree.QName(element).localname != "Filter":
        raise _wrong("a filter begins with ogc:Filter")
    inside = list(element)
    if len(inside) != 1:
        raise _wrong("a filter holds one condition")
    return _condition(inside[0], 0)


def _condition(element: etree._Element, depth: int) -> Json:
    name = etree.QName(element).localname
    if depth > DEEPEST:
        raise _wrong(f"the filter is nested more than {DEEPEST} deep")
    if name in ("And", "Or", "Not"):
        inside = [_condition(one, depth + 1) for one in element]
        if not inside or (name == "Not" and len(inside) > 1):
            raise _wrong(f"{name} does not hold as many conditions as it needs")
        return {"op": name.lower(), "args": inside}
    if name in _COMPARED:
        return {"op": _COMPARED[name], "args": [_property(element), _literal(element, "Literal")]}
    if name in _SPATIAL:
        place = element.findtext(f"{{{OGC}}}PropertyName") or "ows:BoundingBox"
        return {"op": _SPATIAL[name], "args": [{"property": place.strip()}, _geometry(element)]}
    if name not in _OTHERS:
        raise _wrong(f"{name} is not supported")
    return _OTHERS[name](element)


def _like(element: etree._Element) -> Json:
    """With CQL's own signs, whatever signs the request chose."""
    text = str(_literal(element, "Literal"))
    many, one = element.get("wildCard", "%"), element.get("singleChar", "_")
    escape = element.get("escapeChar") or element.get("escape") or "\\"
    written, literal = [], False
    for character in text:
        if literal:
            written.append(f"\\{character}" if character in "%_\\" else character)
            literal = False
        elif character == escape:
            literal = True
        elif character in (many, one):
            written.append("%" if character == many else "_")
        else:
            written.append(f"\\{character}" if character in "%_\\" else character)
    return {"op": "like", "args": [_property(element), "".join(written)]}


def _null(element: etree._Element) -> Json:
    return {"op": "isNull", "args": [_property(element)]}


def _between(element: etree._Element) -> Json:
    edges = [element.find(f"{{{OGC}}}{name}") for name in ("LowerBoundary", "UpperBoundary")]
    values = [_literal(one, "Literal") for one in edges if one is not None]
    if len(values) != 2:
        raise _wrong("PropertyIsBetween needs LowerBoundary and UpperBoundary")
    return {"op": "between", "args": [_property(element), *values]}


_OTHERS: dict[str, Callable[[etree._Element], Json]] = {
    "PropertyIsLike": _like,
    "PropertyIsNull": _null,
    "PropertyIsBetween": _between,
}


def _property(element: etree._Element) -> Json:
    name = element.findtext(f"{{{OGC}}}PropertyName")
    if not name:
        raise _wrong(f"{etree.QName(element).localname} has no ogc:PropertyName")
    return {"property": name.strip()}


def _literal(element: etree._Element, name: str) -> str:
    text = element.findtext(f"{{{OGC}}}{name}")
    if text is None:
        raise _wrong(f"{etree.QName(element).localname} has no ogc:{name}")
    return text.strip()


def _geometry(element: etree._Element) -> Json:
    """GML 3.1 as GeoJSON, or as a box."""
    for one in element:
        kind = etree.QName(one)
        if kind.namespace == GML:
            first, second = (1, 0) if _is_lat_lon(one.get("srsName", "")) else (0, 1)
            points = [(pair[first], pair[second]) for pair in _pairs(one)]
            return _shape(kind.localname, points)
    raise _wrong(f"{etree.QName(element).localname} has no geometry in GML")


def _shape(kind: str, points: list[tuple[float, float]]) -> Json:
    if kind == "Point" and len(points) == 1:
        return {"type": "Point", "coordinates": list(points[0])}
    if kind in ("Envelope", "Box") and len(points) == 2:
        return {"bbox": _on_earth(*points[0], *points[1])}
    if kind == "LineString" and len(points) > 1:
        return {"type": "LineString", "coordinates": [list(one) for one in points]}
    if kind == "Polygon" and len(points) > 3:
        return {"type": "Polygon", "coordinates": [[list(one) for one in points]]}
    raise _wrong(
        f"gml:{kind[:40]} is not supported, or has too few positions; there are Envelope, Point, LineString, Polygon"
    )


def _on_earth(west: float, south: float, east: float, north: float) -> list[float]:
    """What lies on the Earth of a map's extent: desktop maps reach past the poles, and around the world more than once.

    ``west > east`` crosses the antimeridian.
    """
    if not all(map(math.isfinite, (west, south, east, north))):
        raise _wrong("a position in GML is two numbers")
    south, north = (min(90.0, max(-90.0, lat)) for lat in (south, north))
    if east - west >= 360:
        return [-180.0, south, 180.0, north]
    west, east = (lon if -180 <= lon <= 180 else (lon + 180) % 360 - 180 for lon in (west, east))
    return [west, south, east, north]


def _pairs(element: etree._Element) -> list[tuple[float, float]]:
    if element.find(f".//{{{GML}}}interior") is not None:
        raise _wrong("a polygon with holes is not supported")
    numbers: list[float] = []
    for one in element.iter():
        if isinstance(one.tag, str) and one.text and etree.QName(one).localname in _POSITIONS:
            try:
                numbers += [plain_number(part) for part in one.text.replace(",", " ").split()]
            except ValueError:
                raise _wrong("a position in GML is two numbers") from None
    if len(numbers) % 2:
        raise _wrong("a position in GML is two numbers")
    return list(zip(numbers[::2], numbers[1::2], strict=True))


_POSITIONS = frozenset(("pos", "posList", "lowerCorner", "upperCorner", "coordinates"))


def _is_lat_lon(name: str) -> bool:
    """Whether latitude comes first: in the long names of EPSG:4326, not in its short name or in CRS84."""
    return name.startswith(("urn:", "http")) and "4326" in name


def _wrong(message: str) -> CswError:
    return CswError("InvalidParameterValue", message, "constraint")
