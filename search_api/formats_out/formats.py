"""A page of hits as an Atom feed and as a CSV table.

GeoJSON, original metadata and the record page are not in this list: they have their own views. Alternate links have
this order.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lxml import etree

from core.geo import BBox
from core.record import Record
from core.timespan import TimeSpan, instant_ms, iso
from search_api.formats_out import bibliography, dcat, dublin_core, iso19139
from search_api.formats_out.notations import (
    DcatFeed,
    OaiFormat,
    OutputFormat,
    ResultPage,
    add_child,
    degrees,
    iri,
    spreadsheet_safe,
)
from search_api.formats_out.schema_org import CROISSANT, GEO_CROISSANT, SCHEMA_ORG

ATOM = "http://www.w3.org/2005/Atom"
_GEORSS = "http://www.georss.org/georss"
_OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"
_DC = "http://purl.org/dc/elements/1.1/"
_NSMAP: Any = {None: ATOM, "georss": _GEORSS, "opensearch": _OPENSEARCH, "dc": _DC}
ATOM_TYPE = "application/atom+xml"
_NEVER = "1970-01-01T00:00:00Z"

COLUMNS = (
    "id", "title", "type", "source", "abstract", "keywords", "organisations", "start", "end", "west", "south", "east",
    "north", "resolution_m", "licence", "doi", "updated", "downloads", "address",
)  # fmt: skip


def atom(feed: ResultPage) -> str:
    """The feed's date is its newest entry's, so an unchanged list gives an unchanged feed."""
    root = etree.Element(f"{{{ATOM}}}feed", nsmap=_NSMAP)
    _element(root, "title", feed.title)
    _element(root, "id", feed.address)
    add_child(root, f"{{{ATOM}}}link", rel="self", type=ATOM_TYPE, href=feed.address)
    if feed.following is not None:
        add_child(root, f"{{{ATOM}}}link", rel="next", type=ATOM_TYPE, href=feed.following)
    add_child(add_child(root, f"{{{ATOM}}}author"), f"{{{ATOM}}}name", "Sonde")
    _element(root, "updated", max((_updated_text(record) for record, _ in feed.entries), default=_NEVER))
    add_child(root, f"{{{_OPENSEARCH}}}totalResults", str(feed.matched))
    add_child(root, f"{{{_OPENSEARCH}}}itemsPerPage", str(len(feed.entries)))
    for record, address in feed.entries:
        _entry(root, record, address)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True).decode("utf-8")


def _entry(root: etree._Element, record: Record, address: str) -> None:
    entry = add_child(root, f"{{{ATOM}}}entry")
    _element(entry, "title", record.title)
    _element(entry, "id", address)
    _element(entry, "updated", _updated_text(record))
    _element(entry, "summary", record.abstract or record.title)
    add_child(entry, f"{{{ATOM}}}link", rel="alternate", type="application/geo+json", href=address)
    for link in record.links:
        href = iri(link.href)
        if href:
            rel = "enclosure" if link.rel in ("download", "enclosure") else "related"
            add_child(entry, f"{{{ATOM}}}link", rel=rel, href=href)
    add_child(entry, f"{{{_DC}}}identifier", record.doi or record.identifier)
    for keyword in record.keywords:
        add_child(entry, f"{{{ATOM}}}category", term=keyword.term)
    for box in record.extents:
        add_child(entry, f"{{{_GEORSS}}}box", " ".join(map(degrees, (box.south, box.west, box.north, box.east))))


def _updated_text(record: Record) -> str:
    """RFC 3339 as Atom requires; 1970 if the metadata have no date."""
    for text in (record.dates.modified, record.dates.metadata, record.dates.published, record.dates.created):
        try:
            timestamp = iso(instant_ms(text)) if text else ""
        except ValueError:
            continue
        if len(timestamp) >= len(_NEVER) and timestamp[0].isdigit():
            return timestamp
    return _NEVER


def _element(parent: etree._Element, name: str, text: str) -> None:
    add_child(parent, f"{{{ATOM}}}{name}", text)


ATOM_FEED = OutputFormat("atom", ATOM_TYPE, "Atom feed", results=atom)


def table(page: ResultPage) -> str:
    """With a header. Several values are separated by ``; ``; of several areas or periods: the bounds of all."""
    buffer = io.StringIO(newline="")
    lines = csv.writer(buffer)
    lines.writerow(COLUMNS)
    lines.writerows(_row(record, address) for record, address in page.entries)
    return buffer.getvalue()


def _row(record: Record, address: str) -> list[str | float | None]:
    texts = (
        record.id,
        record.title,
        record.type,
        record.source,
        record.abstract,
        _join(keyword.term for keyword in record.keywords),
        _join(contact.organisation for contact in record.contacts),
    )
    ends = (
        record.licence,
        record.doi,
        record.dates.modified or record.dates.metadata,
        _join(link.href for link in record.links if link.rel in ("download", "enclosure")),
        address,
    )
    numbers = (*_period(record.times), *_bounds(record.extents), record.resolution.metres)
    return [*map(_cell, texts), *numbers, *map(_cell, ends)]


def _cell(text: str | None) -> str | None:
    return spreadsheet_safe(text) if text else text


def _join(values: Iterable[str | None]) -> str:
    return "; ".join(dict.fromkeys(value for value in values if value))


def _period(times: Sequence[TimeSpan]) -> tuple[str | None, str | None]:
    """ISO 8601; an open end is None."""
    starts = [span.start_ms for span in times if span.start_ms is not None]
    ends = [span.end_ms for span in times if span.end_ms is not None]
    start = iso(min(starts)) if starts and len(starts) == len(times) else None
    return start, iso(max(ends)) if ends and len(ends) == len(times) else None


def _bounds(boxes: Sequence[BBox]) -> tuple[float | None, ...]:
    """West, south, east, north; of several boxes, one of which crosses 180 degrees, the whole circle."""
    if len(boxes) == 1:
        return boxes[0].west, boxes[0].south, boxes[0].east, boxes[0].north
    if not boxes:
        return None, None, None, None
    south, north = min(box.south for box in boxes), max(box.north for box in boxes)
    if any(box.crosses_antimeridian for box in boxes):
        return -180.0, south, 180.0, north
    return min(box.west for box in boxes), south, max(box.east for box in boxes), north


CSV_TABLE = OutputFormat("csv", "text/csv", "CSV table", results=table)


_LISTED_FORMATS = (
    SCHEMA_ORG,
    CROISSANT,
    GEO_CROISSANT,
    dcat.TURTLE,
    dcat.JSON_LD,
    dcat.RDF_XML,
    iso19139.FORMAT,
    dublin_core.FORMAT,
    ATOM_FEED,
    CSV_TABLE,
    *bibliography.FORMATS,
)
FORMATS: dict[str, OutputFormat] = {format.name: format for format in _LISTED_FORMATS}

OAI_DC = "oai_dc"


def record_formats() -> dict[str, OutputFormat]:
    """The formats of a single record, by ``f``."""
    return {name: format for name, format in FORMATS.items() if format.record is not None}


def result_writers() -> dict[str, tuple[str, Callable[[ResultPage], str]]]:
    """Media type and writer of a page of ``/search``, by ``f``."""
    return {name: (format.media_type, format.results) for name, format in FORMATS.items() if format.results is not None}


def oai_formats() -> dict[str, OaiFormat]:
    """By ``metadataPrefix``; Dublin Core, which every repository must support, first."""
    formats = [format.oai for format in FORMATS.values() if format.oai is not None]
    return {format.prefix: format for format in sorted(formats, key=lambda format: format.prefix != OAI_DC)}


def feed_writers() -> dict[str, tuple[str, DcatFeed]]:
    """Media type and writer of a page of ``/dcat``, by ``f``."""
    return {
        format.feed.name: (format.media_type, format.feed) for format in FORMATS.values() if format.feed is not None
    }
