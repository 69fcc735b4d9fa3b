"""Splits a server's answer that holds several records into single records."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import rdflib
from lxml import etree

from core.json_types import Json, JsonMapping
from indexer.formats import dcat, schema_org
from indexer.formats.detect import detect, detect_element, detect_json
from indexer.formats.doi import doi_in
from indexer.formats.json_document import listed, looks_like_json, objects_in, parse_json, text_in, to_bytes
from indexer.formats.json_ld import may_hold_scripts, nodes_of, plain_node, short, types_of
from indexer.formats.json_ld_context import in_context
from indexer.formats.rdf import looks_like_turtle, trees
from indexer.formats.reader import Refused
from indexer.formats.xml import FirstElement, parse
from indexer.formats.xml_names import Element, all_of, text_at

Part = tuple[str, bytes]
"""Native id and content. An empty id means that the document has no identifier: the source's name for it is used."""

_DEEPEST_ELEMENT = 5
_ISO_TYPE = "{http://www.isotc211.org/2005/gco}isoType"
_DEEPEST_CATALOGUE = 20
_SCHEMA_CONTEXT = "https://schema.org/"
_DCAT_CONTEXT = "http://www.w3.org/ns/dcat#"
_TYPED = re.compile(rb"(?:</[\w.-]*:?)?(?:Dataset|DataService)")


def split(content: bytes) -> list[Part]:
    """Every record of a document in order, each ready for ``registry.read``; equal records give equal bytes.

    A document that is one record is returned unchanged, with an empty id. Supported: csw:GetRecords(ById)Response,
    OAI-PMH ListRecords and GetRecord (deleted ones are skipped), CMR's results, any XML that holds known records;
    GeoJSON FeatureCollections, STAC's collections, data.json with nested catalogues, CKAN's package_search, Solr's and
    GeoBlacklight's docs, DataCite's and UMM's lists, JSON lists; RDF graphs; JSON-LD graphs; HTML pages with JSON-LD.
    Raises Refused where the document cannot be parsed; gives an empty list where it holds no known record. RDF with at
    most one data set is not parsed.
    """
    if looks_like_json(content):
        return _named(_json_parts(parse_json(content)), content)
    if looks_like_turtle(content):
        return _of_rdf(content)
    if may_hold_scripts(content):
        return _linked(schema_org.datasets(content), _SCHEMA_CONTEXT, content)
    if not content.lstrip(b"\xef\xbb\xbf \t\r\n\x00").startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        raise Refused("it is neither XML, JSON nor RDF")
    name = detect(content)
    if name == "dcat":
        return _of_rdf(content)
    return [("", content)] if name is not None else list(_xml_parts(parse(content).root))


def parts_of(graph: rdflib.Graph) -> list[Part]:
    """Every data set, series and service of a graph under its own name; also where there is only one."""
    return _parts([plain_node(node, {}) for node in trees(graph)], _DCAT_CONTEXT)


def _of_rdf(content: bytes) -> list[Part]:
    """rdflib is slow, so RDF that names a type at most once is not parsed: it has nothing to split."""
    typed = [match for match in _TYPED.findall(content) if not match.startswith(b"</")]
    if len(typed) == 1:
        return [("", content)]
    return _linked(dcat.resources(content), _DCAT_CONTEXT, content)


def _xml_parts(root: Element) -> Iterator[Part]:
    """The outermost elements that a reader knows, with the name that the protocol around them gives."""
    level: list[tuple[Element, str]] = [(root, "")]
    for _ in range(_DEEPEST_ELEMENT):
        deeper = []
        for element, name in level:
            for child in element.iterchildren("*"):
                content = _standing_alone(child)
                if content is not None:
                    yield name, content
                else:
                    deeper.append((child, _protocol_name(child) or name))
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
    local = str(element.tag).rpartition("}")[2]
    return local in ("metadata", "Collection", "resource", "dc", "simpledc", "qualifieddc", "RDF", "eml") and not any(
        detect_element(FirstElement(str(child.tag), child.get(_ISO_TYPE)), b"") for child in element.iterchildren("*")
    )


def _protocol_name(element: Element) -> str:
    return element.get("concept-id") or text_at(element, "header/identifier")


def deleted(content: bytes) -> list[str]:
    """Identifiers of the OAI-PMH records whose header says ``status="deleted"``. Raises Refused."""
    headers = all_of(parse(content).root, ".//header")
    return [text_at(header, "identifier") for header in headers if header.get("status") == "deleted"]


def _json_parts(document: object) -> list[Any]:
    """The records inside, as JSON; the document itself where it is one record."""
    if detect_json(document) is not None:
        nodes = list(nodes_of(document))
        return [document] if len(nodes) < 2 else _graph_parts(document)
    if isinstance(document, list):
        plain = [one for one in document if detect_json(one) is not None]
        return plain or _graph_parts(document)
    if not isinstance(document, dict):
        return []
    for find in _CONTAINERS:
        found = find(document)
        if found:
            return found
    return []


def _features(document: JsonMapping) -> list[Any]:
    return _known(document.get("features")) if document.get("type") == "FeatureCollection" else []


def _members(*path: str) -> Callable[[JsonMapping], list[Any]]:
    def find(document: JsonMapping) -> list[Any]:
        found: object = document
        for name in path:
            found = found.get(name) if isinstance(found, dict) else None
        return _known(found) if isinstance(found, list) else []

    return find


def _known(documents: object) -> list[Any]:
    return [document for document in listed(documents) if detect_json(document) is not None]


def _catalogue(document: JsonMapping, depth: int = 0) -> list[Any]:
    """Data sets, services and series of a data.json and of its nested catalogues; identical ones once."""
    if depth > _DEEPEST_CATALOGUE or types_of(document) & {"DataCatalog"}:
        return []
    names = {short(str(name)): value for name, value in in_context(document).items()}
    found: list[Any] = []
    for name, kind in (("dataset", "Dataset"), ("service", "DataService"), ("datasetSeries", "DatasetSeries")):
        for one in objects_in(names.get(name)):
            if len(one) > 1:  # more than a reference
                found.append(one if "@type" in one else {**one, "@type": kind})
    for series in [one for one in found if types_of(one) & {"DatasetSeries"}]:
        for one in objects_in(series.get("seriesMember")):
            if "title" in one:
                found.append({**one, "inSeries": series.get("@id") or series.get("identifier") or series.get("title")})
    for inner in objects_in(names.get("catalog")):
        found += _catalogue(inner, depth + 1)
    return list({_whatever_its_series(one): one for one in found}.values())


def _whatever_its_series(one: JsonMapping) -> bytes:
    """The same bytes for a data set that is listed alone and as a member of a series."""
    return to_bytes({name: one[name] for name in sorted(one) if name not in ("inSeries", "@type")})


def _graph_parts(document: object) -> list[Any]:
    """Data sets of a JSON-LD graph, each joined from its nodes."""
    content = to_bytes(document)
    sets = [{**one, "@context": _DCAT_CONTEXT} for one in dcat.resources(content) if types_of(one)]
    return sets or [{**one, "@context": _SCHEMA_CONTEXT} for one in schema_org.datasets(content)]


_CONTAINERS: tuple[Callable[[JsonMapping], list[Any]], ...] = (
    _features,
    _catalogue,
    _members("collections"),
    _members("result", "results"),
    _members("result"),
    _members("results"),
    _members("items"),
    _members("data"),
    _members("response", "docs"),
    _members("docs"),
    _members("records"),
    _graph_parts,
)


def _linked(found: list[Json], context: str, content: bytes) -> list[Part]:
    if len(found) == 1:
        return [("", content)]
    return _parts(found, context)


def _parts(found: list[Json], context: str) -> list[Part]:
    return [(_address_of(one) or _name_of(one), to_bytes({**one, "@context": context})) for one in found]


def _address_of(node: Json) -> str:
    """A node's own address, which is unique; identifiers sometimes occur twice."""
    address = text_in(node.get("@id"))
    return "" if address.startswith("_:") else address


def _named(parts: list[Any], content: bytes) -> list[Part]:
    if len(parts) == 1 and detect(content) is not None:
        return [("", content)]
    return [(_name_of(part) or _fallback_name(part), to_bytes(part)) for part in parts]


def _name_of(part: object) -> str:
    """The name of the record, as its reader finds it."""
    if not isinstance(part, dict):
        return ""
    meta = part.get("meta")
    package = part if "notes" in part or "resources" in part else {}
    candidates = [
        meta.get("concept-id") if isinstance(meta, dict) else None,
        part.get("layer_slug_s"),
        part.get("doi") if "titles" in part else None,
        *(package.get(name) for name in ("id", "name")),
        *(part.get(name) for name in ("identifier", "dct:identifier", "id", "@id", "name")),
    ]
    for candidate in candidates:
        for one in listed(candidate):
            inner = one.get("@id") or one.get("@value") or one.get("value") if isinstance(one, dict) else one
            if text := text_in(inner):
                return doi_in(text) or text if "doi.org" in text else text
    return ""


def _fallback_name(part: object) -> str:
    """A name for a part without one: the hash of its title, so it changes only with the title."""
    title = text_in(part.get("title")) if isinstance(part, dict) else ""
    return hashlib.sha256(title.encode() or to_bytes(part)).hexdigest()[:16]
