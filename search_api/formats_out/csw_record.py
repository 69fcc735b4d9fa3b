"""A record as CSW's own Dublin Core: brief, summary and full."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from lxml import etree

from core.extent import BBox
from core.record import Record
from search_api.formats_out.dublin_core import DC, agents
from search_api.formats_out.xml_text import child

CSW = "http://www.opengis.net/cat/csw/2.0.2"
OWS = "http://www.opengis.net/ows"
DCT = "http://purl.org/dc/terms/"
LAT_LON = "urn:x-ogc:def:crs:EPSG:6.11:4326"

_NAMES = {"brief": "BriefRecord", "summary": "SummaryRecord", "full": "Record"}
_SUMMARY = frozenset(("identifier", "title", "type", "subject", "format", "relation", "modified", "abstract"))
_BRIEF = frozenset(("identifier", "title", "type"))
_PARTS = {"brief": _BRIEF, "summary": _SUMMARY}


def csw_record(record: Record, address: str, detail: str = "full", chosen: Collection[str] = ()) -> etree._Element:
    """``detail``: brief, summary or full. ``chosen``: only elements of these names, in small letters."""
    made = etree.Element(f"{{{CSW}}}{_NAMES[detail]}", nsmap={"csw": CSW, "dc": DC, "dct": DCT, "ows": OWS})
    kept = _PARTS.get(detail)
    for namespace, name, text in _elements(record, address):
        if (kept is None or name in kept) and (not chosen or name in chosen):
            child(made, f"{{{namespace}}}{name}", text)
    if not chosen or "boundingbox" in chosen:
        for box in record.extents:
            _add_box(made, box)
    return made


def _elements(record: Record, address: str) -> Iterator[tuple[str, str, str]]:
    """In the order that the schema fixes for brief and summary."""
    dates = record.dates
    said: list[tuple[str, str, str | None]] = [
        (DC, "identifier", record.id),
        (DC, "title", record.title or record.id),
        (DC, "type", record.type),
        *((DC, "subject", term) for term in (*(one.term for one in record.keywords), *record.themes)),
        *((DC, "format", name) for name in record.formats),
        *((DC, "relation", one) for one in (record.parent,)),
        (DCT, "modified", dates.modified or dates.metadata or dates.published),
        (DCT, "abstract", record.abstract),
        (DC, "date", dates.published or dates.created),
        *((DC, name, text) for name, text in agents(record)),
        *((DC, "language", language) for language in record.languages),
        *((DC, "source", source) for source in record.provenance.derived_from),
        *((DC, "rights", text) for text in (record.licence, *record.constraints)),
        (DCT, "references", address),
        *((DCT, "references", link.href) for link in record.links),
    ]
    return ((namespace, name, text) for namespace, name, text in said if text)


def _add_box(parent: etree._Element, box: BBox) -> None:
    made = child(parent, f"{{{OWS}}}BoundingBox", crs=LAT_LON, dimensions="2")
    child(made, f"{{{OWS}}}LowerCorner", f"{box.south:.10g} {box.west:.10g}")
    child(made, f"{{{OWS}}}UpperCorner", f"{box.north:.10g} {box.east:.10g}")
