"""``/conformance``, and ``/collections``: one catalogue per source, and ``all``, with their queryable properties."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Response, jsonify, request
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel

from core.json_types import Json
from core.timespan import TimeSpan, iso
from search_api.catalogue.catalogues import Catalogue
from search_api.catalogue.listing_facets import DEFAULT_BUCKETS, FACET_NAMES, facet_definitions
from search_api.catalogue.view import CataloguePath
from search_api.formats_out.notations import enclosing_rfc3339, without_empty
from search_api.http.openapi import PROBLEMS, WITH_NOT_FOUND, answer_as
from search_api.http.parameters import NoParameters
from search_api.http.problems import Problem
from search_api.http.responses import (
    CATALOG_JSON,
    CATALOG_PROFILE,
    GEOJSON,
    JSON,
    SCHEMA_JSON,
    Addresses,
    json_as,
    link,
)
from search_api.page.plain_page import (
    HTML,
    FormParameters,
    collection_html,
    collections_html,
    conformance_html,
    plain_page,
    properties_html,
    wants_html,
)
from search_api.parts import Parts
from search_api.search.filtering.queryables import QUERYABLES, SORTABLES, Queryable, schema_of

_COMMON = "http://www.opengis.net/spec/ogcapi-common-1/1.0/conf"
_COMMON_2 = "http://www.opengis.net/spec/ogcapi-common-2/1.0/conf"
_FEATURES = "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf"
_FILTERING = "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf"
_TRANSACTIONS = "http://www.opengis.net/spec/ogcapi-features-4/1.0/conf"
_RECORDS = "http://www.opengis.net/spec/ogcapi-records-1/1.0/conf"
_FACETS = "http://www.opengis.net/spec/ogcapi-records-2/1.0/conf"
_CQL2 = "http://www.opengis.net/spec/cql2/1.0/conf"
_STAC = "https://api.stacspec.org/v1.0.0"

_CHANGING = (
    f"{_TRANSACTIONS}/create-replace-delete",
    f"{_TRANSACTIONS}/update",
    f"{_TRANSACTIONS}/optimistic-locking-etags",
)
_CQL2_CLASSES = (
    f"{_CQL2}/cql2-text",
    f"{_CQL2}/cql2-json",
    f"{_CQL2}/basic-cql2",
    f"{_CQL2}/advanced-comparison-operators",
    f"{_CQL2}/basic-spatial-functions",
)
CLASSES = (
    f"{_COMMON}/core",
    f"{_COMMON}/landing-page",
    f"{_COMMON}/json",
    f"{_COMMON}/html",
    f"{_COMMON}/oas30",
    f"{_COMMON_2}/collections",
    f"{_FEATURES}/core",
    f"{_FEATURES}/geojson",
    f"{_FEATURES}/html",
    f"{_FEATURES}/oas30",
    f"{_FILTERING}/queryables",
    f"{_FILTERING}/filter",
    f"{_FILTERING}/features-filter",
    *_CHANGING,
    f"{_RECORDS}/record-core",
    f"{_RECORDS}/record-collection",
    f"{_RECORDS}/record-core-query-parameters",
    f"{_RECORDS}/record-api",
    f"{_RECORDS}/searchable-catalog",
    f"{_RECORDS}/searchable-catalog-sorting",
    f"{_RECORDS}/searchable-catalog-filtering",
    f"{_RECORDS}/sorting",
    f"{_RECORDS}/json",
    f"{_RECORDS}/html",
    f"{_RECORDS}/oas30",
    f"{_FACETS}/simple",
    f"{_FACETS}/advanced",
    *_CQL2_CLASSES,
)
STAC_CLASSES = (
    f"{_STAC}/core",
    f"{_STAC}/collections",
    f"{_STAC}/ogcapi-features",
    f"{_STAC}/item-search",
    f"{_STAC}-rc.3/item-search#filter",
    f"{_STAC}/item-search#sort",
    f"{_STAC}/ogcapi-features#sort",
    f"{_STAC}/item-search#fields",
    f"{_STAC}/ogcapi-features#fields",
    f"{_STAC}/item-search#query",
    f"{_STAC}/ogcapi-features#query",
    f"{_STAC}-rc.1/item-search#free-text",
    f"{_STAC}-rc.1/ogcapi-features#free-text",
    f"{_STAC}-rc.1/collection-search",
    f"{_STAC}-rc.1/collection-search#free-text",
    f"{_STAC}-rc.1/collection-search#filter",
    "https://api.stacspec.org/v1.1.0/collection-search#sort",
    f"{_STAC}-rc.1/collection-search#fields",
    f"{_COMMON_2}/simple-query",
    f"{_STAC}-rc.2/children",
    f"{_STAC}/ogcapi-features/extensions/transaction",
    *_CHANGING,
    "https://api.stacspec.org/v0.3.0/aggregation",
    "https://api.stacspec.org/v0.3.0/aggregation#query",
    "https://api.stacspec.org/v0.3.0/aggregation#filter",
    f"{_FEATURES}/core",
    f"{_FEATURES}/geojson",
    f"{_FILTERING}/queryables",
    f"{_FILTERING}/filter",
    f"{_FILTERING}/features-filter",
    *_CQL2_CLASSES,
)


class Conformance(BaseModel):
    """The conformance classes of this service."""

    conformsTo: list[str]  # noqa: N815 - OGC's name


def conformance_views() -> APIBlueprint:
    api = APIBlueprint("conformance", __name__, abp_tags=[Tag(name="landing", description="Landing page")])

    @api.get(
        "/conformance",
        summary="Conformance classes",
        responses={200: answer_as(JSON, Conformance, HTML), 400: Problem},
    )
    def conformance(query: FormParameters) -> Response:
        if wants_html(query.f):
            return plain_page("Conformance classes", conformance_html(CLASSES))
        return jsonify(conformsTo=list(CLASSES))

    return api


_CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
_GREGORIAN = "http://www.opengis.net/def/uom/ISO-8601/0/Gregorian"
FACETS_REL = "http://www.opengis.net/def/rel/ogc/1.0/facets"
FACETS_JSON = "application/facets+json"
QUERYABLES_REL = "http://www.opengis.net/def/rel/ogc/1.0/queryables"
SORTABLES_REL = "http://www.opengis.net/def/rel/ogc/1.0/sortables"
_CATALOGUE_TYPES = {JSON: JSON, CATALOG_JSON: CATALOG_JSON, GEOJSON: JSON}
SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"


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


class FacetsAnswer(BaseModel):
    """The facets that a listing can count."""

    id: str
    title: str
    facets: Json
    defaultBucketCount: int  # noqa: N815 - OGC's name


def collections_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("collections", __name__, abp_tags=[Tag(name="records", description="OGC API - Records")])

    @api.get(
        "/collections",
        summary="The catalogues",
        responses={200: answer_as(JSON, CollectionsAnswer, HTML), **PROBLEMS},
    )
    def collections(query: FormParameters) -> Response:
        addresses = Addresses.of(parts.http)
        documents = [collection_json(catalogue, addresses) for catalogue in parts.catalogues.list()]
        if wants_html(query.f):
            return plain_page("Catalogues", collections_html(documents))
        address = addresses.to("/collections")
        links = [
            link("self", address, JSON),
            link("alternate", f"{address}?f=html", HTML),
            link("root", addresses.to("/"), JSON),
        ]
        return jsonify(collections=documents, links=links)

    @api.get(
        "/collections/<catalogue>",
        summary="One catalogue",
        responses={200: answer_as(JSON, CollectionAnswer, CATALOG_JSON, HTML), **WITH_NOT_FOUND},
    )
    def collection(path: CataloguePath, query: FormParameters) -> Response:
        document = collection_json(parts.catalogues.get(path.catalogue), Addresses.of(parts.http))
        if wants_html(query.f):
            return plain_page(document["title"], collection_html(document))
        best = request.accept_mimetypes.best_match(list(_CATALOGUE_TYPES), default=JSON)
        return json_as(_CATALOGUE_TYPES[best], document)

    @api.get(
        "/collections/<catalogue>/queryables",
        summary="What a filter may name",
        responses={200: answer_as(SCHEMA_JSON, PropertiesAnswer, HTML), **WITH_NOT_FOUND},
    )
    def queryables(path: CataloguePath, query: FormParameters) -> Response:
        catalogue = parts.catalogues.get(path.catalogue)
        return _properties(catalogue, "queryables", QUERYABLES, Addresses.of(parts.http), as_html=wants_html(query.f))

    @api.get(
        "/collections/<catalogue>/sortables",
        summary="What sortby may name",
        responses={200: answer_as(SCHEMA_JSON, PropertiesAnswer, HTML), **WITH_NOT_FOUND},
    )
    def sortables(path: CataloguePath, query: FormParameters) -> Response:
        catalogue = parts.catalogues.get(path.catalogue)
        return _properties(catalogue, "sortables", SORTABLES, Addresses.of(parts.http), as_html=wants_html(query.f))

    @api.get(
        "/collections/<catalogue>/facets",
        summary="What the parameter facets may name",
        responses={200: answer_as(FACETS_JSON, FacetsAnswer), **WITH_NOT_FOUND},
    )
    def facets(path: CataloguePath, query: NoParameters) -> Response:  # noqa: ARG001
        catalogue = parts.catalogues.get(path.catalogue)
        members = {"facets": facet_definitions(), "defaultBucketCount": DEFAULT_BUCKETS}
        return json_as(FACETS_JSON, {"id": catalogue.id, "title": catalogue.title, **members})

    return api


def collection_json(catalogue: Catalogue, addresses: Addresses) -> Json:
    """The catalogue as a collection, with its extent if its records have one."""
    members: Json = {
        "id": catalogue.id,
        "type": "Collection",
        "itemType": "record",
        "title": catalogue.title,
        "description": catalogue.about.description
        or f"{catalogue.count} records" + ("" if catalogue.source is None else f" harvested from {catalogue.title}"),
        "license": catalogue.about.licence,
        "sonde:publisher": catalogue.about.publisher,
        "extent": extent_of(catalogue),
        "updated": iso(catalogue.updated) if catalogue.updated is not None else None,
        "crs": [_CRS84],
        "conformsTo": ["http://www.opengis.net/spec/ogcapi-records-1/1.0/conf/record-collection"],
        "sonde:count": catalogue.count,
        "links": _links(catalogue, addresses),
    }
    return without_empty(members)


def extent_of(catalogue: Catalogue) -> Json:
    extent: Json = {}
    if catalogue.box is not None:
        extent["spatial"] = {"bbox": [catalogue.box.as_list()], "crs": _CRS84}
    if catalogue.span is not None:
        extent["temporal"] = {"interval": [interval_of(catalogue.span)], "trs": _GREGORIAN}
    return extent


def interval_of(span: TimeSpan) -> list[str | None]:
    """Both ends in RFC 3339; an end that it cannot express is open."""
    return list(enclosing_rfc3339(span.start_ms, span.end_ms))


def _links(catalogue: Catalogue, addresses: Addresses) -> list[dict[str, str]]:
    return [
        link("self", addresses.collection(catalogue.id), JSON, catalogue.title),
        link("alternate", addresses.collection(catalogue.id, "?f=html"), HTML),
        link("root", addresses.to("/"), JSON),
        CATALOG_PROFILE,
        link("items", addresses.collection(catalogue.id, "/items"), GEOJSON, "Records"),
        link(QUERYABLES_REL, addresses.collection(catalogue.id, "/queryables"), SCHEMA_JSON, "Queryables"),
        link(FACETS_REL, addresses.collection(catalogue.id, "/facets"), FACETS_JSON, "Facets"),
        link(SORTABLES_REL, addresses.collection(catalogue.id, "/sortables"), SCHEMA_JSON, "Sortables"),
        link(
            "search",
            addresses.to("/search", [("source", catalogue.id)] if catalogue.source else []),
            GEOJSON,
            "Ranked search",
        ),
    ]


def _properties(
    catalogue: Catalogue, kind: str, queryables: dict[str, Queryable], addresses: Addresses, *, as_html: bool
) -> Response:
    facets = FACET_NAMES if kind == "queryables" else ()
    schemas = {
        name: {**schema_of(queryable), **({"facet": True} if name in facets else {})}
        for name, queryable in queryables.items()
    }
    if as_html:
        return plain_page(f"{catalogue.title}: {kind}", properties_html(catalogue.title, kind, schemas))
    return schema_of_properties(addresses.collection(catalogue.id, f"/{kind}"), catalogue.title, schemas)


def schema_of_properties(address: str, title: str, properties: Mapping[str, Json]) -> Response:
    """The properties that may be named, as a JSON Schema of that address."""
    return json_as(
        SCHEMA_JSON,
        {
            "$schema": SCHEMA_DIALECT,
            "$id": address,
            "type": "object",
            "title": title,
            "properties": properties,
            "additionalProperties": False,
        },
    )
