"""Converts DataCite 4 XML to DataCite's JSON form, which ``datacite`` reads."""

from __future__ import annotations

from core.json_types import Json
from indexer.formats.xml_names import XML_LANG, Element, all_of, inner_text, one_of, text_at, texts_at

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
_BOX = ("westBoundLongitude", "southBoundLatitude", "eastBoundLongitude", "northBoundLatitude")
_POINT = ("pointLongitude", "pointLatitude")


def as_json(root: Element) -> Json:
    """The ``resource`` element as the JSON that DataCite's API returns for it."""
    identifier = one_of(root, "identifier")
    kind = one_of(root, "resourceType")
    document: Json = {
        container: [
            {text: inner_text(one).strip(), **_attributes(one, attributes)}
            for one in all_of(root, f"{container}/{name}")
        ]
        for container, (name, text, attributes) in _LISTS.items()
    }
    return document | {
        "identifier": inner_text(identifier).strip(),
        "identifierType": "" if identifier is None else identifier.get("identifierType", ""),
        "creators": [_person(one, "creatorName") for one in all_of(root, "creators/creator")],
        "contributors": [_person(one, "contributorName") for one in all_of(root, "contributors/contributor")],
        "publisher": text_at(root, "publisher"),
        "publicationYear": text_at(root, "publicationYear"),
        "language": text_at(root, "language") or _language_of(root),
        "types": {
            "resourceType": inner_text(kind).strip(),
            "resourceTypeGeneral": "" if kind is None else kind.get("resourceTypeGeneral", ""),
        },
        "formats": texts_at(root, "formats/format"),
        "version": text_at(root, "version"),
        "geoLocations": [_place(one) for one in all_of(root, "geoLocations/geoLocation")],
    }


def _attributes(element: Element, names: tuple[str, ...]) -> dict[str, str]:
    return {name: value for name in names if (value := element.get(name)) is not None}


def _language_of(root: Element) -> str:
    title = one_of(root, "titles/title")
    return "" if title is None else title.get(XML_LANG, "")


def _person(element: Element, name: str) -> Json:
    named = one_of(element, name)
    return {
        "name": inner_text(named).strip(),
        "nameType": "" if named is None else named.get("nameType", ""),
        "affiliation": texts_at(element, "affiliation"),
        "contributorType": element.get("contributorType", ""),
    }


def _place(element: Element) -> Json:
    place: Json = {"geoLocationPlace": text_at(element, "geoLocationPlace")}
    box, point = one_of(element, "geoLocationBox"), one_of(element, "geoLocationPoint")
    if box is not None:
        edges = inner_text(box).split() if not len(box) else []  # DataCite 3: south west north east
        named = {name: text_at(box, name) for name in _BOX}
        place["geoLocationBox"] = named if len(edges) != 4 else dict(zip(_BOX, _turned(edges), strict=True))
    if point is not None:
        pair = inner_text(point).split() if not len(point) else []
        place["geoLocationPoint"] = (
            {name: text_at(point, name) for name in _POINT}
            if len(pair) != 2
            else dict(zip(_POINT, pair[::-1], strict=True))
        )
    polygons = [
        [{name: text_at(corner, name) for name in _POINT} for corner in all_of(polygon, "polygonPoint")]
        for polygon in all_of(element, "geoLocationPolygon")
    ]
    return place | {"geoLocationPolygon": polygons}


def _turned(edges: list[str]) -> list[str]:
    south, west, north, east = edges
    return [west, south, east, north]
