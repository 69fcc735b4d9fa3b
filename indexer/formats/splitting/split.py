"""Splits a server's answer that holds several records into single records."""

from __future__ import annotations

import re
from collections.abc import Iterable

import rdflib

from core.json_types import Json
from indexer.formats.json_documents.linked_data import plain_node
from indexer.formats.json_documents.parsing import looks_like_json, parse_json, text_in, to_bytes
from indexer.formats.json_documents.rdf import dcat_resources, looks_like_turtle, trees
from indexer.formats.json_documents.web_pages import may_hold_scripts, page_scripts
from indexer.formats.readers import schema_org
from indexer.formats.recognition import format_of_json, recognise
from indexer.formats.refused import RecordRefused
from indexer.formats.splitting.json_members import (
    DCAT_CONTEXT,
    SCHEMA_CONTEXT,
    fallback_name,
    json_members,
    record_name,
)
from indexer.formats.splitting.members import RecordPart, SplitDocument, UnreadableMember, pass_over_references
from indexer.formats.splitting.xml_members import xml_members
from indexer.formats.xml_documents import parse
from indexer.raw import Recognition

_TYPED = re.compile(rb"(?:</[\w.-]*:?)?(?:Dataset|DataService)")


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
        raise RecordRefused("it is neither XML, JSON nor RDF")
    recognition = recognise(content)
    if recognition.format == "dcat":
        return _split_rdf(content)
    return _whole(content, recognition) if recognition.format is not None else xml_members(parse(content).root)


def records_of_graph(graph: rdflib.Graph) -> list[RecordPart]:
    """Every data set, series and service of a graph under its own name; also where there is only one."""
    return _linked_records((plain_node(node, {}) for node in trees(graph)), DCAT_CONTEXT)


def _whole(content: bytes, recognition: Recognition) -> SplitDocument:
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
    typed = [match for match in _TYPED.findall(content) if not match.startswith(b"</")]
    if len(typed) == 1:
        return _whole(content, recognise(content))
    nodes = dcat_resources(content)
    if len(nodes) == 1:
        return _whole(content, Recognition(recognise(content).format, nodes))
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
