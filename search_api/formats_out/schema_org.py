"""schema.org Dataset as JSON-LD: what search engines for data sets read (ESIP science-on-schema.org guidelines)."""

from __future__ import annotations

from typing import Any

from core.extent import BBox
from core.record import Contact, Link, Record
from core.timespan import TimeSpan
from search_api.formats_out.licences import licence_url

Json = dict[str, Any]

_TYPES = {
    "service": "WebAPI",
    "software": "SoftwareSourceCode",
    "document": "CreativeWork",
    "collection": "DataCatalog",
}
_DOWNLOADS = frozenset(("download", "enclosure", "item", "data"))


def dataset(record: Record, address: str) -> Json:
    """The record as JSON-LD; ``address`` is its page."""
    said: Json = {
        "@context": "https://schema.org/",
        "@type": _TYPES.get(record.type, "Dataset"),
        "@id": address,
        "url": address,
        "name": record.title,
        "alternateName": list(record.alternate_titles),
        "description": record.abstract,
        "identifier": _identifier(record),
        "sameAs": f"https://doi.org/{record.doi}" if record.doi else None,
        "keywords": [keyword.term for keyword in record.keywords],
        "inLanguage": record.languages[0] if record.languages else None,
        "license": licence_url(record.licence) or record.licence,
        "isAccessibleForFree": True if record.access == "open" else None,
        "dateCreated": record.dates.created,
        "datePublished": record.dates.published,
        "dateModified": record.dates.modified or record.dates.metadata,
        "temporalCoverage": _one_or_many([interval for span in record.times if (interval := _interval(span))]),
        "spatialCoverage": [{"@type": "Place", "geo": _shape(box)} for box in record.extents],
        "creator": _agents(record, ("author", "originator", "principalInvestigator", "owner")),
        "publisher": _agents(record, ("publisher", "distributor", "resourceProvider"))[:1],
        "distribution": [_distribution(link) for link in record.links if link.rel in _DOWNLOADS],
        "thumbnailUrl": next((link.href for link in record.links if link.rel == "preview"), None),
        "isBasedOn": list(record.provenance.derived_from),
    }
    return {name: value for name, value in said.items() if value not in (None, "", [], {})}


def _identifier(record: Record) -> Any:
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


def _one_or_many(values: list[str]) -> Any:
    return values[0] if len(values) == 1 else values


def _shape(box: BBox) -> Json:
    if box.is_point:
        return {"@type": "GeoCoordinates", "latitude": box.south, "longitude": box.west}
    return {"@type": "GeoShape", "box": f"{box.south:g} {box.west:g} {box.north:g} {box.east:g}"}


def _agents(record: Record, roles: tuple[str, ...]) -> list[Json]:
    return [agent(contact) for contact in record.contacts if contact.role in roles and _named(contact)]


def _named(contact: Contact) -> bool:
    return bool(contact.name or contact.organisation)


def agent(contact: Contact) -> Json:
    """A person with where they belong, else the organisation."""
    if contact.name is None:
        return {"@type": "Organization", "name": contact.organisation}
    belongs = {"affiliation": {"@type": "Organization", "name": contact.organisation}} if contact.organisation else {}
    return {"@type": "Person", "name": contact.name, **belongs}


def _distribution(link: Link) -> Json:
    said = {
        "@type": "DataDownload",
        "contentUrl": link.href,
        "encodingFormat": link.media_type,
        "name": link.name,
        "description": link.description,
    }
    return {name: value for name, value in said.items() if value}
