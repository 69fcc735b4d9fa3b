"""Searches a CSW 2.0.2 live, for the federated search: GetRecords with words and a box, in the server's order."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from core.geo import BBox
from indexer.sources.csw import CSW, GMD, OGC, CswException, Results, results
from net.exchange import Outgoing
from net.gate import Gate

_VERSION = "2.0.2"
_NAMES = {
    "csw": CSW[_VERSION],
    "ogc": OGC,
    "gml": "http://www.opengis.net/gml",
    "ows": "http://www.opengis.net/ows",
}


@dataclass(frozen=True, slots=True)
class CswQuestion:
    """Records that have all ``words``, and touch the ``area``."""

    words: tuple[str, ...]
    area: BBox | None
    size: int


def search(gate: Gate, url: str, question: CswQuestion, timeout_s: float) -> Results:
    """ISO 19139, or Dublin Core of a server without it. Raises SondeError."""
    try:
        return _answer(gate, url, body(question, GMD), timeout_s)
    except CswException:
        return _answer(gate, url, body(question, CSW[_VERSION]), timeout_s)


def _answer(gate: Gate, url: str, content: bytes, timeout_s: float) -> Results:
    headers = {"accept": "application/xml", "content-type": "application/xml"}
    return results(gate.request(Outgoing(url, "POST", None, headers, content, timeout_s=timeout_s)))


def body(question: CswQuestion, schema: str) -> bytes:
    """GetRecords as the XML of a POST."""
    root = etree.Element(f"{{{CSW[_VERSION]}}}GetRecords", nsmap=_NAMES)
    root.attrib.update({"service": "CSW", "version": _VERSION, "resultType": "results", "outputSchema": schema})
    root.attrib.update({"outputFormat": "application/xml", "startPosition": "1", "maxRecords": str(question.size)})
    query = _add(root, "csw:Query")
    query.set("typeNames", "csw:Record")
    _add(query, "csw:ElementSetName").text = "full"
    conditions = [_joined("ogc:Or", [_like(form) for form in _forms(word)]) for word in question.words]
    if question.area is not None:
        conditions.append(_joined("ogc:Or", [_bbox_condition(part) for part in question.area.parts()]))
    if conditions:
        constraint = _add(query, "csw:Constraint")
        constraint.set("version", "1.1.0")
        _add(constraint, "ogc:Filter").append(_joined("ogc:And", conditions))
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)


def _forms(word: str) -> list[str]:
    """A plural, and what its singular has too: some servers compare letters, and others whole words."""
    singular = word.removesuffix("ies") if word.endswith("ies") else word.removesuffix("s")
    return list(dict.fromkeys((word, singular)))


def _like(form: str) -> etree._Element:
    condition = _element("ogc:PropertyIsLike")
    condition.attrib.update({"wildCard": "*", "singleChar": "?", "escapeChar": "\\"})
    _add(condition, "ogc:PropertyName").text = "csw:AnyText"
    _add(condition, "ogc:Literal").text = f"*{form}*"
    return condition


def _bbox_condition(area: BBox) -> etree._Element:
    """By its URN the order of the axes is certain: latitude first."""
    condition = _element("ogc:BBOX")
    _add(condition, "ogc:PropertyName").text = "ows:BoundingBox"
    envelope = _add(condition, "gml:Envelope")
    envelope.set("srsName", "urn:ogc:def:crs:EPSG::4326")
    _add(envelope, "gml:lowerCorner").text = f"{area.south:g} {area.west:g}"
    _add(envelope, "gml:upperCorner").text = f"{area.north:g} {area.east:g}"
    return condition


def _joined(name: str, conditions: list[etree._Element]) -> etree._Element:
    if len(conditions) == 1:
        return conditions[0]
    element = _element(name)
    element.extend(conditions)
    return element


def _element(name: str) -> etree._Element:
    prefix, _, local = name.partition(":")
    return etree.Element(f"{{{_NAMES[prefix]}}}{local}", nsmap=_NAMES)


def _add(parent: etree._Element, name: str) -> etree._Element:
    element = _element(name)
    parent.append(element)
    return element
