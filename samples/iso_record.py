"""An Entry as a complete ISO 19139 document."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from samples.entry import Entry, Registers
from samples.iso_elements import Element, anchor, cited_date, code, language, node, online, party, primitive, text
from samples.iso_extent import extent, resolutions, time_axis

Catalogue = Mapping[str, str]  # id -> title, so that a source can be named

GCMD = ("NASA/GCMD Science Keywords", "2024-06-01")
GEMET = ("GEMET - Concepts, version 4.2.3", "2021-12-06")
_DOI = re.compile(r"^10\.\d{4,9}/\S+$")


def metadata(entry: Entry, registers: Registers, titles: Catalogue) -> Element:
    """The MD_Metadata element; ``titles`` resolves ids in ``derived_from``."""
    organisation = registers.organisations[entry.org]
    contact = party("gmd:contact", "pointOfContact", organisation=organisation.name, url=organisation.url)
    describe = _service if entry.type == "service" else _data
    return node(
        "gmd:MD_Metadata",
        text("gmd:fileIdentifier", entry.id),
        language("gmd:language", entry.lang),
        code("gmd:characterSet", "MD_CharacterSetCode", "utf8"),
        text("gmd:parentIdentifier", entry.parent),
        code("gmd:hierarchyLevel", "MD_ScopeCode", entry.type),
        contact,
        primitive("gmd:dateStamp", "Date", entry.metadata_date),
        text("gmd:metadataStandardName", "ISO 19115:2003/19139"),
        text("gmd:metadataStandardVersion", "1.0"),
        time_axis(entry),
        node("gmd:identificationInfo", describe(entry, registers)),
        _distribution(entry),
        _quality(entry, titles),
    )


def _common(entry: Entry, registers: Registers) -> list[Element | None]:
    """What data and services say alike, in the order of the schema."""
    organisation = registers.organisations[entry.org]
    return [
        _citation(entry, registers),
        text("gmd:abstract", entry.abstract),
        code("gmd:status", "MD_ProgressCode", "onGoing" if _goes_on(entry) else "completed"),
        party("gmd:pointOfContact", "pointOfContact", organisation=organisation.name, url=organisation.url),
        _maintenance(entry),
        *[_format(name, "gmd:resourceFormat") for name in entry.formats],
        *_keyword_blocks(entry),
        *_constraints(entry, registers),
    ]


def _data(entry: Entry, registers: Registers) -> Element:
    return node(
        "gmd:MD_DataIdentification",
        *_common(entry, registers),
        code("gmd:spatialRepresentationType", "MD_SpatialRepresentationTypeCode", _representation(entry)),
        *resolutions(entry),
        language("gmd:language", entry.lang),
        code("gmd:characterSet", "MD_CharacterSetCode", "utf8"),
        *[node("gmd:topicCategory", node("gmd:MD_TopicCategoryCode", text=topic)) for topic in entry.topics],
        extent(entry, "gmd") if entry.boxes or entry.times or entry.polygon else None,
    )


def _service(entry: Entry, registers: Registers) -> Element:
    protocol, version = entry.service.split()
    point = online("srv:connectPoint", entry.download or entry.url, protocol, "download")
    operation = node(
        "srv:SV_OperationMetadata",
        text("srv:operationName", "GetCapabilities"),
        node("srv:DCP", node("srv:DCPList", codeList="#DCPList", codeListValue="WebServices")),
        point,
    )
    coupling = node("srv:SV_CouplingType", codeList="#SV_CouplingType", codeListValue="loose")
    return node(
        "srv:SV_ServiceIdentification",
        *_common(entry, registers),
        node("srv:serviceType", node("gco:LocalName", text=protocol)),
        text("srv:serviceTypeVersion", version),
        extent(entry, "srv"),
        node("srv:couplingType", coupling),
        node("srv:containsOperations", operation),
    )


def _goes_on(entry: Entry) -> bool:
    return any(end == "now" for _, end in entry.times)


def _representation(entry: Entry) -> str:
    if entry.grid:
        return "grid"
    return "vector" if entry.scale or entry.polygon else "textTable"


def _citation(entry: Entry, registers: Registers) -> Element:
    identifier = f"https://doi.org/{entry.doi}" if entry.doi else entry.id
    publisher = registers.organisations[entry.publisher or entry.org]
    citation = node(
        "gmd:CI_Citation",
        text("gmd:title", entry.title),
        *[text("gmd:alternateTitle", name) for name in entry.alt],
        cited_date(entry.published, "publication"),
        node("gmd:identifier", node("gmd:MD_Identifier", text("gmd:code", identifier))),
        *[party("gmd:citedResponsibleParty", "author", person=name) for name in entry.authors],
        party("gmd:citedResponsibleParty", "publisher", organisation=publisher.name),
    )
    return node("gmd:citation", citation)


def _maintenance(entry: Entry) -> Element:
    frequency = entry.updates or ("asNeeded" if _goes_on(entry) else "notPlanned")
    coded = code("gmd:maintenanceAndUpdateFrequency", "MD_MaintenanceFrequencyCode", frequency)
    return node("gmd:resourceMaintenance", node("gmd:MD_MaintenanceInformation", coded))


def _format(name: str, owner: str) -> Element:
    version = node("gmd:version", gco__nilReason="unknown")
    return node(owner, node("gmd:MD_Format", text("gmd:name", name), version))


def _keyword_blocks(entry: Entry) -> list[Element]:
    science = [f"EARTH SCIENCE > {path}" for path in entry.gcmd]
    blocks = [
        _keywords(science, "theme", GCMD),
        _keywords(entry.gemet, "theme", GEMET),
        _keywords(entry.words, "theme", None),
        _keywords(entry.places, "place", None),
    ]
    return [block for block in blocks if block is not None]


def _keywords(terms: Sequence[str], kind: str, vocabulary: tuple[str, str] | None) -> Element | None:
    if not terms:
        return None
    thesaurus = None
    if vocabulary:
        title, date = vocabulary
        citation = node("gmd:CI_Citation", text("gmd:title", title), cited_date(date, "publication"))
        thesaurus = node("gmd:thesaurusName", citation)
    kind_code = code("gmd:type", "MD_KeywordTypeCode", kind)
    block = node("gmd:MD_Keywords", *[text("gmd:keyword", term) for term in terms], kind_code, thesaurus)
    return node("gmd:descriptiveKeywords", block)


def _constraints(entry: Entry, registers: Registers) -> list[Element]:
    licence = registers.licences[entry.licence]
    other = code("gmd:useConstraints", "MD_RestrictionCode", "otherRestrictions")
    use = node("gmd:MD_LegalConstraints", other, anchor("gmd:otherConstraints", licence.name, licence.url))
    found = [node("gmd:resourceConstraints", use)]
    if entry.restricted:
        shut = code("gmd:accessConstraints", "MD_RestrictionCode", "restricted")
        access = node("gmd:MD_LegalConstraints", shut, text("gmd:otherConstraints", entry.restricted))
        found.append(node("gmd:resourceConstraints", access))
    return found


def _distribution(entry: Entry) -> Element:
    links = [online("gmd:onLine", entry.url, "Landing page", "information")]
    if entry.doi:
        links.append(online("gmd:onLine", f"https://doi.org/{entry.doi}", "DOI", "information"))
    if entry.download:
        links.append(online("gmd:onLine", entry.download, "Data", "download"))
    options = [node("gmd:transferOptions", node("gmd:MD_DigitalTransferOptions", *links))]
    formats = [_format(name, "gmd:distributionFormat") for name in entry.formats]
    return node("gmd:distributionInfo", node("gmd:MD_Distribution", *formats, *options))


def _quality(entry: Entry, titles: Catalogue) -> Element:
    scope = node("gmd:scope", node("gmd:DQ_Scope", code("gmd:level", "MD_ScopeCode", entry.type)))
    sources = [_source(name, titles) for name in entry.derived_from]
    lineage = node("gmd:LI_Lineage", text("gmd:statement", entry.lineage), *sources)
    return node("gmd:dataQualityInfo", node("gmd:DQ_DataQuality", scope, node("gmd:lineage", lineage)))


def _source(name: str, titles: Catalogue) -> Element:
    """What the data were made from: a record of this catalogue, a DOI, or a plain name."""
    known = name in titles or _DOI.match(name)
    identifier = node("gmd:identifier", node("gmd:MD_Identifier", text("gmd:code", name))) if known else None
    citation = node(
        "gmd:CI_Citation",
        text("gmd:title", titles.get(name, name)),
        node("gmd:date", gco__nilReason="unknown"),
        identifier,
    )
    return node("gmd:source", node("gmd:LI_Source", node("gmd:sourceCitation", citation)))
