"""What a record's metadata show of findability, access, interoperability and reuse. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from core.record import Link, Record
from search_api.catalogue.harvest_runs import LinkCheck
from search_api.formats_out.notations import split_address

LONG_ENOUGH = 100
"""Characters of an abstract that says something."""
ENOUGH_DETAILS = 3

_TO_DATA = frozenset(("download", "enclosure", "item", "data", "service"))
_NO_WAY = frozenset(("preview", "license", "describedby", "cite-as"))
_WEB = ("http", "https")
_STANDARD_PROTOCOLS = frozenset((*_WEB, "ftp", "ftps", "sftp"))
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

MODEL = "https://doi.org/10.15497/rda00050"
Priority = Literal["essential", "important", "useful"]
_REUSE_DETAILS = 6


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
    return tuple(link for link in data_links(record) if split_address(link.href).scheme in _STANDARD_PROTOCOLS)


def says_how_to_get_it(record: Record) -> bool:
    """A way to the data, or a person to ask for them and the conditions."""
    if any(link.rel not in _NO_WAY for link in record.links):
        return True
    return bool(record.constraints) and any(contact.email for contact in record.contacts)


def lacking_for_discovery(record: Record) -> tuple[str, ...]:
    """Of title, abstract, keywords, extent, period and contact, what is not there."""
    values = {
        "title": record.title,
        "abstract": len(record.abstract) >= LONG_ENOUGH,
        "keywords": record.keywords,
        "extent": record.extents or record.geometry,
        "period": record.times,
        "contact": record.contacts,
    }
    return tuple(name for name, value in values.items() if not value)


def lacking_for_reuse(record: Record) -> tuple[str, ...]:
    """Of what a person needs to judge the data, what is not there."""
    values = {
        "variables": record.names.variables,
        "platform": record.names.platforms or record.names.instruments,
        "resolution": any((record.resolution.metres, record.resolution.scale_denominator, record.resolution.time_step)),
        "format": record.formats,
        "version": record.edition,
        "date": record.dates.published or record.dates.created or record.dates.modified,
    }
    return tuple(name for name, value in values.items() if not value)


def uses_a_vocabulary(record: Record) -> bool:
    """A term with an address, of a known vocabulary, or a standard name of CF."""
    return any(
        term.uri is not None or (term.vocabulary is not None and _VOCABULARY.search(term.vocabulary) is not None)
        for term in record.keywords
    ) or any(term.standard_name for term in record.names.variables)


def refers_with_a_relation(record: Record) -> bool:
    """To its series, its sources, another version, or a document about it."""
    if record.parent is not None or record.provenance.derived_from:
        return True
    return any(
        link.rel in _QUALIFIED or _RELATION_OF_DATACITE.fullmatch(link.description or "") for link in record.links
    )


def has_standard_licence(record: Record) -> bool:
    """A harvest writes a licence that it knows as its identifier in SPDX."""
    return record.licence is not None and _SPDX.fullmatch(record.licence) is not None


def links_its_origin(record: Record) -> bool:
    """To sources or processing steps; attributions do not count, since each contact makes one."""
    return bool(record.provenance.derived_from or record.provenance.generated_by)


def _formats(record: Record) -> Iterator[str]:
    yield from record.formats
    for link in data_links(record):
        yield from (text for text in (link.media_type, link.protocol, link.name) if text)


@dataclass(frozen=True, slots=True)
class Subject:
    """A record, when it was written (ms since 1970), and the last check of its source's links."""

    record: Record
    written: int | None = None
    check: LinkCheck | None = None


@dataclass(frozen=True, slots=True)
class IndicatorResult:
    """``holds``: None if it was not measured. ``lacks``: what is missing, where there are several things."""

    holds: bool | None
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Indicator:
    """``id``: the model's. ``advice``: what a publisher does where it does not hold, in one sentence."""

    id: str
    priority: Priority
    question: str
    advice: str
    judge: Callable[[Subject], IndicatorResult]

    @property
    def principle(self) -> str:
        """The principle of FAIR: ``R1.1`` of ``RDA-R1.1-02M``."""
        return self.id.split("-")[1]


def _record(holds: Callable[[Record], bool]) -> Callable[[Subject], IndicatorResult]:
    return lambda subject: IndicatorResult(holds(subject.record))


def _discovery(subject: Subject) -> IndicatorResult:
    lacks = lacking_for_discovery(subject.record)
    return IndicatorResult(not lacks, lacks)


def _reuse(subject: Subject) -> IndicatorResult:
    lacks = lacking_for_reuse(subject.record)
    return IndicatorResult(_REUSE_DETAILS - len(lacks) >= ENOUGH_DETAILS, lacks)


def _resolves(subject: Subject) -> IndicatorResult:
    """One address that works is enough; without any that was checked, it is not measured."""
    if subject.check is None:
        return IndicatorResult(None)
    results = [subject.check.works(link.href, subject.written) for link in data_links(subject.record)]
    if any(results):
        return IndicatorResult(True)
    return IndicatorResult(False if results and None not in results else None)


INDICATORS: tuple[Indicator, ...] = (
    Indicator(
        "RDA-F1-01M", "essential", "Do the metadata have a persistent identifier?",
        "Register the metadata record under a DOI, Handle, ARK or permanent address, and use it as its identifier.",
        _record(lambda record: is_persistent(record.identifier)),
    ),
    Indicator(
        "RDA-F1-01D", "essential", "Do the data have a persistent identifier?",
        "Register a DOI or Handle for the data and name it in the metadata.",
        _record(names_the_data_forever),
    ),
    Indicator(
        "RDA-F1-02M", "essential", "Is the metadata's identifier unique in the world?",
        "Use a UUID, a persistent identifier, or one that begins with your domain.",
        _record(lambda record: is_unique(record.identifier)),
    ),
    Indicator(
        "RDA-F2-01M", "essential", "Are the metadata rich enough to be found?",
        f"Complete title, abstract ({LONG_ENOUGH} characters or more), keywords, extent, period and contact.",
        _discovery,
    ),
    Indicator(
        "RDA-F3-01M", "essential", "Do the metadata name the data by identifier or address?",
        "Add the DOI of the data, or a link to the files or the service.",
        _record(lambda record: names_the_data_forever(record) or bool(data_links(record))),
    ),
    Indicator(
        "RDA-A1-01M", "important", "Do the metadata say how to get the data?",
        "Add a landing page, a download or a service, or the conditions and a mail address to ask.",
        _record(says_how_to_get_it),
    ),
    Indicator(
        "RDA-A1-03D", "essential", "Does an address of the data work?",
        "Correct the links to files and services that led nowhere at the last link check.",
        _resolves,
    ),
    Indicator(
        "RDA-A1-04D", "essential", "Can the data be fetched by a standard protocol?",
        "Link the files or the service by HTTP or FTP, and mark the link as a download or service.",
        _record(lambda record: bool(by_standard_protocol(record))),
    ),
    Indicator(
        "RDA-A1-05D", "important", "Can a program fetch the data without a person's help?",
        "Link the files or the service directly, without a form or an order, and open the access if you can.",
        _record(lambda record: record.access == "open" and bool(by_standard_protocol(record))),
    ),
    Indicator(
        "RDA-I2-01M", "important", "Do keywords come from a shared vocabulary?",
        "Take keywords from a vocabulary such as GCMD, GEMET or CF, and give its title or the addresses of the terms.",
        _record(uses_a_vocabulary),
    ),
    Indicator(
        "RDA-I3-03M", "important", "Do the metadata refer to other metadata, and say how they are related?",
        "Name the series, the sources, other versions or a document about the data, each with its relation.",
        _record(refers_with_a_relation),
    ),
    Indicator(
        "RDA-R1-01M", "essential", "Do the metadata describe the data in enough detail for reuse?",
        "State at least three of: variables, platform or instrument, resolution, format, version, date.",
        _reuse,
    ),
    Indicator(
        "RDA-R1.1-01M", "essential", "Do the metadata say under which terms the data can be used?",
        "State the licence, or the conditions of use.",
        _record(lambda record: record.licence is not None or bool(record.constraints)),
    ),
    Indicator(
        "RDA-R1.1-02M", "important", "Is it a standard licence?",
        "Choose a known licence, for example CC BY 4.0, and write its name with its version.",
        _record(has_standard_licence),
    ),
    Indicator(
        "RDA-R1.1-03M", "important", "Can a program read the licence?",
        "Write the licence as its SPDX identifier or its address, not in a sentence.",
        _record(lambda record: has_standard_licence(record) or split_address(record.licence or "").scheme in _WEB),
    ),
    Indicator(
        "RDA-R1.2-01M", "important", "Do the metadata say how the data were made?",
        "Describe the lineage: from what, by which method, with which processing.",
        _record(lambda record: bool(record.provenance.lineage) or links_its_origin(record)),
    ),
    Indicator(
        "RDA-R1.2-02M", "useful", "Is the origin written in a form that programs can follow?",
        "Name the sources and processing steps as elements of the lineage, not only in a text.",
        _record(links_its_origin),
    ),
    Indicator(
        "RDA-R1.3-01M", "essential", "Do the metadata follow a standard of a community?",
        "Publish the metadata in a standard for geodata, such as ISO 19115, DCAT-AP, STAC or DataCite.",
        _record(lambda record: record.native_format in _OF_A_COMMUNITY),
    ),
    Indicator(
        "RDA-R1.3-01D", "essential", "Are the data in a format that a community uses?",
        "State the format, and offer the data as NetCDF, GeoTIFF, Zarr, GeoPackage or another format of your field.",
        _record(lambda record: any(_FORMAT_OF_A_COMMUNITY.search(text) for text in _formats(record))),
    ),
)  # fmt: skip


def judge_all(subject: Subject) -> tuple[IndicatorResult, ...]:
    """In the order of INDICATORS."""
    return tuple(indicator.judge(subject) for indicator in INDICATORS)
