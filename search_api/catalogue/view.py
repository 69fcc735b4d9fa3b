"""One record by its address: the path types, the record's page and its picture."""

from __future__ import annotations

from urllib.parse import quote

from flask import Response
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field

from core.document import document_of_record
from core.errors import NotFound, Unavailable
from search_api.catalogue.listing.reader import LONGEST_ID, Stored
from search_api.catalogue.previews import PREVIEW_TYPE as PREVIEW_TYPE
from search_api.catalogue.record_page import record_page
from search_api.http.addresses import Addresses
from search_api.http.openapi import WITH_NOT_FOUND
from search_api.page.shell import page
from search_api.parts import Parts

_PICTURE = {"content": {PREVIEW_TYPE: {"schema": {"type": "string", "format": "binary"}}}}


class CataloguePath(BaseModel):
    """A catalogue: the id of a source, or ``all``."""

    catalogue: str = Field(
        min_length=1, max_length=200, description="`all`, or the id of a harvested source.", examples=["all"]
    )


class ItemPath(CataloguePath):
    """A record of a catalogue."""

    record: str = Field(
        max_length=LONGEST_ID, description="Its complete id (`portal:x1`), or its name in the source (`x1`)."
    )


class RecordPage(BaseModel):
    """A record's page."""

    record: str = Field(max_length=512)


def stored_record(parts: Parts, path: ItemPath) -> Stored:
    """Raises NotFound if there is no such catalogue, or no such record in it."""
    return parts.records.record(path.record, parts.catalogues.get(path.catalogue).source)


def add_record_page(api: APIBlueprint, parts: Parts) -> None:
    """Adds ``/records/{record}`` to the page's addresses."""

    @api.get("/records/<record>")
    def record(path: RecordPage) -> Response:
        """Returns 404 or 503 itself; the page then shows the reason in the reader's language. A document has a page of
        its own.
        """
        document = document_of_record(path.record)
        if document is not None:
            address = Addresses.of(parts.http).to(f"/documents/{quote(document, safe='')}")
            return Response(status=302, headers={"Location": address})
        try:
            record_found = parts.records.record(path.record, None).record
        except (NotFound, Unavailable) as error:
            return page(status=404 if isinstance(error, NotFound) else 503)
        return record_page(record_found, Addresses.of(parts.http))


def preview_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("preview", __name__, abp_tags=[Tag(name="records", description="OGC API - Records")])

    @api.get(
        "/collections/<catalogue>/items/<record>/preview",
        summary="The record's own picture, drawn anew in a small size",
        responses={200: _PICTURE, **WITH_NOT_FOUND},
    )
    def preview(path: ItemPath) -> Response:
        record = stored_record(parts, path).record
        response = Response(parts.previews.of(record), mimetype=PREVIEW_TYPE)
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Content-Disposition"] = "inline"
        return response

    return api
