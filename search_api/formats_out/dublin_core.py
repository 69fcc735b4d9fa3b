"""Simple Dublin Core as OAI-PMH carries it (oai_dc)."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from core.record import Record
from search_api.formats_out.output_format import OaiFormat, OutputFormat, written_xml
from search_api.formats_out.shapes import degrees
from search_api.formats_out.xml_text import child

OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
DC = "http://purl.org/dc/elements/1.1/"
SCHEMA = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"

_AUTHORS = ("author", "originator", "principalInvestigator")
_PUBLISHERS = ("publisher", "distributor", "resourceProvider")


def oai_dc(record: Record, address: str) -> etree._Element:
    """The ``oai_dc:dc`` element."""
    root = etree.Element(f"{{{OAI_DC}}}dc", nsmap={"oai_dc": OAI_DC, "dc": DC, "xsi": _XSI})
    root.set(f"{{{_XSI}}}schemaLocation", f"{OAI_DC} {SCHEMA}")
    for name, text in _elements(record, address):
        child(root, f"{{{DC}}}{name}", text)
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
    record=lambda record, address: written_xml(oai_dc(record, address)),
    oai=OaiFormat("oai_dc", SCHEMA, OAI_DC, oai_dc),
)
