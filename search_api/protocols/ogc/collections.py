"""``/collections``: one catalogue per source, and ``all``, with their queryable properties."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Response, jsonify, request
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field

from core.json_types import Json
from core.timespan import TimeSpan, iso
from search_api.catalogue.listing.catalogues import Catalogue
from search_api.formats_out import listing_html
from search_api.formats_out.rfc3339 import enclosing
from search_api.http.addresses import CATALOG_JSON, CATALOG_PROFILE, GEOJSON, JSON, SCHEMA_JSON, Addresses, link
from search_api.http.documented import PROBLEMS, WITH_NOT_FOUND, sent_as
from search_api.page.plain_page import HTML, FormParameters, plain_page, wants_html
from search_api.parts import Parts
from search_api.search.filtering.queryables import QUERYABLES, SORTABLES, Queryable, schema_of

_CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
_GREGORIAN = "http://www.opengis.net/def/uom/ISO-8601/0/Gregorian"
QUERYABLES_REL = "http://www.opengis.net/def/rel/ogc/1.0/queryables"
SORTABLES_REL = "http://www.opengis.net/def/rel/ogc/1.0/sortables"
_CATALOGUE_TYPES = {JSON: JSON, CATALOG_JSON: CATALOG_JSON, GEOJSON: JSON}
SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"


class CataloguePath(BaseModel):
    """A catalogue: the id of a source, or ``all``."""

    catalogue: str = Field(
        min_length=1, max_length=200, description="`all`, or the id of a harvested source.", examples=["all"]
    )


class CollectionAnswer(BaseModel):
    """A catalogue, as OGC API - Records describes one."""

    id: str
    title: str
    itemType: str  # noqa: N815 - OGC's name
    links: list[Json]


class CollectionsAnswer(BaseModel):
    """All catalogues."""

    collections: list[Json]
    links: list[Json]


class PropertiesAnswer(BaseModel):
    """A JSON Schema whose properties can be asked for."""

    type: str
    properties: Json


def collections_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("collections", __name__, abp_tags=[Tag(name="records", description="OGC API - Records")])

    @api.get(
        "/collections",
        summary="The catalogues",
        responses={200: sent_as(JSON, CollectionsAnswer, HTML), **PROBLEMS},
    )
    def collections(query: FormParameters) -> Response:
        addresses = Addresses.of(parts)
        found = [described(one, addresses) for one in parts.catalogues.list()]
        if wants_html(query.f):
            return plain_page("Catalogues", listing_html.collections(found))
        own = addresses.to("/collections")
        links = [
            link("self", own, JSON),
            link("alternate", f"{own}?f=html", HTML),
            link("root", addresses.to("/"), JSON),
        ]
        return jsonify(collections=found, links=links)

    @api.get(
        "/collections/<catalogue>",
        summary="One catalogue",
        responses={200: sent_as(JSON, CollectionAnswer, CATALOG_JSON, HTML), **WITH_NOT_FOUND},
    )
    def collection(path: CataloguePath, query: FormParameters) -> Response:
        found = described(parts.catalogues.get(path.catalogue), Addresses.of(parts))
        if wants_html(query.f):
            return plain_page(found["title"], listing_html.collection(found))
        response = jsonify(found)
        response.mimetype = _CATALOGUE_TYPES[request.accept_mimetypes.best_match(list(_CATALOGUE_TYPES), default=JSON)]
        return response

    @api.get(
        "/collections/<catalogue>/queryables",
        summary="What a filter may name",
        responses={200: sent_as(SCHEMA_JSON, PropertiesAnswer, HTML), **WITH_NOT_FOUND},
    )
    def queryables(path: CataloguePath, query: FormParameters) -> Response:
        one = parts.catalogues.get(path.catalogue)
        return _properties(one, "queryables", QUERYABLES, Addresses.of(parts), as_html=wants_html(query.f))

    @api.get(
        "/collections/<catalogue>/sortables",
        summary="What sortby may name",
        responses={200: sent_as(SCHEMA_JSON, PropertiesAnswer, HTML), **WITH_NOT_FOUND},
    )
    def sortables(path: CataloguePath, query: FormParameters) -> Response:
        one = parts.catalogues.get(path.catalogue)
        return _properties(one, "sortables", SORTABLES, Addresses.of(parts), as_html=wants_html(query.f))

    return api


def described(one: Catalogue, addresses: Addresses) -> Json:
    """The catalogue as a collection, with its extent if its records have one."""
    said: Json = {
        "id": one.id,
        "type": "Collection",
        "itemType": "record",
        "title": one.title,
        "description": one.said.description
        or f"{one.count} records" + ("" if one.source is None else f" harvested from {one.title}"),
        "license": one.said.licence,
        "sonde:publisher": one.said.publisher,
        "extent": extent_of(one),
        "updated": iso(one.updated) if one.updated is not None else None,
        "crs": [_CRS84],
        "conformsTo": ["http://www.opengis.net/spec/ogcapi-records-1/1.0/conf/record-collection"],
        "sonde:count": one.count,
        "links": _links(one, addresses),
    }
    return {name: value for name, value in said.items() if value not in (None, {}, "")}


def extent_of(one: Catalogue) -> Json:
    said: Json = {}
    if one.box is not None:
        said["spatial"] = {"bbox": [one.box.as_list()], "crs": _CRS84}
    if one.span is not None:
        said["temporal"] = {"interval": [interval_of(one.span)], "trs": _GREGORIAN}
    return said


def interval_of(span: TimeSpan) -> list[str | None]:
    """Both ends in RFC 3339; an end that it cannot express is open."""
    return list(enclosing(span.start_ms, span.end_ms))


def _links(one: Catalogue, addresses: Addresses) -> list[dict[str, str]]:
    return [
        link("self", addresses.collection(one.id), JSON, one.title),
        link("alternate", addresses.collection(one.id, "?f=html"), HTML),
        link("root", addresses.to("/"), JSON),
        CATALOG_PROFILE,
        link("items", addresses.collection(one.id, "/items"), GEOJSON, "Records"),
        link(QUERYABLES_REL, addresses.collection(one.id, "/queryables"), SCHEMA_JSON, "Queryables"),
        link(SORTABLES_REL, addresses.collection(one.id, "/sortables"), SCHEMA_JSON, "Sortables"),
        link("search", addresses.to("/search", [("source", one.id)] if one.source else []), GEOJSON, "Ranked search"),
    ]


def _properties(
    one: Catalogue, kind: str, offered: dict[str, Queryable], addresses: Addresses, *, as_html: bool
) -> Response:
    schemas = {name: schema_of(queryable) for name, queryable in offered.items()}
    if as_html:
        return plain_page(f"{one.title}: {kind}", listing_html.properties(one.title, kind, schemas))
    return schema_of_properties(addresses.collection(one.id, f"/{kind}"), one.title, schemas)


def schema_of_properties(address: str, title: str, properties: Mapping[str, Json]) -> Response:
    """The properties that may be named, as a JSON Schema of that address."""
    response = jsonify(
        {
            "$schema": SCHEMA_DIALECT,
            "$id": address,
            "type": "object",
            "title": title,
            "properties": properties,
            "additionalProperties": False,
        }
    )
    response.mimetype = SCHEMA_JSON
    return response
