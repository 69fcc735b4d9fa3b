"""Simple Dublin Core as OAI-PMH carries it (oai_dc), and CSW's own: brief, summary and full."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from lxml import etree

from core.geo import BBox
from core.record import Record
from search_api.formats_out.notations import OaiFormat, OutputFormat, add_child, degrees, xml_text

OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
DC = "http://purl.org/dc/elements/1.1/"
SCHEMA = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"

_AUTHORS = ("author", "originator", "principalInvestigator")
_PUBLISHERS = ("publisher", "distributor", "resourceProvider")

CSW = "http://www.opengis.net/cat/csw/2.0.2"
OWS = "http://www.opengis.net/ows"
DCT = "http://purl.org/dc/terms/"
LAT_LON = "urn:x-ogc:def:crs:EPSG:6.11:4326"
_CSW_NAMES = {"brief": "BriefRecord", "summary": "SummaryRecord", "full": "Record"}
_SUMMARY = frozenset(("identifier", "title", "type", "subject", "format", "relation", "modified", "abstract"))
_BRIEF = frozenset(("identifier", "title", "type"))
_PARTS = {"brief": _BRIEF, "summary": _SUMMARY}


def oai_dc(record: Record, address: str) -> etree._Element:
    """The ``oai_dc:dc`` element."""
    root = etree.Element(f"{{{OAI_DC}}}dc", nsmap={"oai_dc": OAI_DC, "dc": DC, "xsi": _XSI})
    root.set(f"{{{_XSI}}}schemaLocation", f"{OAI_DC} {SCHEMA}")
    for name, text in _elements(record, address):
        add_child(root, f"{{{DC}}}{name}", text)
    return root


def _elements(record: Record, address: str) -> Iterator[tuple[str, str]]:
    dates = dict.fromkeys((record.dates.published, record.dates.modified, record.dates.created))
    yield from (("title", title) for title in (record.title, *record.alternate_titles))
    yield from agents(record)
    yield from (("subject", term) for term in (*(keyword.term for keyword in record.keywords), *record.themes))
    yield from (("description", text) for text in (record.abstract,) if text)
    yield from (("date", date) for date in dates if date)
    yield "type", record.type
    yield from (("format", name) for name in record.formats)
    yield "identifier", address
    yield "identifier", record.identifier
    yield from (("identifier", f"https://doi.org/{doi}") for doi in (record.doi,) if doi)
    yield from (("relation", link.href) for link in record.links)
    yield from (("source", source) for source in record.provenance.derived_from)
    yield from (("language", language) for language in record.languages)
    yield from (("coverage", text) for text in _coverage(record))
    yield from (("rights", text) for text in (record.licence, *record.constraints) if text)
    yield from (("rights", "restricted") for _ in range(record.access == "restricted"))


def agents(record: Record) -> Iterator[tuple[str, str]]:
    """Names as creator, publisher or contributor, by their role."""
    for contact in record.contacts:
        name = contact.name or contact.organisation
        if name:
            role = "publisher" if contact.role in _PUBLISHERS else "contributor"
            yield "creator" if contact.role in _AUTHORS else role, name


def _coverage(record: Record) -> Iterator[str]:
    """DCMI Box and DCMI Period."""
    for box in record.extents:
        edges = {"north": box.north, "south": box.south, "west": box.west, "east": box.east}
        yield "; ".join(f"{name}limit={degrees(edge)}" for name, edge in edges.items())
    for span in record.times:
        yield f"start={span.start_iso or ''}; end={span.end_iso or ''}"


FORMAT = OutputFormat(
    "dc",
    "application/xml",
    "Dublin Core",
    record=lambda record, address: xml_text(oai_dc(record, address)),
    oai=OaiFormat("oai_dc", SCHEMA, OAI_DC, oai_dc),
)


def csw_record(
    record: Record, address: str, detail: str = "full", selected_elements: Collection[str] = ()
) -> etree._Element:
    """``detail``: brief, summary or full. ``selected_elements``: only elements of these names, in small letters."""
    element = etree.Element(f"{{{CSW}}}{_CSW_NAMES[detail]}", nsmap={"csw": CSW, "dc": DC, "dct": DCT, "ows": OWS})
    elements = _PARTS.get(detail)
    for namespace, name, text in _csw_elements(record, address):
        if (elements is None or name in elements) and (not selected_elements or name in selected_elements):
            add_child(element, f"{{{namespace}}}{name}", text)
    if not selected_elements or "boundingbox" in selected_elements:
        for box in record.extents:
            _add_box(element, box)
    return element


def _csw_elements(record: Record, address: str) -> Iterator[tuple[str, str, str]]:
    """In the order that the schema fixes for brief and summary."""
    dates = record.dates
    elements: list[tuple[str, str, str | None]] = [
        (DC, "identifier", record.id),
        (DC, "title", record.title or record.id),
        (DC, "type", record.type),
        *((DC, "subject", term) for term in (*(keyword.term for keyword in record.keywords), *record.themes)),
        *((DC, "format", name) for name in record.formats),
        *((DC, "relation", keyword) for keyword in (record.parent,)),
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
    return ((namespace, name, text) for namespace, name, text in elements if text)


def _add_box(parent: etree._Element, box: BBox) -> None:
    element = add_child(parent, f"{{{OWS}}}BoundingBox", crs=LAT_LON, dimensions="2")
    add_child(element, f"{{{OWS}}}LowerCorner", f"{box.south:.10g} {box.west:.10g}")
    add_child(element, f"{{{OWS}}}UpperCorner", f"{box.north:.10g} {box.east:.10g}")
