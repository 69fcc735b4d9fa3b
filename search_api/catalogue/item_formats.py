"""The formats of one record, by ``f`` or by ``Accept``."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated

from flask import Response, json, request

from core.errors import NotFound
from core.json_types import Json
from core.record import Record
from search_api.catalogue.listing.reader import Original
from search_api.catalogue.signposting import metadata_links
from search_api.formats_out.formats import record_formats
from search_api.http.addresses import GEOJSON, RECORD_PROFILE, Addresses, Link, document_link, link
from search_api.http.one_of import OneOf
from search_api.search.views import geojson


@dataclass(frozen=True, slots=True)
class Form:
    """``media_type`` None: known only when the original is read."""

    media_type: str | None
    title: str


def item_forms() -> dict[str, Form]:
    """All forms of a record by ``f``: GeoJSON, the output formats, the original and the page."""
    written = {name: Form(one.media_type, one.title) for name, one in record_formats().items()}
    return {
        "json": Form(GEOJSON, "GeoJSON, OGC API - Records"),
        **written,
        "native": Form(None, "The catalogue's own metadata"),
        "html": Form("text/html", "The record's page"),
    }


def forms_of(record: Record) -> dict[str, Form]:
    """Those of ``item_forms`` that this record has."""
    written = record_formats()
    return {name: form for name, form in item_forms().items() if name not in written or written[name].offered(record)}


ItemFormat = Annotated[str, OneOf(item_forms)]


def media_types() -> tuple[str, ...]:
    return tuple(one.media_type for one in item_forms().values() if one.media_type)


OCTETS = "application/octet-stream"
_SHOWN_AS_THEY_ARE = frozenset(
    (
        "application/json",
        "application/geo+json",
        "application/ld+json",
        "application/n-triples",
        "application/rdf+xml",
        "application/vnd.iso.19139+xml",
        "application/xml",
        "application/yaml",
        "text/plain",
        "text/turtle",
        "text/xml",
    )
)
"""Metadata that a browser shows as text or saves. A source declares its originals' type, and can declare anything."""


def wanted(given: ItemFormat | None) -> str:
    """The format in ``f``, else the best that the client accepts; GeoJSON if it accepts none."""
    if given is not None:
        return given
    by_media_type: dict[str, str] = {}
    for name, one in item_forms().items():
        if one.media_type:  # of two formats with one media type, every record has the first
            by_media_type.setdefault(one.media_type, name)
    by_media_type["application/json"] = "json"
    return by_media_type[request.accept_mimetypes.best_match(list(by_media_type), default=GEOJSON)]


def written(
    record: Record, form: str, addresses: Addresses, *more: Link, broken: Collection[str] = frozenset()
) -> Response:
    """The record in one of the output formats (neither ``native`` nor ``html``).

    For GeoJSON: ``more`` are links besides those of every record, ``broken`` the addresses that led nowhere when last
    checked.
    """
    address = addresses.item(record)
    chosen = record_formats().get(form)
    if chosen is not None and not chosen.offered(record):
        raise NotFound(f"{record.id} has no files, so there is no {chosen.title} of it.")
    if chosen is None or chosen.record is None:
        body = {
            **geojson.feature(record),
            "links": [*_service_links(record, addresses), *_own_links(record, broken), *more],
        }
        response = Response(json.dumps(body, sort_keys=False), mimetype=GEOJSON)
    else:
        response = Response(chosen.record(record, address), mimetype=chosen.media_type)
    posts = metadata_links(record, addresses.record_page(record.id))
    response.headers["Link"] = ", ".join([alternates_header(record, address, form), *posts])
    return response


def alternates_header(record: Record, address: str, form: str) -> str:
    """The other formats of the record at this address, for the header Link."""
    others = [(name, one.media_type) for name, one in forms_of(record).items() if one.media_type and name != form]
    return ", ".join(f'<{address}?f={name}>; rel="alternate"; type="{media_type}"' for name, media_type in others)


def original(found: Original) -> Response:
    """The metadata byte for byte as harvested; never shown as one of our pages."""
    media_type = found.media_type or ("application/xml" if found.content.lstrip()[:1] == b"<" else "text/plain")
    known = media_type.partition(";")[0].strip().lower()
    response = Response(found.content, content_type=known if known in _SHOWN_AS_THEY_ARE else OCTETS)
    if known not in _SHOWN_AS_THEY_ARE:
        response.headers["Content-Disposition"] = "attachment"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


def item_links(record: Record, addresses: Addresses) -> list[Link]:
    """The record's own links after the service's."""
    document = document_link(record, addresses.base)
    services = [*_service_links(record, addresses), *([document] if document is not None else [])]
    return [*services, *[geojson.link(out) for out in record.links]]


def _own_links(record: Record, broken: Collection[str]) -> list[Json]:
    """With what a client needs to use them: the protocol that the metadata name, and whether the last check failed."""
    return [
        geojson.link(out)
        | ({"sonde:protocol": out.protocol} if out.protocol else {})
        | ({"sonde:broken": True} if out.href.partition("#")[0] in broken else {})
        for out in record.links
    ]


def _service_links(record: Record, addresses: Addresses) -> list[Link]:
    address = addresses.item(record)
    alternates = [
        link("alternate", f"{address}?f={name}", one.media_type or "application/octet-stream", one.title)
        for name, one in forms_of(record).items()
        if name != "json"
    ]
    return [
        link("self", address, GEOJSON, "This record"),
        *alternates,
        link("collection", addresses.collection(record.source), "application/json", record.source),
        RECORD_PROFILE,
        link("related", f"{address}/similar", GEOJSON, "Similar records"),
        link("provenance", f"{address}/provenance", "application/ld+json", "Where it came from (PROV)"),
    ]
