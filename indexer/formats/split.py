"""Splits a server's answer that holds several records into single records."""

from __future__ import annotations

import re

import rdflib

from core.json_types import Json
from indexer.formats import dcat, schema_org
from indexer.formats.detect import detect
from indexer.formats.json_document import looks_like_json, parse_json, text_in, to_bytes
from indexer.formats.json_ld import broken_scripts, may_hold_scripts, plain_node
from indexer.formats.json_members import DCAT_CONTEXT, SCHEMA_CONTEXT, Found, fallback_name, json_members, name_of
from indexer.formats.rdf import looks_like_turtle, trees
from indexer.formats.reader import Refused
from indexer.formats.unread import Members, Part, Unread, references_passed_over
from indexer.formats.xml import parse
from indexer.formats.xml_members import xml_members
from indexer.formats.xml_names import all_of, text_at

_TYPED = re.compile(rb"(?:</[\w.-]*:?)?(?:Dataset|DataService)")


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
    return [(_address_of(one) or name_of(one), to_bytes({**one, "@context": context})) for one in found]


def _address_of(node: Json) -> str:
    """A node's own address, which is unique; identifiers sometimes occur twice."""
    address = text_in(node.get("@id"))
    return "" if address.startswith("_:") else address


def _named(found: Found, content: bytes) -> Members:
    if len(found.records) == 1 and detect(content) is not None:
        return Members([("", content)], found.unread)
    names = [name_of(record) for record in found.records]
    parts = [
        (name or fallback_name(record), to_bytes(record)) for name, record in zip(names, found.records, strict=True)
    ]
    nameless = frozenset(part[0] for name, part in zip(names, parts, strict=True) if not name)
    return Members(parts, references_passed_over(found.unread, names), nameless)
