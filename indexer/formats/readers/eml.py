"""Ecological Metadata Language 2.x to Record."""

from __future__ import annotations

import re

from core.record import Record
from indexer.formats.draft import RecordDraft, add_period_between
from indexer.formats.format import Format, Inspection
from indexer.formats.repair.boxes import number
from indexer.formats.repair.geologic_time import PeriodEnd, parse_period_end, scale_unit
from indexer.formats.repair.links import doi_in
from indexer.formats.xml_documents import (
    XML_LANG,
    Element,
    find,
    find_all,
    inner_text,
    local_name,
    parse,
    text_at,
    texts_at,
    xml_root,
)
from indexer.raw import RawRecord, RecordRefused

_RESOURCES = {"dataset": "dataset", "software": "software", "citation": "document", "protocol": "document"}
_ROLES = {
    "creator": "author", "metadataProvider": "pointOfContact", "associatedParty": "contributor",
    "contact": "pointOfContact", "publisher": "publisher",
}  # fmt: skip
_ENTITIES = ("dataTable", "spatialRaster", "spatialVector", "storedProcedure", "view", "otherEntity")
_UNITS = ("standard", "custom")
_EDGES = ("westBoundingCoordinate", "southBoundingCoordinate", "eastBoundingCoordinate", "northBoundingCoordinate")


def read(raw: RawRecord, source: str) -> Record:
    """Raises RecordRefused: not XML, another root than eml, or no resource in it."""
    xml = parse(raw.content)
    root = xml.root
    if local_name(root) != "eml":
        raise RecordRefused(f"its root element is {root.tag}, not eml")
    resource = next((element for name in _RESOURCES if (element := find(root, name)) is not None), None)
    if resource is None:
        raise RecordRefused("it holds neither dataset, software, citation nor protocol")
    draft = RecordDraft(raw, source, "eml", list(xml.warnings))
    draft.type = _RESOURCES[local_name(resource)]
    _add_citation(draft, root, resource)
    _add_contacts(draft, resource)
    for coverage in [*find_all(resource, "coverage"), *find_all(resource, "methods/sampling/studyExtent/coverage")]:
        _add_coverage(draft, coverage)
    _add_terms(draft, root, resource)
    _add_distribution(draft, resource)
    _add_lineage(draft, resource)
    return draft.finish()


def _add_citation(draft: RecordDraft, root: Element, resource: Element) -> None:
    draft.identifier = root.get("packageId", "").strip() or text_at(resource, "alternateIdentifier")
    identifiers = [draft.identifier, *texts_at(resource, "alternateIdentifier")]
    draft.doi = next((doi for text in identifiers if (doi := doi_in(text))), None)
    titles = texts_at(resource, "title")
    draft.title = next(iter(titles), "")
    for other_title in [*titles[1:], *texts_at(resource, "shortName")]:
        draft.add_alternate_title(other_title)
    for short_name in texts_at(resource, "shortName"):
        draft.names.add_short_name(short_name)
    abstract = find(resource, "abstract")
    parts = [
        part
        for element in find_all(abstract, "*")
        for part in (find_all(element, "*") if local_name(element) == "section" else [element])
    ]
    paragraphs = [text for part in parts if (text := inner_text(part).strip())]
    draft.abstract = "\n\n".join(paragraphs) or inner_text(abstract)
    draft.add_language(text_at(resource, "language") or resource.get(XML_LANG, "") or root.get(XML_LANG, ""))
    for group in find_all(resource, "keywordSet"):
        for term in texts_at(group, "keyword"):
            draft.add_keyword(term, text_at(group, "keywordThesaurus"))
    draft.add_date("published", text_at(resource, "pubDate"))
    for change in texts_at(resource, "maintenance/changeHistory/changeDate"):
        draft.add_date("modified", change)
    for project in texts_at(resource, "project/title"):
        draft.add_keyword(project, "project")


def _add_contacts(draft: RecordDraft, resource: Element) -> None:
    parties = {party.get("id"): party for name in _ROLES for party in find_all(resource, name)}
    for name, role in _ROLES.items():
        for element in find_all(resource, name):
            party = parties.get(text_at(element, "references"), element)
            party_role = text_at(party, "role")
            person = " ".join(texts_at(party, "individualName/givenName", "individualName/surName"))
            draft.add_contact(
                person or text_at(party, "positionName"),
                text_at(party, "organizationName"),
                role=party_role or role,
                email=text_at(party, "electronicMailAddress"),
            )


def _add_coverage(draft: RecordDraft, coverage: Element) -> None:
    for place in find_all(coverage, "geographicCoverage"):
        description = text_at(place, "geographicDescription")
        if len(description) <= 100:  # short enough to be the name of a place
            draft.add_keyword(description, "location")
        for box in find_all(place, "boundingCoordinates"):
            draft.places.add_box(*(text_at(box, name) for name in _EDGES))
            _add_vertical(draft, box)
        for ring in [*find_all(place, "datasetGPolygon/datasetGPolygonOuterGRing")]:
            _add_ring(draft, ring)
    for span in find_all(coverage, "temporalCoverage/rangeOfDates"):
        add_period_between(draft, _edge(find(span, "beginDate")), _edge(find(span, "endDate")))
    for date in find_all(coverage, "temporalCoverage/singleDateTime"):
        add_period_between(draft, _edge(date), _edge(date))
    for taxon in find_all(coverage, "taxonomicCoverage/taxonomicClassification"):
        for name in _taxa(taxon):
            draft.add_keyword(name, "taxon")


def _add_ring(draft: RecordDraft, ring: Element) -> None:
    points = find_all(ring, "gRingPoint")
    pairs = [(text_at(point, "gRingLongitude"), text_at(point, "gRingLatitude")) for point in points]
    for position_text in text_at(ring, "gRing").split():
        longitude, _, latitude = position_text.partition(",")
        pairs.append((longitude, latitude))
    draft.places.add_ring(pairs)


def _add_vertical(draft: RecordDraft, box: Element) -> None:
    low, high = (number(text_at(box, f"boundingAltitudes/altitude{end}imum")) for end in ("Min", "Max"))
    unit = text_at(box, "boundingAltitudes/altitudeUnits").lower()
    draft.add_vertical(low, high, "m" if unit in ("", "meter", "metre", "meters") else unit)


def _taxa(taxon: Element) -> list[str]:
    """The most specific names of a classification, with their common names."""
    children = list(find_all(taxon, "taxonomicClassification"))
    if children:
        return [name for rank in children for name in _taxa(rank)]
    return texts_at(taxon, "taxonRankValue", "commonName")


def _edge(date: Element | None) -> PeriodEnd:
    """A calendar date, or an age or era of another time scale."""
    scale = find(date, "alternativeTimeScale") if date is not None else None
    if scale is None:
        return PeriodEnd(_moment(date), calendar=True)
    name, age = text_at(scale, "timeScaleName"), text_at(scale, "timeScaleAgeEstimate")
    edge = parse_period_end(age or name, scale_unit(name))
    return (
        edge
        if edge.span is not None
        else PeriodEnd(" ".join(f"{age} ({name})".split()) if age and name else age or name)
    )


def _moment(date: Element | None) -> str:
    day, time = text_at(date, "calendarDate"), text_at(date, "time")
    return f"{day}T{time}" if time and len(day) == len("2000-01-01") else day


def _add_terms(draft: RecordDraft, root: Element, resource: Element) -> None:
    for rights in find_all(resource, "intellectualRights"):
        links = [link.get("url", "") for link in find_all(rights, ".//ulink")]
        draft.add_constraint(inner_text(rights))
        draft.add_licence(inner_text(rights), *links)
    for licence in find_all(resource, "licensed"):
        draft.add_licence(*(text_at(licence, name) for name in ("identifier", "url", "licenseName")))
        draft.add_constraint(text_at(licence, "licenseName"))
    public = [
        text_at(allow_element, "permission")
        for access in [*find_all(root, "access"), *find_all(resource, "access")]
        for allow_element in find_all(access, "allow")
        if text_at(allow_element, "principal").lower() == "public"
    ]
    if not public and (find(root, "access") is not None or find(resource, "access") is not None):
        draft.access = "restricted"


def _add_distribution(draft: RecordDraft, resource: Element) -> None:
    for online in find_all(resource, "distribution/online"):
        url = find(online, "url")
        function = "" if url is None else url.get("function", "")
        rel = "download" if function == "download" else "about"
        draft.add_link(text_at(online, "url"), rel, description=text_at(online, "onlineDescription"))
    for name in _ENTITIES:
        for entity in find_all(resource, name):
            _add_variables(draft, entity)
            for physical in find_all(entity, "physical"):
                label = text_at(physical, "objectName") or text_at(entity, "entityName")
                for href in texts_at(physical, "distribution/online/url"):
                    draft.add_link(href, "download", name=label)
                draft.add_format(text_at(physical, "dataFormat/externallyDefinedFormat/formatName"))


def _add_variables(draft: RecordDraft, entity: Element) -> None:
    """Columns by their label, else by their name."""
    for attribute in find_all(entity, "attributeList/attribute"):
        units = [f"measurementScale/{scale}/unit/{kind}Unit" for scale in ("ratio", "interval") for kind in _UNITS]
        draft.names.add_variable(text_at(attribute, "attributeLabel", "attributeName"), unit=text_at(attribute, *units))


def _add_lineage(draft: RecordDraft, resource: Element) -> None:
    for step in find_all(resource, "methods/methodStep"):
        text = " ".join(text_at(step, "description").split())
        draft.lineage.append(text)
        draft.add_activity(text)
        for instrument in texts_at(step, "instrumentation"):
            draft.add_keyword(instrument, "instrument")
        for source in find_all(step, "dataSource"):
            draft.add_source(text_at(source, "alternateIdentifier", "title"))
    for annotation in find_all(resource, "annotation"):
        prop, value = text_at(annotation, "propertyURI"), text_at(annotation, "valueURI")
        if prop.endswith("wasDerivedFrom"):
            draft.add_source(value)


_ROOT = re.compile(r"\{(?:eml|https?)://(?:ecoinformatics\.org|eml\.ecoinformatics\.org)/eml-2[^}]*\}eml")


def _recognises(inspection: Inspection) -> bool:
    without_namespace = inspection.tag == "eml" and b"<dataset" in inspection.content
    return without_namespace or _ROOT.fullmatch(inspection.tag) is not None


FORMAT = Format("eml", 6, read, _recognises, "root `eml:eml`, 2.x", xml_root)
