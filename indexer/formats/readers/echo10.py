"""NASA's ECHO10 collections to Record."""

from __future__ import annotations

from core.record import Record
from indexer.formats.draft import RecordDraft
from indexer.formats.format import Format, Inspection
from indexer.formats.readers.nasa import add_height, add_platforms, add_product, add_science_keyword, rel_of, role_of
from indexer.formats.repair.boxes import number
from indexer.formats.repair.links import doi_in
from indexer.formats.xml_documents import Element, find, find_all, local_name, parse, text_at, texts_at, xml_root
from indexer.raw import RawRecord, RecordRefused

_SCIENCE = (
    "CategoryKeyword", "TopicKeyword", "TermKeyword", "VariableLevel1Keyword/Value",
    "VariableLevel1Keyword/VariableLevel2Keyword/Value",
    "VariableLevel1Keyword/VariableLevel2Keyword/VariableLevel3Keyword", "DetailedVariableKeyword",
)  # fmt: skip
_EDGES = ("WestBoundingCoordinate", "SouthBoundingCoordinate", "EastBoundingCoordinate", "NorthBoundingCoordinate")


def read(raw: RawRecord, source: str) -> Record:
    """Raises RecordRefused: not XML, or another root than Collection."""
    xml = parse(raw.content)
    root = xml.root
    if local_name(root) != "Collection":
        raise RecordRefused(f"its root element is {root.tag}, not Collection")
    draft = RecordDraft(raw, source, "echo10", list(xml.warnings))
    _add_citation(draft, root)
    _add_keywords(draft, root)
    _add_contacts(draft, root)
    _add_extents(draft, find(root, "Spatial"))
    _add_times(draft, root)
    _add_distribution(draft, root)
    return draft.finish()


def _add_citation(draft: RecordDraft, root: Element) -> None:
    short_name, version = text_at(root, "ShortName"), text_at(root, "VersionId")
    draft.identifier = "_".join(part for part in (short_name, version) if part)
    add_product(draft, short_name, version)
    draft.title = text_at(root, "DataSetId", "LongName")
    for title in (text_at(root, "LongName"), short_name):
        draft.add_alternate_title(title)
    draft.abstract = text_at(root, "Description")
    draft.doi = doi_in(text_at(root, "DOI/DOI")) or doi_in(text_at(root, "CitationForExternalPublication"))
    draft.add_date("created", text_at(root, "InsertTime"))
    draft.add_date("modified", text_at(root, "RevisionDate"))
    draft.add_date("metadata", text_at(root, "LastUpdate"))
    for association in find_all(root, "CollectionAssociations/CollectionAssociation"):
        if "parent" in text_at(association, "CollectionType").lower():
            draft.parent = "_".join(texts_at(association, "ShortName", "VersionId"))
        elif "source" in text_at(association, "CollectionType").lower():
            draft.add_source("_".join(texts_at(association, "ShortName", "VersionId")))


def _add_keywords(draft: RecordDraft, root: Element) -> None:
    for group in find_all(root, "ScienceKeywords/ScienceKeyword"):
        add_science_keyword(draft, [text_at(group, path) for path in _SCIENCE])
    for text in texts_at(root, "SpatialKeywords/Keyword"):
        draft.add_keyword(text, "location")
    for text in texts_at(root, "TemporalKeywords/Keyword"):
        draft.add_keyword(text, "temporal")
    for campaign in find_all(root, "Campaigns/Campaign"):
        draft.add_keyword(text_at(campaign, "ShortName", "LongName"), "project")
    for text in texts_at(root, "Platforms/Platform/Instruments/Instrument/ShortName"):
        draft.add_keyword(text, "instrument")
    named_platforms = [
        (text_at(platform, "ShortName"), text_at(platform, "Type")) for platform in find_all(root, "Platforms/Platform")
    ]
    add_platforms(draft, named_platforms, text_at(root, "ProcessingLevelId"))


def _add_contacts(draft: RecordDraft, root: Element) -> None:
    for contact in find_all(root, "Contacts/Contact"):
        role = role_of(text_at(contact, "Role"))
        organisation = text_at(contact, "OrganizationName")
        email = text_at(contact, "OrganizationEmails/Email")
        people = list(find_all(contact, "ContactPersons/ContactPerson"))
        for person in people:
            draft.add_contact(" ".join(texts_at(person, "FirstName", "LastName")), organisation, role=role, email=email)
        if not people:
            draft.add_contact("", organisation, role=role, email=email)
    draft.add_contact("", text_at(root, "ArchiveCenter"), role="custodian")
    draft.add_contact("", text_at(root, "ProcessingCenter"), role="processor")


def _add_extents(draft: RecordDraft, spatial: Element | None) -> None:
    for geometry in find_all(spatial, "HorizontalSpatialDomain/Geometry"):
        for box in find_all(geometry, "BoundingRectangle"):
            draft.places.add_box(*(text_at(box, name) for name in _EDGES))
        for point in find_all(geometry, "Point"):
            draft.places.add_point(text_at(point, "PointLongitude"), text_at(point, "PointLatitude"))
        for boundary in find_all(geometry, "GPolygon/Boundary"):
            draft.places.add_ring(_corners(boundary))
        for line in find_all(geometry, "Line"):
            draft.places.add_geojson({"type": "LineString", "coordinates": _corners(line)})
    for path in ("VerticalSpatialDomain", "VerticalSpatialDomains/VerticalSpatialDomain"):
        for vertical in find_all(spatial, path):
            add_height(draft, text_at(vertical, "Type"), text_at(vertical, "Value"))


def _corners(shape: Element) -> list[tuple[float, float]]:
    points = find_all(shape, "Point")
    return [(number(text_at(point, "PointLongitude")), number(text_at(point, "PointLatitude"))) for point in points]


def _add_times(draft: RecordDraft, root: Element) -> None:
    for temporal in find_all(root, "Temporal"):
        is_ongoing = text_at(temporal, "EndsAtPresentFlag").lower() == "true"
        for span in find_all(temporal, "RangeDateTime"):
            draft.add_span(text_at(span, "BeginningDateTime"), "" if is_ongoing else text_at(span, "EndingDateTime"))
        for text in texts_at(temporal, "SingleDateTime"):
            draft.add_span(text, text)
        for span in find_all(temporal, "PeriodicDateTime"):
            draft.add_span(text_at(span, "StartDate"), text_at(span, "EndDate"))


def _add_distribution(draft: RecordDraft, root: Element) -> None:
    draft.add_constraint(text_at(root, "RestrictionComment"))
    for use in find_all(root, "UseConstraints"):
        draft.add_constraint(text_at(use, "Description"))
        draft.add_licence(text_at(use, "LicenseURL/URL"), text_at(use, "LicenseText"), text_at(use, "Description"))
    for text in texts_at(root, "DataFormat"):
        draft.add_format(text)
    if (doi := draft.doi) is not None:
        draft.add_link(f"https://doi.org/{doi}", "about")
    for link in find_all(root, "OnlineAccessURLs/OnlineAccessURL"):
        draft.add_link(
            text_at(link, "URL"),
            "download",
            media_type=text_at(link, "MimeType"),
            description=text_at(link, "URLDescription"),
        )
    for link in find_all(root, "OnlineResources/OnlineResource"):
        rel = rel_of(text_at(link, "Type"))
        draft.add_link(
            text_at(link, "URL"), rel, media_type=text_at(link, "MimeType"), name=text_at(link, "Description")
        )
    for link in find_all(root, "AssociatedBrowseImageUrls/ProviderBrowseUrl"):
        draft.add_link(text_at(link, "URL"), "preview", name=text_at(link, "Description"))


def _recognises(inspection: Inspection) -> bool:
    """The root can carry the namespace of the envelope around it."""
    content = inspection.content
    is_collection = inspection.tag.rpartition("}")[2] == "Collection"
    return is_collection and b"ShortName" in content and b"VersionId" in content


FORMAT = Format("echo10", 4, read, _recognises, "root `Collection` with short name and version", xml_root)
