"""The formats of one record, by ``f`` or by ``Accept``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from flask import Response, json, request
from lxml import etree

from core.record import Record
from search_api.formats_out import dcat, dublin_core, iso19139, schema_org
from search_api.listing.reader import Original
from search_api.views import geojson
from search_api.views.addresses import GEOJSON, RECORD_PROFILE, Addresses, Link, link

ItemFormat = Literal["json", "jsonld", "dcat", "rdf", "iso19139", "dc", "native", "html"]


@dataclass(frozen=True, slots=True)
class Format:
    """``media_type`` None: known only when the original is read."""

    media_type: str | None
    title: str
    write: Callable[[Record, str], str] | None = None


def _xml(element: etree._Element) -> str:
    return etree.tostring(element, xml_declaration=True, encoding="UTF-8", pretty_print=True).decode("utf-8")


FORMATS: dict[str, Format] = {
    "json": Format(GEOJSON, "GeoJSON, OGC API - Records"),
    "jsonld": Format(
        "application/ld+json", "schema.org Dataset", lambda r, a: json.dumps(schema_org.dataset(r, a), sort_keys=False)
    ),
    "dcat": Format("text/turtle", "DCAT as Turtle", lambda r, a: dcat.record_text(r, a, "turtle")),
    "rdf": Format("application/rdf+xml", "DCAT as RDF/XML", lambda r, a: dcat.record_text(r, a, "xml")),
    "iso19139": Format("application/vnd.iso.19139+xml", "ISO 19139", lambda r, _: _xml(iso19139.metadata(r))),
    "dc": Format("application/xml", "Dublin Core", lambda r, a: _xml(dublin_core.oai_dc(r, a))),
    "native": Format(None, "The catalogue's own metadata"),
    "html": Format("text/html", "The record's page"),
}
MEDIA_TYPES = tuple(one.media_type for one in FORMATS.values() if one.media_type)

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
"""Metadata that a browser shows as text or saves. A source says what its originals are, and may say anything."""

_BY_MEDIA_TYPE = {one.media_type: name for name, one in FORMATS.items() if one.media_type} | {
    "application/json": "json",
}


def wanted(given: ItemFormat | None) -> str:
    """The format that ``f`` names, else the best that the caller accepts; GeoJSON where it accepts none of ours."""
    if given is not None:
        return given
    best = request.accept_mimetypes.best_match(list(_BY_MEDIA_TYPE), default=GEOJSON)
    return _BY_MEDIA_TYPE[best]


def written(record: Record, form: str, addresses: Addresses, *more: Link) -> Response:
    """The record in one of the formats that are made of it (neither ``native`` nor ``html``).

    ``more``: links that GeoJSON names beside those that every record has.
    """
    address = addresses.item(record)
    chosen = FORMATS[form]
    if chosen.write is None:
        body = {**geojson.feature(record), "links": [*item_links(record, addresses), *more]}
        response = Response(json.dumps(body, sort_keys=False), mimetype=GEOJSON)
    else:
        response = Response(chosen.write(record, address), mimetype=chosen.media_type)
    response.headers["Link"] = alternates_header(address, form)
    return response


def alternates_header(address: str, form: str) -> str:
    """The other formats of the record at this address, for the header Link."""
    others = [(name, one.media_type) for name, one in FORMATS.items() if one.media_type and name != form]
    return ", ".join(f'<{address}?f={name}>; rel="alternate"; type="{media_type}"' for name, media_type in others)


def original(found: Original) -> Response:
    """The metadata byte for byte as they were harvested; never shown as a page of ours."""
    media_type = found.media_type or ("application/xml" if found.content.lstrip()[:1] == b"<" else "text/plain")
    known = media_type.partition(";")[0].strip().lower()
    response = Response(found.content, content_type=known if known in _SHOWN_AS_THEY_ARE else OCTETS)
    if known not in _SHOWN_AS_THEY_ARE:
        response.headers["Content-Disposition"] = "attachment"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


def item_links(record: Record, addresses: Addresses) -> list[Link]:
    """The record's own links after those of the service."""
    address = addresses.item(record)
    alternates = [
        link("alternate", f"{address}?f={name}", one.media_type or "application/octet-stream", one.title)
        for name, one in FORMATS.items()
        if name != "json"
    ]
    return [
        link("self", address, GEOJSON, "This record"),
        *alternates,
        link("collection", addresses.collection(record.source), "application/json", record.source),
        RECORD_PROFILE,
        link("related", f"{address}/similar", GEOJSON, "Similar records"),
        link("provenance", f"{address}/provenance", "application/ld+json", "Where it came from (PROV)"),
        *[geojson.link(out) for out in record.links],
    ]
