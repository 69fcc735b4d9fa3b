"""An RDF catalogue taken apart into its data sets, each as a small Turtle document. Pure: contexts come as given."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from lxml import etree
from rdflib import BNode, Graph, Literal, Namespace, URIRef
from rdflib.compare import to_canonical_graph
from rdflib.namespace import DCAT, DCTERMS, RDF
from rdflib.term import Node

from indexer.raw import RawRecord
from indexer.sources.answers import fingerprint, parse_xml
from indexer.sources.fetching import BadAnswer

HYDRA = Namespace("http://www.w3.org/ns/hydra/core#")
_NEXT = (HYDRA.next, HYDRA.nextPage)
_DATASETS = (DCAT.Dataset, DCAT.DataService, URIRef(f"{DCAT}DatasetSeries"))
_STOPS = frozenset({*_DATASETS, DCAT.Catalog, HYDRA.PagedCollection, HYDRA.PartialCollectionView})
_DEEPEST = 4
_CANONICAL_TRIPLES = 2000  # canonical names for blank nodes cost time; larger ones keep what the parser gave

_FORMATS = {
    "text/turtle": "turtle",
    "application/rdf+xml": "xml",
    "application/ld+json": "json-ld",
    "application/n-triples": "nt",
    "text/n3": "n3",
}

LoadContext = Callable[[str], Any]
"""The document of a remote JSON-LD context."""


class NotRdf(ValueError):
    """Bytes that cannot be read as RDF; the message says why."""


def rdf_format(content: bytes, media_type: str) -> str | None:
    """rdflib's name of the format: what the content shows, else what the server says; None where it is none."""
    start = content[:2000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] in (b"{", b"["):
        return "json-ld"
    if start[:1] == b"<" and (b"rdf:RDF" in start or b"22-rdf-syntax-ns#" in start) and b"@prefix" not in start:
        return "xml"
    if start.startswith((b"@prefix", b"@base", b"PREFIX", b"prefix")):
        return "turtle"
    return _FORMATS.get(media_type.partition(";")[0].strip().lower())


def parse_rdf(content: bytes, form: str, url: str, load_context: LoadContext) -> Graph:
    """Raises NotRdf. No context is fetched by the parser: ``load_context`` gives each remote one."""
    graph = Graph()
    if form == "xml":
        content = _without_dtd(content)
    try:
        if form == "json-ld":
            content = json.dumps(_with_contexts(json.loads(content), load_context, set())).encode()
        graph.parse(data=content, format=form, publicID=url)
    except (ValueError, SyntaxError, LookupError, TypeError, AttributeError, AssertionError) as error:
        raise NotRdf(f"{type(error).__name__}: {error}"[:200]) from None
    except OSError as error:  # xml.sax
        raise NotRdf(str(error)[:200]) from None
    return graph


def _without_dtd(content: bytes) -> bytes:
    """The same RDF/XML in UTF-8, once a parser without entities and network has read it. Raises NotRdf for a DTD."""
    try:
        return etree.tostring(parse_xml(content, "the server"), encoding="utf-8")
    except BadAnswer as error:
        raise NotRdf(str(error)) from None


def datasets(graph: Graph, url: str) -> list[RawRecord]:
    """Each data set, service and series with what describes it, by identifier."""
    found = sorted({node for kind in _DATASETS for node in graph.subjects(RDF.type, kind)}, key=str)
    return [_record(graph, node, url) for node in found]


def next_page(graph: Graph) -> str | None:
    """hydra's next page."""
    for predicate in _NEXT:
        for target in graph.objects(None, predicate):
            return str(target)
    return None


def total_items(graph: Graph) -> int | None:
    for value in graph.objects(None, HYDRA.totalItems):
        if isinstance(value, Literal) and str(value).isdigit():
            return int(str(value))
    return None


def _record(graph: Graph, node: Node, url: str) -> RawRecord:
    part = Graph()
    for prefix, namespace in graph.namespaces():
        part.bind(prefix, namespace)
    _collect(graph, node, part, 0)
    if len(part) <= _CANONICAL_TRIPLES:
        part = _canonical(part)
    content = part.serialize(format="turtle", encoding="utf-8")
    identifier = next((str(v) for v in sorted(graph.objects(node, DCTERMS.identifier), key=str)), "")
    id = str(node) if isinstance(node, URIRef) else identifier or fingerprint(content)
    modified = next((str(value) for value in graph.objects(node, DCTERMS.modified)), None)
    return RawRecord(id, content, str(node) if isinstance(node, URIRef) else f"{url}#{id}", "text/turtle", modified)


def _collect(graph: Graph, node: Node, into: Graph, depth: int) -> None:
    """What the graph says of ``node`` and of what it points to, other data sets and catalogues left out."""
    for triple in graph.triples((node, None, None)):
        if triple in into:
            continue
        into.add(triple)
        target = triple[2]
        if isinstance(target, (BNode, URIRef)) and depth < _DEEPEST and not _is_other(graph, target):
            _collect(graph, target, into, depth + 1)


def _is_other(graph: Graph, node: Node) -> bool:
    return any(kind in _STOPS for kind in graph.objects(node, RDF.type))


def _canonical(part: Graph) -> Graph:
    """Blank nodes named by what they say, so that the same data set gives the same bytes."""
    named = Graph()
    for prefix, namespace in part.namespaces():
        named.bind(prefix, namespace)
    named += to_canonical_graph(part)
    return named


def _with_contexts(node: Any, load: LoadContext, loading: set[str]) -> Any:
    if isinstance(node, list):
        return [_with_contexts(each, load, loading) for each in node]
    if not isinstance(node, Mapping):
        return node
    return {
        key: _context(value, load, loading) if key == "@context" else _with_contexts(value, load, loading)
        for key, value in node.items()
        if key != "@import"
    }


def _context(value: Any, load: LoadContext, loading: set[str]) -> Any:
    if isinstance(value, list):
        return [_context(each, load, loading) for each in value]
    if not isinstance(value, str):
        return _with_contexts(value, load, loading)
    if value in loading:
        return {}
    document = load(value)
    inner = document.get("@context", {}) if isinstance(document, Mapping) else {}
    return _context(inner, load, loading | {value})
