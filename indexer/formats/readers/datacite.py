"""DataCite 4, in XML and in the JSON of its API, to Record."""

from __future__ import annotations

import re

from core.json_types import Json, JsonMapping
from core.record import Record
from core.versions import SUCCESSOR
from indexer.formats.draft import RecordDraft, add_period
from indexer.formats.format import Format, Inspection, json_of
from indexer.formats.json_documents.parsing import as_list, looks_like_json, objects_in, text_in, texts_in
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
)
from indexer.raw import RawRecord, RecordRefused

_LISTS = {  # container, element, name of the text, attributes
    "subjects": ("subject", "subject", ("subjectScheme", "schemeURI", "valueURI")),
    "titles": ("title", "title", ("titleType",)),
    "dates": ("date", "date", ("dateType",)),
    "relatedIdentifiers": (
        "relatedIdentifier",
        "relatedIdentifier",
        ("relatedIdentifierType", "relationType", "resourceTypeGeneral"),
    ),
    "rightsList": ("rights", "rights", ("rightsURI", "rightsIdentifier")),
    "descriptions": ("description", "description", ("descriptionType",)),
    "alternateIdentifiers": ("alternateIdentifier", "alternateIdentifier", ("alternateIdentifierType",)),
}
_POINT = ("pointLongitude", "pointLatitude")
_ROLES = {
    "ContactPerson": "pointOfContact", "DataManager": "custodian", "DataCurator": "custodian",
    "Distributor": "distributor", "HostingInstitution": "distributor", "RightsHolder": "rightsHolder",
    "Sponsor": "sponsor", "ProjectLeader": "principalInvestigator", "Producer": "originator", "Editor": "editor",
}  # fmt: skip
_DATES = {
    "Created": "created", "Issued": "published", "Available": "published", "Submitted": "created",
    "Updated": "modified", "Accepted": "published",
}  # fmt: skip
_EDGES = ("westBoundLongitude", "southBoundLatitude", "eastBoundLongitude", "northBoundLatitude")
_PERIODS = frozenset({"Coverage", "Collected", "Valid"})
_SOURCES = frozenset({"IsDerivedFrom", "IsVariantFormOf"})
_RELS = {
    "IsDocumentedBy": "describedby", "IsMetadataFor": "related", "HasMetadata": "describedby",
    "IsObsoletedBy": SUCCESSOR, "IsPreviousVersionOf": SUCCESSOR,
}  # fmt: skip
_LINEAGE = frozenset({"Methods", "TechnicalInfo"})


def xml_as_json(root: Element) -> Json:
    """The ``resource`` element as the JSON that DataCite's API returns for it."""
    identifier = find(root, "identifier")
    kind = find(root, "resourceType")
    document: Json = {
        container: [
            {text: inner_text(element).strip(), **_attributes(element, attributes)}
            for element in find_all(root, f"{container}/{name}")
        ]
        for container, (name, text, attributes) in _LISTS.items()
    }
    return document | {
        "identifier": inner_text(identifier).strip(),
        "identifierType": "" if identifier is None else identifier.get("identifierType", ""),
        "creators": [_person_as_json(element, "creatorName") for element in find_all(root, "creators/creator")],
        "contributors": [
            _person_as_json(element, "contributorName") for element in find_all(root, "contributors/contributor")
        ],
        "publisher": text_at(root, "publisher"),
        "publicationYear": text_at(root, "publicationYear"),
        "language": text_at(root, "language") or _language_of(root),
        "types": {
            "resourceType": inner_text(kind).strip(),
            "resourceTypeGeneral": "" if kind is None else kind.get("resourceTypeGeneral", ""),
        },
        "formats": texts_at(root, "formats/format"),
        "version": text_at(root, "version"),
        "geoLocations": [_place(element) for element in find_all(root, "geoLocations/geoLocation")],
    }


def _attributes(element: Element, names: tuple[str, ...]) -> dict[str, str]:
    return {name: value for name in names if (value := element.get(name)) is not None}


def _language_of(root: Element) -> str:
    title = find(root, "titles/title")
    return "" if title is None else title.get(XML_LANG, "")


def _person_as_json(element: Element, name: str) -> Json:
    name_element = find(element, name)
    return {
        "name": inner_text(name_element).strip(),
        "nameType": "" if name_element is None else name_element.get("nameType", ""),
        "affiliation": texts_at(element, "affiliation"),
        "contributorType": element.get("contributorType", ""),
    }


def _place(element: Element) -> Json:
    place: Json = {"geoLocationPlace": text_at(element, "geoLocationPlace")}
    box, point = find(element, "geoLocationBox"), find(element, "geoLocationPoint")
    if box is not None:
        edges = inner_text(box).split() if not len(box) else []  # DataCite 3: south west north east
        coordinates = {name: text_at(box, name) for name in _EDGES}
        place["geoLocationBox"] = coordinates if len(edges) != 4 else dict(zip(_EDGES, _west_first(edges), strict=True))
    if point is not None:
        pair = inner_text(point).split() if not len(point) else []
        place["geoLocationPoint"] = (
            {name: text_at(point, name) for name in _POINT}
            if len(pair) != 2
            else dict(zip(_POINT, pair[::-1], strict=True))
        )
    polygons = [
        [{name: text_at(corner, name) for name in _POINT} for corner in find_all(polygon, "polygonPoint")]
        for polygon in find_all(element, "geoLocationPolygon")
    ]
    return place | {"geoLocationPolygon": polygons}


def _west_first(edges: list[str]) -> list[str]:
    south, west, north, east = edges
    return [west, south, east, north]


def read(raw: RawRecord, source: str) -> Record:
    """Raises RecordRefused: neither XML nor JSON, or no DataCite resource."""
    document, warnings = _document(raw)
    draft = RecordDraft(raw, source, "datacite", list(warnings))
    _add_citation(draft, document)
    _add_contacts(draft, document)
    for place in objects_in(document.get("geoLocations")):
        _add_extents(draft, place)
    _add_times(draft, document)
    _add_related_works(draft, document)
    for right in objects_in(document.get("rightsList")):
        draft.add_licence(*(text_in(right.get(name)) for name in ("rightsURI", "rightsIdentifier", "rights")))
        draft.add_constraint(text_in(right.get("rights")) or text_in(right.get("rightsURI")))
        draft.restrict_by_code(text_in(right.get("rightsURI")))
    return draft.finish()


def _document(raw: RawRecord) -> tuple[JsonMapping, tuple[str, ...]]:
    """The resource in the shape of DataCite's JSON, without the envelope of its API."""
    if not looks_like_json(raw.content):
        xml = parse(raw.content)
        if local_name(xml.root) != "resource":
            raise RecordRefused(f"its root element is {xml.root.tag}, not resource")
        return xml_as_json(xml.root), xml.warnings
    document = json_of(raw)
    for envelope in ("data", "attributes"):
        document = document.get(envelope, document) if isinstance(document, dict) else document
    if not isinstance(document, dict):
        raise RecordRefused("it is JSON without a resource of DataCite's")
    return document, ()


def _add_citation(draft: RecordDraft, document: JsonMapping) -> None:
    draft.doi = doi_in(text_in(document.get("doi"))) or doi_in(_identifier(document))
    draft.identifier = draft.doi or _identifier(document)
    draft.edition = text_in(document.get("version"))
    for identifier in [*objects_in(document.get("alternateIdentifiers")), *objects_in(document.get("identifiers"))]:
        draft.names.add_possible_short_names(
            text_in(identifier.get("alternateIdentifier")) or text_in(identifier.get("identifier"))
        )
    for title in objects_in(document.get("titles")):
        if not draft.title and not title.get("titleType"):
            draft.title = text_in(title.get("title"))
        else:
            draft.add_alternate_title(text_in(title.get("title")))
    _add_descriptions(draft, document)
    draft.add_language(text_in(document.get("language")))
    types = document.get("types")
    if isinstance(types, dict):
        draft.set_type(text_in(types.get("resourceTypeGeneral")) or text_in(types.get("resourceType")))
    for name in texts_in(document.get("formats")):
        draft.add_format(name)
    draft.add_link(text_in(document.get("url")) or (f"https://doi.org/{draft.doi}" if draft.doi else ""), "about")
    for href in texts_in(document.get("contentUrl")):
        draft.add_link(href, "download")


def _add_descriptions(draft: RecordDraft, document: JsonMapping) -> None:
    abstracts = []
    for description in objects_in(document.get("descriptions")):
        text, kind = text_in(description.get("description")), text_in(description.get("descriptionType"))
        if kind in ("Abstract", "", "SeriesInformation", "Other"):
            abstracts.append((kind != "Abstract", text))
        if kind in _LINEAGE:
            draft.lineage.append(text)
    draft.abstract = min(abstracts, key=lambda abstract: abstract[0], default=(True, ""))[1]
    for subject in as_list(document.get("subjects")):
        if isinstance(subject, dict):
            uri = text_in(subject.get("valueUri")) or text_in(subject.get("valueURI"))
            draft.add_keyword(text_in(subject.get("subject")), text_in(subject.get("subjectScheme")), uri)
        else:
            draft.add_keyword(text_in(subject))


def _identifier(document: JsonMapping) -> str:
    """``identifier`` of DataCite's XML, ``id`` and ``identifiers`` of its JSON."""
    if stated_identifier := text_in(document.get("identifier")) or text_in(document.get("id")):
        return stated_identifier
    return next((text_in(identifier.get("identifier")) for identifier in objects_in(document.get("identifiers"))), "")


def _add_contacts(draft: RecordDraft, document: JsonMapping) -> None:
    for person in objects_in(document.get("creators")):
        _add_person(draft, person, "author")
    draft.add_contact("", text_in(document.get("publisher")), role="publisher")
    for person in objects_in(document.get("contributors")):
        kind = text_in(person.get("contributorType"))
        _add_person(draft, person, _ROLES.get(kind, "contributor"))


def _add_person(draft: RecordDraft, person: JsonMapping, role: str) -> None:
    name = text_in(person.get("name")) or text_in(person.get("creatorName"))
    affiliation = next(iter(texts_in(person.get("affiliation"))), "")
    if person.get("nameType") == "Organizational":
        draft.add_contact("", name, role=role)
    else:
        draft.add_contact(name, affiliation, role=role)


def _add_extents(draft: RecordDraft, place: JsonMapping) -> None:
    draft.add_keyword(text_in(place.get("geoLocationPlace")), "location")
    for box in objects_in(place.get("geoLocationBox")):
        draft.places.add_box(*(box.get(edge) for edge in _EDGES))
    for point in objects_in(place.get("geoLocationPoint")):
        draft.places.add_point(point.get("pointLongitude"), point.get("pointLatitude"))
    polygons = as_list(place.get("geoLocationPolygon"))
    for polygon in polygons if polygons and isinstance(polygons[0], list) else [polygons]:
        corners = [corner.get("polygonPoint", corner) for corner in objects_in(polygon)]
        draft.places.add_ring(
            [(corner.get("pointLongitude"), corner.get("pointLatitude")) for corner in corners if corner]
        )


def _add_times(draft: RecordDraft, document: JsonMapping) -> None:
    for date in objects_in(document.get("dates")):
        kind, text = text_in(date.get("dateType")), text_in(date.get("date"))
        if kind in _PERIODS:
            add_period(draft, text)
        elif kind in _DATES:
            draft.add_date(_DATES[kind], text.partition("/")[0])
    if not any(text_in(date.get("dateType")) in ("Issued", "Available") for date in objects_in(document.get("dates"))):
        draft.add_date("published", text_in(document.get("publicationYear")))
    draft.add_date("metadata", text_in(document.get("updated")))


def _add_related_works(draft: RecordDraft, document: JsonMapping) -> None:
    for related_work in objects_in(document.get("relatedIdentifiers")):
        relation, text = text_in(related_work.get("relationType")), text_in(related_work.get("relatedIdentifier"))
        href = f"https://doi.org/{doi}" if (doi := doi_in(text)) else text
        if relation in _SOURCES or (relation == "References" and related_work.get("resourceTypeGeneral") == "Dataset"):
            draft.add_source(href)
        elif relation == "IsPartOf" and draft.parent is None:
            draft.parent = doi or text
        if href.lower().startswith("http"):
            draft.add_link(href, _RELS.get(relation, "related"), description=relation)


_ROOT = re.compile(r"\{http://datacite\.org/schema/kernel-[0-9.]+\}resource")


def _recognises(inspection: Inspection) -> bool:
    """XML can carry the namespace of its envelope; JSON can be inside ``data.attributes``."""
    content = inspection.content
    if _ROOT.fullmatch(inspection.tag):
        return True
    if inspection.tag.rpartition("}")[2] == "resource":
        return b"<creators" in content and b"<titles" in content
    inner_members = inspection.members.get("data", inspection.members)
    resource = inner_members.get("attributes", inner_members) if isinstance(inner_members, dict) else None
    return (
        isinstance(resource, dict)
        and "titles" in resource
        and bool(resource.keys() & {"creators", "types", "publicationYear", "doi"})
    )


def _collected_document(raw: RawRecord) -> Json:
    """The resource, with the dates that are periods of the data under ``collected``."""
    document = _document(raw)[0]
    dates = [d.get("date") for d in objects_in(document.get("dates")) if text_in(d.get("dateType")) in _PERIODS]
    return {**document, "collected": dates}


FORMAT = Format(
    "datacite",
    7,
    read,
    _recognises,
    "`resource` of kernel 3 or 4; JSON with `titles`, also inside `data.attributes`",
    _collected_document,
)
