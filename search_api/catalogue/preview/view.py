"""``/collections/{catalogue}/items/{id}/preview``: a small picture of the record, if its metadata name one."""

from __future__ import annotations

from flask import Response
from flask_openapi import APIBlueprint, Tag

from search_api.catalogue.preview.thumbnail import MEDIA_TYPE
from search_api.http.documented import WITH_NOT_FOUND
from search_api.parts import Parts
from search_api.protocols.ogc.items import ItemPath

_PICTURE = {"content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}}


def preview_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("preview", __name__, abp_tags=[Tag(name="records", description="OGC API - Records")])

    @api.get(
        "/collections/<catalogue>/items/<record>/preview",
        summary="The record's own picture, drawn anew in a small size",
        responses={200: _PICTURE, **WITH_NOT_FOUND},
    )
    def preview(path: ItemPath) -> Response:
        record = parts.records.record(path.record, parts.catalogues.get(path.catalogue).source).record
        response = Response(parts.previews.of(record), mimetype=MEDIA_TYPE)
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Content-Disposition"] = "inline"
        return response

    return api
