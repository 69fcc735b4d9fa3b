"""Reads RDF as nested JSON: Turtle, N-Triples and RDF/XML through rdflib, without network, DTDs or entities.

rdflib is slow (some 5,000 triples a second), so this module gets only RDF. A large catalogue is parsed once, and
``split`` passes on its data sets as JSON.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Container
from typing import Any

import rdflib
from lxml import etree
from rdflib.namespace import RDF
from rdflib.term import BNode, Identifier, Literal, Node, URIRef

from core.json_types import Json
from indexer.formats.json_documents.parsing import to_bytes
from indexer.formats.xml_documents import parse
from indexer.raw import RecordRefused

_COMPLAINTS = (ValueError, SyntaxError, KeyError, IndexError, AttributeError, AssertionError, RecursionError)
"""Of rdflib, about what it cannot read."""
LARGEST_BYTES = 64 * 1024 * 1024
DCAT = "http://www.w3.org/ns/dcat#"

_ADDRESS = rb"<(?:[a-z][\w+.-]*://[^<>\s]*|(?:urn|tag|doi|mailto):[^<>\s]*|#[^<>\s]*|)>"  # <metadata> is XML
_TURTLE = re.compile(
    rb"\A(?:\xef\xbb\xbf)?(?:\s|#[^\n]*\n)*(?:@prefix\b|@base\b|PREFIX\s+[\w-]*:\s*<|BASE\s+<|(?:"
    + _ADDRESS
    + rb"|_:\w+)\s+(?:a\s|<)|\[)",
    re.IGNORECASE,
)
_KINDS = ("Dataset", "DatasetSeries", "DataService")
_RESOURCES = (*_KINDS, "Catalog", "CatalogRecord")
_MEMBERS = ("#dataset", "#service", "#seriesMember", "#servesDataset")
_DEEPEST = 6
_LONGEST_LIST = 2_000
_BASE = "urn:sonde:relative:"

logging.getLogger("rdflib.term").setLevel(logging.ERROR)  # rdflib logs a warning for every ill-typed date


def looks_like_turtle(content: bytes) -> bool:
    return not content.lstrip().startswith((b"{", b"[{")) and _TURTLE.match(content[:100_000]) is not None


def dcat_resources(content: bytes) -> tuple[Json, ...]:
    """Each dataset, series and service of a graph as expanded JSON-LD with all it refers to, ordered by identifier.

    Equal graphs give equal bytes, whatever their syntax. Raises RecordRefused: not RDF, too large, entities.
    """
    return trees(_graph(content))


def trees(graph: rdflib.Graph) -> tuple[Json, ...]:
    """As ``dcat_resources``, for a graph that is already parsed."""
    kinds = {node for kind in _KINDS for node in graph.subjects(RDF.type, URIRef(DCAT + kind))}
    parts = {node for node in kinds if isinstance(node, BNode) and _is_part(graph, node, kinds)}
    resource_kinds = kinds - parts or kinds
    return tuple(_tree(graph, node, ()) for node in sorted(resource_kinds, key=str) if isinstance(node, Identifier))


def _is_part(graph: rdflib.Graph, node: BNode, kinds: Container[Node]) -> bool:
    """Whether a nameless data set only describes another one: its source, its series, a version of it."""
    return any(
        subject in kinds and not str(predicate).endswith(_MEMBERS)
        for subject, predicate in graph.subject_predicates(node)
    )


def _graph(content: bytes) -> rdflib.Graph:
    if len(content) > LARGEST_BYTES:
        raise RecordRefused(f"it is RDF of {len(content)} bytes, more than {LARGEST_BYTES}")
    is_xml = content.lstrip()[:1] == b"<" and not looks_like_turtle(content)
    # Our parser refuses DTDs and entities; its output cannot hold any, whatever the encoding was.
    safe = etree.tostring(parse(content).root, encoding="utf-8") if is_xml else content
    if b"<!ENTITY" in safe:
        raise RecordRefused("it declares entities, which are never read")
    graph = rdflib.Graph()
    rdflib.NORMALIZE_LITERALS = False  # keep dates as written; other libraries change this setting
    try:
        graph.parse(data=safe, format="xml" if is_xml else "turtle", publicID=_BASE)
    except (*_COMPLAINTS, rdflib.exceptions.ParserError) as error:
        raise RecordRefused(f"it is not well-formed RDF: {_complaint(error)}") from error
    return graph


def _complaint(error: Exception) -> str:
    """rdflib's message; of Turtle without its quotation, which is bytes as Python writes them."""
    text = " ".join(str(error).split())
    found = re.match(r"at line (\d+) of <.*?>: Bad syntax \((.*)\) at \^ in:", text)
    return f"{found[2]} (line {found[1]})" if found else text[:160]


def _tree(graph: rdflib.Graph, node: Identifier, ancestors: tuple[Identifier, ...]) -> Json:
    """A node with its properties; other data sets and nodes above it are only named."""
    tree: Json = {} if isinstance(node, BNode) else {"@id": str(node).removeprefix(_BASE)}
    if len(ancestors) >= _DEEPEST or node in ancestors:
        return tree
    for predicate in sorted(set(graph.predicates(node)), key=str):
        values = [_value(graph, item, (*ancestors, node)) for item in graph.objects(node, predicate)]
        name = "@type" if predicate == RDF.type else str(predicate)
        tree[name] = sorted(values, key=to_bytes)[:_LONGEST_LIST]
    if "@type" in tree:
        tree["@type"] = [kind.get("@id", "") for kind in tree["@type"]]
    return tree


def _value(graph: rdflib.Graph, item: Any, ancestors: tuple[Identifier, ...]) -> Json:
    if isinstance(item, Literal):
        value = {"@value": str(item)}
        return value | ({"@language": item.language} if item.language else {})
    if isinstance(item, URIRef) and (item, RDF.type, None) in graph and _is_resource(graph, item):
        return {"@id": str(item).removeprefix(_BASE)}
    return _tree(graph, item, ancestors)


def _is_resource(graph: rdflib.Graph, item: URIRef) -> bool:
    return any((item, RDF.type, URIRef(DCAT + kind)) in graph for kind in _RESOURCES)
