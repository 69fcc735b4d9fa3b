"""OGC Filter 1.1 as the tree of CQL2's JSON, so that one translator serves both."""

from __future__ import annotations

import math
from collections.abc import Callable

from lxml import etree

from core.json_types import Json
from core.reference_systems import ReferenceSystem
from search_api.http.parameter_types import plain_number
from search_api.protocols.csw.boxes import in_degrees, system_of
from search_api.protocols.csw.errors import CswError
from search_api.protocols.csw.names import GML, OGC
from search_api.search.filtering.tokens import DEEPEST

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
    """GML 3.1 as GeoJSON, or as a box, in degrees."""
    for one in element:
        kind = etree.QName(one)
        if kind.namespace == GML:
            name = next((said for part in one.iter() if (said := part.get("srsName"))), "")
            return _shape(kind.localname, _pairs(one), system_of(name))
    raise _wrong(f"{etree.QName(element).localname} has no geometry in GML")


def _shape(kind: str, points: list[list[float]], system: ReferenceSystem) -> Json:
    if kind in ("Envelope", "Box") and len(points) == 2:
        return {"bbox": in_degrees([*points[0], *points[1]], system)}
    if system.latitude_first and system.in_degrees:
        points = [point[::-1] for point in points]
    if kind == "Point" and len(points) == 1:
        found: Json = {"type": "Point", "coordinates": points[0]}
    elif kind == "LineString" and len(points) > 1:
        found = {"type": "LineString", "coordinates": points}
    elif kind == "Polygon" and len(points) > 3:
        found = {"type": "Polygon", "coordinates": [points]}
    else:
        raise _wrong(
            f"gml:{kind[:40]} is not supported, or has too few positions; there are Envelope, Point, LineString, "
            "Polygon"
        )
    try:
        return found if system.in_degrees else system.geometry(found)
    except ValueError as error:
        raise _wrong(str(error)) from None


def _pairs(element: etree._Element) -> list[list[float]]:
    """The positions without their heights."""
    if element.find(f".//{{{GML}}}interior") is not None:
        raise _wrong("a polygon with holes is not supported")
    points: list[list[float]] = []
    for one in element.iter():
        if isinstance(one.tag, str) and one.text and etree.QName(one).localname in _POSITIONS:
            try:
                numbers = [plain_number(part) for part in one.text.replace(",", " ").split()]
            except ValueError:
                raise _wrong("a position in GML is two numbers") from None
            size = _dimension(one)
            if len(numbers) % size or not all(map(math.isfinite, numbers)):
                raise _wrong("a position in GML is two numbers")
            points += [numbers[at : at + 2] for at in range(0, len(numbers), size)]
    return points


_POSITIONS = frozenset(("pos", "posList", "lowerCorner", "upperCorner", "coordinates"))


def _dimension(element: etree._Element) -> int:
    said = [one.get("srsDimension", "") for one in (element, *element.iterancestors())]
    return 3 if next(filter(None, said), "") == "3" else 2


def _wrong(message: str) -> CswError:
    return CswError("InvalidParameterValue", message, "constraint")
