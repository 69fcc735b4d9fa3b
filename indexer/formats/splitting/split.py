"""Splits a server's answer that holds several records into single records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import rdflib
from lxml import etree

from core.json_types import Json
from indexer.formats.json_documents.linked_data import plain_node
from indexer.formats.json_documents.parsing import looks_like_json, parse_json, text_in, to_bytes
from indexer.formats.json_documents.rdf import dcat_resources, looks_like_turtle, trees
from indexer.formats.json_documents.web_pages import may_hold_scripts, page_scripts
from indexer.formats.readers import schema_org
from indexer.formats.recognition import format_of_element, format_of_json, recognise
from indexer.formats.splitting.json_members import (
    DCAT_CONTEXT,
    SCHEMA_CONTEXT,
    RecordPart,
    SplitDocument,
    UnreadableMember,
    fallback_name,
    json_members,
    pass_over_references,
    record_name,
)
from indexer.formats.xml_documents import Element, element_start, find, local_name, parse, text_at
from indexer.raw import PlainText, Recognition

_DEEPEST_ELEMENT = 5
_LISTS = frozenset({"SearchResults", "ListRecords", "GetRecord", "GetRecordByIdResponse", "results"})
_AMBIGUOUS = ("metadata", "Collection", "resource", "dc", "simpledc", "qualifieddc", "RDF", "eml")
_NO_MEMBERS = frozenset({"resumptionToken", "SearchStatus", "hits", "took"})


@dataclass(frozen=True, slots=True)
class _RecordElement:
    """An outermost element that a reader knows, with the elements above it; ``path`` ends with the element itself."""

    path: tuple[Element, ...]
    part: RecordPart


def xml_members(root: Element) -> SplitDocument:
    """The outermost elements that a reader knows; of the list that holds them, also the members without one."""
    records = list(_records(root))
    if not records:
        return SplitDocument([])
    container = _container(records)
    unreadable = [] if container is None else list(_unreadable(container, records))
    return SplitDocument([record.part for record in records], unreadable)


def _records(root: Element) -> Iterator[_RecordElement]:
    level: list[tuple[Element, str, tuple[Element, ...]]] = [(root, "", (root,))]
    for _ in range(_DEEPEST_ELEMENT):
        deeper_elements = []
        for element, name, path in level:
            for child in element.iterchildren("*"):
                part = _separate_record(child, name)
                if part is not None:
                    yield _RecordElement((*path, child), part)
                else:
                    deeper_elements.append((child, _protocol_name(child) or name, (*path, child)))
        level = deeper_elements


def _separate_record(element: Element, name: str) -> RecordPart | None:
    """The element as a separate document if a reader knows it."""
    start = element_start(element)
    if format_of_element(start, b"") is None and not _may_be_record(element):
        return None
    content = etree.tostring(element, encoding="utf-8", with_tail=False)
    format = format_of_element(start, content)
    return None if format is None else RecordPart(name, content, Recognition(format))


def _may_be_record(element: Element) -> bool:
    """Whether the content of an ambiguous root is a record; an OAI header beside it means an envelope."""
    return local_name(element) in _AMBIGUOUS and not any(
        format_of_element(element_start(child), b"") for child in element.iterchildren("*")
    )


def _protocol_name(element: Element) -> str:
    return element.get("concept-id") or text_at(element, "header/identifier")


def _container(records: list[_RecordElement]) -> Element | None:
    """The list that holds the records: by its name, else the deepest element that holds them all.

    None for a single record in an element of no known name: its siblings may be parts of it.
    """
    for element in records[0].path:
        if local_name(element) in _LISTS:
            return element
    if len(records) < 2:
        return None
    shared_path = records[0].path
    for record in records[1:]:
        shared_path = tuple(
            own_element
            for own_element, other_element in zip(shared_path, record.path, strict=False)
            if own_element is other_element
        )
    return shared_path[-1] if shared_path else None


def _unreadable(container: Element, records: list[_RecordElement]) -> Iterator[UnreadableMember]:
    """The children of the list that hold no record. Where each record has a wrapper, only wrappers are members."""
    holders = {element for record in records for element in record.path}
    elements = {record.path[-1] for record in records}
    holders_inside = [child for child in container.iterchildren("*") if child in holders]
    wrappers = (
        None if any(child in elements for child in holders_inside) else {local_name(child) for child in holders_inside}
    )
    for number, child in enumerate(container.iterchildren("*"), 1):
        local = local_name(child)
        if child in holders or local in _NO_MEMBERS or (wrappers is not None and local not in wrappers):
            continue
        place, name = f"element {number} of {local_name(container)}", _protocol_name(child)
        header = find(child, "header")
        if header is not None and header.get("status") == "deleted":
            yield UnreadableMember(place, "its header says that it is deleted", passed_over=True)
        else:
            yield UnreadableMember(place, _fault(child), name)


def _fault(element: Element) -> str:
    if not len(element):
        return f"the element {local_name(element)} holds nothing"
    metadata = find(element, "metadata/*")
    return f"no reader knows the element {local_name(metadata if metadata is not None else element)}"


_TYPE_ELEMENT = re.compile(rb"(?:</[\w.-]*:?)?(?:Dataset|DataService)")


def split(content: bytes) -> SplitDocument:
    """Every record of a document in order, each ready for ``registry.read``, and the members that are no records.

    Equal records give equal bytes. A document that is one record is returned unchanged, with an empty name. Supported:
    csw:GetRecords(ById)Response, OAI-PMH ListRecords and GetRecord, CMR's results, any XML that holds known records;
    GeoJSON FeatureCollections, STAC's collections, data.json with nested catalogues, CKAN's package_search, Solr's and
    GeoBlacklight's docs, DataCite's and UMM's lists, JSON lists; RDF graphs; JSON-LD graphs; HTML pages with JSON-LD.
    Raises RecordRefused where the document cannot be parsed; without records where it holds no known one. RDF with at
    most one data set is not parsed.
    """
    if looks_like_json(content):
        return _split_json(content)
    if looks_like_turtle(content):
        return _split_rdf(content)
    if may_hold_scripts(content):
        return _split_page(content)
    if not content.lstrip(b"\xef\xbb\xbf \t\r\n\x00").startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        raise PlainText("it is neither XML, JSON nor RDF")
    recognition = recognise(content)
    if recognition.format == "dcat":
        return _split_rdf(content)
    return _whole_document(content, recognition) if recognition.format is not None else xml_members(parse(content).root)


def records_of_graph(graph: rdflib.Graph) -> list[RecordPart]:
    """Every data set, series and service of a graph under its own name; also where there is only one."""
    return _linked_records((plain_node(node, {}) for node in trees(graph)), DCAT_CONTEXT)


def _whole_document(content: bytes, recognition: Recognition) -> SplitDocument:
    return SplitDocument([RecordPart("", content, recognition)])


def _split_json(content: bytes) -> SplitDocument:
    value = parse_json(content)
    members = json_members(value)
    if len(members.records) == 1 and (name := format_of_json(value)) is not None:
        return SplitDocument([RecordPart("", content, Recognition(name, value))], members.unreadable)
    names = [record_name(record.value) for record in members.records]
    records = [
        RecordPart(name or fallback_name(record.value), to_bytes(record.value), record.recognition)
        for name, record in zip(names, members.records, strict=True)
    ]
    nameless = frozenset(record.name for name, record in zip(names, records, strict=True) if not name)
    return SplitDocument(records, pass_over_references(members.unreadable, names), nameless)


def _split_rdf(content: bytes) -> SplitDocument:
    """rdflib is slow, so RDF that names a type at most once is not parsed: it has nothing to split."""
    type_tags = [match for match in _TYPE_ELEMENT.findall(content) if not match.startswith(b"</")]
    if len(type_tags) == 1:
        return _whole_document(content, recognise(content))
    nodes = dcat_resources(content)
    if len(nodes) == 1:
        return _whole_document(content, Recognition(recognise(content).format, nodes))
    return SplitDocument(_linked_records((plain_node(node, {}) for node in nodes), DCAT_CONTEXT))


def _split_page(content: bytes) -> SplitDocument:
    scripts = page_scripts(content)
    unreadable = [UnreadableMember(script.place, script.reason) for script in scripts if script.reason]
    documents = [script.document for script in scripts if not script.reason]
    datasets = schema_org.datasets_in(documents)
    if len(datasets) == 1:
        name = recognise(content).format
        recognition = Recognition(name, documents if name == "schema.org" else None)
        return SplitDocument([RecordPart("", content, recognition)], unreadable)
    return SplitDocument(_linked_records(datasets, SCHEMA_CONTEXT), unreadable)


def _linked_records(nodes: Iterable[Json], context: str) -> list[RecordPart]:
    return [
        RecordPart(_address_of(node) or record_name(node), to_bytes({**node, "@context": context})) for node in nodes
    ]


def _address_of(node: Json) -> str:
    """A node's own address, which is unique; identifiers sometimes occur twice."""
    address = text_in(node.get("@id"))
    return "" if address.startswith("_:") else address
