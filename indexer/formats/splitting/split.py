"""Splits a server's answer that holds several records into single records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import rdflib
from lxml import etree

from core.json_types import Json
from indexer.formats.json_documents.linked_data import plain_node
from indexer.formats.json_documents.parsing import looks_like_json, parse_json, text_in, to_bytes
from indexer.formats.json_documents.rdf import looks_like_turtle, trees
from indexer.formats.json_documents.web_pages import broken_scripts, may_hold_scripts
from indexer.formats.readers import dcat, schema_org
from indexer.formats.recognition import detect, detect_element
from indexer.formats.refused import Refused
from indexer.formats.splitting.json_members import (
    DCAT_CONTEXT,
    SCHEMA_CONTEXT,
    Found,
    fallback_name,
    json_members,
    record_name,
)
from indexer.formats.splitting.members import Members, Part, Unread, references_passed_over
from indexer.formats.xml_documents import Element, FirstElement, all_of, local_name, one_of, parse, text_at

_TYPED = re.compile(rb"(?:</[\w.-]*:?)?(?:Dataset|DataService)")
_DEEPEST_ELEMENT = 5
_ISO_TYPE = "{http://www.isotc211.org/2005/gco}isoType"
_LISTS = frozenset({"SearchResults", "ListRecords", "GetRecord", "GetRecordByIdResponse", "results"})
_AMBIGUOUS = ("metadata", "Collection", "resource", "dc", "simpledc", "qualifieddc", "RDF", "eml")
_BESIDE_RECORDS = frozenset({"resumptionToken", "SearchStatus", "hits", "took"})


def split(content: bytes) -> list[Part]:
    """The records of ``members``. Raises Refused."""
    return members(content).parts


def members(content: bytes) -> Members:
    """Every record of a document in order, each ready for ``registry.read``, and the members that are no records.

    Equal records give equal bytes. A document that is one record is returned unchanged, with an empty id. Supported:
    csw:GetRecords(ById)Response, OAI-PMH ListRecords and GetRecord, CMR's results, any XML that holds known records;
    GeoJSON FeatureCollections, STAC's collections, data.json with nested catalogues, CKAN's package_search, Solr's and
    GeoBlacklight's docs, DataCite's and UMM's lists, JSON lists; RDF graphs; JSON-LD graphs; HTML pages with JSON-LD.
    Raises Refused where the document cannot be parsed; without parts where it holds no known record. RDF with at
    most one data set is not parsed.
    """
    if looks_like_json(content):
        return _named(json_members(parse_json(content)), content)
    if looks_like_turtle(content):
        return _of_rdf(content)
    if may_hold_scripts(content):
        broken = [Unread(one.place, one.reason) for one in broken_scripts(content)]
        return _linked(schema_org.datasets(content), SCHEMA_CONTEXT, content, broken)
    if not content.lstrip(b"\xef\xbb\xbf \t\r\n\x00").startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        raise Refused("it is neither XML, JSON nor RDF")
    name = detect(content)
    if name == "dcat":
        return _of_rdf(content)
    return Members([("", content)]) if name is not None else xml_members(parse(content).root)


def parts_of(graph: rdflib.Graph) -> list[Part]:
    """Every data set, series and service of a graph under its own name; also where there is only one."""
    return _parts([plain_node(node, {}) for node in trees(graph)], DCAT_CONTEXT)


def _of_rdf(content: bytes) -> Members:
    """rdflib is slow, so RDF that names a type at most once is not parsed: it has nothing to split."""
    typed = [match for match in _TYPED.findall(content) if not match.startswith(b"</")]
    if len(typed) == 1:
        return Members([("", content)])
    return _linked(dcat.resources(content), DCAT_CONTEXT, content)


def deleted(content: bytes) -> list[str]:
    """Identifiers of the OAI-PMH records whose header says ``status="deleted"``. Raises Refused."""
    headers = all_of(parse(content).root, ".//header")
    return [text_at(header, "identifier") for header in headers if header.get("status") == "deleted"]


def _linked(found: list[Json], context: str, content: bytes, unread: list[Unread] | None = None) -> Members:
    return Members([("", content)] if len(found) == 1 else _parts(found, context), unread or [])


def _parts(found: list[Json], context: str) -> list[Part]:
    return [(_address_of(one) or record_name(one), to_bytes({**one, "@context": context})) for one in found]


def _address_of(node: Json) -> str:
    """A node's own address, which is unique; identifiers sometimes occur twice."""
    address = text_in(node.get("@id"))
    return "" if address.startswith("_:") else address


def _named(found: Found, content: bytes) -> Members:
    if len(found.records) == 1 and detect(content) is not None:
        return Members([("", content)], found.unread)
    names = [record_name(record) for record in found.records]
    parts = [
        (name or fallback_name(record), to_bytes(record)) for name, record in zip(names, found.records, strict=True)
    ]
    nameless = frozenset(part[0] for name, part in zip(names, parts, strict=True) if not name)
    return Members(parts, references_passed_over(found.unread, names), nameless)


@dataclass(frozen=True, slots=True)
class _Record:
    """An outermost element that a reader knows, the elements above it, and the name that the protocol gives."""

    above: tuple[Element, ...]
    part: Part


def xml_members(root: Element) -> Members:
    """The outermost elements that a reader knows; of the list that holds them, also the members without one."""
    found = list(_records(root))
    if not found:
        return Members([])
    container = _container(found)
    return Members([one.part for one in found], [] if container is None else list(_unread(container, found)))


def _records(root: Element) -> Iterator[_Record]:
    level: list[tuple[Element, str, tuple[Element, ...]]] = [(root, "", (root,))]
    for _ in range(_DEEPEST_ELEMENT):
        deeper = []
        for element, name, above in level:
            for child in element.iterchildren("*"):
                content = _standing_alone(child)
                if content is not None:
                    yield _Record((*above, child), (name, content))
                else:
                    deeper.append((child, protocol_name(child) or name, (*above, child)))
        level = deeper


def _standing_alone(element: Element) -> bytes | None:
    """The element as a separate document if a reader knows it."""
    first = FirstElement(str(element.tag), element.get(_ISO_TYPE))
    if detect_element(first, b"") is None and not _may_be_record(element):
        return None
    content = etree.tostring(element, encoding="utf-8", with_tail=False)
    return content if detect_element(first, content) is not None else None


def _may_be_record(element: Element) -> bool:
    """Whether the content of an ambiguous root is a record; an OAI header beside it means an envelope."""
    return local_name(element) in _AMBIGUOUS and not any(
        detect_element(FirstElement(str(child.tag), child.get(_ISO_TYPE)), b"") for child in element.iterchildren("*")
    )


def protocol_name(element: Element) -> str:
    return element.get("concept-id") or text_at(element, "header/identifier")


def _container(found: list[_Record]) -> Element | None:
    """The list that holds the records: by its name, else the deepest element that holds them all.

    None for a single record in an element of no known name: what stands beside it may be a part of it.
    """
    for element in found[0].above:
        if local_name(element) in _LISTS:
            return element
    if len(found) < 2:
        return None
    shared = found[0].above
    for one in found[1:]:
        shared = tuple(mine for mine, other in zip(shared, one.above, strict=False) if mine is other)
    return shared[-1] if shared else None


def _unread(container: Element, found: list[_Record]) -> Iterator[Unread]:
    """The children of the list that hold no record. Where each record has a wrapper, only wrappers are members."""
    holders = {element for one in found for element in one.above}
    records = {one.above[-1] for one in found}
    inside = [child for child in container.iterchildren("*") if child in holders]
    names = None if any(child in records for child in inside) else {local_name(child) for child in inside}
    for number, child in enumerate(container.iterchildren("*"), 1):
        local = local_name(child)
        if child in holders or local in _BESIDE_RECORDS or (names is not None and local not in names):
            continue
        place, name = f"element {number} of {local_name(container)}", protocol_name(child)
        header = one_of(child, "header")
        if header is not None and header.get("status") == "deleted":
            yield Unread(place, "its header says that it is deleted", passed_over=True)
        else:
            yield Unread(place, _why(child), name)


def _why(element: Element) -> str:
    if not len(element):
        return f"the element {local_name(element)} holds nothing"
    held = one_of(element, "metadata/*")
    return f"no reader knows the element {local_name(held if held is not None else element)}"
