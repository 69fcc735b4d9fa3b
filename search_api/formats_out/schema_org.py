"""schema.org Dataset as JSON-LD (ESIP science-on-schema.org guidelines), and on top of it Croissant 1.0 and
GeoCroissant 1.0 (ML Commons).

Only records with files have Croissant. What a file holds (Croissant's RecordSet) is not known from metadata. The data
set is declared as live: catalogues seldom state checksums, and their files can change.
"""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from urllib.parse import unquote

from core.geo import BBox
from core.json_types import Json
from core.names import Variable
from core.record import Contact, Keyword, Link, Record
from core.timespan import TimeSpan
from search_api.formats_out.bibliography import bibtex, of_record
from search_api.formats_out.notations import (
    OutputFormat,
    degrees,
    iri,
    licence_url,
    rings,
    split_address,
    without_empty,
)

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

_VERSION = "http://mlcommons.org/croissant/1.0"
_CONTEXT: Json = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context of the specification, word for word: its tools compare it."""
_UNKNOWN_TYPE = "application/octet-stream"


def dataset(record: Record, address: str) -> Json:
    """The record as JSON-LD; ``address`` is its page."""
    members: Json = {
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
        "distribution": [_linked("DataDownload", "contentUrl", link) for link in record.links if link.rel in DOWNLOADS],
        "thumbnailUrl": _one_or_many([link.href for link in record.links if link.rel == "preview"]),
        "subjectOf": [
            _linked("CreativeWork", "url", link) for link in record.links if link.rel not in (*DOWNLOADS, "preview")
        ],
        "isBasedOn": list(record.provenance.derived_from),
        f"{_PROV}wasGeneratedBy": [
            {"@type": f"{_PROV}Activity", "description": activity} for activity in record.provenance.generated_by
        ],
        f"{_DCT}provenance": record.provenance.lineage,
        f"{_DCAT}theme": list(record.themes),
        f"{_DCAT}spatialResolutionInMeters": record.resolution.metres,
        f"{_DCAT}temporalResolution": record.resolution.time_step,
    }
    return without_empty(members)


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
    by_role: dict[str, list[Json]] = {}
    for contact in record.contacts:
        if contact.name or contact.organisation:
            name = _PROPERTIES.get(contact.role or "", "contributor")
            exact = contact.role in _EXACT or contact.role is None
            party = agent(contact)
            by_role.setdefault(name, []).append(
                party if exact else {"@type": "Role", "roleName": contact.role, name: party}
            )
    return by_role


def _keyword(keyword: Keyword) -> object:
    """A term with a vocabulary or a comma as a DefinedTerm; else its text."""
    if keyword.vocabulary is None and keyword.uri is None and "," not in keyword.term:
        return keyword.term
    return without_empty(
        {"@type": "DefinedTerm", "name": keyword.term, "inDefinedTermSet": keyword.vocabulary, "url": keyword.uri}
    )


def _variables(record: Record) -> list[Json]:
    """Without those that a plain keyword names already and of which nothing more is known."""
    terms = {keyword.term.casefold() for keyword in record.keywords if keyword.vocabulary is None}
    return [
        _variable(variable)
        for variable in record.names.variables
        if variable.unit or variable.standard_name or variable.name.casefold() not in terms
    ]


def _variable(variable: Variable) -> Json:
    members: Json = {
        "@type": "PropertyValue",
        "name": variable.name,
        "alternateName": variable.standard_name,
        "unitText": variable.unit,
    }
    return without_empty(members)


def _linked(kind: str, member: str, link: Link) -> Json:
    """``member``: the one that holds the link's address."""
    texts = {"name": link.name, "description": link.description, "encodingFormat": link.media_type}
    return without_empty({"@type": kind, member: link.href, **texts})


def agent(contact: Contact) -> Json:
    """A person with their organisation, else the organisation."""
    mail = {"email": contact.email} if contact.email else {}
    if contact.name is None:
        return {"@type": "Organization", "name": contact.organisation, **mail}
    belongs = {"affiliation": {"@type": "Organization", "name": contact.organisation}} if contact.organisation else {}
    return {"@type": "Person", "name": contact.name, **belongs, **mail}


SCHEMA_ORG = OutputFormat(
    "jsonld",
    "application/ld+json",
    "schema.org Dataset",
    record=lambda record, address: json.dumps(dataset(record, address)),
)


def has_files(record: Record) -> bool:
    return any(_is_file(link) for link in record.links)


def croissant(record: Record, address: str) -> Json:
    """The record as JSON-LD; ``address`` is its page. Its files have the order of its links, and each its own name."""
    members = dataset(record, address)
    names: set[str] = set()
    files = [_file(link, names) for link in record.links if _is_file(link)]
    return {
        **members,
        "@context": _CONTEXT,
        "@type": "Dataset",
        "conformsTo": _VERSION,
        "description": record.abstract or record.title,
        "citeAs": bibtex([of_record(record, address)]).strip(),
        "keywords": [keyword.term for keyword in record.keywords],  # readers refuse terms with a vocabulary
        "isLiveDataset": True,
        "distribution": files,
    }


def _is_file(link: Link) -> bool:
    scheme = split_address(link.href.strip()).scheme
    return link.rel in DOWNLOADS and scheme in ("http", "https", "ftp") and iri(link.href) is not None


def _file(link: Link, names: set[str]) -> Json:
    """``names``: those of earlier files; the new one is added."""
    address = iri(link.href)
    base = link.name or unquote(PurePosixPath(split_address(link.href).path).name) or "data"
    name = next(
        candidate
        for candidate in (base, *(f"{base} ({number})" for number in range(2, len(names) + 3)))
        if candidate not in names
    )
    names.add(name)
    members: Json = {
        "@type": "cr:FileObject",
        "@id": f"file-{len(names)}",  # readers refuse spaces, escaped ones too
        "name": name,
        "description": link.description,
        "contentUrl": address,
        "encodingFormat": link.media_type or _UNKNOWN_TYPE,
    }
    return without_empty(members)


_GEO_VERSION = "http://mlcommons.org/croissant/geo/1.0"
_STEP = re.compile(r"P(?:T(?=\d))?(\d+(?:\.\d+)?)([YMWDHS])")
_STEP_UNITS = {"Y": "year", "M": "month", "W": "week", "D": "day", "H": "hour", "S": "second"}


def is_placed(record: Record) -> bool:
    """Whether it has files and a place, without which GeoCroissant says no more than Croissant."""
    return has_files(record) and bool(record.extents)


def geo_croissant(record: Record, address: str) -> Json:
    """Croissant with GeoCroissant 1.0: ground distance and time step. Catalogues do not state the files' own system."""
    members = croissant(record, address)
    step = _STEP.fullmatch(record.resolution.time_step or "")
    is_minute = "PT" in (record.resolution.time_step or "") and step is not None and step[2] == "M"
    resolution = {
        "geocr:spatialResolution": _quantity(record.resolution.metres, "m"),
        "geocr:temporalResolution": _quantity(float(step[1]), "minute" if is_minute else _STEP_UNITS[step[2]])
        if step
        else None,
    }
    return {
        **members,
        "@context": {**_CONTEXT, "geocr": "http://mlcommons.org/croissant/geo/"},
        "conformsTo": [_VERSION, _GEO_VERSION],
        **without_empty(resolution),
    }


def _quantity(value: float | None, unit: str) -> Json | None:
    return None if value is None else {"@type": "QuantitativeValue", "value": value, "unitText": unit}


GEO_CROISSANT = OutputFormat(
    "geocroissant",
    "application/ld+json",
    "GeoCroissant",
    record=lambda record, address: json.dumps(geo_croissant(record, address)),
    offered=is_placed,
)
CROISSANT = OutputFormat(
    "croissant",
    "application/ld+json",
    "Croissant",
    record=lambda record, address: json.dumps(croissant(record, address)),
    offered=has_files,
)
