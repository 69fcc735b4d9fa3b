"""STAC API's Transaction extension: a key with the scope ``write`` creates, replaces, changes and deletes Items.

An Item is stored as the document of a record, as a push does; what is shown of it is what Sonde reads in it.
"""

from __future__ import annotations

import json

from flask import Response, request
from flask_openapi import APIBlueprint, Tag
from flask_openapi.types import ResponseDict
from werkzeug.http import generate_etag

from core.errors import Conflict, InvalidInput, NotFound
from core.json_types import Json
from core.record import Record, id_of_address
from search_api.catalogue.listing import ListRequest, Selection
from search_api.formats_out.notations import EARLIEST_MS, LATEST_MS
from search_api.formats_out.stac import ASSET_RELS, VERSION
from search_api.http.openapi import PROBLEMS, WITH_NOT_FOUND
from search_api.http.problems import Problem
from search_api.http.responses import GEOJSON, Addresses
from search_api.parts import Parts
from search_api.protocols.ogc.push import (
    MERGE_PATCH,
    Conditions,
    change_record,
    changed,
    create_record,
    deleted,
    json_of,
    merge_patch,
    original_of,
    patch_of_request,
    refuse_half_characters,
    replace_existing,
    source_named,
)
from search_api.protocols.stac.documents import StacCollectionPath, StacItemPath
from search_api.protocols.stac.parameters import WITH_ASSETS

MOST_ITEMS = 100

_ITEM = {"content": {"application/json": {"schema": {"type": "object"}}, GEOJSON: {"schema": {"type": "object"}}}}
_BODY = {**_ITEM, "required": True}
_CHANGE_RESPONSES: ResponseDict = {204: None, 409: Problem, 412: Problem, **WITH_NOT_FOUND}


def _item_document(item: object, collection: str, id: str | None = None) -> bytes:
    """The Item as JSON, without ``collection``: the address says it. ``id``: the name in the address, if there is one.

    Raises InvalidInput if it is no Feature, has no id, or names another collection or id than the address.
    """
    if not isinstance(item, dict) or item.get("type") != "Feature":
        raise _wrong("is not a STAC Item (a GeoJSON Feature)")
    stored: Json = {"stac_version": VERSION, "links": [], **item}
    if id is not None:
        stored.setdefault("id", id)
    _refuse_other(stored, collection, id)
    stored.pop("collection", None)
    return json.dumps(stored, ensure_ascii=False).encode()


def _refuse_other(members: Json, collection: str, id: str | None) -> None:
    """Raises InvalidInput if ``members`` names another collection or id than the address."""
    if members.get("collection") not in (None, collection):
        raise _wrong(f"names the collection {str(members['collection'])[:60]!r}; the address names {collection!r}")
    item_id = members.get("id")
    if "id" in members and (not isinstance(item_id, str) or not item_id):
        raise _wrong("has an id that is not a text")
    if (
        id is not None
        and item_id is not None
        and id_of_address(collection, str(item_id)) != id_of_address(collection, id)
    ):
        raise _wrong(f"has the id {str(item_id)[:60]!r}; the address names {id!r}")


def _id_of(content: bytes) -> str:
    """The id of a document of ``document_of``. Raises InvalidInput if it has none."""
    id = json.loads(content).get("id")
    if id is None:
        raise _wrong("has no id")
    return str(id)


def _refuse_without_assets(record: Record) -> None:
    """Raises InvalidInput if the record would not be an Item: nothing to download, or no time that STAC can write."""
    if not any(link.rel in ASSET_RELS for link in record.links):
        raise _wrong("has no asset with data at an absolute address (http, ftp, s3, gs)")
    if not any(
        (span.end_ms is None or span.end_ms >= EARLIEST_MS) and (span.start_ms is None or span.start_ms <= LATEST_MS)
        for span in record.times
    ):
        raise _wrong("has no datetime")


def _items_in(body: object) -> list[object] | None:
    """The Items of an ItemCollection; None if the body is not one. Raises InvalidInput if there are too many."""
    if not isinstance(body, dict) or body.get("type") != "FeatureCollection":
        return None
    features = body.get("features")
    if not isinstance(features, list) or not 1 <= len(features) <= MOST_ITEMS:
        raise _wrong(f"is an ItemCollection without 1 to {MOST_ITEMS} features")
    return features


def _wrong(message: str) -> InvalidInput:
    return InvalidInput("body", f"body: {message}")


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
        several = _items_in(body)
        documents = [_document(parts, source, item) for item in ([body] if several is None else several)]
        names = [_id_of(content) for content in documents]
        _refuse_taken(parts, source, names)
        created = [create_record(parts, source, *item) for item in zip(documents, names, strict=True)]
        parts.catalogues.forget()
        response = Response(status=201)
        if several is None:
            response.headers["Location"] = Addresses.of(parts.http).to(f"/stac/collections/{source}/items/{created[0]}")
            response.set_etag(generate_etag(documents[0]))
        return response

    @api.put(
        "/stac/collections/<collection>/items/<item>",
        summary="Replace one item",
        request_body=_BODY,
        responses=_CHANGE_RESPONSES,
    )
    def put(path: StacItemPath, header: Conditions) -> Response:  # noqa: ARG001
        source = source_named(path.collection)
        content = _document(parts, source, _body(), path.item)
        replace_existing(parts, source, path.item, content)
        return changed(parts, content)

    @api.patch(
        "/stac/collections/<collection>/items/<item>",
        summary="Change parts of one item",
        request_body={"content": {MERGE_PATCH: {"schema": {"type": "object"}}, **_ITEM["content"]}, "required": True},
        responses={**_CHANGE_RESPONSES, 415: Problem},
    )
    def patch(path: StacItemPath, header: Conditions) -> Response:  # noqa: ARG001
        source, change = source_named(path.collection), patch_of_request()
        _refuse_other(change, source, path.item)
        change.pop("collection", None)
        record = id_of_address(source, path.item)
        original = original_of(parts, source, record)
        if original.format != "stac":
            raise Conflict(
                f"The metadata of {record!r} were published as {original.format}, not as a STAC Item: PUT one."
            )
        _document(parts, source, merge_patch(json_of(original, record), change), path.item)
        return changed(parts, change_record(parts, source, path.item, change))

    @api.delete("/stac/collections/<collection>/items/<item>", summary="Delete one item", responses=_CHANGE_RESPONSES)
    def delete(path: StacItemPath, header: Conditions) -> Response:  # noqa: ARG001
        source, record = source_named(path.collection), id_of_address(path.collection, path.item)
        selection = Selection(source=source, ids=(record,), also=WITH_ASSETS)
        if not parts.records.page(ListRequest(selection, limit=1)).records:
            raise NotFound(f"The collection {source!r} has no item {path.item!r}.")
        return deleted(parts, source, record)

    return api


def _refuse_taken(parts: Parts, source: str, names: list[str]) -> None:
    """Before anything is written. Raises InvalidInput for one id twice, Conflict if there is such an item."""
    if len({id_of_address(source, name) for name in names}) < len(names):
        raise _wrong("is an ItemCollection with two items of one id")
    for name in names:
        if parts.pushed.holds(source, name):
            raise Conflict(f"There is an item {name!r} already; replace it by PUT.")


def _body() -> object:
    body = request.get_json(force=True, silent=True)
    if body is None:
        raise InvalidInput("body", "body: is not JSON")
    refuse_half_characters(body)
    return body


def _document(parts: Parts, source: str, item: object, id: str | None = None) -> bytes:
    content = _item_document(item, source, id)
    _id_of(content)
    _refuse_without_assets(parts.pushed.read(source, content, None))
    return content
