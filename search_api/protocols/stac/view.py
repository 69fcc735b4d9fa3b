"""STAC API: the landing page and the collections."""

from __future__ import annotations

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel

from core.json_types import Json
from search_api.http.addresses import JSON, SCHEMA_JSON, Addresses, Link, link
from search_api.http.documented import PROBLEMS, WITH_NOT_FOUND
from search_api.http.parameter_types import NoParameters
from search_api.parts import Parts
from search_api.protocols.ogc.collections import QUERYABLES_REL
from search_api.protocols.ogc.conformance import STAC_CLASSES, Conformance
from search_api.protocols.stac.collections import MOST_COLLECTIONS, CollectionsQuery, matching
from search_api.protocols.stac.documents import collection_document, landing_document
from search_api.protocols.stac.fields import COLLECTION, chosen, read_fields
from search_api.protocols.stac.paths import StacCollectionPath, collection_named, collections_of


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
        return jsonify(landing_document(Addresses.of(parts), collections_of(parts)))

    @api.get("/stac/conformance", summary="STAC conformance", responses={200: Conformance})
    def conformance(query: NoParameters) -> Response:  # noqa: ARG001
        return jsonify(conformsTo=list(STAC_CLASSES))

    @api.get("/stac/children", summary="What is below the landing page", responses={200: StacChildren, **PROBLEMS})
    def children(query: NoParameters) -> Response:  # noqa: ARG001
        addresses = Addresses.of(parts)
        found = [collection_document(one, addresses) for one in collections_of(parts)]
        return jsonify(children=found, links=_links(addresses.to("/stac/children"), addresses))

    @api.get("/stac/collections", summary="Collection search", responses={200: StacCollections, **PROBLEMS})
    def collections(query: CollectionsQuery) -> Response:
        addresses = Addresses.of(parts)
        found = matching(query, collections_of(parts))
        end = query.offset + min(query.limit, MOST_COLLECTIONS)
        shown = [collection_document(one, addresses) for one in found[query.offset : end]]
        if query.fields_ is not None:
            wanted = read_fields(query.fields_, COLLECTION)
            shown = [chosen(one, wanted, COLLECTION) for one in shown]
        links = _links(addresses.this(), addresses)
        links.append(link(QUERYABLES_REL, addresses.to("/stac/collections-queryables"), SCHEMA_JSON, "Queryables"))
        if end < len(found):
            links.append(link("next", addresses.page(str(end), "offset"), JSON))
        return jsonify(collections=shown, links=links, numberMatched=len(found), numberReturned=len(shown))

    @api.get(
        "/stac/collections/<collection>",
        summary="One STAC collection",
        responses={200: StacCollection, **WITH_NOT_FOUND},
    )
    def collection(path: StacCollectionPath, query: NoParameters) -> Response:  # noqa: ARG001
        return jsonify(collection_document(collection_named(parts, path.collection), Addresses.of(parts)))

    return api


def _links(own: str, addresses: Addresses) -> list[Link]:
    return [link("self", own, JSON), link("root", addresses.to("/stac"), JSON)]
