"""NASA's UMM-C (collections of the Common Metadata Repository as JSON) to Record."""

from __future__ import annotations

from core.json_types import JsonMapping
from core.record import Record, Resolution
from indexer.formats.draft import RecordDraft
from indexer.formats.format import Format, Inspection, json_of
from indexer.formats.json_documents.parsing import first_object, objects_in, text_in, texts_in
from indexer.formats.readers.nasa import add_height, add_platforms, add_product, add_science_keyword, rel_of, role_of
from indexer.formats.repair.boxes import number
from indexer.formats.repair.links import doi_in
from indexer.formats.repair.resolution import metres, step_in, time_step
from indexer.raw import RawRecord, RecordRefused

_SCIENCE = ("Category", "Topic", "Term", "VariableLevel1", "VariableLevel2", "VariableLevel3", "DetailedVariable")
_EDGES = ("WestBoundingCoordinate", "SouthBoundingCoordinate", "EastBoundingCoordinate", "NorthBoundingCoordinate")
_PLACES = ("DetailedLocation", "Subregion3", "Subregion2", "Subregion1", "Type", "Category")
_DATES = {"CREATE": "created", "UPDATE": "modified"}


def read(raw: RawRecord, source: str) -> Record:
    """Raises RecordRefused: not JSON, or not a UMM-C collection."""
    document = json_of(raw)
    collection = document.get("umm", document) if isinstance(document, dict) else None
    if not isinstance(collection, dict) or "EntryTitle" not in collection:
        raise RecordRefused("it is JSON without EntryTitle: no collection of UMM-C")
    draft = RecordDraft(raw, source, "umm-c")
    _add_citation(draft, collection, first_object(document.get("meta")))
    _add_keywords(draft, collection)
    _add_contacts(draft, collection)
    _add_extents(draft, collection)
    for extent in objects_in(collection.get("TemporalExtents")):
        _add_times(draft, extent)
    _add_distribution(draft, collection)
    return draft.finish()


def _add_citation(draft: RecordDraft, collection: JsonMapping, meta: JsonMapping) -> None:
    short_name, version = text_in(collection.get("ShortName")), text_in(collection.get("Version"))
    short_and_version = "_".join(
        part for part in (short_name, version) if part and not part.lower().startswith("not provided")
    )
    draft.identifier = text_in(meta.get("concept-id")) or short_and_version
    add_product(draft, short_name, version)
    draft.title = text_in(collection.get("EntryTitle"))
    for other_title in (short_and_version, short_name):
        draft.add_alternate_title(other_title if other_title != draft.identifier else "")
    draft.abstract = text_in(collection.get("Abstract"))
    draft.doi = doi_in(text_in(first_object(collection.get("DOI")).get("DOI")))
    draft.add_language(text_in(collection.get("DataLanguage")))
    for date in objects_in(collection.get("DataDates")):
        draft.add_date(_DATES.get(text_in(date.get("Type")), "published"), text_in(date.get("Date")))
    for citation in objects_in(collection.get("CollectionCitations")):
        draft.add_date("published", text_in(citation.get("ReleaseDate")))
    for date in objects_in(collection.get("MetadataDates")):
        draft.add_date("metadata", text_in(date.get("Date")))
    draft.add_date("metadata", text_in(meta.get("revision-date")))
    draft.lineage += texts_in(collection.get("Quality"))
    for association in objects_in(collection.get("MetadataAssociations")):
        target = "_".join(text for name in ("EntryId", "Version") if (text := text_in(association.get(name))))
        kind = text_in(association.get("Type")).upper()
        if kind == "PARENT":
            draft.parent = target
        elif kind in ("INPUT", "SOURCE"):
            draft.add_source(target)


def _add_keywords(draft: RecordDraft, collection: JsonMapping) -> None:
    for group in objects_in(collection.get("ScienceKeywords")):
        add_science_keyword(draft, [text_in(group.get(name)) for name in _SCIENCE])
    for text in texts_in(collection.get("AncillaryKeywords")):
        draft.add_keyword(text)
    for theme in texts_in(collection.get("ISOTopicCategories")):
        draft.add_theme(theme)
    for location in objects_in(collection.get("LocationKeywords")):
        draft.add_keyword(next((text for name in _PLACES if (text := text_in(location.get(name)))), ""), "location")
    for project in objects_in(collection.get("Projects")):
        draft.add_keyword(text_in(project.get("ShortName")), "project")
    listed_platforms = list(objects_in(collection.get("Platforms")))
    for platform in listed_platforms:
        for instrument in objects_in(platform.get("Instruments")):
            draft.add_keyword(text_in(instrument.get("ShortName")), "instrument")
    add_platforms(
        draft,
        [(text_in(platform.get("ShortName")), text_in(platform.get("Type"))) for platform in listed_platforms],
        text_in(first_object(collection.get("ProcessingLevel")).get("Id")),
    )


def _add_contacts(draft: RecordDraft, collection: JsonMapping) -> None:
    for citation in objects_in(collection.get("CollectionCitations")):
        draft.add_contact(text_in(citation.get("Creator")), role="author")
        draft.add_contact("", text_in(citation.get("Publisher")), role="publisher")
    for centre in objects_in(collection.get("DataCenters")):
        role = role_of(next(iter(texts_in(centre.get("Roles"))), ""))
        name = text_in(centre.get("LongName")) or text_in(centre.get("ShortName"))
        draft.add_contact("", name, role=role, email=_email(centre.get("ContactInformation")))
    for person in objects_in(collection.get("ContactPersons")):
        name = " ".join(text for part in ("FirstName", "LastName") if (text := text_in(person.get(part))))
        role = role_of(next(iter(texts_in(person.get("Roles"))), ""))
        draft.add_contact(name, role=role, email=_email(person.get("ContactInformation")))


def _email(info: object) -> str:
    for part in objects_in(info):
        for mechanism in objects_in(part.get("ContactMechanisms")):
            if text_in(mechanism.get("Type")) == "Email":
                return text_in(mechanism.get("Value"))
    return ""


def _add_extents(draft: RecordDraft, collection: JsonMapping) -> None:
    spatial = first_object(collection.get("SpatialExtent"))
    domain = first_object(spatial.get("HorizontalSpatialDomain"))
    geometry = first_object(domain.get("Geometry"))
    for box in objects_in(geometry.get("BoundingRectangles")):
        draft.places.add_box(*(box.get(edge) for edge in _EDGES))
    for point in objects_in(geometry.get("Points")):
        draft.places.add_point(point.get("Longitude"), point.get("Latitude"))
    for polygon in objects_in(geometry.get("GPolygons")):
        points = objects_in(first_object(polygon.get("Boundary")).get("Points"))
        draft.places.add_ring([(point.get("Longitude"), point.get("Latitude")) for point in points])
    for line in objects_in(geometry.get("Lines")):
        pairs = [[point.get("Longitude"), point.get("Latitude")] for point in objects_in(line.get("Points"))]
        draft.places.add_geojson({"type": "LineString", "coordinates": pairs})
    for vertical in objects_in(spatial.get("VerticalSpatialDomains")):
        add_height(draft, text_in(vertical.get("Type")), text_in(vertical.get("Value")))
    _add_resolution(draft, collection, domain)


def _add_resolution(draft: RecordDraft, collection: JsonMapping, domain: JsonMapping) -> None:
    system = first_object(domain.get("ResolutionAndCoordinateSystem"))
    distances = []
    for group in first_object(system.get("HorizontalDataResolution")).values():
        for resolution in objects_in(group):
            unit = text_in(resolution.get("Unit")).lower()
            unit = {"decimal degrees": "deg", "statute miles": "mi"}.get(unit, unit)
            for name in ("XDimension", "YDimension", "MinimumXDimension", "MinimumYDimension"):
                distances.append(metres(number(text_in(resolution.get(name))), unit))
    distances_known = [distance for distance in distances if distance is not None]
    step = None
    for extent in objects_in(collection.get("TemporalExtents")):
        for temporal in objects_in(extent.get("TemporalResolution")):
            unit, value = text_in(temporal.get("Unit")), number(text_in(temporal.get("Value")))
            step = step or time_step(value, unit) or step_in(unit)
    draft.resolution = Resolution(min(distances_known, default=None), None, step)


def _add_times(draft: RecordDraft, extent: JsonMapping) -> None:
    is_ongoing = extent.get("EndsAtPresentFlag") is True
    for span in objects_in(extent.get("RangeDateTimes")):
        end = "" if is_ongoing else text_in(span.get("EndingDateTime"))
        draft.add_span(text_in(span.get("BeginningDateTime")), end)
    for moment in texts_in(extent.get("SingleDateTimes")):
        draft.add_span(moment, moment)
    for span in objects_in(extent.get("PeriodicDateTimes")):
        draft.add_span(text_in(span.get("StartDate")), text_in(span.get("EndDate")))


def _add_distribution(draft: RecordDraft, collection: JsonMapping) -> None:
    for access in objects_in(collection.get("AccessConstraints")):
        draft.add_constraint(text_in(access.get("Description")))
    for use in objects_in(collection.get("UseConstraints")):
        draft.add_constraint(text_in(use.get("Description")))
        licence_link = text_in(first_object(use.get("LicenseURL")).get("Linkage"))
        draft.add_licence(licence_link, text_in(use.get("LicenseText")))
    archive = first_object(collection.get("ArchiveAndDistributionInformation"))
    for name in ("FileDistributionInformation", "FileArchiveInformation"):
        for file in objects_in(archive.get(name)):
            draft.add_format(text_in(file.get("Format")))
    for link in objects_in(collection.get("RelatedUrls")):
        media_type = text_in(first_object(link.get("GetData") or link.get("GetService")).get("MimeType"))
        draft.add_link(
            text_in(link.get("URL")),
            rel_of(text_in(link.get("Subtype")), text_in(link.get("Type")), text_in(link.get("URLContentType"))),
            media_type=media_type if "/" in media_type else None,
            description=text_in(link.get("Description")),
        )


def _recognises(inspection: Inspection) -> bool:
    collection = inspection.members.get("umm", inspection.members)
    return isinstance(collection, dict) and {"EntryTitle", "ShortName"} <= collection.keys()


_FOUND_BY = "JSON with `EntryTitle` and `ShortName`, also inside `umm`"
FORMAT = Format("umm-c", 5, read, _recognises, _FOUND_BY, lambda raw: json_of(raw).get("umm", json_of(raw)))
