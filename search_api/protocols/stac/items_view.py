"""STAC API: records with assets, as Items of one Collection per source, and their search."""

from __future__ import annotations

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel

from core.errors import NotFound
from core.json_types import Json
from core.record import addressed
from search_api.catalogue.listing.request import ListRequest, Selection
from search_api.http.addresses import GEOJSON, JSON, Addresses, link
from search_api.http.documented import PROBLEMS, WITH_NOT_FOUND, sent_as
from search_api.http.parameter_types import NoParameters
from search_api.parts import Parts
from search_api.protocols.stac.documents import item_document
from search_api.protocols.stac.fields import chosen
from search_api.protocols.stac.parameters import (
    WITH_ASSETS,
    StacBody,
    StacQuery,
    fields_of,
    stac_question,
    to_stac_request,
)
from search_api.protocols.stac.paths import StacCollectionPath, StacItemPath, collection_named
from search_api.search.position import write_position


class StacItem(BaseModel):
    """A STAC Item."""

    type: str
    id: str
    properties: Json
    assets: Json
    links: list[Json]


class StacItems(BaseModel):
    """A page of STAC Items."""

    type: str
    features: list[Json]
    numberMatched: int  # noqa: N815 - OGC's name
    numberReturned: int  # noqa: N815 - OGC's name
    links: list[Json]


def stac_items_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("stac_items", __name__, abp_tags=[Tag(name="stac", description="STAC API")])

    @api.get(
        "/stac/collections/<collection>/items",
        summary="The items of a collection",
        responses={200: sent_as(GEOJSON, StacItems), **WITH_NOT_FOUND},
    )
    def items(path: StacCollectionPath, query: StacQuery) -> Response:
        return _page(parts, query, collection_named(parts, path.collection).id, body=False)

    @api.get(
        "/stac/collections/<collection>/items/<item>",
        summary="One item",
        responses={200: sent_as(GEOJSON, StacItem), **WITH_NOT_FOUND},
    )
    def item(path: StacItemPath, query: NoParameters) -> Response:  # noqa: ARG001
        selection = Selection(
            source=path.collection, ids=(path.item, addressed(path.collection, path.item)), also=WITH_ASSETS
        )
        found = parts.records.page(ListRequest(selection, limit=1)).found
        if not found:
            raise NotFound(f"The collection {path.collection!r} has no item {path.item!r}.")
        response = jsonify(item_document(found[0].record, Addresses.of(parts)))
        response.mimetype = GEOJSON
        return response

    @api.get("/stac/search", summary="Item search", responses={200: sent_as(GEOJSON, StacItems), **PROBLEMS})
    def search(query: StacQuery) -> Response:
        return _page(parts, query, None, body=False)

    @api.post("/stac/search", summary="Item search by POST", responses={200: sent_as(GEOJSON, StacItems), **PROBLEMS})
    def search_by_body(body: StacBody) -> Response:
        return _page(parts, body.as_query(), None, body=True)

    return api


def _page(parts: Parts, query: StacQuery, collection: str | None, *, body: bool) -> Response:
    addresses = Addresses.of(parts)
    page = parts.records.page(to_stac_request(query, collection))
    wanted = fields_of(query)
    features = [item_document(one.record, addresses) for one in page.found]
    if wanted is not None:
        features = [chosen(one, wanted) for one in features]
    links: list[Json] = [dict(link("self", addresses.this(), GEOJSON)), dict(link("root", addresses.to("/stac"), JSON))]
    if page.after is not None:
        token = write_position(page.after, stac_question(query, collection))
        following: Json = dict(link("next", addresses.page(token, "token"), GEOJSON))
        if body:
            following = {**link("next", addresses.to("/stac/search"), GEOJSON), "method": "POST"}
            following |= {"body": {"token": token}, "merge": True}
        links.append(following)
    response = jsonify(
        type="FeatureCollection",
        features=features,
        numberMatched=page.matched,
        numberReturned=len(features),
        links=links,
    )
    response.mimetype = GEOJSON
    return response
