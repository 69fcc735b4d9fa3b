"""``python -m samples.render`` writes ``records/*.xml``, complete ISO 19139, from the hand-written catalogue."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from lxml import etree

from samples.entry import HERE, Box, Period, Registers, SampleEntry, load_catalogue, load_registers
from search_api.formats_out.iso_elements import Element, code, node, text

LANGUAGES = "http://www.loc.gov/standards/iso639-2/"
_UNITS = {"TM": "minute", "TH": "hour", "D": "day", "M": "month", "Y": "year"}
_STEP = re.compile(r"^P(T?)(\d+)([HDMY])$")
Catalogue = Mapping[str, str]  # id -> title, so that a source can be named
GCMD = ("NASA/GCMD Science Keywords", "2024-06-01")
GEMET = ("GEMET - Concepts, version 4.2.3", "2021-12-06")
_DOI = re.compile(r"^10\.\d{4,9}/\S+$")


def anchor(name: str, value: str, href: str) -> Element | None:
    """Like text, but linked where ``href`` is given."""
    return node(name, node("gmx:Anchor", text=value, xlink__href=href)) if href else text(name, value)


def primitive(name: str, kind: str, value: object, **attributes: str) -> Element:
    """A gco primitive (Decimal, Real, Integer, Boolean, Date, Distance, Measure) under ``name``."""
    return node(name, node(f"gco:{kind}", text=str(value), **attributes))


def language(name: str, value: str) -> Element:
    """An ISO 639-2 language under ``name``."""
    return node(name, node("gmd:LanguageCode", text=value, codeList=LANGUAGES, codeListValue=value))


def cited_date(value: str, kind: str) -> Element:
    """A CI_Date; ``kind`` is creation, publication or revision."""
    written = node("gmd:CI_Date", primitive("gmd:date", "Date", value), code("gmd:dateType", "CI_DateTypeCode", kind))
    return node("gmd:date", written)


def online(name: str, url: str, label: str, function: str) -> Element:
    """A CI_OnlineResource under ``name``; ``function`` is information, download or search."""
    return node(
        name,
        node(
            "gmd:CI_OnlineResource",
            node("gmd:linkage", node("gmd:URL", text=url)),
            text("gmd:protocol", "WWW:LINK-1.0-http--link"),
            text("gmd:name", label),
            code("gmd:function", "CI_OnLineFunctionCode", function),
        ),
    )


def party(name: str, role: str, *, person: str = "", organisation: str = "", url: str = "") -> Element:
    """A CI_ResponsibleParty under ``name``."""
    page = online("gmd:onlineResource", url, organisation, "information") if url else None
    info = node("gmd:contactInfo", node("gmd:CI_Contact", page)) if page is not None else None
    return node(
        name,
        node(
            "gmd:CI_ResponsibleParty",
            text("gmd:individualName", person),
            text("gmd:organisationName", organisation),
            info,
            code("gmd:role", "CI_RoleCode", role),
        ),
    )




def extent(entry: SampleEntry, owner: str) -> Element:
    """An extent under ``owner``:extent: boxes, polygon, periods, vertical."""
    named = text("gmd:description", ", ".join(entry.places))
    spaces = [_box(box) for box in entry.boxes]
    if entry.polygon:
        spaces.append(_polygon(entry))
    periods = [_period(entry.id, number, period) for number, period in enumerate(entry.times, 1)]
    vertical = [_vertical(entry.vertical)] if entry.vertical else []
    return node(f"{owner}:extent", node("gmd:EX_Extent", named, *spaces, *periods, *vertical))


def _box(box: Box) -> Element:
    west, south, east, north = box
    inner = node(
        "gmd:EX_GeographicBoundingBox",
        primitive("gmd:extentTypeCode", "Boolean", "true"),
        primitive("gmd:westBoundLongitude", "Decimal", f"{west:g}"),
        primitive("gmd:eastBoundLongitude", "Decimal", f"{east:g}"),
        primitive("gmd:southBoundLatitude", "Decimal", f"{south:g}"),
        primitive("gmd:northBoundLatitude", "Decimal", f"{north:g}"),
    )
    return node("gmd:geographicElement", inner)


def _polygon(entry: SampleEntry) -> Element:
    positions = " ".join(f"{lon:g} {lat:g}" for lon, lat in entry.polygon)
    ring = node("gml:LinearRing", node("gml:posList", text=positions, srsDimension="2"))
    shape = node("gml:Polygon", node("gml:exterior", ring), gml__id=f"{entry.id}-area")
    # CRS84 is longitude first by definition; EPSG:4326 leaves readers guessing.
    shape.set("srsName", "urn:ogc:def:crs:OGC:1.3:CRS84")
    return node("gmd:geographicElement", node("gmd:EX_BoundingPolygon", node("gmd:polygon", shape)))


def _period(record: str, number: int, period: Period) -> Element:
    start, end = period
    inner = node(
        "gml:TimePeriod",
        _position("gml:beginPosition", start),
        _position("gml:endPosition", end),
        gml__id=f"{record}-period-{number}",
    )
    return node("gmd:temporalElement", node("gmd:EX_TemporalExtent", node("gmd:extent", inner)))


def _position(name: str, value: str) -> Element:
    if value in ("now", "unknown"):
        return node(name, indeterminatePosition=value)
    return node(name, text=value)


def _vertical(metres: tuple[float, float]) -> Element:
    low, high = metres
    inner = node(
        "gmd:EX_VerticalExtent",
        primitive("gmd:minimumValue", "Real", f"{low:g}"),
        primitive("gmd:maximumValue", "Real", f"{high:g}"),
        node("gmd:verticalCRS", xlink__href="http://www.opengis.net/def/crs/EPSG/0/5714"),  # mean sea level height, m
    )
    return node("gmd:verticalElement", inner)


def resolutions(entry: SampleEntry) -> list[Element]:
    """spatialResolution elements: scale denominator, ground distance."""
    found = []
    if entry.scale:
        fraction = node("gmd:MD_RepresentativeFraction", primitive("gmd:denominator", "Integer", entry.scale))
        found.append(node("gmd:equivalentScale", fraction))
    if entry.grid:
        value, unit = entry.grid.split()
        found.append(primitive("gmd:distance", "Distance", value, uom=unit))
    return [node("gmd:spatialResolution", node("gmd:MD_Resolution", each)) for each in found]


def time_step(duration: str) -> tuple[int, str]:
    """``PT3H`` as (3, "hour"). Raises ValueError where it is not one number and one unit."""
    match = _STEP.match(duration)
    unit = match and _UNITS.get(match[1] + match[3])
    if match is None or not unit:
        raise ValueError(f"{duration!r} is not a time step")
    return int(match[2]), unit


def time_axis(entry: SampleEntry) -> Element | None:
    """The time step as the resolution of the time dimension: ISO 19139's only place for it."""
    if not entry.step:
        return None
    number, unit = time_step(entry.step)
    dimension = node(
        "gmd:MD_Dimension",
        code("gmd:dimensionName", "MD_DimensionNameTypeCode", "time"),
        node("gmd:dimensionSize", gco__nilReason="unknown"),
        primitive("gmd:resolution", "Measure", number, uom=unit),
    )
    grid = node(
        "gmd:MD_GridSpatialRepresentation",
        primitive("gmd:numberOfDimensions", "Integer", 1),
        node("gmd:axisDimensionProperties", dimension),
        code("gmd:cellGeometry", "MD_CellGeometryCode", "area" if entry.grid else "point"),
        primitive("gmd:transformationParameterAvailability", "Boolean", "false"),
    )
    return node("gmd:spatialRepresentationInfo", grid)





def metadata(entry: SampleEntry, registers: Registers, titles: Catalogue) -> Element:
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


def _common(entry: SampleEntry, registers: Registers) -> list[Element | None]:
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


def _data(entry: SampleEntry, registers: Registers) -> Element:
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


def _service(entry: SampleEntry, registers: Registers) -> Element:
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


def _goes_on(entry: SampleEntry) -> bool:
    return any(end == "now" for _, end in entry.times)


def _representation(entry: SampleEntry) -> str:
    if entry.grid:
        return "grid"
    return "vector" if entry.scale or entry.polygon else "textTable"


def _citation(entry: SampleEntry, registers: Registers) -> Element:
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


def _maintenance(entry: SampleEntry) -> Element:
    frequency = entry.updates or ("asNeeded" if _goes_on(entry) else "notPlanned")
    coded = code("gmd:maintenanceAndUpdateFrequency", "MD_MaintenanceFrequencyCode", frequency)
    return node("gmd:resourceMaintenance", node("gmd:MD_MaintenanceInformation", coded))


def _format(name: str, owner: str) -> Element:
    version = node("gmd:version", gco__nilReason="unknown")
    return node(owner, node("gmd:MD_Format", text("gmd:name", name), version))


def _keyword_blocks(entry: SampleEntry) -> list[Element]:
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


def _constraints(entry: SampleEntry, registers: Registers) -> list[Element]:
    licence = registers.licences[entry.licence]
    other = code("gmd:useConstraints", "MD_RestrictionCode", "otherRestrictions")
    use = node("gmd:MD_LegalConstraints", other, anchor("gmd:otherConstraints", licence.name, licence.url))
    found = [node("gmd:resourceConstraints", use)]
    if entry.restricted:
        shut = code("gmd:accessConstraints", "MD_RestrictionCode", "restricted")
        access = node("gmd:MD_LegalConstraints", shut, text("gmd:otherConstraints", entry.restricted))
        found.append(node("gmd:resourceConstraints", access))
    return found


def _distribution(entry: SampleEntry) -> Element:
    links = [online("gmd:onLine", entry.url, "Landing page", "information")]
    if entry.doi:
        links.append(online("gmd:onLine", f"https://doi.org/{entry.doi}", "DOI", "information"))
    if entry.download:
        links.append(online("gmd:onLine", entry.download, "Data", "download"))
    options = [node("gmd:transferOptions", node("gmd:MD_DigitalTransferOptions", *links))]
    formats = [_format(name, "gmd:distributionFormat") for name in entry.formats]
    return node("gmd:distributionInfo", node("gmd:MD_Distribution", *formats, *options))


def _quality(entry: SampleEntry, titles: Catalogue) -> Element:
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


RECORDS = HERE / "records"


def render(entry: SampleEntry, registers: Registers, titles: Catalogue) -> bytes:
    """The ISO 19139 file of one entry, UTF-8, indented."""
    tree = metadata(entry, registers, titles)
    etree.cleanup_namespaces(tree)
    etree.indent(tree)
    return etree.tostring(tree, xml_declaration=True, encoding="UTF-8") + b"\n"


def render_all() -> dict[str, bytes]:
    """File name -> content, for every entry."""
    entries, registers = load_catalogue(), load_registers()
    titles = {entry.id: entry.title for entry in entries}
    return {f"{entry.id}.xml": render(entry, registers, titles) for entry in entries}


def write_all(folder: Path = RECORDS) -> None:
    """Write every file and remove those that no entry gives any more."""
    folder.mkdir(exist_ok=True)
    wanted = render_all()
    for stale in {path.name for path in folder.glob("*.xml")} - wanted.keys():
        (folder / stale).unlink()
    for name, content in wanted.items():
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    write_all()
