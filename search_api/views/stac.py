"""STAC API: records with assets, as Items of one Collection per source."""

from __future__ import annotations

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field

from core.errors import InvalidInput, NotFound
from core.json_types import Json
from core.record import Record
from search_api.formats_out import stac
from search_api.listing.catalogues import ALL, Catalogue
from search_api.listing.position import write_position
from search_api.listing.reader import LONGEST_ID
from search_api.listing.request import ListRequest, Selection
from search_api.listing.stac_parameters import WITH_ASSETS, StacBody, StacQuery, stac_question, to_stac_request
from search_api.openapi import MEDIA_TYPE
from search_api.parameter_types import NoParameters
from search_api.parts import Parts
from search_api.views import geojson
from search_api.views.addresses import GEOJSON, JSON, Addresses, link
from search_api.views.collections import interval_of
from search_api.views.conformance import STAC_CLASSES, Conformance
from search_api.views.documented import PROBLEMS, WITH_NOT_FOUND, sent_as

_DESCRIPTION = "Records of the catalogues behind this service that carry something to download."


class StacCollectionPath(BaseModel):
    """A collection: a harvested source."""

    collection: str = Field(max_length=200)


class StacItemPath(StacCollectionPath):
    """An item of a collection."""

    item: str = Field(max_length=LONGEST_ID)


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
    """All STAC Collections."""

    collections: list[Json]
    links: list[Json]


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


def stac_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("stac", __name__, abp_tags=[Tag(name="stac", description="STAC API")])

    @api.get("/stac", summary="STAC landing page", responses={200: StacCatalog, **PROBLEMS})
    def landing(query: NoParameters) -> Response:  # noqa: ARG001 (it refuses any)
        return jsonify(_landing(Addresses.of(parts), _sources(parts)))

    @api.get("/stac/conformance", summary="STAC conformance", responses={200: Conformance})
    def conformance(query: NoParameters) -> Response:  # noqa: ARG001
        return jsonify(conformsTo=list(STAC_CLASSES))

    @api.get("/stac/collections", summary="STAC collections", responses={200: StacCollections, **PROBLEMS})
    def collections(query: NoParameters) -> Response:  # noqa: ARG001
        addresses = Addresses.of(parts)
        links = [link("self", addresses.to("/stac/collections"), JSON), link("root", addresses.to("/stac"), JSON)]
        return jsonify(collections=[_collection(one, addresses) for one in _sources(parts)], links=links)

    @api.get(
        "/stac/collections/<collection>",
        summary="One STAC collection",
        responses={200: StacCollection, **WITH_NOT_FOUND},
    )
    def collection(path: StacCollectionPath, query: NoParameters) -> Response:  # noqa: ARG001
        return jsonify(_collection(_source(parts, path.collection), Addresses.of(parts)))

    @api.get(
        "/stac/collections/<collection>/items",
        summary="The items of a collection",
        responses={200: sent_as(GEOJSON, StacItems), **WITH_NOT_FOUND},
    )
    def items(path: StacCollectionPath, query: StacQuery) -> Response:
        return _page(parts, query, _source(parts, path.collection).id, body=False)

    @api.get(
        "/stac/collections/<collection>/items/<item>",
        summary="One item",
        responses={200: sent_as(GEOJSON, StacItem), **WITH_NOT_FOUND},
    )
    def item(path: StacItemPath, query: NoParameters) -> Response:  # noqa: ARG001
        selection = Selection(source=path.collection, ids=(path.item,), also=WITH_ASSETS)
        found = parts.records.page(ListRequest(selection, limit=1)).found
        if not found:
            raise NotFound(f"The collection {path.collection!r} has no item {path.item!r}.")
        response = jsonify(_item(found[0].record, Addresses.of(parts)))
        response.mimetype = GEOJSON
        return response

    @api.get("/stac/search", summary="Item search", responses={200: sent_as(GEOJSON, StacItems), **PROBLEMS})
    def search(query: StacQuery) -> Response:
        return _page(parts, query, None, body=False)

    @api.post("/stac/search", summary="Item search by POST", responses={200: sent_as(GEOJSON, StacItems), **PROBLEMS})
    def search_by_body(body: StacBody) -> Response:
        return _page(parts, body.as_query(), None, body=True)

    return api


def _sources(parts: Parts) -> list[Catalogue]:
    return [one for one in parts.catalogues.list() if one.id != ALL]


def _source(parts: Parts, collection: str) -> Catalogue:
    if collection == ALL:
        raise NotFound("STAC has one collection for each source; use /stac/search to search them all.")
    return parts.catalogues.get(collection)


def _page(parts: Parts, query: StacQuery, collection: str | None, *, body: bool) -> Response:
    if query.bbox is not None and query.intersects is not None:
        raise InvalidInput("intersects", "intersects: bbox already names the area; give only one of the two")
    addresses = Addresses.of(parts)
    page = parts.records.page(to_stac_request(query, collection))
    features = [_item(one.record, addresses) for one in page.found]
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


def _item(record: Record, addresses: Addresses) -> Json:
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


def _landing(addresses: Addresses, sources: list[Catalogue]) -> Json:
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
            link("conformance", addresses.to("/stac/conformance"), JSON),
            link("data", addresses.to("/stac/collections"), JSON),
            {**link("search", addresses.to("/stac/search"), GEOJSON), "method": "GET"},
            {**link("search", addresses.to("/stac/search"), GEOJSON), "method": "POST"},
            *[link("child", addresses.to(f"/stac/collections/{one.id}"), JSON, one.title) for one in sources],
        ],
    }


def _collection(one: Catalogue, addresses: Addresses) -> Json:
    own = addresses.to(f"/stac/collections/{one.id}")
    box = one.box.as_list() if one.box is not None else [-180.0, -90.0, 180.0, 90.0]
    interval = interval_of(one.span) if one.span is not None else [None, None]
    return {
        "type": "Collection",
        "id": one.id,
        "stac_version": stac.VERSION,
        "title": one.title,
        "description": f"Records harvested from {one.title} that carry something to download.",
        "license": "various",
        "extent": {"spatial": {"bbox": [box]}, "temporal": {"interval": [interval]}},
        "links": [
            link("self", own, JSON),
            link("root", addresses.to("/stac"), JSON),
            link("parent", addresses.to("/stac"), JSON),
            link("items", f"{own}/items", GEOJSON),
        ],
    }
