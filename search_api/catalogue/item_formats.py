"""The formats of one record, by ``f`` or by ``Accept``, and typed links to them (FAIR Signposting).

FAIR Signposting Profile, level 1 (https://signposting.org/FAIR/): the page of a record is the landing page, its other
formats are the metadata resources.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated

from flask import Response, json, request

from core.errors import NotFound
from core.json_types import Json
from core.record import Record
from search_api.catalogue.listing import Original
from search_api.formats_out.formats import record_formats
from search_api.formats_out.notations import iri, licence_url
from search_api.formats_out.schema_org import DOWNLOADS, type_of
from search_api.http.parameters import OneOf
from search_api.http.responses import GEOJSON, RECORD_PROFILE, Addresses, Link, document_link, link
from search_api.search.views import geojson

_MOST_FILES = 20
_LONGEST = 500
"""Servers and proxies refuse long headers: more files, and longer addresses, are only in the record's ``links``."""

_MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+", re.ASCII)

OCTETS = "application/octet-stream"
_SHOWN_TYPES = frozenset(
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


def landing_header_links(record: Record, metadata: list[tuple[str, str]]) -> list[str]:
    """The links of the record's page; ``metadata``: addresses and media types of its other formats."""
    return [
        *([_header_link(f"https://doi.org/{record.doi}", "cite-as")] if record.doi else []),
        _header_link("https://schema.org/AboutPage", "type"),
        _header_link(f"https://schema.org/{type_of(record)}", "type"),
        *_licence(record),
        *_files(record),
        *(_header_link(address, "describedby", media_type) for address, media_type in metadata),
    ]


def metadata_header_links(record: Record, page: str) -> list[str]:
    """The links of a metadata format: back to the page, and the licence of what it describes."""
    return [_header_link(page, "describes", "text/html"), *_licence(record)]


def _licence(record: Record) -> list[str]:
    address = licence_url(record.licence)
    return [_header_link(address, "license")] if address and len(address) <= _LONGEST else []


def _files(record: Record) -> list[str]:
    files = [(iri(link.href) or "", link.media_type) for link in record.links if link.rel in DOWNLOADS]
    short = [file for file in files if 0 < len(file[0]) <= _LONGEST]
    return [_header_link(address, "item", media_type) for address, media_type in short[:_MOST_FILES]]


def _header_link(address: str, rel: str, media_type: str | None = None) -> str:
    """``address`` is percent-encoded. A text that is no media type is left out: it could end the header's value."""
    is_media_type = media_type is not None and _MEDIA_TYPE.fullmatch(media_type)
    return f'<{iri(address)}>; rel="{rel}"' + (f'; type="{media_type}"' if is_media_type else "")


@dataclass(frozen=True, slots=True)
class ItemForm:
    """A value of ``f``: an output format, the original or the page. ``media_type`` None: known only when the original
    is read.
    """

    media_type: str | None
    title: str


def item_forms() -> dict[str, ItemForm]:
    """All forms of a record by ``f``: GeoJSON, the output formats, the original and the page."""
    writers = {name: ItemForm(writer.media_type, writer.title) for name, writer in record_formats().items()}
    return {
        "json": ItemForm(GEOJSON, "GeoJSON, OGC API - Records"),
        **writers,
        "native": ItemForm(None, "The catalogue's own metadata"),
        "html": ItemForm("text/html", "The record's page"),
    }


def forms_of(record: Record) -> dict[str, ItemForm]:
    """Those of ``item_forms`` that this record has."""
    writers = record_formats()
    return {name: form for name, form in item_forms().items() if name not in writers or writers[name].offered(record)}


ItemFormat = Annotated[str, OneOf(item_forms)]


def media_types() -> tuple[str, ...]:
    return tuple(form.media_type for form in item_forms().values() if form.media_type)


def requested_form(f: ItemFormat | None) -> str:
    """The form that ``f`` names, else the best that the client accepts; GeoJSON if it accepts none."""
    if f is not None:
        return f
    by_media_type: dict[str, str] = {}
    for name, form in item_forms().items():
        if form.media_type:  # of two formats with one media type, every record has the first
            by_media_type.setdefault(form.media_type, name)
    by_media_type["application/json"] = "json"
    return by_media_type[request.accept_mimetypes.best_match(list(by_media_type), default=GEOJSON)]


def record_answer(
    record: Record, form: str, addresses: Addresses, *more: Link, broken: Collection[str] = frozenset()
) -> Response:
    """The record in one of the output formats (neither ``native`` nor ``html``).

    For GeoJSON: ``more`` are links besides those of every record, ``broken`` the addresses that led nowhere when last
    checked.
    """
    address = addresses.item(record)
    record_format = record_formats().get(form)
    if record_format is not None and not record_format.offered(record):
        raise NotFound(f"{record.id} has no files, so there is no {record_format.title} of it.")
    if record_format is None or record_format.record is None:
        body = {
            **geojson.feature(record),
            "links": [*_service_links(record, addresses), *_own_links(record, broken), *more],
        }
        response = Response(json.dumps(body, sort_keys=False), mimetype=GEOJSON)
    else:
        response = Response(record_format.record(record, address), mimetype=record_format.media_type)
    signposts = metadata_header_links(record, addresses.record_page(record.id))
    response.headers["Link"] = ", ".join([alternates_header(record, address, form), *signposts])
    return response


def alternates_header(record: Record, address: str, form: str) -> str:
    """The other formats of the record at this address, for the header Link."""
    alternates = [
        (name, alternate.media_type)
        for name, alternate in forms_of(record).items()
        if alternate.media_type and name != form
    ]
    return ", ".join(f'<{address}?f={name}>; rel="alternate"; type="{media_type}"' for name, media_type in alternates)


def original_answer(original: Original) -> Response:
    """The metadata byte for byte as harvested; never shown as one of our pages."""
    media_type = original.media_type or ("application/xml" if original.content.lstrip()[:1] == b"<" else "text/plain")
    plain_type = media_type.partition(";")[0].strip().lower()
    response = Response(original.content, content_type=plain_type if plain_type in _SHOWN_TYPES else OCTETS)
    if plain_type not in _SHOWN_TYPES:
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
        link("alternate", f"{address}?f={name}", form.media_type or "application/octet-stream", form.title)
        for name, form in forms_of(record).items()
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
