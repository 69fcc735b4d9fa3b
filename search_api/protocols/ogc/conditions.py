"""If-Match and If-None-Match of a push (RFC 9110, 13.1), which prevent lost updates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from flask import request
from pydantic import BaseModel, Field
from werkzeug.http import generate_etag

from core.errors import NotFound, PreconditionFailed
from search_api.catalogue.item_formats import forms_of
from search_api.formats_out.formats import record_formats
from search_api.http import compression
from search_api.parts import Parts
from search_api.protocols.ogc.items import representation
from search_api.protocols.ogc.pushing import Check


class Conditions(BaseModel):
    """The ETags are those of a GET of the record, in any format, or of its PUT."""

    if_match: str | None = Field(None, alias="If-Match", description="Only if the record matches one of these ETags.")
    if_none_match: str | None = Field(
        None, alias="If-None-Match", description="`*`: only if there is no such record yet."
    )


def conditions_of_request(parts: Parts, source: str) -> Check:
    """Raises PreconditionFailed if the record's state does not match the request's conditions."""
    wanted, unwanted = request.if_match, request.if_none_match

    def check(record: str) -> None:
        if wanted and not any(wanted.contains(tag) for tag in _tags(parts, source, record)):
            raise PreconditionFailed(f"{record} does not match If-Match: fetch it again, and change that version.")
        if unwanted and any(unwanted.contains_weak(tag) for tag in _tags(parts, source, record)):
            raise PreconditionFailed(f"{record} exists already, and If-None-Match requires that it does not.")

    return check


def _tags(parts: Parts, source: str, record: str) -> Iterator[str]:
    """The current ETags of a GET, one for each format; empty if there is no such record."""
    try:
        found = parts.records.record(record, source).record
    except NotFound:
        return
    with suppress(NotFound):  # the original was not stored
        yield from _either(generate_etag(parts.records.original(record).content))
    for form in ("json", *(name for name in record_formats() if name in forms_of(found))):
        yield from _either(generate_etag(representation(found, form, parts).get_data()))


def _either(tag: str) -> tuple[str, str]:
    """The plain and the compressed form."""
    return tag, f"{tag}{compression.TAG}"
