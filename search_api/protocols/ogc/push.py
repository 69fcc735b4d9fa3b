"""A portal creates, replaces, changes or deletes one record (OGC API - Features, part 4); STAC uses the same steps.

The sink writes; the checks given to it run under its lock.

The ETag of an output format begins with the version of the stored record, so a condition is checked without writing the
record in each format. The ETag of the original is the hash of its bytes: a client knows it from its own PUT.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping

from flask import Response, jsonify, request
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field
from werkzeug.datastructures import ETags
from werkzeug.http import generate_etag

from core.errors import Conflict, InvalidInput, NotFound, PreconditionFailed, Unsupported
from core.json_types import Json
from core.record import id_of_address
from search_api.catalogue.listing import LONGEST_ID, Original, StoredRecord
from search_api.catalogue.view import CataloguePath
from search_api.http.openapi import PROBLEMS, WITH_NOT_FOUND
from search_api.http.problems import Problem
from search_api.http.responses import GZIP_TAG, Addresses
from search_api.parts import Check, Parts

MERGE_PATCH = "application/merge-patch+json"
_PATCHES = frozenset((MERGE_PATCH, "application/json", "application/geo+json"))
_UNSPECIFIC_TYPES = frozenset(
    ("application/octet-stream", "application/x-www-form-urlencoded")
)  # sent by tools by default

_SOURCE = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
_ANY_FORMAT = {"content": {"*/*": {"schema": {}}}, "required": True}


def media_type() -> str | None:
    """The media type that the client declares, if any."""
    declared = request.mimetype
    return declared if declared and declared not in _UNSPECIFIC_TYPES else None


def create_record(parts: Parts, source: str, content: bytes, named: str = "") -> str:
    """Writes a record that is not there yet, under ``named``, else under the identifier in the document, else under a
    new name; gives its full id.

    Raises Conflict if there is such a record, InvalidInput if the document is not one.
    """
    name = named or parts.pushed.read(source, content, media_type()).identifier or uuid.uuid4().hex

    def absent(record: str) -> None:
        if parts.pushed.holds(source, record):
            raise Conflict(f"There is a record {record!r} already; replace it by PUT.")

    return parts.pushed.put(source, name, content, media_type(), absent)[0]


def replace_existing(parts: Parts, source: str, id: str, content: bytes) -> str:
    """Raises NotFound if there is no such record, and the errors of the request's conditions."""
    conditions = conditions_of_request(parts, source)

    def present(record: str) -> None:
        if not parts.pushed.holds(source, record):
            raise NotFound(f"There is no record {record!r} in {source!r}; create it by POST.")
        conditions(record)

    return parts.pushed.put(source, id, content, media_type(), present)[0]


def change_record(parts: Parts, source: str, id: str, patch: Mapping[str, object]) -> bytes:
    """Changes the document as it was published by a JSON merge patch (RFC 7396), and gives the new document.

    Raises NotFound, Unsupported if the document is not JSON, and Conflict if it changes meanwhile.
    """
    record = id_of_address(source, id)
    original = original_of(parts, source, record)
    content = json.dumps(merge_patch(json_of(original, record), patch), ensure_ascii=False).encode()
    parts.pushed.put(source, record, content, original.media_type, _check_unchanged(parts, source, original))
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


def changed(parts: Parts, content: bytes) -> Response:
    """The answer to a change, with the ETag of the new document."""
    parts.catalogues.forget()
    response = Response(status=204)
    response.set_etag(generate_etag(content))
    return response


def deleted(parts: Parts, source: str, record: str) -> Response:
    """Deletes the record and gives the answer. Raises NotFound, and the errors of the request's conditions."""
    parts.pushed.delete(source, record, conditions_of_request(parts, source))
    parts.catalogues.forget()
    return Response(status=204)


def _check_unchanged(parts: Parts, source: str, original: Original) -> Check:
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
    refuse_half_characters(patch)
    return patch


def refuse_half_characters(body: object) -> None:
    """Raises InvalidInput for a text that UTF-8 cannot express, such as ``"\\ud800"``."""
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InvalidInput("body", "body: holds half of a character (a lone surrogate)") from None


def merge_patch(target: object, patch: object) -> object:
    """RFC 7396: members of ``patch`` replace those of ``target``, and null removes one."""
    if not isinstance(patch, Mapping):
        return patch
    members = dict(target) if isinstance(target, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            members.pop(name, None)
        else:
            members[name] = merge_patch(members.get(name), value)
    return members


class PushPath(CataloguePath):
    record: str = Field(
        max_length=LONGEST_ID, description="Its complete id (`portal:x1`) or its name in the source (`x1`)."
    )


class PushAnswer(BaseModel):
    """A new record."""

    id: str


def push_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("push", __name__, abp_tags=[Tag(name="records", description="OGC API - Records")])

    @api.post(
        "/collections/<catalogue>/items",
        summary="Create one record, in any known format",
        description="Its name is the identifier in the document, or a new one. 409: there is such a record.",
        request_body=_ANY_FORMAT,
        responses={201: PushAnswer, 409: Problem, 413: Problem, **PROBLEMS},
    )
    def post(path: CataloguePath) -> Response:
        source = source_named(path.catalogue)
        content = _content()
        record = create_record(parts, source, content)
        parts.catalogues.forget()
        response = jsonify(PushAnswer(id=record).model_dump())
        response.set_etag(generate_etag(content))
        response.status_code = 201
        response.headers["Location"] = Addresses.of(parts.http).to(f"/collections/{source}/items/{record}")
        return response

    @api.put(
        "/collections/<catalogue>/items/<record>",
        summary="Push one record, in any known format",
        description="The format is detected by content. 201: it is new; 204: it replaced an earlier version. "
        "The `ETag` of the answer is that of the document as it was sent.",
        request_body=_ANY_FORMAT,
        responses={201: PushAnswer, 204: None, 409: Problem, 412: Problem, 413: Problem, **PROBLEMS},
    )
    def put(path: PushPath, header: Conditions) -> Response:  # noqa: ARG001 (the request itself reads them)
        source = source_named(path.catalogue)
        content = _content()
        check = conditions_of_request(parts, source)
        record, created = parts.pushed.put(source, path.record, content, media_type(), check)
        parts.catalogues.forget()
        response = jsonify(PushAnswer(id=record).model_dump()) if created else Response(status=204)
        response.set_etag(generate_etag(content))
        if not created:
            return response
        response.status_code = 201
        response.headers["Location"] = Addresses.of(parts.http).to(f"/collections/{source}/items/{record}")
        return response

    @api.patch(
        "/collections/<catalogue>/items/<record>",
        summary="Change parts of one record",
        description="A JSON merge patch (RFC 7396) of the document as published (`f=native`), which must be JSON.",
        request_body={"content": {MERGE_PATCH: {"schema": {"type": "object"}}}, "required": True},
        responses={204: None, 409: Problem, 412: Problem, 415: Problem, **WITH_NOT_FOUND},
    )
    def patch(path: PushPath, header: Conditions) -> Response:  # noqa: ARG001
        return changed(parts, change_record(parts, source_named(path.catalogue), path.record, patch_of_request()))

    @api.delete(
        "/collections/<catalogue>/items/<record>",
        summary="Take one record out",
        responses={204: None, 409: Problem, 412: Problem, **WITH_NOT_FOUND},
    )
    def delete(path: PushPath, header: Conditions) -> Response:  # noqa: ARG001
        source = source_named(path.catalogue)
        return deleted(parts, source, path.record)

    @api.after_app_request
    def add_accepted_types(response: Response) -> Response:
        rule = request.url_rule.rule if request.method == "OPTIONS" and request.url_rule is not None else None
        if rule == "/collections/<catalogue>/items":
            response.headers["Accept-Post"] = "*/*"
        elif rule == "/collections/<catalogue>/items/<record>":
            response.headers["Accept-Patch"] = MERGE_PATCH
        return response

    return api


def _content() -> bytes:
    content = request.get_data(cache=False)
    if not content.strip():
        raise InvalidInput("body", "body: send the record's metadata, in any known format")
    return content


def source_named(catalogue: str) -> str:
    """Raises InvalidInput for an invalid source id; ``all`` is the catalogue of all sources."""
    if catalogue == "all" or _SOURCE.match(catalogue) is None:
        raise InvalidInput("catalogue", "catalogue: name the record's source (A-Z a-z 0-9 . _ -), not all")
    return catalogue


class Conditions(BaseModel):
    """The ETags are those of a GET of the record, in any format, or of its PUT."""

    if_match: str | None = Field(None, alias="If-Match", description="Only if the record matches one of these ETags.")
    if_none_match: str | None = Field(
        None, alias="If-None-Match", description="`*`: only if there is no such record yet."
    )


def set_etag(response: Response, stored: StoredRecord) -> None:
    """The record's version, and the hash of the body: links that are not part of the record may change too."""
    response.set_etag(f"{stored.version}-{generate_etag(response.get_data())}")


def conditions_of_request(parts: Parts, source: str) -> Check:
    """Raises PreconditionFailed if the record's state does not match the request's conditions."""
    if_match, if_none_match = request.if_match, request.if_none_match

    def check(record: str) -> None:
        if if_match and not _is_current(if_match, if_match.as_set(), parts, source, record):
            raise PreconditionFailed(f"{record} does not match If-Match: fetch it again, and change that version.")
        if if_none_match and _is_current(if_none_match, if_none_match.as_set(include_weak=True), parts, source, record):
            raise PreconditionFailed(f"{record} exists already, and If-None-Match requires that it does not.")

    return check


def _is_current(header: ETags, tags: set[str], parts: Parts, source: str, record: str) -> bool:
    """Whether one of the tags, or ``*``, is of the record's current state; False if there is no such record."""
    try:
        stored = parts.records.record(record, source)
    except NotFound:
        return False
    if header.star_tag or any(tag.startswith(f"{stored.version}-") for tag in tags):
        return True
    try:
        content = parts.records.original(record).content
    except NotFound:  # it was not stored
        return False
    return generate_etag(content) in {tag.removesuffix(GZIP_TAG) for tag in tags}
