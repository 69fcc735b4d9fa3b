"""Creating, replacing and changing one record, for OGC API and STAC alike.

The sink writes; the checks given to it run under its lock.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping

from flask import request

from core.errors import Conflict, InvalidInput, NotFound, Unsupported
from core.json_types import Json
from core.record import addressed
from search_api.catalogue.listing.reader import Original
from search_api.parts import Parts
from search_api.protocols.ogc.conditions import conditions_of_request
from search_api.protocols.ogc.pushing import Check

MERGE_PATCH = "application/merge-patch+json"
_PATCHES = frozenset((MERGE_PATCH, "application/json", "application/geo+json"))
_NOT_SAID = frozenset(("application/octet-stream", "application/x-www-form-urlencoded"))  # sent by tools by default


def media_type() -> str | None:
    """The media type that the client declares, if any."""
    said = request.mimetype
    return said if said and said not in _NOT_SAID else None


def create(parts: Parts, source: str, content: bytes, named: str = "") -> str:
    """Writes a record that is not there yet, under ``named``, else under the identifier in the document, else under a
    new name; gives its full id.

    Raises Conflict if there is such a record, InvalidInput if the document is not one.
    """
    own = named or parts.pushed.read(source, content, media_type()).identifier or uuid.uuid4().hex

    def absent(record: str) -> None:
        if parts.pushed.holds(source, record):
            raise Conflict(f"There is a record {record!r} already; replace it by PUT.")

    return parts.pushed.put(source, own, content, media_type(), absent)[0]


def replace_existing(parts: Parts, source: str, id: str, content: bytes) -> str:
    """Raises NotFound if there is no such record, and the errors of the request's conditions."""
    conditions = conditions_of_request(parts, source)

    def present(record: str) -> None:
        if not parts.pushed.holds(source, record):
            raise NotFound(f"There is no record {record!r} in {source!r}; create it by POST.")
        conditions(record)

    return parts.pushed.put(source, id, content, media_type(), present)[0]


def change(parts: Parts, source: str, id: str, patch: Mapping[str, object]) -> bytes:
    """Changes the document as it was published by a JSON merge patch (RFC 7396), and gives the new document.

    Raises NotFound, Unsupported if the document is not JSON, and Conflict if it changes meanwhile.
    """
    record = addressed(source, id)
    original = original_of(parts, source, record)
    content = json.dumps(merged(json_of(original, record), patch), ensure_ascii=False).encode()
    parts.pushed.put(source, record, content, original.media_type, _still(parts, source, original))
    return content


def original_of(parts: Parts, source: str, record: str) -> Original:
    """Raises NotFound if the caller sees no such record."""
    parts.records.record(record, source)
    return parts.records.original(record)


def json_of(original: Original, record: str) -> Json:
    """Raises Unsupported."""
    try:
        document = json.loads(original.content)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise Unsupported(
            f"The metadata of {record!r} are not a JSON object, so no part of them can be changed: PUT them."
        )
    return document


def _still(parts: Parts, source: str, original: Original) -> Check:
    conditions = conditions_of_request(parts, source)

    def unchanged(record: str) -> None:
        conditions(record)
        if parts.records.original(record).content != original.content:
            raise Conflict(f"{record} was changed by somebody else meanwhile; send the change again.")

    return unchanged


def patch_of_request() -> Json:
    """The body as a merge patch. Raises Unsupported for another media type, InvalidInput if it is not an object."""
    if request.mimetype not in _PATCHES:
        raise Unsupported(f"A change is a JSON merge patch; its Content-Type is {MERGE_PATCH}.")
    patch = request.get_json(force=True, silent=True)
    if not isinstance(patch, dict):
        raise InvalidInput("body", "body: is not a JSON object with the members to change")
    return patch


def merged(target: object, patch: object) -> object:
    """RFC 7396: members of ``patch`` replace those of ``target``, and null removes one."""
    if not isinstance(patch, Mapping):
        return patch
    kept = dict(target) if isinstance(target, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            kept.pop(name, None)
        else:
            kept[name] = merged(kept.get(name), value)
    return kept
