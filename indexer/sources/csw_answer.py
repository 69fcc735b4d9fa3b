"""Reads the answers of a CSW: capabilities, a page of results, an exception. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lxml import etree

from core.errors import SondeError
from indexer.raw import WHOLE_SOURCE, RawRecord
from indexer.sources.answers import fingerprint, local, parse_xml, text_of, written_xml
from indexer.sources.fetching import BadAnswer
from net.exchange import Answer
from net.targets import address_of

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


def capabilities(answer: Answer) -> Capabilities:
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


def results(answer: Answer) -> Results:
    """Raises BadAnswer (to be tried again) and CswException."""
    root = _root(answer)
    found = next(root.iter("{*}SearchResults"), None)
    if local(root) != "GetRecordsResponse" or found is None:
        raise BadAnswer(f"{address_of(answer.url)} did not answer with search results")
    records = tuple(_record(child, answer.url) for child in found if local(child))
    matched, returned = _number(found, "numberOfRecordsMatched"), _number(found, "numberOfRecordsReturned")
    if matched is None:
        raise BadAnswer(f"{address_of(answer.url)} does not say how many records match")
    following = _number(found, "nextRecord")
    return Results(records, matched, returned if returned is not None else len(records), following)


def _root(answer: Answer) -> etree._Element:
    root = parse_xml(answer.content, address_of(answer.url))
    if local(root) == "ExceptionReport":
        raise CswException(f"{address_of(answer.url)} refuses the request: {text_of(root)[:300] or 'without a reason'}")
    if not 200 <= answer.status < 300:
        raise CswException(f"{address_of(answer.url)} answered with HTTP status {answer.status}")
    return root


def _record(element: etree._Element, url: str) -> RawRecord:
    content = written_xml(element)
    stated = _identifier(element)
    id = stated or fingerprint(content)
    modified = next((text_of(e) for e in element.iter("{*}dateStamp", "{http://purl.org/dc/terms/}modified")), None)
    raw = RawRecord(id, content, f"{url.partition('?')[0]}#{id}", "application/xml", modified or None)
    return raw if stated else replace(raw, container=WHOLE_SOURCE)


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
