"""What a filter and ``sortby`` of STAC's items may name."""

from __future__ import annotations

from flask import Response, request
from flask_openapi import APIBlueprint, Tag
from flask_openapi.types import ResponseDict

from search_api.http.addresses import SCHEMA_JSON, Addresses
from search_api.http.documented import PROBLEMS, WITH_NOT_FOUND, sent_as
from search_api.http.parameter_types import NoParameters
from search_api.parts import Parts
from search_api.protocols.ogc.collections import PropertiesAnswer, schema_of_properties
from search_api.protocols.stac.collection_filter import COLLECTION_QUERYABLES
from search_api.protocols.stac.paths import StacCollectionPath, collection_named
from search_api.protocols.stac.properties import STAC_QUERYABLES, STAC_SORTABLES, schemas_of
from search_api.search.filtering.queryables import Queryable, schema_of

_SCHEMA: ResponseDict = {200: sent_as(SCHEMA_JSON, PropertiesAnswer), **PROBLEMS}


def stac_properties_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("stac_properties", __name__, abp_tags=[Tag(name="stac", description="STAC API")])

    @api.get("/stac/queryables", summary="What a filter of items may name", responses=_SCHEMA)
    def queryables(query: NoParameters) -> Response:  # noqa: ARG001
        return _properties("queryables", STAC_QUERYABLES, Addresses.of(parts))

    @api.get("/stac/sortables", summary="What sortby of items may name", responses=_SCHEMA)
    def sortables(query: NoParameters) -> Response:  # noqa: ARG001
        return _properties("sortables", STAC_SORTABLES, Addresses.of(parts))

    @api.get("/stac/collections-queryables", summary="What a filter of collections may name", responses=_SCHEMA)
    def queryables_of_collections(query: NoParameters) -> Response:  # noqa: ARG001
        own = Addresses.of(parts).to(request.path)
        schemas = {name: schema_of(one) for name, one in COLLECTION_QUERYABLES.items()}
        return schema_of_properties(own, "queryables of collections", schemas)

    @api.get(
        "/stac/collections/<collection>/queryables",
        summary="What a filter of a collection's items may name",
        responses={**_SCHEMA, **WITH_NOT_FOUND},
    )
    def collection_queryables(path: StacCollectionPath, query: NoParameters) -> Response:  # noqa: ARG001
        collection_named(parts, path.collection)
        return _properties("queryables", STAC_QUERYABLES, Addresses.of(parts))

    @api.get(
        "/stac/collections/<collection>/sortables",
        summary="What sortby of a collection's items may name",
        responses={**_SCHEMA, **WITH_NOT_FOUND},
    )
    def collection_sortables(path: StacCollectionPath, query: NoParameters) -> Response:  # noqa: ARG001
        collection_named(parts, path.collection)
        return _properties("sortables", STAC_SORTABLES, Addresses.of(parts))

    return api


def _properties(kind: str, offered: dict[str, Queryable], addresses: Addresses) -> Response:
    return schema_of_properties(addresses.to(request.path), f"{kind} of items", schemas_of(offered))
