"""STAC API: the landing page, the collections, their items and item search."""

from __future__ import annotations

from flask import Response, jsonify, request
from flask_openapi import APIBlueprint, Tag
from flask_openapi.types import ResponseDict
from pydantic import BaseModel

from core.errors import NotFound
from core.json_types import Json
from core.record import id_of_address
from search_api.catalogue.listing import ListRequest, Selection
from search_api.http.openapi import PROBLEMS, WITH_NOT_FOUND, FeatureCollectionAnswer, answer_as
from search_api.http.parameters import NoParameters
from search_api.http.responses import GEOJSON, JSON, SCHEMA_JSON, Addresses, Link, feature_collection, json_as, link
from search_api.parts import Parts
from search_api.protocols.ogc.collections import (
    QUERYABLES_REL,
    STAC_CLASSES,
    Conformance,
    PropertiesAnswer,
    schema_of_properties,
)
from search_api.protocols.stac.collection_search import (
    COLLECTION_QUERYABLES,
    MOST_COLLECTIONS,
    CollectionsQuery,
    matching,
)
from search_api.protocols.stac.documents import (
    COLLECTION,
    StacCollectionPath,
    StacItemPath,
    collection_document,
    collection_named,
    collections_of,
    item_document,
    landing_document,
    read_fields,
    with_fields,
)
from search_api.protocols.stac.parameters import (
    STAC_QUERYABLES,
    STAC_SORTABLES,
    WITH_ASSETS,
    StacBody,
    StacQuery,
    schemas_of,
    stac_question,
    to_stac_request,
)
from search_api.search.filtering.queryables import Queryable, schema_of
from search_api.search.order import write_position

_SCHEMA: ResponseDict = {200: answer_as(SCHEMA_JSON, PropertiesAnswer), **PROBLEMS}


class StacCatalog(BaseModel):
    """STAC's landing page."""

    type: str
    id: str
    stac_version: str
    description: str
    conformsTo: list[str]  # noqa: N815 - OGC's name
    links: list[Json]


class StacCollection(BaseModel):
    """A STAC Collection."""

    type: str
    id: str
    stac_version: str
    description: str
    license: str
    extent: Json
    links: list[Json]


class StacCollections(BaseModel):
    """STAC Collections."""

    collections: list[Json]
    links: list[Json]
    numberMatched: int  # noqa: N815 - OGC's name
    numberReturned: int  # noqa: N815 - OGC's name


class StacChildren(BaseModel):
    """The Collections below the landing page."""

    children: list[Json]
    links: list[Json]


def stac_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("stac", __name__, abp_tags=[Tag(name="stac", description="STAC API")])

    @api.get("/stac", summary="STAC landing page", responses={200: StacCatalog, **PROBLEMS})
    def landing(query: NoParameters) -> Response:  # noqa: ARG001 (it refuses any)
        return jsonify(landing_document(Addresses.of(parts.http), collections_of(parts)))

    @api.get("/stac/conformance", summary="STAC conformance", responses={200: Conformance})
    def conformance(query: NoParameters) -> Response:  # noqa: ARG001
        return jsonify(conformsTo=list(STAC_CLASSES))

    @api.get("/stac/children", summary="What is below the landing page", responses={200: StacChildren, **PROBLEMS})
    def children(query: NoParameters) -> Response:  # noqa: ARG001
        addresses = Addresses.of(parts.http)
        documents = [collection_document(catalogue, addresses) for catalogue in collections_of(parts)]
        return jsonify(children=documents, links=_links(addresses.to("/stac/children"), addresses))

    @api.get("/stac/collections", summary="Collection search", responses={200: StacCollections, **PROBLEMS})
    def collections(query: CollectionsQuery) -> Response:
        addresses = Addresses.of(parts.http)
        documents = matching(query, collections_of(parts))
        end = query.offset + min(query.limit, MOST_COLLECTIONS)
        documents_of_page = [collection_document(catalogue, addresses) for catalogue in documents[query.offset : end]]
        if query.fields_ is not None:
            fields = read_fields(query.fields_, COLLECTION)
            documents_of_page = [with_fields(catalogue, fields, COLLECTION) for catalogue in documents_of_page]
        links = _links(addresses.this(), addresses)
        links.append(link(QUERYABLES_REL, addresses.to("/stac/collections-queryables"), SCHEMA_JSON, "Queryables"))
        if end < len(documents):
            links.append(link("next", addresses.page(str(end), "offset"), JSON))
        return jsonify(
            collections=documents_of_page,
            links=links,
            numberMatched=len(documents),
            numberReturned=len(documents_of_page),
        )

    @api.get(
        "/stac/collections/<collection>",
        summary="One STAC collection",
        responses={200: StacCollection, **WITH_NOT_FOUND},
    )
    def collection(path: StacCollectionPath, query: NoParameters) -> Response:  # noqa: ARG001
        return jsonify(collection_document(collection_named(parts, path.collection), Addresses.of(parts.http)))

    return api


def _links(address: str, addresses: Addresses) -> list[Link]:
    return [link("self", address, JSON), link("root", addresses.to("/stac"), JSON)]


class StacItem(BaseModel):
    """A STAC Item."""

    type: str
    id: str
    properties: Json
    assets: Json
    links: list[Json]


def stac_items_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("stac_items", __name__, abp_tags=[Tag(name="stac", description="STAC API")])

    @api.get(
        "/stac/collections/<collection>/items",
        summary="The items of a collection",
        responses={200: answer_as(GEOJSON, FeatureCollectionAnswer), **WITH_NOT_FOUND},
    )
    def items(path: StacCollectionPath, query: StacQuery) -> Response:
        return _page(parts, query, collection_named(parts, path.collection).id, body=False)

    @api.get(
        "/stac/collections/<collection>/items/<item>",
        summary="One item",
        responses={200: answer_as(GEOJSON, StacItem), **WITH_NOT_FOUND},
    )
    def item(path: StacItemPath, query: NoParameters) -> Response:  # noqa: ARG001
        selection = Selection(
            source=path.collection, ids=(path.item, id_of_address(path.collection, path.item)), also=WITH_ASSETS
        )
        matches = parts.records.page(ListRequest(selection, limit=1)).records
        if not matches:
            raise NotFound(f"The collection {path.collection!r} has no item {path.item!r}.")
        return json_as(GEOJSON, item_document(matches[0].record, Addresses.of(parts.http)))

    @api.get(
        "/stac/search", summary="Item search", responses={200: answer_as(GEOJSON, FeatureCollectionAnswer), **PROBLEMS}
    )
    def search(query: StacQuery) -> Response:
        return _page(parts, query, None, body=False)

    @api.post(
        "/stac/search",
        summary="Item search by POST",
        responses={200: answer_as(GEOJSON, FeatureCollectionAnswer), **PROBLEMS},
    )
    def search_by_body(body: StacBody) -> Response:
        return _page(parts, body.as_query(), None, body=True)

    return api


def _page(parts: Parts, query: StacQuery, collection: str | None, *, body: bool) -> Response:
    addresses = Addresses.of(parts.http)
    page = parts.records.page(to_stac_request(query, collection))
    features = [item_document(stored.record, addresses) for stored in page.records]
    if query.fields_ is not None:
        fields = read_fields(query.fields_)
        features = [with_fields(stored, fields) for stored in features]
    links: list[Json] = [dict(link("self", addresses.this(), GEOJSON)), dict(link("root", addresses.to("/stac"), JSON))]
    if page.after is not None:
        token = write_position(page.after, stac_question(query, collection))
        next_link: Json = dict(link("next", addresses.page(token, "token"), GEOJSON))
        if body:
            next_link = {**link("next", addresses.to("/stac/search"), GEOJSON), "method": "POST"}
            next_link |= {"body": {"token": token}, "merge": True}
        links.append(next_link)
    return feature_collection(features, links, page.matched)


def stac_properties_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("stac_properties", __name__, abp_tags=[Tag(name="stac", description="STAC API")])

    @api.get("/stac/queryables", summary="What a filter of items may name", responses=_SCHEMA)
    def queryables(query: NoParameters) -> Response:  # noqa: ARG001
        return _schema_answer("queryables", STAC_QUERYABLES, Addresses.of(parts.http))

    @api.get("/stac/sortables", summary="What sortby of items may name", responses=_SCHEMA)
    def sortables(query: NoParameters) -> Response:  # noqa: ARG001
        return _schema_answer("sortables", STAC_SORTABLES, Addresses.of(parts.http))

    @api.get("/stac/collections-queryables", summary="What a filter of collections may name", responses=_SCHEMA)
    def queryables_of_collections(query: NoParameters) -> Response:  # noqa: ARG001
        address = Addresses.of(parts.http).to(request.path)
        schemas = {name: schema_of(queryable) for name, queryable in COLLECTION_QUERYABLES.items()}
        return schema_of_properties(address, "queryables of collections", schemas)

    @api.get(
        "/stac/collections/<collection>/queryables",
        summary="What a filter of a collection's items may name",
        responses={**_SCHEMA, **WITH_NOT_FOUND},
    )
    def collection_queryables(path: StacCollectionPath, query: NoParameters) -> Response:  # noqa: ARG001
        collection_named(parts, path.collection)
        return _schema_answer("queryables", STAC_QUERYABLES, Addresses.of(parts.http))

    @api.get(
        "/stac/collections/<collection>/sortables",
        summary="What sortby of a collection's items may name",
        responses={**_SCHEMA, **WITH_NOT_FOUND},
    )
    def collection_sortables(path: StacCollectionPath, query: NoParameters) -> Response:  # noqa: ARG001
        collection_named(parts, path.collection)
        return _schema_answer("sortables", STAC_SORTABLES, Addresses.of(parts.http))

    return api


def _schema_answer(kind: str, properties: dict[str, Queryable], addresses: Addresses) -> Response:
    return schema_of_properties(addresses.to(request.path), f"{kind} of items", schemas_of(properties))
