"""``PUT`` and ``DELETE /collections/{source}/items/{id}``: a portal writes or deletes one record."""

from __future__ import annotations

import re

from flask import Response, jsonify, request
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field
from werkzeug.http import generate_etag

from core.errors import InvalidInput
from search_api.listing.reader import LONGEST_ID
from search_api.parts import Parts
from search_api.problems import Problem
from search_api.views.addresses import Addresses
from search_api.views.collections import CataloguePath
from search_api.views.conditions import Conditions, conditions_of_request
from search_api.views.documented import PROBLEMS, WITH_NOT_FOUND

_SOURCE = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
_NOT_SAID = frozenset(("application/octet-stream", "application/x-www-form-urlencoded"))  # sent by tools by default
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

    @api.put(
        "/collections/<catalogue>/items/<record>",
        summary="Push one record, in any known format",
        description="The format is detected by content. 201: it is new; 204: it replaced an earlier version. "
        "The `ETag` of the answer is that of the document as it was sent.",
        request_body=_ANY_FORMAT,
        responses={201: PushAnswer, 204: None, 409: Problem, 412: Problem, 413: Problem, **PROBLEMS},
    )
    def put(path: PushPath, header: Conditions) -> Response:  # noqa: ARG001 (the request itself reads them)
        source = _source(path.catalogue)
        content = request.get_data(cache=False)
        if not content.strip():
            raise InvalidInput("body", "body: send the record's metadata, in any known format")
        check = conditions_of_request(parts, source)
        record, created = parts.pushed.put(source, path.record, content, _media_type(), check)
        parts.catalogues.forget()
        response = jsonify(PushAnswer(id=record).model_dump()) if created else Response(status=204)
        response.set_etag(generate_etag(content))
        if not created:
            return response
        response.status_code = 201
        response.headers["Location"] = Addresses.of(parts).to(f"/collections/{source}/items/{record}")
        return response

    @api.delete(
        "/collections/<catalogue>/items/<record>",
        summary="Take one record out",
        responses={204: None, 409: Problem, 412: Problem, **WITH_NOT_FOUND},
    )
    def delete(path: PushPath, header: Conditions) -> Response:  # noqa: ARG001
        source = _source(path.catalogue)
        parts.pushed.delete(source, path.record, conditions_of_request(parts, source))
        parts.catalogues.forget()
        return Response(status=204)

    return api


def _source(catalogue: str) -> str:
    """Raises InvalidInput for an invalid source id; ``all`` is the catalogue of all sources."""
    if catalogue == "all" or _SOURCE.match(catalogue) is None:
        raise InvalidInput("catalogue", "catalogue: name the record's source (A-Z a-z 0-9 . _ -), not all")
    return catalogue


def _media_type() -> str | None:
    """The media type that the client declares, if any."""
    said = request.mimetype
    return said if said and said not in _NOT_SAID else None
