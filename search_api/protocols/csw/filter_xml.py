"""Names of CSW 2.0.2, and OGC Filter 1.1 as the tree of CQL2's JSON, so that one translator serves both."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from lxml import etree

from core.geo import BBox
from core.json_types import Json
from core.reference_systems import ReferenceSystem, read_reference_system
from search_api.http.parameters import plain_number
from search_api.search.filtering.tokens import DEEPEST

CSW = "http://www.opengis.net/cat/csw/2.0.2"
OGC = "http://www.opengis.net/ogc"
OWS = "http://www.opengis.net/ows"
DC = "http://purl.org/dc/elements/1.1/"
DCT = "http://purl.org/dc/terms/"
GML = "http://www.opengis.net/gml"
XLINK = "http://www.w3.org/1999/xlink"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
XSD = "http://www.w3.org/2001/XMLSchema"
INSPIRE_DS = "http://inspire.ec.europa.eu/schemas/inspire_ds/1.0"
INSPIRE = "http://inspire.ec.europa.eu/schemas/common/1.0"

NSMAP = {"csw": CSW, "ows": OWS, "ogc": OGC, "dc": DC, "dct": DCT, "gml": GML, "xlink": XLINK, "xsi": XSI}
VERSION = "2.0.2"
RECORD_SCHEMA = "http://schemas.opengis.net/csw/2.0.2/record.xsd"

ANY_TEXT: Final = "anytext"
ABSTRACT: Final = "abstract"
IDENTIFIER: Final = "identifier"
"""Names that are no property of the house: all texts, the abstract's words, either identifier."""

SOURCES, REFERENCES = "dc:source", "dct:references"
"""Elements of our csw:Record that have a field in the index, but no name in the OGC API."""

CSW_QUERYABLES: dict[str, str] = {
    "anytext": ANY_TEXT,
    "any": ANY_TEXT,
    "abstract": ABSTRACT,
    "description": ABSTRACT,
    "source": SOURCES,
    "references": REFERENCES,
    "identifier": IDENTIFIER,
    "title": "title",
    "subject": "keywords",
    "keyword": "keywords",
    "keywordtype": "keywords",
    "type": "type",
    "format": "formats",
    "language": "language",
    "modified": "updated",
    "revisiondate": "updated",
    "date": "created",
    "created": "created",
    "creationdate": "created",
    "publicationdate": "created",
    "creator": "organisation",
    "publisher": "organisation",
    "contributor": "organisation",
    "organisationname": "organisation",
    "rights": "license",
    "license": "license",
    "issued": "created",
    "boundingbox": "geometry",
    "topiccategory": "themes",
    "parentidentifier": "parent",
    "relation": "parent",
    "ispartof": "parent",
    "denominator": "scale",
    "distancevalue": "resolution",
    "tempextent_begin": "time",
    "tempextent_end": "time",
}
"""Local name of a CSW or ISO queryable, in small letters, to the property of the house that answers it."""

ELEMENTS = frozenset((
    "anytext", "boundingbox", "contributor", "coverage", "creator", "date", "description", "format", "identifier",
    "language", "publisher", "relation", "rights", "source", "subject", "title", "type", "abstract", "accessrights",
    "alternative", "audience", "available", "bibliographiccitation", "conformsto", "created", "dateaccepted",
    "datecopyrighted", "datesubmitted", "educationlevel", "extent", "hasformat", "haspart", "hasversion", "isformatof",
    "ispartof", "isreferencedby", "isreplacedby", "isrequiredby", "issued", "isversionof", "license", "mediator",
    "medium", "modified", "provenance", "references", "replaces", "requires", "rightsholder", "spatial",
    "tableofcontents", "temporal", "valid",
))  # fmt: skip
"""The elements of csw:Record (record.xsd) in small letters. One without a property here is NULL in every record."""

SUPPORTED = (
    "csw:AnyText", "dc:title", "dc:identifier", "dc:subject", "dct:abstract", "dc:type", "dc:format", "dc:language",
    "dct:modified", "dc:date", "dc:creator", "dc:publisher", "dc:contributor", "dc:rights", "dc:relation", "dc:source",
    "dct:references", "dct:isPartOf", "dct:created", "dct:issued", "dct:license", "ows:BoundingBox",
)  # fmt: skip
ADDITIONAL = (
    "apiso:TopicCategory", "apiso:ParentIdentifier", "apiso:Denominator", "apiso:DistanceValue",
    "apiso:OrganisationName", "apiso:TempExtent_begin", "apiso:TempExtent_end", "apiso:CreationDate",
    "apiso:PublicationDate", "apiso:RevisionDate",
)  # fmt: skip


def local(name: str) -> str:
    """``apiso:Title`` and ``/csw:Record/dc:title`` as ``title``."""
    return name.rsplit("/", 1)[-1].rsplit(":", 1)[-1].strip().lower()


class CswError(Exception):
    """An exception of OWS Common 1.0, with its code and the parameter that is wrong."""

    def __init__(self, code: str, message: str, locator: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.locator = locator


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
_POSITIONS = frozenset(("pos", "posList", "lowerCorner", "upperCorner", "coordinates"))


def system_of(name: str, locator: str = "constraint") -> ReferenceSystem:
    """Raises CswError that names the system."""
    try:
        return read_reference_system(name)
    except ValueError as error:
        raise CswError("InvalidParameterValue", str(error), locator) from None


def in_degrees(corners: list[float], system: ReferenceSystem, locator: str = "constraint") -> list[float]:
    """west, south, east, north of two corners in a reference system. Raises CswError."""
    if not all(map(math.isfinite, corners)):
        raise CswError("InvalidParameterValue", "a corner of a box is two numbers", locator)
    try:
        return _on_earth(*system.box(*corners))
    except ValueError as error:
        raise CswError("InvalidParameterValue", str(error), locator) from None


def box_of_pair(text: str) -> BBox:
    """``w,s,e,n`` or ``w,s,e,n,EPSG:n`` of a key-value pair, as OWS Common has it. Raises CswError."""
    *numbers, last = text.split(",") if text.count(",") in (4, 6) else [*text.split(","), ""]
    system = system_of(last, "bbox")
    try:
        corners = [plain_number(number) for number in numbers]
    except ValueError:
        corners = []
    if len(corners) == 6:
        corners = [corners[position] for position in (0, 1, 3, 4)]
    if len(corners) != 4:
        raise CswError("InvalidParameterValue", "bbox is west,south,east,north and the name of its system", "bbox")
    try:
        return BBox(*in_degrees(corners, system, "bbox"))
    except ValueError as error:
        raise CswError("InvalidParameterValue", f"bbox: {error}", "bbox") from None


def _on_earth(west: float, south: float, east: float, north: float) -> list[float]:
    """What lies on the Earth of a map's extent: desktop maps reach past the poles, and around the world more than once.

    ``west > east`` crosses the antimeridian.
    """
    south, north = (min(90.0, max(-90.0, lat)) for lat in (south, north))
    if east - west >= 360:
        return [-180.0, south, 180.0, north]
    west, east = (lon if -180 <= lon <= 180 else (lon + 180) % 360 - 180 for lon in (west, east))
    return [west, south, east, north]


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
        inside = [_condition(child, depth + 1) for child in element]
        if not inside or (name == "Not" and len(inside) > 1):
            raise _wrong(f"{name} does not hold as many conditions as it needs")
        return {"op": name.lower(), "args": inside}
    if name in _COMPARED:
        return {"op": _COMPARED[name], "args": [_property(element), _cased(element, _literal(element, "Literal"))]}
    if name in _SPATIAL:
        place = element.findtext(f"{{{OGC}}}PropertyName") or "ows:BoundingBox"
        return {"op": _SPATIAL[name], "args": [{"property": place.strip()}, _geometry(element)]}
    if name not in _OTHER_OPERATORS:
        raise _wrong(f"{name} is not supported")
    return _OTHER_OPERATORS[name](element)


def _like(element: etree._Element) -> Json:
    """With CQL's own signs, whatever signs the request chose."""
    text = str(_literal(element, "Literal"))
    any_sign, single = element.get("wildCard", "%"), element.get("singleChar", "_")
    escape = element.get("escapeChar") or element.get("escape") or "\\"
    escaped, literal = [], False
    for character in text:
        if literal:
            escaped.append(f"\\{character}" if character in "%_\\" else character)
            literal = False
        elif character == escape:
            literal = True
        elif character in (any_sign, single):
            escaped.append("%" if character == any_sign else "_")
        else:
            escaped.append(f"\\{character}" if character in "%_\\" else character)
    return {"op": "like", "args": [_property(element), _cased(element, "".join(escaped))]}


def _cased(element: etree._Element, literal: str) -> Json | str:
    """With CQL2's sign for a comparison that ignores case, if the condition asks for one."""
    ignores_case = element.get("matchCase", "").strip() in ("false", "0")
    return {"op": "casei", "args": [literal]} if ignores_case else literal


def _between(element: etree._Element) -> Json:
    edges = [element.find(f"{{{OGC}}}{name}") for name in ("LowerBoundary", "UpperBoundary")]
    values = [_literal(edge, "Literal") for edge in edges if edge is not None]
    if len(values) != 2:
        raise _wrong("PropertyIsBetween needs LowerBoundary and UpperBoundary")
    return {"op": "between", "args": [_property(element), *values]}


_OTHER_OPERATORS: dict[str, Callable[[etree._Element], Json]] = {
    "PropertyIsLike": _like,
    "PropertyIsNull": lambda element: {"op": "isNull", "args": [_property(element)]},
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
    for child in element:
        kind = etree.QName(child)
        if kind.namespace == GML:
            name = next((srs for part in child.iter() if (srs := part.get("srsName"))), "")
            return _shape(kind.localname, _pairs(child), system_of(name))
    raise _wrong(f"{etree.QName(element).localname} has no geometry in GML")


def _shape(kind: str, points: list[list[float]], system: ReferenceSystem) -> Json:
    if kind in ("Envelope", "Box") and len(points) == 2:
        return {"bbox": in_degrees([*points[0], *points[1]], system)}
    if system.latitude_first and system.in_degrees:
        points = [point[::-1] for point in points]
    if kind == "Point" and len(points) == 1:
        geometry: Json = {"type": "Point", "coordinates": points[0]}
    elif kind == "LineString" and len(points) > 1:
        geometry = {"type": "LineString", "coordinates": points}
    elif kind == "Polygon" and len(points) > 3:
        geometry = {"type": "Polygon", "coordinates": [points]}
    else:
        raise _wrong(
            f"gml:{kind[:40]} is not supported, or has too few positions; there are Envelope, Point, LineString, "
            "Polygon"
        )
    try:
        return geometry if system.in_degrees else system.geometry(geometry)
    except ValueError as error:
        raise _wrong(str(error)) from None


def _pairs(element: etree._Element) -> list[list[float]]:
    """The positions without their heights."""
    if element.find(f".//{{{GML}}}interior") is not None:
        raise _wrong("a polygon with holes is not supported")
    points: list[list[float]] = []
    for child in element.iter():
        if isinstance(child.tag, str) and child.text and etree.QName(child).localname in _POSITIONS:
            try:
                numbers = [plain_number(part) for part in child.text.replace(",", " ").split()]
            except ValueError:
                raise _wrong("a position in GML is two numbers") from None
            size = _dimension(child)
            if len(numbers) % size or not all(map(math.isfinite, numbers)):
                raise _wrong("a position in GML is two numbers")
            points += [numbers[at : at + 2] for at in range(0, len(numbers), size)]
    return points


def _dimension(element: etree._Element) -> int:
    dimensions = [ancestor.get("srsDimension", "") for ancestor in (element, *element.iterancestors())]
    return 3 if next(filter(None, dimensions), "") == "3" else 2


def _wrong(message: str) -> CswError:
    return CswError("InvalidParameterValue", message, "constraint")
