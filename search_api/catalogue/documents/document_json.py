"""A document as GeoJSON in the form of a record, and its passages and tables as JSON."""

from __future__ import annotations

from core.document import DocumentEntry
from core.json_types import Json
from core.passage import Passage
from search_api.catalogue.documents.marks import Marked
from search_api.catalogue.documents.reader import SeenDocument
from search_api.formats_out.bibliography import CITATION_FORMATS
from search_api.http.addresses import GEOJSON, JSON, Addresses, Link, link
from search_api.page.plain_page import HTML
from search_api.search.passages.tables import DocumentTable, described, tables_of
from search_api.search.views import geojson

CSV = "text/csv"
_WEB = ("http://", "https://")


def feature(seen: SeenDocument, addresses: Addresses, *, has_file: bool) -> Json:
    """Everything but the text of the passages; the place and time of its record. ``has_file``: it can be fetched."""
    entry, record = seen.entry, seen.record
    tables = [_linked(table, entry, addresses) for table in tables_of(entry)]
    said: Json = {
        **_properties(entry),
        "sonde:private": seen.is_private or None,
        "sonde:state": entry.state,
        "sonde:metadataFrom": {**entry.front_source, **dict.fromkeys(entry.edited, "owner")},
        "sonde:affiliations": list(entry.affiliations),
        "sonde:references": list(entry.references),
        "sonde:tables": tables,
        "sonde:ocrPages": entry.ocr_pages,
        "sonde:coverage": entry.coverage,
        "sonde:warnings": list(entry.warnings),
        "sonde:recordTitle": record.title if record is not None else None,
    }
    return {
        "type": "Feature",
        "id": entry.id,
        "geometry": geojson.geometry(record) if record is not None else None,
        "time": geojson.time(record.times) if record is not None else None,
        "properties": {name: value for name, value in said.items() if value not in (None, "", [], {})},
        "links": [*document_links(entry, addresses), *_more_links(seen, addresses, has_file=has_file)],
    }


def short_feature(seen: SeenDocument, addresses: Addresses) -> Json:
    """A document in a list."""
    return {
        "type": "Feature",
        "id": seen.entry.id,
        "geometry": None,
        "time": None,
        "properties": _properties(seen.entry),
        "links": document_links(seen.entry, addresses),
    }


def _properties(entry: DocumentEntry) -> Json:
    said: Json = {
        "type": "document",
        "title": entry.title or entry.name,
        "contacts": [{"name": name, "roles": ["author"]} for name in entry.authors],
        "created": entry.published,
        "externalIds": [{"scheme": "https://doi.org", "value": entry.doi}] if entry.doi else None,
        "formats": [{"mediaType": entry.media_type}] if entry.media_type else None,
        "sonde:journal": entry.journal,
        "sonde:source": entry.source,
        "sonde:record": entry.record,
        "sonde:pages": entry.pages,
        "sonde:passageCount": entry.passages,
    }
    return {name: value for name, value in said.items() if value not in (None, "", [], {})}


def address_of(entry: DocumentEntry, addresses: Addresses, rest: str = "") -> str:
    return addresses.to(f"/documents/{entry.id}{rest}")


def document_links(entry: DocumentEntry, addresses: Addresses) -> list[Link]:
    here = address_of(entry, addresses)
    links = [
        link("self", here, GEOJSON, "This document"),
        link("alternate", f"{here}?f=html", HTML, "The document's page"),
        link("items", f"{here}/passages", JSON, "Its passages"),
        *[link("alternate", f"{here}?f={one.name}", one.media_type, one.title) for one in CITATION_FORMATS.values()],
    ]
    if entry.origin.startswith(_WEB):
        links.append(link("via", entry.origin, entry.media_type or "", "Where it was fetched"))
    return links


def _more_links(seen: SeenDocument, addresses: Addresses, *, has_file: bool) -> list[Link]:
    links = []
    if has_file:
        file = address_of(seen.entry, addresses, "/file")
        links.append(link("enclosure", file, seen.entry.media_type or "application/octet-stream"))
    if seen.record is not None:
        title = seen.record.title or seen.record.id
        links.append(link("describes", addresses.item(seen.record), GEOJSON, title))
    return links


def _linked(table: DocumentTable, entry: DocumentEntry, addresses: Addresses) -> Json:
    here = address_of(entry, addresses, f"/tables/{table.number}")
    return {**described(table), "links": [link("item", f"{here}?f=csv", CSV), link("item", f"{here}?f=json", JSON)]}


def passage_json(one: Passage) -> Json:
    said: Json = {
        "number": one.ordinal,
        "kind": one.kind,
        "section": list(one.section_path),
        "section_role": one.section_role,
        "pages": [one.first_page, one.last_page] if one.first_page is not None else None,
        "table": one.table,
        "text": one.text,
    }
    return {name: value for name, value in said.items() if value is not None}


def cited_json(one: Passage, found: Marked) -> Json:
    """A passage with the place of a quote: boxes are left, top, right, bottom in points from the upper left corner."""
    marks = [
        {"page": page, "boxes": [[line.left, line.top, line.right, line.bottom] for line in lines]}
        for page, lines in found.by_page.items()
    ]
    return {**passage_json(one), **({"quote": found.quote} if found.quote is not None else {}), "marks": marks}
