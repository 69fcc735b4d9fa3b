"""STAC API's Transaction extension: a key with the scope ``write`` creates, replaces, changes and deletes Items.

An Item is stored as the document of a record, as a push does; what is shown of it is what Sonde reads in it.
"""

from __future__ import annotations

from flask import Response, request
from flask_openapi import APIBlueprint, Tag
from flask_openapi.types import ResponseDict
from werkzeug.http import generate_etag

from core.errors import Conflict, InvalidInput, NotFound
from core.record import addressed
from search_api.catalogue.listing.request import ListRequest, Selection
from search_api.http.addresses import GEOJSON, Addresses
from search_api.http.documented import PROBLEMS, WITH_NOT_FOUND
from search_api.http.problems import Problem
from search_api.parts import Parts
from search_api.protocols.ogc.conditions import Conditions, conditions_of_request
from search_api.protocols.ogc.push import source_named
from search_api.protocols.ogc.transactions import (
    MERGE_PATCH,
    change,
    create,
    json_of,
    merged,
    original_of,
    patch_of_request,
    replace_existing,
)
from search_api.protocols.stac import items
from search_api.protocols.stac.parameters import WITH_ASSETS
from search_api.protocols.stac.paths import StacCollectionPath, StacItemPath

_ITEM = {"content": {"application/json": {"schema": {"type": "object"}}, GEOJSON: {"schema": {"type": "object"}}}}
_BODY = {**_ITEM, "required": True}
_CHANGED: ResponseDict = {204: None, 409: Problem, 412: Problem, **WITH_NOT_FOUND}


def stac_transaction_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("stac_transactions", __name__, abp_tags=[Tag(name="stac", description="STAC API")])

    @api.post(
        "/stac/collections/<collection>/items",
        summary="Create one item, or all of an ItemCollection",
        description="A collection begins with its first item. 409: there is such an item.",
        request_body=_BODY,
        responses={201: None, 409: Problem, 413: Problem, **PROBLEMS},
    )
    def post(path: StacCollectionPath) -> Response:
        source, body = source_named(path.collection), _body()
        several = items.items_in(body)
        documents = [_document(parts, source, one) for one in ([body] if several is None else several)]
        for one in documents:
            if parts.pushed.holds(source, items.id_of(one)):
                raise Conflict(f"There is an item {items.id_of(one)!r} already; replace it by PUT.")
        created = [create(parts, source, one, items.id_of(one)) for one in documents]
        parts.catalogues.forget()
        response = Response(status=201)
        if several is None:
            response.headers["Location"] = Addresses.of(parts).to(f"/stac/collections/{source}/items/{created[0]}")
            response.set_etag(generate_etag(documents[0]))
        return response

    @api.put(
        "/stac/collections/<collection>/items/<item>",
        summary="Replace one item",
        request_body=_BODY,
        responses=_CHANGED,
    )
    def put(path: StacItemPath, header: Conditions) -> Response:  # noqa: ARG001
        source = source_named(path.collection)
        content = _document(parts, source, _body(), path.item)
        replace_existing(parts, source, path.item, content)
        return _changed(parts, content)

    @api.patch(
        "/stac/collections/<collection>/items/<item>",
        summary="Change parts of one item",
        request_body={"content": {MERGE_PATCH: {"schema": {"type": "object"}}, **_ITEM["content"]}, "required": True},
        responses={**_CHANGED, 415: Problem},
    )
    def patch(path: StacItemPath, header: Conditions) -> Response:  # noqa: ARG001
        source, asked = source_named(path.collection), patch_of_request()
        items.refuse_other(asked, source, path.item)
        asked.pop("collection", None)
        record = addressed(source, path.item)
        original = original_of(parts, source, record)
        if original.format != "stac":
            raise Conflict(
                f"The metadata of {record!r} were published as {original.format}, not as a STAC Item: PUT one."
            )
        _document(parts, source, merged(json_of(original, record), asked), path.item)
        return _changed(parts, change(parts, source, path.item, asked))

    @api.delete("/stac/collections/<collection>/items/<item>", summary="Delete one item", responses=_CHANGED)
    def delete(path: StacItemPath, header: Conditions) -> Response:  # noqa: ARG001
        source, record = source_named(path.collection), addressed(path.collection, path.item)
        selection = Selection(source=source, ids=(record,), also=WITH_ASSETS)
        if not parts.records.page(ListRequest(selection, limit=1)).found:
            raise NotFound(f"The collection {source!r} has no item {path.item!r}.")
        parts.pushed.delete(source, record, conditions_of_request(parts, source))
        parts.catalogues.forget()
        return Response(status=204)

    return api


def _body() -> object:
    body = request.get_json(force=True, silent=True)
    if body is None:
        raise InvalidInput("body", "body: is not JSON")
    return body


def _document(parts: Parts, source: str, item: object, id: str | None = None) -> bytes:
    content = items.document_of(item, source, id)
    items.id_of(content)
    items.refuse_without_assets(parts.pushed.read(source, content, None))
    return content


def _changed(parts: Parts, content: bytes) -> Response:
    parts.catalogues.forget()
    response = Response(status=204)
    response.set_etag(generate_etag(content))
    return response
