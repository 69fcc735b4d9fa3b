"""A portal creates, replaces, changes or deletes one record (OGC API - Features, part 4)."""

from __future__ import annotations

import re

from flask import Response, jsonify, request
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field
from werkzeug.http import generate_etag

from core.errors import InvalidInput
from search_api.catalogue.listing.reader import LONGEST_ID
from search_api.http.addresses import Addresses
from search_api.http.documented import PROBLEMS, WITH_NOT_FOUND
from search_api.http.problems import Problem
from search_api.parts import Parts
from search_api.protocols.ogc.collections import CataloguePath
from search_api.protocols.ogc.conditions import Conditions, conditions_of_request
from search_api.protocols.ogc.transactions import MERGE_PATCH, change, create, media_type, patch_of_request

_SOURCE = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
_ANY_FORMAT = {"content": {"*/*": {"schema": {}}}, "required": True}


class PushPath(CataloguePath):
    """The record to write."""

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
        record = create(parts, source, content)
        parts.catalogues.forget()
        response = jsonify(PushAnswer(id=record).model_dump())
        response.set_etag(generate_etag(content))
        response.status_code = 201
        response.headers["Location"] = Addresses.of(parts).to(f"/collections/{source}/items/{record}")
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
        response.headers["Location"] = Addresses.of(parts).to(f"/collections/{source}/items/{record}")
        return response

    @api.patch(
        "/collections/<catalogue>/items/<record>",
        summary="Change parts of one record",
        description="A JSON merge patch (RFC 7396) of the document as published (`f=native`), which must be JSON.",
        request_body={"content": {MERGE_PATCH: {"schema": {"type": "object"}}}, "required": True},
        responses={204: None, 409: Problem, 412: Problem, 415: Problem, **WITH_NOT_FOUND},
    )
    def patch(path: PushPath, header: Conditions) -> Response:  # noqa: ARG001
        content = change(parts, source_named(path.catalogue), path.record, patch_of_request())
        parts.catalogues.forget()
        response = Response(status=204)
        response.set_etag(generate_etag(content))
        return response

    @api.delete(
        "/collections/<catalogue>/items/<record>",
        summary="Take one record out",
        responses={204: None, 409: Problem, 412: Problem, **WITH_NOT_FOUND},
    )
    def delete(path: PushPath, header: Conditions) -> Response:  # noqa: ARG001
        source = source_named(path.catalogue)
        parts.pushed.delete(source, path.record, conditions_of_request(parts, source))
        parts.catalogues.forget()
        return Response(status=204)

    @api.after_app_request
    def say_what_is_taken(response: Response) -> Response:
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
