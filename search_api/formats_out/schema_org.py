"""schema.org Dataset as JSON-LD, for data set search engines (ESIP science-on-schema.org guidelines)."""

from __future__ import annotations

import json

from core.extent import BBox
from core.json_types import Json
from core.names import Variable
from core.record import Contact, Keyword, Link, Record
from core.timespan import TimeSpan
from search_api.formats_out.licences import licence_url
from search_api.formats_out.output_format import OutputFormat
from search_api.formats_out.shapes import degrees, rings

_TYPES = {
    "service": "WebAPI",
    "software": "SoftwareSourceCode",
    "document": "DigitalDocument",
    "map": "Map",
    "collection": "DataCatalog",
}
_DCT, _DCAT, _PROV = "http://purl.org/dc/terms/", "http://www.w3.org/ns/dcat#", "http://www.w3.org/ns/prov#"
_EXACT = {
    "author": "creator", "publisher": "publisher", "contributor": "contributor", "distributor": "provider",
    "custodian": "maintainer", "funder": "funder", "rightsHolder": "copyrightHolder", "editor": "editor",
    "sponsor": "sponsor",
}  # fmt: skip
_PROPERTIES = _EXACT | {"originator": "creator", "principalInvestigator": "creator", "owner": "creator"}
DOWNLOADS = frozenset(("download", "enclosure", "item", "data"))
"""The relations of links to the data themselves."""


def dataset(record: Record, address: str) -> Json:
    """The record as JSON-LD; ``address`` is its page."""
    said: Json = {
        "@context": "https://schema.org/",
        "@type": type_of(record),
        "@id": address,
        "url": address,
        "name": record.title,
        "alternateName": list(record.alternate_titles),
        "description": record.abstract,
        "identifier": _identifier(record),
        "sameAs": f"https://doi.org/{record.doi}" if record.doi else None,
        "keywords": [_keyword(keyword) for keyword in record.keywords],
        "inLanguage": _one_or_many(list(record.languages)),
        "license": licence_url(record.licence) or record.licence,
        "isAccessibleForFree": True if record.access == "open" else None,
        "conditionsOfAccess": [*record.constraints, *(["restricted"] if record.access == "restricted" else [])],
        "encodingFormat": list(record.formats),
        "version": record.edition,
        "variableMeasured": _variables(record),
        "measurementTechnique": _one_or_many(list(record.names.instruments)),
        "isPartOf": {"@type": "CreativeWork", "identifier": record.parent} if record.parent else None,
        "dateCreated": record.dates.created,
        "datePublished": record.dates.published,
        "dateModified": record.dates.modified or record.dates.metadata,
        "sdDatePublished": record.dates.metadata,
        "temporalCoverage": _one_or_many([interval for span in record.times if (interval := _interval(span))]),
        "spatialCoverage": [{"@type": "Place", "geo": _shape(box)} for box in record.extents]
        + [{"@type": "Place", "geo": {"@type": "GeoShape", "polygon": ring}} for ring in rings(record.geometry)],
        **_parties(record),
        "distribution": [_distribution(link) for link in record.links if link.rel in DOWNLOADS],
        "thumbnailUrl": _one_or_many([link.href for link in record.links if link.rel == "preview"]),
        "subjectOf": [_page(link) for link in record.links if link.rel not in (*DOWNLOADS, "preview")],
        "isBasedOn": list(record.provenance.derived_from),
        f"{_PROV}wasGeneratedBy": [
            {"@type": f"{_PROV}Activity", "description": one} for one in record.provenance.generated_by
        ],
        f"{_DCT}provenance": record.provenance.lineage,
        f"{_DCAT}theme": list(record.themes),
        f"{_DCAT}spatialResolutionInMeters": record.resolution.metres,
        f"{_DCAT}temporalResolution": record.resolution.time_step,
    }
    return {name: value for name, value in said.items() if value not in (None, "", [], {})}


def type_of(record: Record) -> str:
    """Its class in schema.org."""
    return _TYPES.get(record.type, "Dataset")


def _identifier(record: Record) -> object:
    if record.doi is None:
        return record.identifier
    return {
        "@type": "PropertyValue",
        "propertyID": "https://registry.identifiers.org/registry/doi",
        "value": f"doi:{record.doi}",
        "url": f"https://doi.org/{record.doi}",
    }


def _interval(span: TimeSpan) -> str:
    if span.start_iso is None and span.end_iso is None:
        return ""
    return f"{span.start_iso or '..'}/{span.end_iso or '..'}"


def _one_or_many(values: list[str]) -> object:
    return values[0] if len(values) == 1 else values


def _shape(box: BBox) -> Json:
    if box.is_point:
        return {"@type": "GeoCoordinates", "latitude": box.south, "longitude": box.west}
    return {"@type": "GeoShape", "box": " ".join(map(degrees, (box.south, box.west, box.north, box.east)))}


def _parties(record: Record) -> dict[str, list[Json]]:
    """Everybody under the property of their role; other roles are in a ``Role`` around the contributor."""
    found: dict[str, list[Json]] = {}
    for contact in record.contacts:
        if _named(contact):
            name = _PROPERTIES.get(contact.role or "", "contributor")
            exact = contact.role in _EXACT or contact.role is None
            said = agent(contact)
            found.setdefault(name, []).append(
                said if exact else {"@type": "Role", "roleName": contact.role, name: said}
            )
    return found


def _keyword(keyword: Keyword) -> object:
    """A term with a vocabulary or a comma as a DefinedTerm; else its text."""
    if keyword.vocabulary is None and keyword.uri is None and "," not in keyword.term:
        return keyword.term
    said = {"@type": "DefinedTerm", "name": keyword.term, "inDefinedTermSet": keyword.vocabulary, "url": keyword.uri}
    return {name: value for name, value in said.items() if value}


def _variables(record: Record) -> list[Json]:
    """Without those that a plain keyword names already and of which nothing more is known."""
    terms = {keyword.term.casefold() for keyword in record.keywords if keyword.vocabulary is None}
    return [
        _variable(one)
        for one in record.names.variables
        if one.unit or one.standard_name or one.name.casefold() not in terms
    ]


def _variable(variable: Variable) -> Json:
    said = {"@type": "PropertyValue", "name": variable.name, "alternateName": variable.standard_name}
    said |= {"unitText": variable.unit}
    return {name: value for name, value in said.items() if value}


def _page(link: Link) -> Json:
    said = {"@type": "CreativeWork", "url": link.href, "name": link.name, "description": link.description}
    said |= {"encodingFormat": link.media_type}
    return {name: value for name, value in said.items() if value}


def _named(contact: Contact) -> bool:
    return bool(contact.name or contact.organisation)


def agent(contact: Contact) -> Json:
    """A person with their organisation, else the organisation."""
    mail = {"email": contact.email} if contact.email else {}
    if contact.name is None:
        return {"@type": "Organization", "name": contact.organisation, **mail}
    belongs = {"affiliation": {"@type": "Organization", "name": contact.organisation}} if contact.organisation else {}
    return {"@type": "Person", "name": contact.name, **belongs, **mail}


def _distribution(link: Link) -> Json:
    said = {
        "@type": "DataDownload",
        "contentUrl": link.href,
        "encodingFormat": link.media_type,
        "name": link.name,
        "description": link.description,
    }
    return {name: value for name, value in said.items() if value}


FORMAT = OutputFormat(
    "jsonld",
    "application/ld+json",
    "schema.org Dataset",
    record=lambda record, address: json.dumps(dataset(record, address)),
)
