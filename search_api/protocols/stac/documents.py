"""STAC's documents: the landing page, a Collection and an Item, with their links."""

from __future__ import annotations

from core.json_types import Json
from core.record import Record
from search_api.catalogue.listing.catalogues import Catalogue
from search_api.formats_out import stac
from search_api.http.addresses import GEOJSON, JSON, SCHEMA_JSON, Addresses, Link, link
from search_api.http.openapi import MEDIA_TYPE
from search_api.page.plain_page import HTML
from search_api.protocols.ogc.collections import QUERYABLES_REL, SORTABLES_REL, interval_of
from search_api.protocols.ogc.conformance import STAC_CLASSES
from search_api.protocols.stac.collection_filter import description_of
from search_api.search.views import geojson

_DESCRIPTION = "Records of the catalogues behind this service that carry something to download."


def item_document(record: Record, addresses: Addresses) -> Json:
    own = addresses.to(f"/stac/collections/{record.source}")
    links = [
        link("self", f"{own}/items/{record.id}", GEOJSON),
        link("parent", own, JSON),
        link("collection", own, JSON),
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
            *_properties(addresses.to("/stac")),
            *_counts(addresses.to("/stac")),
            {**link("aggregate", addresses.to("/stac/aggregate"), JSON), "method": "POST"},
            *[link("child", addresses.to(f"/stac/collections/{one.id}"), JSON, one.title) for one in sources],
        ],
    }


def collection_document(one: Catalogue, addresses: Addresses) -> Json:
    own = addresses.to(f"/stac/collections/{one.id}")
    box = one.box.as_list() if one.box is not None else [-180.0, -90.0, 180.0, 90.0]
    interval = interval_of(one.span) if one.span is not None else [None, None]
    return {
        "type": "Collection",
        "id": one.id,
        "stac_version": stac.VERSION,
        "title": one.title,
        "description": description_of(one),
        "license": "various",
        "extent": {"spatial": {"bbox": [box]}, "temporal": {"interval": [interval]}},
        "links": [
            link("self", own, JSON),
            link("root", addresses.to("/stac"), JSON),
            link("parent", addresses.to("/stac"), JSON),
            link("items", f"{own}/items", GEOJSON),
            *_properties(own),
            *_counts(own),
        ],
    }


def _properties(own: str) -> list[Link]:
    """Links to what a filter and ``sortby`` may name."""
    return [
        link(QUERYABLES_REL, f"{own}/queryables", SCHEMA_JSON, "Queryables"),
        link(SORTABLES_REL, f"{own}/sortables", SCHEMA_JSON, "Sortables"),
    ]


def _counts(own: str) -> list[Link]:
    """Links to the counts of items, and to what can be counted."""
    return [
        {**link("aggregate", f"{own}/aggregate", JSON), "method": "GET"},
        link("aggregations", f"{own}/aggregations", JSON, "Aggregations"),
    ]
