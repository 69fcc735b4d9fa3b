"""STAC's documents (landing page, Collection, Item) with their links, and the Fields extension."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import BaseModel, Field

from core.errors import NotFound
from core.json_types import Json
from core.record import Record
from search_api.catalogue.catalogues import ALL, Catalogue
from search_api.catalogue.listing import LONGEST_ID
from search_api.formats_out import stac
from search_api.http.openapi import MEDIA_TYPE
from search_api.http.responses import GEOJSON, JSON, SCHEMA_JSON, Addresses, Link, link
from search_api.page.plain_page import HTML
from search_api.parts import Parts
from search_api.protocols.ogc.collections import QUERYABLES_REL, SORTABLES_REL, STAC_CLASSES, interval_of
from search_api.protocols.stac.collection_search import description_of
from search_api.search.views import geojson

_DESCRIPTION = "Records of the catalogues behind this service that carry something to download."


class StacCollectionPath(BaseModel):
    """A collection: a harvested source."""

    collection: str = Field(max_length=200)


class StacItemPath(StacCollectionPath):
    item: str = Field(max_length=LONGEST_ID)


def collections_of(parts: Parts) -> list[Catalogue]:
    """One per source."""
    return [catalogue for catalogue in parts.catalogues.list() if catalogue.id != ALL]


def collection_named(parts: Parts, collection: str) -> Catalogue:
    """Raises NotFound."""
    if collection == ALL:
        raise NotFound("STAC has one collection for each source; use /stac/search to search them all.")
    return parts.catalogues.get(collection)


@dataclass(frozen=True, slots=True)
class DocumentShape:
    """``members``: its own names; another name is one of its properties, if it has some. ``always``: what makes it
    valid.
    """

    members: frozenset[str]
    always: tuple[str, ...]


ITEM = DocumentShape(
    frozenset(
        ("type", "stac_version", "stac_extensions", "id", "collection", "geometry", "bbox", "properties", "links",
         "assets")
    ),
    ("type", "stac_version", "id", "collection", "geometry", "bbox", "links", "assets", "properties.datetime",
     "properties.start_datetime", "properties.end_datetime"),
)  # fmt: skip
COLLECTION = DocumentShape(frozenset(), ("type", "stac_version", "id", "description", "license", "extent", "links"))


@dataclass(frozen=True, slots=True)
class Fields:
    """Paths of members: ``geometry``, ``properties.gsd``."""

    include: frozenset[str]
    exclude: frozenset[str]


def read_fields(text: str, document: DocumentShape = ITEM) -> Fields:
    """``id,-geometry,gsd``: a minus leaves out. A name that is no member of an Item is one of its properties."""
    names = [name.strip() for name in text.split(",") if name.strip(" +-")]
    out = frozenset(_path(name, document) for name in names if name.startswith("-"))
    return Fields(frozenset(_path(name, document) for name in names if not name.startswith("-")), out)


def _path(name: str, document: DocumentShape) -> str:
    bare_name = name.strip(" +-")
    return (
        bare_name
        if not document.members or bare_name.partition(".")[0] in document.members
        else f"properties.{bare_name}"
    )


def with_fields(item: Json, fields: Fields, document: DocumentShape = ITEM) -> Json:
    """The members that a valid document needs and the included ones, without the excluded ones.

    Without an inclusion, an exclusion leaves everything else. An included inner member outlives its excluded parent.
    """
    if not fields.include and fields.exclude:
        return _without_fields(item, fields)
    return _without_fields(_with_only(item, [*document.always, *fields.include]), fields)


def _with_only(item: Json, names: Iterable[str]) -> Json:
    selection: Json = {}
    for path in names:
        member, _, inner = path.partition(".")
        if member not in item:
            continue
        if not inner:
            selection[member] = item[member]
        elif isinstance(item[member], dict) and inner in item[member]:
            selection[member] = {**selection.get(member, {}), inner: item[member][inner]}
    return {member: selection[member] for member in item if member in selection}


def _without_fields(item: Json, fields: Fields) -> Json:
    other_members = dict(item)
    for path in fields.exclude:
        member, _, inner = path.partition(".")
        if inner and isinstance(other_members.get(member), dict):
            other_members[member] = {name: value for name, value in other_members[member].items() if name != inner}
        elif not inner:
            named = {name: value for name, value in _members_of(item, member) if f"{member}.{name}" in fields.include}
            other_members = {name: value for name, value in other_members.items() if name != member} | (
                {member: named} if named else {}
            )
    return other_members


def _members_of(item: Json, member: str) -> Iterable[tuple[str, object]]:
    inside = item.get(member)
    return inside.items() if isinstance(inside, dict) else ()


def item_document(record: Record, addresses: Addresses) -> Json:
    address = addresses.to(f"/stac/collections/{record.source}")
    links = [
        link("self", f"{address}/items/{record.id}", GEOJSON),
        link("parent", address, JSON),
        link("collection", address, JSON),
        link("root", addresses.to("/stac"), JSON),
        link("canonical", addresses.item(record), GEOJSON, "The record"),
        *[geojson.link(out) for out in record.links if out.rel not in stac.ASSET_RELS],
    ]
    return stac.item(record, geojson.geometry(record), links)


def landing_document(addresses: Addresses, sources: list[Catalogue]) -> Json:
    return {
        "type": "Catalog",
        "id": "sonde",
        "stac_version": stac.VERSION,
        "title": "Sonde",
        "description": _DESCRIPTION,
        "conformsTo": list(STAC_CLASSES),
        "links": [
            link("self", addresses.to("/stac"), JSON),
            link("root", addresses.to("/stac"), JSON),
            link("service-desc", addresses.to("/api"), MEDIA_TYPE),
            link("service-doc", addresses.to("/docs"), HTML),
            link("conformance", addresses.to("/stac/conformance"), JSON),
            link("data", addresses.to("/stac/collections"), JSON),
            link("children", addresses.to("/stac/children"), JSON),
            {**link("search", addresses.to("/stac/search"), GEOJSON), "method": "GET"},
            {**link("search", addresses.to("/stac/search"), GEOJSON), "method": "POST"},
            *_property_links(addresses.to("/stac")),
            *_count_links(addresses.to("/stac")),
            {**link("aggregate", addresses.to("/stac/aggregate"), JSON), "method": "POST"},
            *[link("child", addresses.to(f"/stac/collections/{source.id}"), JSON, source.title) for source in sources],
        ],
    }


def collection_document(catalogue: Catalogue, addresses: Addresses) -> Json:
    address = addresses.to(f"/stac/collections/{catalogue.id}")
    box = catalogue.box.as_list() if catalogue.box is not None else [-180.0, -90.0, 180.0, 90.0]
    interval = interval_of(catalogue.span) if catalogue.span is not None else [None, None]
    return {
        "type": "Collection",
        "id": catalogue.id,
        "stac_version": stac.VERSION,
        "title": catalogue.title,
        "description": description_of(catalogue),
        "license": "various",
        "extent": {"spatial": {"bbox": [box]}, "temporal": {"interval": [interval]}},
        "links": [
            link("self", address, JSON),
            link("root", addresses.to("/stac"), JSON),
            link("parent", addresses.to("/stac"), JSON),
            link("items", f"{address}/items", GEOJSON),
            *_property_links(address),
            *_count_links(address),
        ],
    }


def _property_links(address: str) -> list[Link]:
    """Links to what a filter and ``sortby`` may name."""
    return [
        link(QUERYABLES_REL, f"{address}/queryables", SCHEMA_JSON, "Queryables"),
        link(SORTABLES_REL, f"{address}/sortables", SCHEMA_JSON, "Sortables"),
    ]


def _count_links(address: str) -> list[Link]:
    """Links to the counts of items, and to what can be counted."""
    return [
        {**link("aggregate", f"{address}/aggregate", JSON), "method": "GET"},
        link("aggregations", f"{address}/aggregations", JSON, "Aggregations"),
    ]
