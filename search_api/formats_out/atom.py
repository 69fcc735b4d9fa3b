"""An Atom feed (RFC 4287) with GeoRSS boxes and OpenSearch counts, so that users can subscribe to a search."""

from __future__ import annotations

from typing import Any

from lxml import etree

from core.record import Record
from core.timespan import instant_ms, iso
from search_api.formats_out.iris import iri
from search_api.formats_out.output_format import OutputFormat, ResultPage
from search_api.formats_out.xml_text import child

ATOM = "http://www.w3.org/2005/Atom"
_GEORSS = "http://www.georss.org/georss"
_OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"
_DC = "http://purl.org/dc/elements/1.1/"
_MAP: Any = {None: ATOM, "georss": _GEORSS, "opensearch": _OPENSEARCH, "dc": _DC}
MEDIA_TYPE = "application/atom+xml"
_NEVER = "1970-01-01T00:00:00Z"


def atom(feed: ResultPage) -> str:
    """The feed's date is its newest entry's, so an unchanged list gives an unchanged feed."""
    root = etree.Element(f"{{{ATOM}}}feed", nsmap=_MAP)
    _text(root, "title", feed.title)
    _text(root, "id", feed.address)
    child(root, f"{{{ATOM}}}link", rel="self", type=MEDIA_TYPE, href=feed.address)
    if feed.following is not None:
        child(root, f"{{{ATOM}}}link", rel="next", type=MEDIA_TYPE, href=feed.following)
    child(child(root, f"{{{ATOM}}}author"), f"{{{ATOM}}}name", "Sonde")
    _text(root, "updated", max((_updated(record) for record, _ in feed.entries), default=_NEVER))
    child(root, f"{{{_OPENSEARCH}}}totalResults", str(feed.matched))
    child(root, f"{{{_OPENSEARCH}}}itemsPerPage", str(len(feed.entries)))
    for record, address in feed.entries:
        _entry(root, record, address)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True).decode("utf-8")


def _entry(root: etree._Element, record: Record, address: str) -> None:
    entry = child(root, f"{{{ATOM}}}entry")
    _text(entry, "title", record.title)
    _text(entry, "id", address)
    _text(entry, "updated", _updated(record))
    _text(entry, "summary", record.abstract or record.title)
    child(entry, f"{{{ATOM}}}link", rel="alternate", type="application/geo+json", href=address)
    for link in record.links:
        href = iri(link.href)
        if href:
            rel = "enclosure" if link.rel in ("download", "enclosure") else "related"
            child(entry, f"{{{ATOM}}}link", rel=rel, href=href)
    child(entry, f"{{{_DC}}}identifier", record.doi or record.identifier)
    for keyword in record.keywords:
        child(entry, f"{{{ATOM}}}category", term=keyword.term)
    for box in record.extents:
        child(entry, f"{{{_GEORSS}}}box", f"{box.south:g} {box.west:g} {box.north:g} {box.east:g}")


def _updated(record: Record) -> str:
    """RFC 3339 as Atom requires; 1970 if the metadata have no date."""
    for text in (record.dates.modified, record.dates.metadata, record.dates.published, record.dates.created):
        try:
            written = iso(instant_ms(text)) if text else ""
        except ValueError:
            continue
        if len(written) >= len(_NEVER) and written[0].isdigit():
            return written
    return _NEVER


def _text(parent: etree._Element, name: str, text: str) -> None:
    child(parent, f"{{{ATOM}}}{name}", text)


FORMAT = OutputFormat("atom", MEDIA_TYPE, "Atom feed", results=atom)
