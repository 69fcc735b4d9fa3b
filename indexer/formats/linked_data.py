"""Detects the vocabulary of a JSON-LD document: schema.org and DCAT share types, so one module decides."""

from __future__ import annotations

from typing import Any, Literal

from core.json_types import JsonMapping
from indexer.formats.json_ld import nodes_of, short, types_of
from indexer.formats.json_ld_context import in_context, vocabulary

Vocabulary = Literal["dcat", "schema.org"]

DCAT_TYPES = {"Dataset": "dataset", "DataService": "service", "DatasetSeries": "series"}
SCHEMA_ORG_TYPES = {
    "Dataset": "dataset", "DataFeed": "dataset", "DataCatalog": "collection", "SoftwareApplication": "software",
    "SoftwareSourceCode": "software", "ScholarlyArticle": "document", "DigitalDocument": "document", "Map": "map",
    "WebAPI": "service",
}  # fmt: skip
_DCAT_US = frozenset(
    {
        "accessLevel",
        "contactPoint",
        "distribution",
        "landingPage",
        "publisher",
        "keyword",
        "bureauCode",
        "theme",
        "spatial",
    }
)


def vocabulary_of(document: Any) -> Vocabulary | None:
    """None for a document without a data set, or with several."""
    if not isinstance(document, dict):
        return _of_graph(document)
    document = in_context(document)
    return _of_node(document) if "@type" in document else _of_graph(document)


def _of_node(node: JsonMapping) -> Vocabulary | None:
    """schema.org's Dataset has a name, DCAT's a title; a catalogue holds several records."""
    kinds = types_of(node)
    names = {short(str(name)) for name in node}
    stated = vocabulary(node)
    if kinds & DCAT_TYPES.keys() and stated != "schema.org" and ("title" in names or "name" not in names):
        return "dcat"
    if kinds & SCHEMA_ORG_TYPES.keys() and "dataset" not in names and ("name" in names or stated == "schema.org"):
        return "schema.org"
    if "mainEntity" in names:
        return _of_graph(node["mainEntity"]) if "mainEntity" in node else None
    return None


def _of_graph(document: Any) -> Vocabulary | None:
    """For one data set among the nodes of a graph, or a DCAT-US data set without a type."""
    nodes = list(nodes_of(document))
    if len(nodes) == 1 and isinstance(document, dict) and "@graph" not in document:
        names = {short(str(name)) for name in nodes[0]}
        is_data_set = {"title", "description"} <= names and len(names & _DCAT_US) >= 2 and "dataset" not in names
        return "dcat" if is_data_set else None
    found = [name for node in nodes if "@type" in node and (name := _of_node(node)) is not None]
    return found[0] if len(found) == 1 else None
