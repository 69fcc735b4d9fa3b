"""Which standard a JSON document follows, by its members."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from indexer.formats.dcat import KINDS as DCAT_KINDS
from indexer.formats.json_document import texts_in
from indexer.formats.json_ld import nodes_of, short, types_of
from indexer.formats.json_ld_context import in_context, vocabulary
from indexer.formats.schema_org import TYPES as SCHEMA_TYPES

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


def detect_json(document: Any) -> str | None:
    """A key of the registry; None for what is unknown and for what holds several records."""
    if not isinstance(document, dict):
        return _graph(document)
    for name, holds in _SHAPES:
        if holds(document):
            return name
    document = in_context(document)
    return _linked(document) if "@type" in document else _graph(document)


def _is_stac(document: Mapping[str, Any]) -> bool:
    if "stac_version" in document:
        return "id" in document
    return document.get("type") in ("Collection", "Catalog") and {"id", "links"} <= document.keys()


def _is_ogc_record(document: Mapping[str, Any]) -> bool:
    said = document.get("properties")
    if document.get("type") != "Feature" or not isinstance(said, dict) or "offerings" in said:
        return False
    conforms = " ".join(texts_in(document.get("conformsTo")))
    return "ogcapi-records" in conforms or ("title" in said and bool(said.keys() & _RECORD_MEMBERS))


_RECORD_MEMBERS = frozenset(
    {
        "type",
        "description",
        "abstract",
        "recordUpdated",
        "record-updated",
        "themes",
        "keywords",
        "externalIds",
        "contacts",
    }
)


def _is_umm(document: Mapping[str, Any]) -> bool:
    said = document.get("umm", document)
    return isinstance(said, dict) and {"EntryTitle", "ShortName"} <= said.keys()


def _is_geoblacklight(document: Mapping[str, Any]) -> bool:
    return (
        bool(document.keys() & {"dct_title_s", "dc_title_s"}) or {"layer_slug_s", "dct_provenance_s"} <= document.keys()
    )


def _is_datacite(document: Mapping[str, Any]) -> bool:
    inner = document.get("data", document)
    said = inner.get("attributes", inner) if isinstance(inner, dict) else None
    return isinstance(said, dict) and "titles" in said and bool(said.keys() & {"creators", "types", "publicationYear"})


def _is_ckan(document: Mapping[str, Any]) -> bool:
    said = document.get("result", document)
    if not isinstance(said, dict) or "@type" in said:
        return False
    known = said.keys() & {"resources", "notes", "extras", "license_id", "metadata_modified", "owner_org", "tags"}
    return bool(said.keys() & {"name", "id"}) and len(known) >= 2


_SHAPES = (
    ("stac", _is_stac),
    ("ogc-record", _is_ogc_record),
    ("umm-c", _is_umm),
    ("geoblacklight", _is_geoblacklight),
    ("datacite", _is_datacite),
    ("ckan", _is_ckan),
)


def _linked(node: Mapping[str, Any]) -> str | None:
    """schema.org's Dataset has a name, DCAT's a title; a catalogue holds several records."""
    kinds = types_of(node)
    names = {short(str(name)) for name in node}
    said = vocabulary(node)
    if kinds & DCAT_KINDS.keys() and said != "schema.org" and ("title" in names or "name" not in names):
        return "dcat"
    if kinds & SCHEMA_TYPES.keys() and "dataset" not in names and ("name" in names or said == "schema.org"):
        return "schema.org"
    if "mainEntity" in names:
        return _graph(node["mainEntity"]) if "mainEntity" in node else None
    return None


def _graph(document: Any) -> str | None:
    """One data set among the nodes of a graph, or a data set of DCAT-US without a type."""
    nodes = list(nodes_of(document))
    if len(nodes) == 1 and isinstance(document, dict) and "@graph" not in document:
        names = {short(str(name)) for name in nodes[0]}
        is_data_set = {"title", "description"} <= names and len(names & _DCAT_US) >= 2 and "dataset" not in names
        return "dcat" if is_data_set else None
    found = [name for node in nodes if "@type" in node and (name := _linked(node)) is not None]
    return found[0] if len(found) == 1 else None
