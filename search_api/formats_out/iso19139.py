"""The names of a record as ISO 19139: identifiers of the citation, typed keywords, and the content of a coverage.

The platforms of ISO 19115-2 need another root element, so platforms, instruments and projects are keywords of
these types.
"""

from __future__ import annotations

import re

from core.geo import BBox
from core.names import Variable
from core.record import Contact, Keyword, Link, Record, Vertical
from core.timespan import TimeSpan
from search_api.formats_out.iso_elements import Element, cited_date, code, date, gml, node, number, online, party, text
from search_api.formats_out.notations import (
    NameKind,
    OaiFormat,
    OutputFormat,
    names_beside_keywords,
    variable_label,
    xml_text,
)

_TYPES: tuple[NameKind, ...] = ("platform", "instrument", "project")
SHORT_NAME = "short name"
"""The code space of an identifier that is a product's short name."""

GMD = "http://www.isotc211.org/2005/gmd"
SCHEMA = "http://www.isotc211.org/2005/gmd/gmd.xsd"
_CITED = frozenset(("author", "originator", "publisher", "principalInvestigator"))
_STEP = re.compile(r"^P(?:T(?=\d+[HMS]$)|(?=\d+[YMWD]$))(?:(?<=T)(\d+)([HMS])|(\d+)([YMWD]))$")
_CLOCK = {"H": "hour", "M": "minute", "S": "second"}
_CALENDAR = {"Y": "year", "M": "month", "W": "week", "D": "day"}
_SCOPES = frozenset(("dataset", "series", "service", "software", "model", "nonGeographicDataset", "tile"))


def _short_names(record: Record) -> list[Element]:
    """For the citation."""
    return [
        node(
            "gmd:identifier",
            node("gmd:RS_Identifier", text("gmd:code", name), text("gmd:codeSpace", SHORT_NAME)),
        )
        for name in record.names.short_names
    ]


def _typed_keywords(record: Record) -> list[Element]:
    names_by_kind = {
        kind: [text("gmd:keyword", name) for name in names_beside_keywords(record, kind)] for kind in _TYPES
    }
    return [
        node(
            "gmd:descriptiveKeywords",
            node("gmd:MD_Keywords", *words, code("gmd:type", "MD_KeywordTypeCode", kind)),
        )
        for kind, words in names_by_kind.items()
        if words
    ]


def _content(record: Record) -> Element | None:
    """Variables with their units as bands, and the level of processing, for which only an image has a place."""
    level = record.names.processing_level
    if not record.names.variables and not level:
        return None
    metadata = node(
        f"gmd:{'MD_ImageDescription' if level else 'MD_CoverageDescription'}",
        node("gmd:attributeDescription", gco__nilReason="unknown"),
        code("gmd:contentType", "MD_CoverageContentTypeCode", "physicalMeasurement"),
        *[_band(variable, position) for position, variable in enumerate(record.names.variables, 1)],
        node("gmd:processingLevelCode", node("gmd:MD_Identifier", text("gmd:code", level))) if level else None,
    )
    return node("gmd:contentInfo", metadata)


def _band(variable: Variable, position: int) -> Element:
    label = variable_label(variable)
    kind = node("gco:attributeType", node("gco:TypeName", text("gco:aName", "number")))
    member = node("gco:MemberName", text("gco:aName", label), kind)
    return node(
        "gmd:dimension",
        node(
            "gmd:MD_Band",
            node("gmd:sequenceIdentifier", member),
            text("gmd:descriptor", label),
            _unit(variable.unit, position) if variable.unit else None,
        ),
    )


def _unit(unit: str, position: int) -> Element:
    named = node("gml:identifier", text=unit, codeSpace="unit")
    return node("gmd:units", node("gml:UnitDefinition", named, gml__id=f"unit-{position}"))


def metadata(record: Record) -> Element:
    """The ``gmd:MD_Metadata`` element, without what ISO 19139 cannot express."""
    contacts = [contact for contact in record.contacts if contact.role not in _CITED] or [
        Contact(organisation=record.source)
    ]
    return node(
        "gmd:MD_Metadata",
        text("gmd:fileIdentifier", record.identifier),
        text("gmd:language", record.languages[0] if record.languages else None),
        code("gmd:characterSet", "MD_CharacterSetCode", "utf8"),
        text("gmd:parentIdentifier", record.parent),
        code("gmd:hierarchyLevel", "MD_ScopeCode", record.type if record.type in _SCOPES else "nonGeographicDataset"),
        party("gmd:contact", contacts[0]),
        date("gmd:dateStamp", record.dates.metadata or record.dates.modified or record.dates.published or "1970-01-01"),
        text("gmd:metadataStandardName", "ISO 19115:2003/19139"),
        text("gmd:metadataStandardVersion", "1.0"),
        node("gmd:identificationInfo", _identification(record, contacts)),
        _content(record),
        _distribution(record),
        _quality(record),
    )


def _identification(record: Record, contacts: list[Contact]) -> Element:
    service = record.type == "service"
    common = [
        node("gmd:citation", _citation(record)),
        text("gmd:abstract", record.abstract or record.title),
        *[party("gmd:pointOfContact", contact) for contact in contacts],
        *[_picture(link) for link in record.links if link.rel == "preview"],
        *_keywords(record),
        *_typed_keywords(record),
        *_constraints(record),
    ]
    if service:
        coupling = node("srv:SV_CouplingType", codeList="#SV_CouplingType", codeListValue="loose")
        return node(
            "srv:SV_ServiceIdentification",
            *common,
            node("srv:serviceType", node("gco:LocalName", text="other")),
            *_extents(record, "srv:extent"),
            node("srv:couplingType", coupling),
            node("srv:containsOperations", gco__nilReason="unknown"),
            *[
                node("srv:operatesOn", xlink__href=link.href, xlink__title=link.name or "")
                for link in record.served_data
            ],
        )
    return node(
        "gmd:MD_DataIdentification",
        *common,
        *_resolutions(record),
        *[text("gmd:language", language) for language in record.languages or ("und",)],
        *[node("gmd:topicCategory", node("gmd:MD_TopicCategoryCode", text=theme)) for theme in record.themes],
        *_extents(record, "gmd:extent"),
    )


def _picture(link: Link) -> Element:
    graphic = node("gmd:MD_BrowseGraphic", text("gmd:fileName", link.href), text("gmd:fileDescription", link.name))
    return node("gmd:graphicOverview", graphic)


def _citation(record: Record) -> Element:
    dates = [
        cited_date(record.dates.created, "creation"),
        cited_date(record.dates.published, "publication"),
        cited_date(record.dates.modified, "revision"),
    ]
    identifier = f"https://doi.org/{record.doi}" if record.doi else record.identifier
    return node(
        "gmd:CI_Citation",
        text("gmd:title", record.title),
        *[text("gmd:alternateTitle", title) for title in record.alternate_titles],
        *(dates if any(entry is not None for entry in dates) else [node("gmd:date", gco__nilReason="unknown")]),
        text("gmd:edition", record.edition),
        node("gmd:identifier", node("gmd:MD_Identifier", text("gmd:code", identifier))),
        *_short_names(record),
        *[party("gmd:citedResponsibleParty", contact) for contact in record.contacts if contact.role in _CITED],
    )


def _keywords(record: Record) -> list[Element]:
    by_vocabulary: dict[str | None, list[Keyword]] = {}
    for keyword in record.keywords:
        by_vocabulary.setdefault(keyword.vocabulary, []).append(keyword)
    return [
        node(
            "gmd:descriptiveKeywords",
            node("gmd:MD_Keywords", *map(_term, terms), _thesaurus(vocabulary)),
        )
        for vocabulary, terms in by_vocabulary.items()
    ]


def _term(keyword: Keyword) -> Element | None:
    if keyword.uri:
        return node("gmd:keyword", node("gmx:Anchor", text=keyword.term, xlink__href=keyword.uri))
    return text("gmd:keyword", keyword.term)


def _thesaurus(vocabulary: str | None) -> Element | None:
    if vocabulary is None:
        return None
    citation = node("gmd:CI_Citation", text("gmd:title", vocabulary), node("gmd:date", gco__nilReason="unknown"))
    return node("gmd:thesaurusName", citation)


def _constraints(record: Record) -> list[Element]:
    texts = [text("gmd:useLimitation", constraint) for constraint in record.constraints]
    restriction = code("gmd:accessConstraints", "MD_RestrictionCode", "restricted")
    licence = text("gmd:otherConstraints", record.licence)
    by_licence = code("gmd:useConstraints", "MD_RestrictionCode", "license") if licence is not None else None
    limits = [*texts, *([restriction] if record.access == "restricted" else [])]
    blocks = [[by_licence, licence] if licence is not None else [], limits]  # licence first: texts can name others
    return [node("gmd:resourceConstraints", node("gmd:MD_LegalConstraints", *parts)) for parts in blocks if parts]


def _resolutions(record: Record) -> list[Element]:
    resolution = record.resolution
    measures = []
    if resolution.scale_denominator is not None:
        fraction = node(
            "gmd:MD_RepresentativeFraction", number("gmd:denominator", "Integer", resolution.scale_denominator)
        )
        measures.append(node("gmd:equivalentScale", fraction))
    if resolution.metres is not None:
        measures.append(node("gmd:distance", node("gco:Distance", text=f"{resolution.metres:.12g}", uom="m")))
    return [node("gmd:spatialResolution", node("gmd:MD_Resolution", measure)) for measure in measures]


def _extents(record: Record, name: str) -> list[Element]:
    boxes = [node("gmd:geographicElement", _box(box)) for box in record.extents]
    polygon = gml(record.geometry)
    if polygon is not None:
        boxes.append(node("gmd:geographicElement", node("gmd:EX_BoundingPolygon", node("gmd:polygon", polygon))))
    step = record.resolution.time_step
    times = [
        node("gmd:temporalElement", node("gmd:EX_TemporalExtent", node("gmd:extent", _period(span, position, step))))
        for position, span in enumerate(record.times)
    ]
    heights = [] if record.vertical is None else [node("gmd:verticalElement", _vertical(record.vertical))]
    if not boxes and not times and not heights:
        return []
    return [node(name, node("gmd:EX_Extent", *boxes, *times, *heights))]


def _vertical(vertical: Vertical) -> Element:
    """Positive upwards; an open end has no value."""
    ends = (("gmd:minimumValue", vertical.minimum), ("gmd:maximumValue", vertical.maximum))
    return node(
        "gmd:EX_VerticalExtent",
        *[
            node(name, gco__nilReason="unknown") if value is None else number(name, "Real", f"{value:.12g}")
            for name, value in ends
        ],
        node("gmd:verticalCRS", gco__nilReason="unknown"),
    )


def _box(box: BBox) -> Element:
    return node(
        "gmd:EX_GeographicBoundingBox",
        number("gmd:westBoundLongitude", "Decimal", box.west),
        number("gmd:eastBoundLongitude", "Decimal", box.east),
        number("gmd:southBoundLatitude", "Decimal", box.south),
        number("gmd:northBoundLatitude", "Decimal", box.north),
    )


def _period(span: TimeSpan, position: int, step: str | None) -> Element:
    return node(
        "gml:TimePeriod",
        _position("gml:beginPosition", span.start_iso),
        _position("gml:endPosition", span.end_iso),
        _interval(step),
        gml__id=f"period-{position + 1}",
    )


def _interval(step: str | None) -> Element | None:
    """A step of one time unit (``P1M``, ``PT6H``); GML's ``timeInterval`` holds nothing else."""
    match = _STEP.match(step or "")
    if match is None:
        return None
    count, unit = (match[1], _CLOCK[match[2]]) if match[1] else (match[3], _CALENDAR[match[4]])
    return node("gml:timeInterval", text=count, unit=unit)


def _position(name: str, instant: str | None) -> Element:
    return node(name, indeterminatePosition="unknown") if instant is None else node(name, text=instant)


def _distribution(record: Record) -> Element | None:
    formats = [
        node(
            "gmd:distributionFormat",
            node("gmd:MD_Format", text("gmd:name", name), node("gmd:version", gco__nilReason="unknown")),
        )
        for name in record.formats
    ]
    elsewhere = [*record.served_data, *(link for link in record.links if link.rel == "preview")]
    links = [online("gmd:onLine", link) for link in record.links if link not in elsewhere]
    transfer = node("gmd:transferOptions", node("gmd:MD_DigitalTransferOptions", *links)) if links else None
    if not formats and transfer is None:
        return None
    return node("gmd:distributionInfo", node("gmd:MD_Distribution", *formats, transfer))


def _quality(record: Record) -> Element | None:
    lineage = record.provenance.lineage
    sources = [
        node("gmd:source", node("gmd:LI_Source", text("gmd:description", description)))
        for description in record.provenance.derived_from
    ]
    steps = [
        node("gmd:processStep", node("gmd:LI_ProcessStep", text("gmd:description", description)))
        for description in record.provenance.generated_by
    ]
    if not lineage and not sources and not steps:
        return None
    scope = node("gmd:scope", node("gmd:DQ_Scope", code("gmd:level", "MD_ScopeCode", "dataset")))
    statement = node("gmd:LI_Lineage", text("gmd:statement", lineage), *steps, *sources)
    return node("gmd:dataQualityInfo", node("gmd:DQ_DataQuality", scope, node("gmd:lineage", statement)))


FORMAT = OutputFormat(
    "iso19139",
    "application/vnd.iso.19139+xml",
    "ISO 19139",
    record=lambda record, _address: xml_text(metadata(record)),
    oai=OaiFormat("iso19139", SCHEMA, GMD, lambda record, _address: metadata(record)),
)
