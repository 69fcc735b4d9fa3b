"""ETags of a record, and If-Match and If-None-Match of a push (RFC 9110, 13.1), which prevent lost updates.

The ETag of an output format begins with the version of the stored record, so a condition is checked without writing the
record in each format. The ETag of the original is the hash of its bytes: a client knows it from its own PUT.
"""

from __future__ import annotations

from flask import Response, request
from pydantic import BaseModel, Field
from werkzeug.datastructures import ETags
from werkzeug.http import generate_etag

from core.errors import NotFound, PreconditionFailed
from search_api.catalogue.listing.reader import Stored
from search_api.catalogue.record_sink import Check
from search_api.http.responses import GZIP_TAG
from search_api.parts import Parts


class Conditions(BaseModel):
    """The ETags are those of a GET of the record, in any format, or of its PUT."""

    if_match: str | None = Field(None, alias="If-Match", description="Only if the record matches one of these ETags.")
    if_none_match: str | None = Field(
        None, alias="If-None-Match", description="`*`: only if there is no such record yet."
    )


def set_etag(response: Response, stored: Stored) -> None:
    """The record's version, and the hash of the body: links that are not part of the record may change too."""
    response.set_etag(f"{stored.version}-{generate_etag(response.get_data())}")


def conditions_of_request(parts: Parts, source: str) -> Check:
    """Raises PreconditionFailed if the record's state does not match the request's conditions."""
    wanted, unwanted = request.if_match, request.if_none_match

    def check(record: str) -> None:
        if wanted and not _is_current(wanted, wanted.as_set(), parts, source, record):
            raise PreconditionFailed(f"{record} does not match If-Match: fetch it again, and change that version.")
        if unwanted and _is_current(unwanted, unwanted.as_set(include_weak=True), parts, source, record):
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
