"""Checks an Item that a client sends, and makes the document to store of it."""

from __future__ import annotations

import json

from core.errors import InvalidInput
from core.json_types import Json
from core.record import Record, addressed
from search_api.formats_out.rfc3339 import EARLIEST_MS, LATEST_MS
from search_api.formats_out.stac import ASSET_RELS, VERSION

MOST_ITEMS = 100


def document_of(item: object, collection: str, id: str | None = None) -> bytes:
    """The Item as JSON, without ``collection``: the address says it. ``id``: the name in the address, if there is one.

    Raises InvalidInput if it is no Feature, has no id, or names another collection or id than the address.
    """
    if not isinstance(item, dict) or item.get("type") != "Feature":
        raise _wrong("is not a STAC Item (a GeoJSON Feature)")
    stored: Json = {"stac_version": VERSION, "links": [], **item}
    if id is not None:
        stored.setdefault("id", id)
    refuse_other(stored, collection, id)
    stored.pop("collection", None)
    return json.dumps(stored, ensure_ascii=False).encode()


def refuse_other(said: Json, collection: str, id: str | None) -> None:
    """Raises InvalidInput if ``said`` names another collection or id than the address."""
    if said.get("collection") not in (None, collection):
        raise _wrong(f"names the collection {str(said['collection'])[:60]!r}; the address names {collection!r}")
    own = said.get("id")
    if "id" in said and (not isinstance(own, str) or not own):
        raise _wrong("has an id that is not a text")
    if id is not None and own is not None and addressed(collection, str(own)) != addressed(collection, id):
        raise _wrong(f"has the id {str(own)[:60]!r}; the address names {id!r}")


def id_of(content: bytes) -> str:
    """The id of a document of ``document_of``. Raises InvalidInput if it has none."""
    id = json.loads(content).get("id")
    if id is None:
        raise _wrong("has no id")
    return str(id)


def refuse_without_assets(record: Record) -> None:
    """Raises InvalidInput if the record would not be an Item: nothing to download, or no time that STAC can write."""
    if not any(link.rel in ASSET_RELS for link in record.links):
        raise _wrong("has no asset with data at an absolute address (http, ftp, s3, gs)")
    if not any(
        (span.end_ms is None or span.end_ms >= EARLIEST_MS) and (span.start_ms is None or span.start_ms <= LATEST_MS)
        for span in record.times
    ):
        raise _wrong("has no datetime")


def items_in(body: object) -> list[object] | None:
    """The Items of an ItemCollection; None if the body is not one. Raises InvalidInput if there are too many."""
    if not isinstance(body, dict) or body.get("type") != "FeatureCollection":
        return None
    features = body.get("features")
    if not isinstance(features, list) or not 1 <= len(features) <= MOST_ITEMS:
        raise _wrong(f"is an ItemCollection without 1 to {MOST_ITEMS} features")
    return features


def _wrong(message: str) -> InvalidInput:
    return InvalidInput("body", f"body: {message}")
