"""Small pieces of ISO 19139: text, codes, dates, parties, links, shapes (schemas of 2007, GML 3.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lxml import etree
from shapely.geometry import LineString, Polygon
from shapely.geometry.base import BaseGeometry

from core.json_types import JsonMapping
from core.record import Contact, Link
from search_api.formats_out.notations import degrees, geometry_of, legal_xml, simple_parts

NAMESPACES = {
    "gmd": "http://www.isotc211.org/2005/gmd",
    "gco": "http://www.isotc211.org/2005/gco",
    "gmx": "http://www.isotc211.org/2005/gmx",
    "srv": "http://www.isotc211.org/2005/srv",
    "gml": "http://www.opengis.net/gml/3.2",
    "xlink": "http://www.w3.org/1999/xlink",
}
_CRS84 = "urn:ogc:def:crs:OGC:1.3:CRS84"  # longitude before latitude
_CODE_LISTS = "http://www.isotc211.org/2005/resources/Codelist/gmxCodelists.xml"

Element = etree._Element


def name_of(name: str) -> str:
    """``gmd:title`` in Clark notation."""
    prefix, _, local = name.partition(":")
    return f"{{{NAMESPACES[prefix]}}}{local}"


def node(name: str, *children: Element | None, text: str | None = None, **attributes: str) -> Element:
    """An element; None children are left out. ``__`` in an attribute's name means a colon."""
    element = etree.Element(name_of(name), nsmap=NAMESPACES)
    for key, value in attributes.items():
        element.set(name_of(key.replace("__", ":")) if "__" in key else key, legal_xml(value))
    element.text = None if text is None else legal_xml(text)
    element.extend([child for child in children if child is not None])
    return element


def text(name: str, value: str | None) -> Element | None:
    return node(name, node("gco:CharacterString", text=value)) if value else None


def code(name: str, code_list: str, value: str | None) -> Element | None:
    if not value:
        return None
    return node(name, node(f"gmd:{code_list}", text=value, codeList=f"{_CODE_LISTS}#{code_list}", codeListValue=value))


def number(name: str, kind: str, value: object) -> Element:
    """A gco primitive under ``name``."""
    return node(name, node(f"gco:{kind}", text=str(value)))


def date(name: str, value: str) -> Element:
    """A Date of any precision, or a DateTime if there is a time of day."""
    return node(name, node("gco:DateTime" if "T" in value else "gco:Date", text=value))


def cited_date(value: str | None, kind: str) -> Element | None:
    if not value:
        return None
    kind_of = code("gmd:dateType", "CI_DateTypeCode", kind)
    return node("gmd:date", node("gmd:CI_Date", date("gmd:date", value), kind_of))


def party(name: str, contact: Contact) -> Element:
    mail = text("gmd:electronicMailAddress", contact.email)
    info = None
    if mail is not None:
        address = node("gmd:address", node("gmd:CI_Address", mail))
        info = node("gmd:contactInfo", node("gmd:CI_Contact", address))
    return node(
        name,
        node(
            "gmd:CI_ResponsibleParty",
            text("gmd:individualName", contact.name),
            text("gmd:organisationName", contact.organisation),
            info,
            code("gmd:role", "CI_RoleCode", contact.role or "pointOfContact"),
        ),
    )


def online(name: str, link: Link) -> Element:
    function = {"download": "download", "enclosure": "download", "about": "information"}.get(link.rel or "")
    return node(
        name,
        node(
            "gmd:CI_OnlineResource",
            node("gmd:linkage", node("gmd:URL", text=link.href)),
            text("gmd:protocol", link.protocol),
            text("gmd:name", link.name),
            text("gmd:description", link.description),
            code("gmd:function", "CI_OnLineFunctionCode", function),
        ),
    )


def gml(geometry: JsonMapping | None) -> Element | None:
    """A ``gml:Polygon``, ``gml:LineString`` or a ``gml:MultiGeometry`` of them."""
    shape = geometry_of(geometry)
    parts = (
        []
        if shape is None
        else [_gml_part(simple, position) for position, simple in enumerate(simple_parts(shape), start=1)]
    )
    if len(parts) < 2:
        return next(iter(parts), None)
    members = [node("gml:geometryMember", part) for part in parts]
    return node("gml:MultiGeometry", *members, gml__id="shape", srsName=_CRS84)


def _gml_part(part: BaseGeometry, position: int) -> Element:
    name = f"shape-{position}"
    if isinstance(part, LineString):
        return node("gml:LineString", _positions(part.coords), gml__id=name, srsName=_CRS84)
    assert isinstance(part, Polygon)
    holes = [node("gml:interior", node("gml:LinearRing", _positions(ring.coords))) for ring in part.interiors]
    outer = node("gml:exterior", node("gml:LinearRing", _positions(part.exterior.coords)))
    return node("gml:Polygon", outer, *holes, gml__id=name, srsName=_CRS84)


def _positions(coordinates: Iterable[Sequence[float]]) -> Element:
    return node("gml:posList", text=" ".join(f"{degrees(lon)} {degrees(lat)}" for lon, lat, *_ in coordinates))
