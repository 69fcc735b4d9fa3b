"""NASA's Directory Interchange Format, versions 9 and 10, to Record."""

from __future__ import annotations

import re

from core.record import Record, Resolution
from indexer.formats.draft import RecordDraft
from indexer.formats.format import Format, Inspection
from indexer.formats.readers.nasa import add_platforms, add_product, add_science_keyword, metres_of, rel_of, role_of
from indexer.formats.repair.links import doi_in
from indexer.formats.repair.resolution import distance_in, step_in
from indexer.formats.xml_documents import Element, find, find_all, local_name, parse, text_at, texts_at, xml_root
from indexer.raw import RawRecord, RecordRefused

_SCIENCE = (
    "Category", "Topic", "Term", "Variable_Level_1", "Variable_Level_2", "Variable_Level_3", "Detailed_Variable"
)  # fmt: skip
_PLACES = ("Location_Subregion3", "Location_Subregion2", "Location_Subregion1", "Location_Type", "Location_Category")


def read(raw: RawRecord, source: str) -> Record:
    """Raises RecordRefused: no XML, or another root than DIF."""
    xml = parse(raw.content)
    root = xml.root
    if local_name(root) != "DIF":
        raise RecordRefused(f"its root element is {root.tag}, not DIF")
    is_ten = find(root, "Entry_ID/Short_Name") is not None or find(root, "Science_Keywords") is not None
    draft = RecordDraft(raw, source, "dif10" if is_ten else "dif9", list(xml.warnings))
    _add_citation(draft, root)
    _add_keywords(draft, root)
    _add_contacts(draft, root)
    _add_extents(draft, root)
    _add_times(draft, root)
    _add_distribution(draft, root)
    return draft.finish()


def _add_citation(draft: RecordDraft, root: Element) -> None:
    short_name, version = text_at(root, "Entry_ID/Short_Name"), text_at(root, "Entry_ID/Version")
    draft.identifier = "_".join(part for part in (short_name, version) if part) or text_at(root, "Entry_ID")
    add_product(draft, short_name, version or text_at(root, "Data_Set_Citation/Version", "Dataset_Citation/Version"))
    draft.names.add_possible_short_names("" if short_name else draft.identifier)
    draft.title = text_at(root, "Entry_Title")
    for other_title in [
        *texts_at(root, "Data_Set_Citation/Dataset_Title", "Dataset_Citation/Dataset_Title"),
        short_name,
    ]:
        draft.add_alternate_title(other_title)
    draft.abstract = text_at(root, "Summary/Abstract", "Summary")
    draft.doi = next(
        (
            doi
            for text in texts_at(
                root,
                "Dataset_Citation/Persistent_Identifier/Identifier",
                "Data_Set_Citation/Dataset_DOI",
                "Dataset_Citation/Online_Resource",
                "Data_Set_Citation/Online_Resource",
            )
            if (doi := doi_in(text))
        ),
        None,
    )
    for code in texts_at(root, "Data_Set_Language", "Dataset_Language"):
        draft.add_language(code)
    for parent in texts_at(root, "Parent_DIF"):
        draft.parent = parent
    for association in find_all(root, "Metadata_Association"):
        if text_at(association, "Type").upper() == "PARENT":
            draft.parent = "_".join(texts_at(association, "Entry_ID/Short_Name", "Entry_ID/Version"))
    draft.lineage += texts_at(root, "Quality")
    for name, kind in (
        ("Data_Set_Citation/Dataset_Release_Date", "published"),
        ("Dataset_Citation/Dataset_Release_Date", "published"),
        ("Metadata_Dates/Data_Creation", "created"),
        ("Metadata_Dates/Data_Last_Revision", "modified"),
        ("Metadata_Dates/Metadata_Last_Revision", "metadata"),
        ("Last_DIF_Revision_Date", "metadata"),
        ("DIF_Creation_Date", "metadata"),
    ):
        draft.add_date(kind, text_at(root, name))


def _add_keywords(draft: RecordDraft, root: Element) -> None:
    for path in ("Parameters", "Science_Keywords"):
        for group in find_all(root, path):
            add_science_keyword(draft, [text_at(group, name) for name in _SCIENCE])
    for text in texts_at(root, "Keyword", "Ancillary_Keyword"):
        draft.add_keyword(text)
    for text in texts_at(root, "ISO_Topic_Category"):
        draft.add_theme(text)
    for location in find_all(root, "Location"):
        draft.add_keyword(text_at(location, "Detailed_Location", *_PLACES), "location")
    for project in find_all(root, "Project"):
        draft.add_keyword(text_at(project, "Short_Name", "Long_Name"), "project")
    for instrument in texts_at(root, "Sensor_Name/Short_Name", "Platform/Instrument/Short_Name"):
        draft.add_keyword(instrument, "instrument")
    named_platforms = [(text_at(platform, "Short_Name", "Long_Name"), "") for platform in find_all(root, "Source_Name")]
    named_platforms += [
        (text_at(platform, "Short_Name", "Long_Name"), text_at(platform, "Type"))
        for platform in find_all(root, "Platform")
    ]
    add_platforms(draft, named_platforms, text_at(root, "Product_Level_Id").lower().removeprefix("level").strip())


def _add_contacts(draft: RecordDraft, root: Element) -> None:
    for path in ("Data_Set_Citation/Dataset_Creator", "Dataset_Citation/Dataset_Creator"):
        for text in texts_at(root, path):
            draft.add_contact(text, role="author")
    for path in ("Data_Set_Citation/Dataset_Publisher", "Dataset_Citation/Dataset_Publisher"):
        for text in texts_at(root, path):
            draft.add_contact("", text, role="publisher")
    for person in find_all(root, "Personnel"):
        names = texts_at(person, "First_Name", "Middle_Name", "Last_Name")
        names = names or texts_at(person, "Contact_Person/First_Name", "Contact_Person/Last_Name")
        draft.add_contact(
            " ".join(names) or text_at(person, "Contact_Group/Name"),
            role=role_of(text_at(person, "Role")),
            email=text_at(person, "Email", "Contact_Person/Email", "Contact_Group/Email"),
        )
    for centre in find_all(root, "Data_Center"):
        draft.add_contact("", _organisation(find(centre, "Data_Center_Name")), role="distributor")
    for organisation in find_all(root, "Organization"):
        role = role_of(text_at(organisation, "Organization_Type"))
        draft.add_contact("", _organisation(find(organisation, "Organization_Name")), role=role)


def _organisation(name: Element | None) -> str:
    return text_at(name, "Long_Name", "Short_Name")


def _add_extents(draft: RecordDraft, root: Element) -> None:
    for coverage in find_all(root, "Spatial_Coverage"):
        for box in [coverage, *find_all(coverage, "Geometry/Bounding_Rectangle")]:
            edges = [text_at(box, f"{name}most_{kind}") for name, kind in _EDGES]
            if any(edges):
                draft.places.add_box(*edges)
        for point in find_all(coverage, "Geometry/Point"):
            draft.places.add_point(text_at(point, "Point_Longitude"), text_at(point, "Point_Latitude"))
        for polygon in find_all(coverage, "Geometry/Polygon"):
            ring = [
                (text_at(point, "Point_Longitude"), text_at(point, "Point_Latitude"))
                for point in find_all(polygon, "Boundary/Point")
            ]
            draft.places.add_ring(ring)
        _add_vertical(draft, coverage)
    draft.resolution = _resolution(root)


def _resolution(root: Element) -> Resolution:
    """The finest resolution stated; without one, the range, which is a class such as "10 km - < 50 km"."""
    distances, classes, steps = [], [], []
    for resolution in find_all(root, "Data_Resolution"):
        distances += [distance_in(text_at(resolution, f"{edge}_Resolution")) for edge in ("Latitude", "Longitude")]
        classes.append(distance_in(text_at(resolution, "Horizontal_Resolution_Range")))
        steps.append(step_in(text_at(resolution, "Temporal_Resolution")))
    distances_known = [distance for distance in distances if distance is not None] or [
        distance for distance in classes if distance is not None
    ]
    return Resolution(min(distances_known, default=None), None, next((step for step in steps if step), None))


_EDGES = (("Western", "Longitude"), ("Southern", "Latitude"), ("Eastern", "Longitude"), ("Northern", "Latitude"))


def _add_vertical(draft: RecordDraft, coverage: Element) -> None:
    """Altitudes are upwards, depths downwards."""
    for sign, name in ((1.0, "Altitude"), (-1.0, "Depth")):
        low, high = (sign * metres_of(text_at(coverage, f"{end}_{name}")) for end in ("Minimum", "Maximum"))
        draft.add_vertical(low, high)


def _add_times(draft: RecordDraft, root: Element) -> None:
    for coverage in find_all(root, "Temporal_Coverage"):
        is_ongoing = text_at(coverage, "Ends_At_Present_Flag").lower() == "true"
        if find(coverage, "Start_Date") is not None or find(coverage, "Beginning_Date") is not None:
            draft.add_span(
                text_at(coverage, "Start_Date", "Beginning_Date"), text_at(coverage, "Stop_Date", "Ending_Date")
            )
        for span in find_all(coverage, "Range_DateTime"):
            end = "" if is_ongoing else text_at(span, "Ending_Date_Time")
            draft.add_span(text_at(span, "Beginning_Date_Time"), end)
        for text in texts_at(coverage, "Single_DateTime"):
            draft.add_span(text, text)
        for span in find_all(coverage, "Periodic_DateTime"):
            draft.add_span(text_at(span, "Start_Date"), text_at(span, "End_Date"))


def _add_distribution(draft: RecordDraft, root: Element) -> None:
    for text in texts_at(root, "Access_Constraints/Description", "Access_Constraints"):
        draft.add_constraint(text)
    for use in find_all(root, "Use_Constraints"):
        draft.add_constraint(text_at(use, "Description", "."))
        draft.add_licence(text_at(use, "License_URL/URL"), text_at(use, "License_Text"))
    for text in texts_at(root, "Distribution/Distribution_Format"):
        draft.add_format(text)
    for link in find_all(root, "Related_URL"):
        kinds = texts_at(link, "URL_Content_Type/Subtype", "URL_Content_Type/Type")
        for url in texts_at(link, "URL"):
            draft.add_link(
                url,
                rel_of(*kinds),
                media_type=text_at(link, "Mime_Type"),
                name=text_at(link, "Title"),
                description=text_at(link, "Description"),
            )
    for path in ("Data_Set_Citation/Online_Resource", "Dataset_Citation/Online_Resource"):
        for url in texts_at(root, path):
            draft.add_link(url, "about")


_ROOT = re.compile(r"(?:\{(?:http://gcmd\.|http://earthdata\.nasa\.gov/schema/dif)[^}]*\})?DIF")


def _recognises(inspection: Inspection) -> bool:
    return _ROOT.fullmatch(inspection.tag) is not None


FORMAT = Format("dif", 4, read, _recognises, "root `DIF`, 9 and 10", xml_root)
