"""What a record's metadata show of findability, access, interoperability and reuse. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from core.record import Link, Record

LONG_ENOUGH = 100
"""Characters of an abstract that says something."""
ENOUGH_DETAILS = 3

_TO_DATA = frozenset(("download", "enclosure", "item", "data", "service"))
_NO_WAY = frozenset(("preview", "license", "describedby", "cite-as"))
_STANDARD_PROTOCOLS = frozenset(("http", "https", "ftp", "ftps", "sftp"))
_QUALIFIED = frozenset(
    (
        "cite-as",
        "describedby",
        "latest-version",
        "predecessor-version",
        "successor-version",
        "up",
        "via",
        "working-copy",
    )
)
_PERSISTENT = re.compile(
    r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?10\.\d{4,9}/\S+"
    r"|(?:https?://hdl\.handle\.net/|hdl:)\d+(?:\.\d+)*/\S+"
    r"|(?:https?://[^/\s]+/)?ark:/?\d{5,9}/\S+"
    r"|urn:(?:nbn|isbn|issn|lsid|oid):\S+"
    r"|https?://(?:(?:www\.)?purl\.org|w3id\.org|n2t\.net|identifiers\.org|igsn\.org)/\S+",
    re.IGNORECASE,
)
_UUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_WITH_A_DOMAIN = re.compile(r"(?:oai:)?[a-z]{2,}(?:\.[\w-]+){2,}(?:[:/].+)?|oai:[\w.-]+\.[a-z]{2,}:.+", re.IGNORECASE)
_RELATION_OF_DATACITE = re.compile(r"(?:Is|Has)[A-Z]\w+|Cites|References|Documents|Compiles|Continues|Obsoletes")
_SPDX = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")
_VOCABULARY = re.compile(
    r"\b(?:GCMD|Global Change Master Directory|GEMET|INSPIRE|AGROVOC|EuroVoc|ENVO|ChEBI|SWEET|WoRMS|ITIS|EnvThes|LTER"
    r"|NERC|NVS|SeaVoX|BODC|SeaDataNet|CF Standard Names?|Climate and Forecast|ISO ?19115|ISO ?3166|GeoNames|Getty|TGN"
    r"|LCSH|Library of Congress|Marine Regions|UNESCO|WMO|WIGOS|data-theme)\b",
    re.IGNORECASE,
)
_FORMAT_OF_A_COMMUNITY = re.compile(
    r"net-?cdf|\bcdf\b|\bnc4?\b|grib|\bbufr\b|\bhdf|zarr|geo-?tiff|\bcog\b|cloud.optimi[sz]ed|geo-?package|gpkg|shape-?file"
    r"|\bshp\b|geo-?json|\bkm[lz]\b|\bgml\b|city-?gml|\blas\b|\blaz\b|seg-?y|mini-?seed|\bsac\b|geo-?parquet|icartt|nasa.ames"
    r"|\bodim\b|odv|\bfits\b|\bgpx\b|flat-?geobuf|\bsafe\b|\bdwc|darwin core|opendap|\bwms\b|\bwfs\b|\bwcs\b|\bwmts\b"
    r"|sensorthings|\brinex\b|ncep|cf.compliant",
    re.IGNORECASE,
)
_OF_A_COMMUNITY = frozenset(
    ("datacite", "dcat", "dif", "echo10", "eml", "fgdc", "geoblacklight", "iso19115-2", "iso19115-3", "iso19139",
     "ogc-record", "stac", "umm-c")
)  # fmt: skip
"""Formats of metadata: not Dublin Core, schema.org and CKAN's own, which say too little of geodata."""


def is_persistent(identifier: str) -> bool:
    """DOI, Handle, ARK, a persistent URN, or an address of a service of permanent addresses."""
    return _PERSISTENT.fullmatch(identifier.strip()) is not None


def is_unique(identifier: str) -> bool:
    """Persistent, or with a UUID, an address, a URN, or the name of a domain."""
    text = identifier.strip()
    return (
        is_persistent(text)
        or _UUID.search(text) is not None
        or text.lower().startswith(("http://", "https://", "urn:"))
        or _WITH_A_DOMAIN.fullmatch(text) is not None
    )


def names_the_data_forever(record: Record) -> bool:
    return (
        record.doi is not None
        or is_persistent(record.identifier)
        or any(link.rel == "about" and is_persistent(link.href) for link in record.links)
    )


def data_links(record: Record) -> tuple[Link, ...]:
    """Links to files and services of the data."""
    return tuple(link for link in record.links if link.rel in _TO_DATA)


def by_standard_protocol(record: Record) -> tuple[Link, ...]:
    return tuple(link for link in data_links(record) if _scheme(link.href) in _STANDARD_PROTOCOLS)


def says_how_to_get_it(record: Record) -> bool:
    """A way to the data, or a person to ask for them and the conditions."""
    if any(link.rel not in _NO_WAY for link in record.links):
        return True
    return bool(record.constraints) and any(contact.email for contact in record.contacts)


def lacking_for_discovery(record: Record) -> tuple[str, ...]:
    """Of title, abstract, keywords, extent, period and contact, what is not there."""
    there = {
        "title": record.title,
        "abstract": len(record.abstract) >= LONG_ENOUGH,
        "keywords": record.keywords,
        "extent": record.extents or record.geometry,
        "period": record.times,
        "contact": record.contacts,
    }
    return tuple(what for what, found in there.items() if not found)


def lacking_for_reuse(record: Record) -> tuple[str, ...]:
    """Of what a person needs to judge the data, what is not there."""
    there = {
        "variables": record.names.variables,
        "platform": record.names.platforms or record.names.instruments,
        "resolution": any((record.resolution.metres, record.resolution.scale_denominator, record.resolution.time_step)),
        "format": record.formats,
        "version": record.edition,
        "date": record.dates.published or record.dates.created or record.dates.modified,
    }
    return tuple(what for what, found in there.items() if not found)


def uses_a_vocabulary(record: Record) -> bool:
    """A term with an address, of a known vocabulary, or a standard name of CF."""
    return any(
        one.uri is not None or (one.vocabulary is not None and _VOCABULARY.search(one.vocabulary) is not None)
        for one in record.keywords
    ) or any(one.standard_name for one in record.names.variables)


def refers_with_a_relation(record: Record) -> bool:
    """To its series, its sources, another version, or a document about it."""
    if record.parent is not None or record.provenance.derived_from:
        return True
    return any(
        link.rel in _QUALIFIED or _RELATION_OF_DATACITE.fullmatch(link.description or "") for link in record.links
    )


def has_terms_of_use(record: Record) -> bool:
    return record.licence is not None or bool(record.constraints)


def has_standard_licence(record: Record) -> bool:
    """A harvest writes a licence that it knows as its identifier in SPDX."""
    return record.licence is not None and _SPDX.fullmatch(record.licence) is not None


def has_licence_for_machines(record: Record) -> bool:
    return has_standard_licence(record) or _scheme(record.licence or "") in ("http", "https")


def says_where_it_comes_from(record: Record) -> bool:
    return bool(record.provenance.lineage) or links_its_origin(record)


def links_its_origin(record: Record) -> bool:
    """To sources or processing steps; attributions do not count, since each contact makes one."""
    return bool(record.provenance.derived_from or record.provenance.generated_by)


def is_described_by_a_standard(record: Record) -> bool:
    return record.native_format in _OF_A_COMMUNITY


def has_a_format_of_a_community(record: Record) -> bool:
    return any(_FORMAT_OF_A_COMMUNITY.search(text) for text in _formats(record))


def _formats(record: Record) -> Iterator[str]:
    yield from record.formats
    for link in data_links(record):
        yield from (text for text in (link.media_type, link.protocol, link.name) if text)


def _scheme(address: str) -> str:
    try:
        return urlsplit(address).scheme.lower()
    except ValueError:
        return ""
