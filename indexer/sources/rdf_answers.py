"""Reads an answer as RDF: its graph and its paging links. Pure: the caller provides contexts.

``indexer.formats.splitting.split`` separates the data sets of the graph.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from lxml import etree
from rdflib import Graph, Literal, Namespace

from indexer.formats.json_documents.parsing import looks_like_json
from indexer.sources.fetching import BadAnswer, parse_xml

HYDRA = Namespace("http://www.w3.org/ns/hydra/core#")
_NEXT_LINKS = (HYDRA.next, HYDRA.nextPage)

_FORMATS = {
    "text/turtle": "turtle",
    "application/rdf+xml": "xml",
    "application/ld+json": "json-ld",
    "application/n-triples": "nt",
    "text/n3": "n3",
}

LoadContext = Callable[[str], object]
"""Returns the document of a remote JSON-LD context."""


class NotRdf(ValueError):
    """Bytes that cannot be read as RDF; the message says why."""


def rdf_format(content: bytes, media_type: str) -> str | None:
    """rdflib's name of the format, by content, else by the server's media type; None if it is not RDF."""
    start = content[:2000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if looks_like_json(content):
        return "json-ld"
    if start[:1] == b"<" and (b"rdf:RDF" in start or b"22-rdf-syntax-ns#" in start) and b"@prefix" not in start:
        return "xml"
    if start.startswith((b"@prefix", b"@base", b"PREFIX", b"prefix")):
        return "turtle"
    return _FORMATS.get(media_type.partition(";")[0].strip().lower())


def parse_rdf(content: bytes, form: str, url: str, load_context: LoadContext) -> Graph:
    """Raises NotRdf. The parser fetches no context: ``load_context`` provides each remote one."""
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
    """The same RDF/XML in UTF-8, rewritten by a parser without entities and network. Raises NotRdf for a DTD."""
    try:
        return etree.tostring(parse_xml(content, "the server"), encoding="utf-8")
    except BadAnswer as error:
        raise NotRdf(str(error)) from None


def next_page(graph: Graph) -> str | None:
    """The next page by hydra."""
    for predicate in _NEXT_LINKS:
        for target in graph.objects(None, predicate):
            return str(target)
    return None


def total_items(graph: Graph) -> int | None:
    for value in graph.objects(None, HYDRA.totalItems):
        if isinstance(value, Literal) and str(value).isdigit():
            return int(str(value))
    return None


def _with_contexts(node: object, load: LoadContext, urls_loading: set[str]) -> object:
    if isinstance(node, list):
        return [_with_contexts(item, load, urls_loading) for item in node]
    if not isinstance(node, Mapping):
        return node
    return {
        key: _context(value, load, urls_loading) if key == "@context" else _with_contexts(value, load, urls_loading)
        for key, value in node.items()
        if key != "@import"
    }


def _context(value: object, load: LoadContext, urls_loading: set[str]) -> object:
    if isinstance(value, list):
        return [_context(item, load, urls_loading) for item in value]
    if not isinstance(value, str):
        return _with_contexts(value, load, urls_loading)
    if value in urls_loading:
        return {}
    document = load(value)
    inner_context = document.get("@context", {}) if isinstance(document, Mapping) else {}
    return _context(inner_context, load, urls_loading | {value})
