"""A document as answers: GeoJSON, its passages and tables as JSON, plain HTML, its file, a bibliography."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from flask import Response, send_file

from core.document import DocumentEntry, Passage, WordBox, lines_of, section_at
from core.json_types import Json
from core.names import position_of
from core.record import Record
from search_api.catalogue.documents.reader import VisibleDocument
from search_api.formats_out.bibliography import CITATION_FORMATS, Citation
from search_api.formats_out.notations import without_empty
from search_api.http.responses import GEOJSON, JSON, Addresses, Link, link
from search_api.page.plain_page import HTML
from search_api.search.passages.values import DocumentTable, table_summary, tables_of
from search_api.search.views import geojson

CSV = "text/csv"
_WEB = ("http://", "https://")

CITATION_TYPES = tuple(format.media_type for format in CITATION_FORMATS.values())


def feature(document: VisibleDocument, addresses: Addresses, *, has_file: bool) -> Json:
    """Everything but the text of the passages; the place and time of its record. ``has_file``: it can be fetched."""
    entry, record = document.entry, document.record
    tables = [_with_link(table, entry, addresses) for table in tables_of(entry)]
    members: Json = {
        **_properties(entry),
        "sonde:private": document.is_private or None,
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
        "properties": without_empty(members),
        "links": [*document_links(entry, addresses), *_more_links(document, addresses, has_file=has_file)],
    }


def short_feature(document: VisibleDocument, addresses: Addresses) -> Json:
    """A document in a list."""
    return {
        "type": "Feature",
        "id": document.entry.id,
        "geometry": None,
        "time": None,
        "properties": _properties(document.entry),
        "links": document_links(document.entry, addresses),
    }


def _properties(entry: DocumentEntry) -> Json:
    members: Json = {
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
    return without_empty(members)


def address_of(entry: DocumentEntry, addresses: Addresses, suffix: str = "") -> str:
    return addresses.to(f"/documents/{entry.id}{suffix}")


def document_links(entry: DocumentEntry, addresses: Addresses) -> list[Link]:
    address = address_of(entry, addresses)
    links = [
        link("self", address, GEOJSON, "This document"),
        link("alternate", f"{address}?f=html", HTML, "The document's page"),
        link("items", f"{address}/passages", JSON, "Its passages"),
        *[
            link("alternate", f"{address}?f={form.name}", form.media_type, form.title)
            for form in CITATION_FORMATS.values()
        ],
    ]
    if entry.origin.startswith(_WEB):
        links.append(link("via", entry.origin, entry.media_type or "", "Where it was fetched"))
    return links


def _more_links(document: VisibleDocument, addresses: Addresses, *, has_file: bool) -> list[Link]:
    links = []
    if has_file:
        file = address_of(document.entry, addresses, "/file")
        links.append(link("enclosure", file, document.entry.media_type or "application/octet-stream"))
    if document.record is not None:
        title = document.record.title or document.record.id
        links.append(link("describes", addresses.item(document.record), GEOJSON, title))
    return links


def _with_link(table: DocumentTable, entry: DocumentEntry, addresses: Addresses) -> Json:
    address = address_of(entry, addresses, f"/tables/{table.number}")
    return {
        **table_summary(table),
        "links": [link("item", f"{address}?f=csv", CSV), link("item", f"{address}?f=json", JSON)],
    }


def passage_json(passage: Passage) -> Json:
    members: Json = {
        "number": passage.ordinal,
        "kind": passage.kind,
        "section": list(passage.section_path),
        "section_role": passage.section_role,
        "pages": [passage.first_page, passage.last_page] if passage.first_page is not None else None,
        "table": passage.table,
        "text": passage.text,
    }
    return {name: value for name, value in members.items() if value is not None}


def cited_json(passage: Passage, place: QuotePlace) -> Json:
    """A passage with the place and the section of a quote.

    Boxes are left, top, right, bottom in points from the upper left corner.
    """
    marks = [
        {"page": page, "boxes": [[line.left, line.top, line.right, line.bottom] for line in lines]}
        for page, lines in place.by_page.items()
    ]
    section = section_at(passage.sections, place.start)
    if section is not None and place.quote is not None:
        passage = replace(passage, section_path=section.path, section_role=section.role)
    return {**passage_json(passage), **({"quote": place.quote} if place.quote is not None else {}), "marks": marks}


@dataclass(frozen=True, slots=True)
class QuotePlace:
    """``quote``: the sentence as the passage has it, None if it is not there; then the whole passage is marked.
    ``start``: the first character of what is marked.

    ``lines``: one box for each line on a page, in reading order; none for a passage without boxes.
    """

    quote: str | None
    start: int
    lines: tuple[WordBox, ...]

    @property
    def by_page(self) -> dict[int, list[WordBox]]:
        pages: dict[int, list[WordBox]] = {}
        for line in self.lines:
            pages.setdefault(line.page, []).append(line)
        return pages


def quote_place(passage: Passage, quote: str) -> QuotePlace:
    """Compares letters and digits only: a model or a reader may write spaces and hyphens differently."""
    place = position_of(quote, passage.text) if quote else None
    start, end = place or (0, len(passage.text))
    words = [word for word in passage.words if word.start < end and word.end > start]
    return QuotePlace(passage.text[start:end] if place else None, start, lines_of(words))


def document_html(entry: DocumentEntry, record: Record | None, passages: Sequence[Passage]) -> str:
    """Title, facts, the given passages, tables and references; every text of the document escaped."""
    facts = "".join(
        f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in _html_facts(entry, record) if value
    )
    texts = "".join(f"<p>{escape(passage.text)}</p>" for passage in passages if passage.kind == "text")
    return (
        f'<main class="record"><article><h1>{escape(entry.title or entry.name)}</h1>'
        f'<dl class="facts-list">{facts}</dl>{texts}{_html_tables(entry)}{_html_references(entry)}</article></main>'
    )


def _html_facts(entry: DocumentEntry, record: Record | None) -> list[tuple[str, str]]:
    doi = escape(entry.doi or "")
    about = ""
    if record is not None:
        about = f'<a href="records/{escape(record.id)}">{escape(record.title or record.id)}</a>'
    return [
        ("Authors", escape("; ".join(entry.authors))),
        ("Published", escape(entry.published or "")),
        ("Journal", escape(entry.journal or "")),
        ("DOI", f'<a href="https://doi.org/{doi}" rel="noopener noreferrer">{doi}</a>' if doi else ""),
        ("Pages", str(entry.pages or "")),
        ("Explains", about),
    ]


def _html_tables(entry: DocumentEntry) -> str:
    rows = "".join(
        f'<li><a href="documents/{entry.id}/tables/{table.number}?f=csv">'
        f"{escape(table.caption or f'Table {table.number}')}</a></li>"
        for table in tables_of(entry)
    )
    return f'<h2>Tables</h2><ul class="links">{rows}</ul>' if rows else ""


def _html_references(entry: DocumentEntry) -> str:
    rows = "".join(f"<li>{escape(reference)}</li>" for reference in entry.references)
    return f"<h2>References</h2><ol>{rows}</ol>" if rows else ""


def file_answer(entry: DocumentEntry, data: bytes) -> Response:
    """The file with its type and name, never shown as one of our pages; its ETag is the hash of its bytes."""
    response = send_file(
        io.BytesIO(data),
        mimetype=entry.media_type or "application/octet-stream",
        as_attachment=True,
        download_name=entry.name,
        etag=entry.hash or False,
    )
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response


def bibliography(form: str, citations: Sequence[Citation]) -> Response:
    """In the format of that name (CITATION_FORMATS)."""
    citation_format = CITATION_FORMATS[form]
    response = Response(citation_format.write(citations), content_type=f"{citation_format.media_type}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="sonde.{citation_format.ending}"'
    return response
