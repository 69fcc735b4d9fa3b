"""GetRecords requests of CSW 2.0.2 and 3.0 as POST bodies or as key-value pairs. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lxml import etree

Version = Literal["2.0.2", "3.0.0"]
Method = Literal["post", "get"]

GMD = "http://www.isotc211.org/2005/gmd"
MDB = ("http://standards.iso.org/iso/19115/-3/mdb/2.0", "http://standards.iso.org/iso/19115/-3/mdb/1.0")
OGC = "http://www.opengis.net/ogc"
FES = "http://www.opengis.net/fes/2.0"
CSW: dict[str, str] = {"2.0.2": "http://www.opengis.net/cat/csw/2.0.2", "3.0.0": "http://www.opengis.net/cat/csw/3.0"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The way to ask one server; ``schema`` is the outputSchema, ``sort`` a queryable or None: unsorted."""

    version: Version = "2.0.2"
    schema: str = GMD
    type_name: str = "csw:Record"
    sort: str | None = "dc:identifier"
    method: Method = "post"


def key_values(dialect: Dialect, start: int, size: int, since: str | None) -> dict[str, str]:
    """GetRecords as parameters of a GET."""
    old = dialect.version == "2.0.2"
    pairs = {
        "service": "CSW",
        "version": dialect.version,
        "request": "GetRecords",
        "resultType": "results",
        "typeNames": dialect.type_name,
        "elementSetName": "full",
        "outputSchema": dialect.schema,
        "outputFormat": "application/xml",
        "startPosition": str(start),
        "maxRecords": str(size),
    }
    if old and dialect.type_name.startswith("gmd:"):
        pairs["namespace"] = f"xmlns(gmd={GMD})"
    if dialect.sort is not None:
        pairs["sortBy"] = f"{dialect.sort}:A" if old else f"{dialect.sort} ASC"
    if since is not None:
        pairs |= {
            "constraintLanguage": "CQL_TEXT",
            "constraint_language_version": "1.1.0",
            "constraint": f"dct:modified >= '{since}'",
        }
    return pairs


def body(dialect: Dialect, start: int, size: int, since: str | None) -> bytes:
    """GetRecords as the XML of a POST."""
    csw = CSW[dialect.version]
    filters = OGC if dialect.version == "2.0.2" else FES
    root = etree.Element(f"{{{csw}}}GetRecords", {"service": "CSW", "version": dialect.version}, _names(csw, filters))
    root.attrib.update({"outputSchema": dialect.schema, "outputFormat": "application/xml"})
    root.attrib.update({"startPosition": str(start), "maxRecords": str(size)})
    if dialect.version == "2.0.2":
        root.set("resultType", "results")
    query = etree.SubElement(root, f"{{{csw}}}Query", {"typeNames": dialect.type_name})
    _add(query, csw, "ElementSetName").text = "full"
    if since is not None:
        constraint = _add(query, csw, "Constraint")
        constraint.set("version", "1.1.0" if filters == OGC else "2.0.0")
        limit = _add(_add(constraint, filters, "Filter"), filters, "PropertyIsGreaterThanOrEqualTo")
        _property(limit, filters, "dct:modified")
        _add(limit, filters, "Literal").text = since
    if dialect.sort is not None:
        by = _add(_add(query, filters, "SortBy"), filters, "SortProperty")
        _property(by, filters, dialect.sort)
        _add(by, filters, "SortOrder").text = "ASC"
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)


def _names(csw: str, filters: str) -> dict[str, str]:
    """Prefixes used in values (type names, property names)."""
    return {
        "csw": csw,
        "ogc" if filters == OGC else "fes": filters,
        "gmd": GMD,
        "dc": "http://purl.org/dc/elements/1.1/",
        "dct": "http://purl.org/dc/terms/",
        "apiso": "http://www.opengis.net/cat/csw/apiso/1.0",
    }


def _property(parent: etree._Element, filters: str, name: str) -> None:
    _add(parent, filters, "PropertyName" if filters == OGC else "ValueReference").text = name


def _add(parent: etree._Element, namespace: str, name: str) -> etree._Element:
    return etree.SubElement(parent, f"{{{namespace}}}{name}")
