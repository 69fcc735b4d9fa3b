"""RDA's FAIR data maturity model (https://doi.org/10.15497/rda00050): the indicators that metadata can answer. Pure.

Left out: those of the data themselves, of the repository's promises, and those that Sonde gives to every record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from core.record import Record
from search_api.catalogue.fair import evidence
from search_api.catalogue.link_checks import LinkCheck

MODEL = "https://doi.org/10.15497/rda00050"

Priority = Literal["essential", "important", "useful"]


@dataclass(frozen=True, slots=True)
class Subject:
    """A record, when it was written (ms since 1970), and the last check of its source's links."""

    record: Record
    written: int | None = None
    check: LinkCheck | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """``holds``: None if it was not measured. ``lacks``: what is missing, where there are several things."""

    holds: bool | None
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Indicator:
    """``id``: the model's. ``mend``: what a publisher does where it does not hold, in one sentence."""

    id: str
    priority: Priority
    question: str
    mend: str
    judge: Callable[[Subject], Judgement]

    @property
    def principle(self) -> str:
        """The principle of FAIR: ``R1.1`` of ``RDA-R1.1-02M``."""
        return self.id.split("-")[1]


def _record(holds: Callable[[Record], bool]) -> Callable[[Subject], Judgement]:
    return lambda subject: Judgement(holds(subject.record))


def _discovery(subject: Subject) -> Judgement:
    lacks = evidence.lacking_for_discovery(subject.record)
    return Judgement(not lacks, lacks)


def _reuse(subject: Subject) -> Judgement:
    lacks = evidence.lacking_for_reuse(subject.record)
    return Judgement(_REUSE_DETAILS - len(lacks) >= evidence.ENOUGH_DETAILS, lacks)


def _resolves(subject: Subject) -> Judgement:
    """One address that works is enough; without any that was checked, it is not measured."""
    if subject.check is None:
        return Judgement(None)
    found = [subject.check.works(link.href, subject.written) for link in evidence.data_links(subject.record)]
    if any(found):
        return Judgement(True)
    return Judgement(False if found and None not in found else None)


_REUSE_DETAILS = 6

INDICATORS: tuple[Indicator, ...] = (
    Indicator(
        "RDA-F1-01M", "essential", "Do the metadata have a persistent identifier?",
        "Register the metadata record under a DOI, Handle, ARK or permanent address, and use it as its identifier.",
        _record(lambda record: evidence.is_persistent(record.identifier)),
    ),
    Indicator(
        "RDA-F1-01D", "essential", "Do the data have a persistent identifier?",
        "Register a DOI or Handle for the data and name it in the metadata.",
        _record(evidence.names_the_data_forever),
    ),
    Indicator(
        "RDA-F1-02M", "essential", "Is the metadata's identifier unique in the world?",
        "Use a UUID, a persistent identifier, or one that begins with your domain.",
        _record(lambda record: evidence.is_unique(record.identifier)),
    ),
    Indicator(
        "RDA-F2-01M", "essential", "Are the metadata rich enough to be found?",
        f"Complete title, abstract ({evidence.LONG_ENOUGH} characters or more), keywords, extent, period and contact.",
        _discovery,
    ),
    Indicator(
        "RDA-F3-01M", "essential", "Do the metadata name the data by identifier or address?",
        "Add the DOI of the data, or a link to the files or the service.",
        _record(lambda record: evidence.names_the_data_forever(record) or bool(evidence.data_links(record))),
    ),
    Indicator(
        "RDA-A1-01M", "important", "Do the metadata say how to get the data?",
        "Add a landing page, a download or a service, or the conditions and a mail address to ask.",
        _record(evidence.says_how_to_get_it),
    ),
    Indicator(
        "RDA-A1-03D", "essential", "Does an address of the data work?",
        "Correct the links to files and services that led nowhere at the last link check.",
        _resolves,
    ),
    Indicator(
        "RDA-A1-04D", "essential", "Can the data be fetched by a standard protocol?",
        "Link the files or the service by HTTP or FTP, and mark the link as a download or service.",
        _record(lambda record: bool(evidence.by_standard_protocol(record))),
    ),
    Indicator(
        "RDA-A1-05D", "important", "Can a program fetch the data without a person's help?",
        "Link the files or the service directly, without a form or an order, and open the access if you can.",
        _record(lambda record: record.access == "open" and bool(evidence.by_standard_protocol(record))),
    ),
    Indicator(
        "RDA-I2-01M", "important", "Do keywords come from a shared vocabulary?",
        "Take keywords from a vocabulary such as GCMD, GEMET or CF, and give its title or the addresses of the terms.",
        _record(evidence.uses_a_vocabulary),
    ),
    Indicator(
        "RDA-I3-03M", "important", "Do the metadata refer to other metadata, and say how they are related?",
        "Name the series, the sources, other versions or a document about the data, each with its relation.",
        _record(evidence.refers_with_a_relation),
    ),
    Indicator(
        "RDA-R1-01M", "essential", "Do the metadata describe the data in enough detail for reuse?",
        "State at least three of: variables, platform or instrument, resolution, format, version, date.",
        _reuse,
    ),
    Indicator(
        "RDA-R1.1-01M", "essential", "Do the metadata say under which terms the data can be used?",
        "State the licence, or the conditions of use.",
        _record(evidence.has_terms_of_use),
    ),
    Indicator(
        "RDA-R1.1-02M", "important", "Is it a standard licence?",
        "Choose a known licence, for example CC BY 4.0, and write its name with its version.",
        _record(evidence.has_standard_licence),
    ),
    Indicator(
        "RDA-R1.1-03M", "important", "Can a program read the licence?",
        "Write the licence as its SPDX identifier or its address, not in a sentence.",
        _record(evidence.has_licence_for_machines),
    ),
    Indicator(
        "RDA-R1.2-01M", "important", "Do the metadata say how the data were made?",
        "Describe the lineage: from what, by which method, with which processing.",
        _record(evidence.says_where_it_comes_from),
    ),
    Indicator(
        "RDA-R1.2-02M", "useful", "Is the origin written in a form that programs can follow?",
        "Name the sources and processing steps as elements of the lineage, not only in a text.",
        _record(evidence.links_its_origin),
    ),
    Indicator(
        "RDA-R1.3-01M", "essential", "Do the metadata follow a standard of a community?",
        "Publish the metadata in a standard for geodata, such as ISO 19115, DCAT-AP, STAC or DataCite.",
        _record(evidence.is_described_by_a_standard),
    ),
    Indicator(
        "RDA-R1.3-01D", "essential", "Are the data in a format that a community uses?",
        "State the format, and offer the data as NetCDF, GeoTIFF, Zarr, GeoPackage or another format of your field.",
        _record(evidence.has_a_format_of_a_community),
    ),
)  # fmt: skip


def judged(subject: Subject) -> tuple[Judgement, ...]:
    """In the order of INDICATORS."""
    return tuple(one.judge(subject) for one in INDICATORS)
