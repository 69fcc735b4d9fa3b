"""One record by its address: the path types, the record's page, readable before any script has run, and its picture."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from urllib.parse import quote

from flask import Response, json
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field

from core.document import document_of_record
from core.errors import NotFound, Unavailable
from core.record import Contact, Record
from core.timespan import TimeSpan
from search_api.catalogue.item_formats import OCTETS, alternates_header, item_links, landing_header_links
from search_api.catalogue.listing import LONGEST_ID, StoredRecord
from search_api.catalogue.previews import PREVIEW_TYPE
from search_api.formats_out import schema_org
from search_api.formats_out.notations import split_address
from search_api.http.openapi import WITH_NOT_FOUND
from search_api.http.responses import Addresses, Link
from search_api.page.plain_page import summary
from search_api.page.shell import page
from search_api.parts import Parts

_HARMLESS = frozenset(("http", "https", "ftp", "mailto"))


def record_page(record: Record, addresses: Addresses) -> Response:
    """A record's page, readable and with its schema.org description before any script has run."""
    alternates = [
        link for link in item_links(record, addresses) if link["rel"] == "alternate" and link["type"] != "text/html"
    ]
    body = article(record, [(link["href"], link["title"]) for link in alternates])
    response = page(_head(record, addresses, alternates), body, title=record.title or record.id)
    metadata = [
        (link["href"], link["type"]) for link in alternates if link["type"] != OCTETS
    ]  # not known for the original
    signposts = landing_header_links(record, metadata)
    response.headers["Link"] = ", ".join([alternates_header(record, addresses.item(record), "html"), *signposts])
    return response


def _head(record: Record, addresses: Addresses, links: Iterable[Link]) -> str:
    """The record for crawlers as schema.org; ``<`` is escaped, so that no text can end the element."""
    description = json.dumps(schema_org.dataset(record, addresses.item(record)), sort_keys=False).replace(
        "<", "\\u003c"
    )
    alternates = "".join(
        f'<link rel="alternate" type="{escape(link["type"])}" href="{escape(link["href"])}">' for link in links
    )
    text, address = summary(record.abstract), addresses.record_page(record.id)
    picture = next((link.href for link in record.links if link.rel == "preview"), None)
    return (
        f'<meta name="description" content="{escape(text)}">'
        f"{_card(record.title or record.id, text, address, picture)}"
        f'<link rel="canonical" href="{escape(address)}">'
        f'{alternates}<script type="application/ld+json">{description}</script>'
    )


def _card(title: str, text: str, address: str, picture: str | None) -> str:
    """How social networks and messengers show a link to the page (Open Graph)."""
    properties = {"og:type": "website", "og:title": title, "og:description": text, "og:url": address}
    if picture is not None:
        properties["og:image"] = picture
    return "".join(f'<meta property="{name}" content="{escape(value)}">' for name, value in properties.items())


def article(record: Record, formats: Iterable[tuple[str, str]] = ()) -> str:
    """Title, abstract, facts and links, every text of the metadata escaped; ``formats``: address and name of each."""
    paragraphs = "".join(
        f'<p class="description">{escape(paragraph)}</p>' for paragraph in record.abstract.split("\n\n") if paragraph
    )
    facts = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in _facts(record) if value)
    links = "".join(f"<li>{_link(link.href, link.name or link.href)}</li>" for link in record.links)
    format_links = ", ".join(f'<a href="{escape(href)}">{escape(name)}</a>' for href, name in formats)
    return (
        f'<main class="record"><article><h1>{escape(record.title or record.id)}</h1>{paragraphs}'
        f'<dl class="facts-list">{facts}</dl><ul class="links">{links}</ul>'
        f'<p class="formats">{format_links}</p></article></main>'
    )


def _facts(record: Record) -> list[tuple[str, str]]:
    boxes = "; ".join("{} {} {} {}".format(*(f"{edge:g}" for edge in box.as_list())) for box in record.extents)
    return [
        ("Type", escape(record.type)),
        ("Time", escape("; ".join(map(_period, record.times)))),
        ("Area (west south east north)", escape(boxes)),
        *_names(record),
        ("Licence", escape(record.licence or "")),
        ("Keywords", escape(", ".join(keyword.term for keyword in record.keywords))),
        ("Contacts", escape("; ".join(filter(None, map(_contact, record.contacts))))),
        ("DOI", _link(f"https://doi.org/{record.doi}", record.doi) if record.doi else ""),
        ("Source", escape(record.source)),
    ]


def _names(record: Record) -> list[tuple[str, str]]:
    names = record.names
    return [
        ("Short name", escape(", ".join(names.short_names))),
        ("Version", escape(record.edition or "")),
        ("Platforms", escape(", ".join(names.platforms))),
        ("Instruments", escape(", ".join(names.instruments))),
        ("Variables", escape(", ".join(variable.name for variable in names.variables))),
        ("Projects", escape(", ".join(names.projects))),
        ("Processing level", escape(names.processing_level or "")),
    ]


def _period(span: TimeSpan) -> str:
    start, end = (edge.partition("T")[0] if edge else ".." for edge in (span.start_iso, span.end_iso))
    return f"{start} to {end}"


def _contact(contact: Contact) -> str:
    return ", ".join(part for part in (contact.name, contact.organisation) if part)


def _link(href: str, text: str) -> str:
    """A link only if its scheme is safe."""
    harmless = split_address(href).scheme in _HARMLESS
    return f'<a href="{escape(href)}" rel="noopener noreferrer">{escape(text)}</a>' if harmless else escape(text)


_PICTURE = {"content": {PREVIEW_TYPE: {"schema": {"type": "string", "format": "binary"}}}}


class CataloguePath(BaseModel):
    """A catalogue: the id of a source, or ``all``."""

    catalogue: str = Field(
        min_length=1, max_length=200, description="`all`, or the id of a harvested source.", examples=["all"]
    )


class ItemPath(CataloguePath):
    record: str = Field(
        max_length=LONGEST_ID, description="Its complete id (`portal:x1`), or its name in the source (`x1`)."
    )


class RecordPage(BaseModel):
    """A record's page."""

    record: str = Field(max_length=512)


def stored_record(parts: Parts, path: ItemPath) -> StoredRecord:
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
