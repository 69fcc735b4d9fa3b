"""Reads JSON-LD as JSON: applies contexts, removes prefixes, joins nodes, and tells DCAT from schema.org.

This is enough for schema.org and DCAT-US, whose terms are one flat list. A context that is given as an address is
never fetched.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Literal
from urllib.parse import urljoin

from core.json_types import Json, JsonMapping
from indexer.formats.json_documents.parsing import as_list, text_in, texts_in

_KEYWORDS = frozenset({"@id", "@type", "@value", "@language", "@graph", "@list"})
_DEEPEST_REFERENCE = 8
Vocabulary = Literal["dcat", "schema.org"]

DCAT_TYPES = {"Dataset": "dataset", "DataService": "service", "DatasetSeries": "series"}
SCHEMA_ORG_TYPES = {
    "Dataset": "dataset", "DataFeed": "dataset", "DataCatalog": "collection", "SoftwareApplication": "software",
    "SoftwareSourceCode": "software", "ScholarlyArticle": "document", "DigitalDocument": "document", "Map": "map",
    "WebAPI": "service",
}  # fmt: skip
_DCAT_US = frozenset({
    "accessLevel", "contactPoint", "distribution", "landingPage", "publisher", "keyword", "bureauCode", "theme",
    "spatial"
})  # fmt: skip


def apply_context(document: object) -> Any:
    """The document with full addresses in ``@id`` and in terms that hold addresses.

    Renamed keywords and terms get their standard names. A document without a context is returned unchanged.
    """
    if isinstance(document, dict) and any(isinstance(item, dict) for item in as_list(document.get("@context"))):
        return _node(document, {})
    if isinstance(document, list):
        return [apply_context(item) for item in document]
    return document


def stated_vocabulary(node: JsonMapping) -> str | None:
    """``schema.org`` or ``dcat`` where the node's types or its context say which; else None."""
    for kind in as_list(node.get("@type")):
        text = text_in(kind).lower()
        if text.startswith(("schema:", "sdo:", "http://schema.org/", "https://schema.org/")):
            return "schema.org"
        if text.startswith(("dcat:", "http://www.w3.org/ns/dcat#")):
            return "dcat"
    for context in as_list(node.get("@context")):
        address = text_in(context.get("@vocab")) if isinstance(context, dict) else text_in(context)
        if "schema.org" in address:
            return "schema.org"
        if "ns/dcat" in address or "dcat-ap" in address.lower() or "project-open-data" in address:
            return "dcat"
    return None


def _node(node: JsonMapping, context_of_parent: JsonMapping) -> Json:
    context = dict(context_of_parent)
    for item in as_list(node.get("@context")):
        context |= item if isinstance(item, dict) else {}
    short_node: Json = {}
    for name, value in node.items():
        if name == "@context":
            short_node[name] = value
            continue
        key, is_address = _term(name, context)
        short_node[key] = _value(value, context, is_address=is_address or key == "@id")
    return short_node


def _value(value: object, context: JsonMapping, *, is_address: bool) -> object:
    if isinstance(value, list):
        return [_value(item, context, is_address=is_address) for item in value]
    if isinstance(value, dict):
        return _node(value, context)
    if is_address and isinstance(value, str):
        return _expand(value, context)
    return value


def _term(name: str, context: JsonMapping) -> tuple[str, bool]:
    """The standard name of a member, and whether its texts are addresses."""
    definition = context.get(name)
    target = text_in(definition.get("@id")) if isinstance(definition, dict) else text_in(definition)
    is_address = isinstance(definition, dict) and definition.get("@type") == "@id"
    if target in _KEYWORDS:
        return target, target == "@id"
    full_name = _expand(target, context) if target else ""
    last = full_name.rstrip("/").rpartition("/")[2].rpartition("#")[2]
    if not last or last == name.rpartition(":")[2] or full_name.endswith(("/", "#")):  # the same name, or only a prefix
        return name, is_address
    return full_name, is_address


def _expand(text: str, context: JsonMapping) -> str:
    """``ex:1`` with the address of ``ex``, ``#1`` with the base."""
    prefix, colon, local_part = text.partition(":")
    if colon and not local_part.startswith("//"):
        definition = context.get(prefix)
        space = text_in(definition.get("@id")) if isinstance(definition, dict) else text_in(definition)
        return space + local_part if space else text
    base = text_in(context.get("@base"))
    return urljoin(base, text) if base and not colon else text


def types_of(node: object) -> set[str]:
    """``Dataset`` of ``schema:Dataset``, ``https://schema.org/Dataset`` or ``Dataset``."""
    if not isinstance(node, dict):
        return set()
    return {without_prefix(kind) for kind in texts_in(node.get("@type"))}


def without_prefix(name: str) -> str:
    """A term without prefix or namespace; keywords (``@id``) are unchanged."""
    if name.startswith("@"):
        return name
    return name.rstrip("/").rpartition("/")[2].rpartition("#")[2].rpartition(":")[2]


def nodes_of(document: object) -> Iterator[Json]:
    """The top-level nodes of a document: itself, the items of a list, or those of ``@graph`` with its context."""
    for node in as_list(apply_context(document)):
        if isinstance(node, list):
            yield from nodes_of(node)
        elif isinstance(node, dict):
            if "@graph" not in node:
                yield node
            else:
                graph_context = {"@context": node["@context"]} if "@context" in node else {}
                yield from (graph_context | inner_node for inner_node in nodes_of(node["@graph"]))


def resources_among(nodes: list[Json], kinds: Collection[str]) -> list[Json]:
    """Nodes of some types; a node without an address to which another of them refers is a part of that one."""
    resources = [node for node in nodes if types_of(node) & set(kinds)]
    parts = {name for node in resources for name in _referred_to(node) if name.startswith("_:")}
    return [node for node in resources if text_in(node.get("@id")) not in parts] or resources


def _referred_to(node: object, depth: int = 0) -> Iterator[str]:
    for value in node.values() if isinstance(node, dict) else ():
        for item in as_list(value):
            if isinstance(item, dict) and depth < _DEEPEST_REFERENCE:
                yield text_in(item.get("@id"))
                yield from _referred_to(item, depth + 1)


def plain_node(node: JsonMapping, nodes_by_id: JsonMapping, depth: int = 0) -> Json:
    """A node with short names; a reference is replaced by the node from ``nodes_by_id`` (by ``@id``)."""
    short_node: Json = {}
    for name, value in node.items():
        is_blank = name == "@id" and isinstance(value, str) and value.startswith("_:")  # a blank node's name
        if name != "@context" and not is_blank:
            plain_value, key = _plain_value(value, nodes_by_id, depth), without_prefix(name)
            short_node[key] = [*as_list(short_node[key]), *as_list(plain_value)] if key in short_node else plain_value
    return short_node


def _plain_value(value: object, nodes_by_id: JsonMapping, depth: int) -> object:
    if isinstance(value, list):
        return [_plain_value(item, nodes_by_id, depth) for item in value]
    if not isinstance(value, dict):
        return value
    if "@value" in value:
        return {"@value": value["@value"], "@language": value["@language"]} if "@language" in value else value["@value"]
    if "@list" in value:
        return _plain_value(value["@list"], nodes_by_id, depth)
    target = nodes_by_id.get(str(value.get("@id", "")))
    if target is not None and len(value) == 1 and depth < _DEEPEST_REFERENCE:
        return plain_node(target, nodes_by_id, depth + 1)
    return plain_node(value, nodes_by_id, depth)


def nodes_by_id(nodes: list[Json]) -> Json:
    return {str(node["@id"]): node for node in nodes if "@id" in node}


def vocabulary_of(document: Any) -> Vocabulary | None:
    """None for a document without a data set, or with several."""
    if not isinstance(document, dict):
        return _graph_vocabulary(document)
    document = apply_context(document)
    return _node_vocabulary(document) if "@type" in document else _graph_vocabulary(document)


def _node_vocabulary(node: JsonMapping) -> Vocabulary | None:
    """schema.org's Dataset has a name, DCAT's a title; a catalogue holds several records."""
    kinds = types_of(node)
    names = {without_prefix(str(name)) for name in node}
    vocabulary = stated_vocabulary(node)
    if kinds & DCAT_TYPES.keys() and vocabulary != "schema.org" and ("title" in names or "name" not in names):
        return "dcat"
    if kinds & SCHEMA_ORG_TYPES.keys() and "dataset" not in names and ("name" in names or vocabulary == "schema.org"):
        return "schema.org"
    if "mainEntity" in names:
        return _graph_vocabulary(node["mainEntity"]) if "mainEntity" in node else None
    return None


def _graph_vocabulary(document: Any) -> Vocabulary | None:
    """For one data set among the nodes of a graph, or a DCAT-US data set without a type."""
    nodes = list(nodes_of(document))
    if len(nodes) == 1 and isinstance(document, dict) and "@graph" not in document:
        names = {without_prefix(str(name)) for name in nodes[0]}
        is_data_set = {"title", "description"} <= names and len(names & _DCAT_US) >= 2 and "dataset" not in names
        return "dcat" if is_data_set else None
    vocabularies = [name for node in nodes if "@type" in node and (name := _node_vocabulary(node)) is not None]
    return vocabularies[0] if len(vocabularies) == 1 else None
