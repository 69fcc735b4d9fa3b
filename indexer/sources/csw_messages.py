"""CSW 2.0.2 and 3.0: requests (GetRecords) and answers (capabilities, pages, exceptions). Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from lxml import etree

from core.errors import SondeError
from indexer.raw import WHOLE_SOURCE, RawRecord
from indexer.sources.fetching import BadAnswer, fingerprint, local, parse_xml, text_of, written_xml
from net.exchange import HttpAnswer
from net.targets import address_of

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
    is_version_2 = dialect.version == "2.0.2"
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
    if is_version_2 and dialect.type_name.startswith("gmd:"):
        pairs["namespace"] = f"xmlns(gmd={GMD})"
    if dialect.sort is not None:
        pairs["sortBy"] = f"{dialect.sort}:A" if is_version_2 else f"{dialect.sort} ASC"
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


_DC_IDENTIFIER = "{http://purl.org/dc/elements/1.1/}identifier"


class CswException(SondeError):
    """The server answers with an ows:ExceptionReport: it rejects the request."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """``schemas``: the outputSchemas of GetRecords, empty if the server does not state them."""

    versions: frozenset[str]
    schemas: frozenset[str]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """One page. ``following``: the server's nextRecord, None if it gives none (0 means: no more)."""

    records: tuple[RawRecord, ...]
    matched: int
    returned: int
    following: int | None


def capabilities(answer: HttpAnswer) -> Capabilities:
    """Raises BadAnswer if the answer is not capabilities, CswException."""
    root = _root(answer)
    if local(root) != "Capabilities":
        raise BadAnswer(f"{address_of(answer.url)} did not answer with CSW capabilities")
    versions = {root.get("version", "")}
    schemas: set[str] = set()
    for parameter in root.iter("{*}Parameter"):
        values = {(value.text or "").strip() for value in parameter.iter("{*}Value")}
        match parameter.get("name", "").lower():
            case "outputschema":
                schemas |= values
            case "version" | "acceptversions":
                versions |= values
    title = next((t.text or "" for t in root.iter("{*}Title")), "")
    return Capabilities(frozenset(versions - {""}), frozenset(schemas - {""}), title.strip())


def results(answer: HttpAnswer) -> Results:
    """Raises BadAnswer (to be tried again) and CswException."""
    root = _root(answer)
    search_results = next(root.iter("{*}SearchResults"), None)
    if local(root) != "GetRecordsResponse" or search_results is None:
        raise BadAnswer(f"{address_of(answer.url)} did not answer with search results")
    records = tuple(_record(child, answer.url) for child in search_results if local(child))
    match_count, returned_count = (
        _number(search_results, "numberOfRecordsMatched"),
        _number(search_results, "numberOfRecordsReturned"),
    )
    if match_count is None:
        raise BadAnswer(f"{address_of(answer.url)} does not say how many records match")
    next_record = _number(search_results, "nextRecord")
    return Results(records, match_count, returned_count if returned_count is not None else len(records), next_record)


def _root(answer: HttpAnswer) -> etree._Element:
    root = parse_xml(answer.content, address_of(answer.url))
    if local(root) == "ExceptionReport":
        raise CswException(f"{address_of(answer.url)} refuses the request: {text_of(root)[:300] or 'without a reason'}")
    if not 200 <= answer.status < 300:
        raise CswException(f"{address_of(answer.url)} answered with HTTP status {answer.status}")
    return root


def _record(element: etree._Element, url: str) -> RawRecord:
    content = written_xml(element)
    stated_identifier = _identifier(element)
    id = stated_identifier or fingerprint(content)
    modified = next((text_of(e) for e in element.iter("{*}dateStamp", "{http://purl.org/dc/terms/}modified")), None)
    raw = RawRecord(id, content, f"{url.partition('?')[0]}#{id}", "application/xml", modified or None)
    return raw if stated_identifier else replace(raw, container=WHOLE_SOURCE)


def _identifier(element: etree._Element) -> str:
    """gmd:fileIdentifier, mdb:metadataIdentifier (its code), dc:identifier."""
    for child in element:
        match local(child):
            case "fileIdentifier":
                return text_of(child)
            case "metadataIdentifier":
                code = next(child.iter("{*}code"), None)
                return text_of(code) if code is not None else text_of(child)
            case "identifier" if child.tag == _DC_IDENTIFIER:
                return text_of(child)
    return ""


def _number(element: etree._Element, name: str) -> int | None:
    try:
        return max(int(element.get(name, "")), 0)
    except ValueError:
        return None
