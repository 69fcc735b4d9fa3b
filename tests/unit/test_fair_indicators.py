"""FAIR indicators: what each one asks of a record, and what was not measured."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.geo import BBox
from core.names import Names, Variable
from core.record import Contact, Dates, Keyword, Link, Provenance, Record, Resolution
from core.timespan import TimeSpan
from search_api.catalogue.fair.indicators import (
    INDICATORS,
    IndicatorResult,
    Subject,
    is_persistent,
    is_unique,
    judge_all,
)
from search_api.catalogue.fair.reader import IndicatorCount, fair_summary
from search_api.catalogue.harvest_runs import LinkCheck

FILE = "https://data.example/t2m.nc"
BARE = Record("s:1", "s", "1", "")
FULL = Record(
    "s:10.5555/t2m", "s", "10.5555/t2m", "Air temperature", "Monthly means. " * 8,
    keywords=(Keyword("air temperature", uri="https://vocab.example/t2m"),),
    contacts=(Contact(organisation="Met Service", role="author"),),
    extents=(BBox(5.0, 45.0, 11.0, 48.0),), times=(TimeSpan(0, 1),), resolution=Resolution(metres=1000.0),
    provenance=Provenance("Interpolated from stations.", derived_from=("10.5555/stations",)),
    licence="CC-BY-4.0", links=(Link(FILE, "download"),), dates=Dates(published="2024"), formats=("NetCDF-4",),
    names=Names(variables=(Variable("t2m"),)), doi="10.5555/t2m", native_format="iso19139",
)  # fmt: skip


def found(record: Record, check: LinkCheck | None = None, written: int | None = 1) -> dict[str, IndicatorResult]:
    subject = Subject(record, written, check)
    return {one.id: each for one, each in zip(INDICATORS, judge_all(subject), strict=True)}


def holds(indicator: str, record: Record = BARE, **changed: Any) -> bool | None:
    return found(replace(record, **changed))[f"RDA-{indicator}"].holds


def test_a_complete_record_has_all_of_them_and_a_bare_one_none() -> None:
    assert {id for id, one in found(FULL, LinkCheck(5)).items() if not one.holds} == set()
    assert {id for id, one in found(BARE, LinkCheck(5)).items() if one.holds is not False} == {"RDA-A1-03D"}


def test_ids_are_the_models_and_each_says_what_to_improve() -> None:
    assert len({one.id for one in INDICATORS}) == len(INDICATORS)
    for one in INDICATORS:
        assert one.id.startswith(f"RDA-{one.principle}-")
        assert one.question.endswith("?")
        assert one.advice.endswith(".")


def test_the_page_says_the_same_in_english() -> None:
    words = json.loads((Path(__file__).parents[2] / "web/src/fair/words/en.json").read_text("utf-8"))
    for one in INDICATORS:
        assert words["questions"][one.id] == one.question
        assert words["advice"][one.id] == one.advice


@pytest.mark.parametrize(
    ("identifier", "persistent", "unique"),
    [
        ("10.5065/D68S4MVH", True, True),
        ("https://doi.org/10.1594/PANGAEA.1", True, True),
        ("hdl:11858/00-ZZZZ", True, True),
        ("ark:/67531/metapth346793", True, True),
        ("urn:nbn:de:101:1-2019", True, True),
        ("https://w3id.org/x/1", True, True),
        ("urn:x-wmo:md:int.wmo.wis::ISMF01", False, True),
        ("b4f3c5c2-0e3c-4d3a-9f5e-6b7d8e9f0a1b", False, True),
        ("{B4F3C5C2-0E3C-4D3A-9F5E-6B7D8E9F0A1B}", False, True),
        ("https://data.example/set/1", False, True),
        ("edu.ucar.gdex.d083002", False, True),
        ("gov.noaa.ncdc:C00835", False, True),
        ("oai:zenodo.org:12", False, True),
        ("oai:catalogue:12", False, False),
        ("era5", False, False),
        ("ds083.2", False, False),
        ("10.5/x", False, False),
    ],
)
def test_identifiers_are_persistent_or_only_unique(identifier: str, persistent: bool, unique: bool) -> None:
    assert (is_persistent(identifier), is_unique(identifier)) == (persistent, unique)


def test_rich_metadata_say_what_is_missing() -> None:
    assert found(replace(FULL, abstract="Short.", times=()))["RDA-F2-01M"] == IndicatorResult(
        False, ("abstract", "period")
    )


@pytest.mark.parametrize(
    ("indicator", "changed", "expected"),
    [
        ("F1-01D", {"links": (Link("https://hdl.handle.net/11858/1", "about"),)}, True),
        ("F1-01D", {"links": (Link("https://doi.org/10.5555/a-paper", "describedby"),)}, False),
        ("F3-01M", {"links": (Link(FILE, "download"),)}, True),
        ("A1-01M", {"links": (Link("https://data.example/p.png", "preview"),)}, False),
        ("A1-01M", {"constraints": ("On request.",), "contacts": (Contact(email="a@data.example"),)}, True),
        ("A1-04D", {"links": (Link("ftp://data.example/a.nc", "download"),)}, True),
        ("A1-04D", {"links": (Link("file:///data/a.nc", "download"),)}, False),
        ("A1-04D", {"links": (Link("https://data.example/page", "about"),)}, False),
        ("A1-05D", {"links": (Link(FILE, "download"),), "access": "restricted"}, False),
        ("I2-01M", {"keywords": (Keyword("Snow", "GEMET - INSPIRE themes, version 1.0"),)}, True),
        ("I2-01M", {"keywords": (Keyword("Snow", "Our own words"),)}, False),
        ("I2-01M", {"names": Names(variables=(Variable("tas", "air_temperature"),))}, True),
        ("I3-03M", {"parent": "campaign"}, True),
        ("I3-03M", {"links": (Link(FILE, "related", description="IsSupplementTo"),)}, True),
        ("I3-03M", {"links": (Link(FILE, "related", description="Is a map"),)}, False),
        ("R1.1-01M", {"constraints": ("Only for research.",)}, True),
        ("R1.1-02M", {"licence": "https://data.example/terms"}, False),
        ("R1.1-03M", {"licence": "https://data.example/terms"}, True),
        ("R1.1-03M", {"constraints": ("CC something",)}, False),
        ("R1.2-01M", {"provenance": Provenance("Measured by hand.")}, True),
        ("R1.2-01M", {"provenance": Provenance(attributed_to=("Met Service",))}, False),
        ("R1.2-02M", {"provenance": Provenance("Measured by hand.")}, False),
        ("R1.2-02M", {"provenance": Provenance(generated_by=("Interpolation",))}, True),
        ("R1.3-01M", {"native_format": "dublin-core"}, False),
        ("R1.3-01D", {"links": (Link(FILE, "download", media_type="application/x-netcdf"),)}, True),
        ("R1.3-01D", {"formats": ("Excel",)}, False),
    ],
)
def test_one_thing_decides(indicator: str, changed: dict[str, Any], expected: bool) -> None:
    assert holds(indicator) is False
    assert holds(indicator, **changed) is expected


def test_three_details_of_six_are_enough() -> None:
    three = {"formats": ("PDF",), "edition": "2", "dates": Dates(published="2024")}
    assert holds("R1-01M", **three) is True
    assert holds("R1-01M", **(three | {"edition": None})) is False


@pytest.mark.parametrize(
    ("check", "written", "expected"),
    [
        (None, 1, None),
        (LinkCheck(5), 1, True),
        (LinkCheck(5), 6, None),
        (LinkCheck(5), None, None),
        (LinkCheck(5, frozenset({FILE})), 6, False),
        (LinkCheck(5, frozenset({"https://data.example/other"}), names_all=False), 1, None),
    ],
)
def test_an_address_works_only_if_it_was_checked(
    check: LinkCheck | None, written: int | None, expected: bool | None
) -> None:
    assert found(FULL, check, written)["RDA-A1-03D"].holds is expected


def test_one_working_address_is_enough() -> None:
    two = replace(FULL, links=(*FULL.links, Link("https://data.example/mirror.nc", "download")))
    assert found(two, LinkCheck(5, frozenset({FILE})))["RDA-A1-03D"].holds is True


def test_counts_add_up_and_what_was_not_measured_is_apart() -> None:
    summary = fair_summary([Subject(FULL), Subject(FULL, 1, LinkCheck(5)), Subject(BARE)], records=10)
    by_id = dict(zip((one.id for one in INDICATORS), summary.counts, strict=True))
    assert (summary.records, summary.looked_at) == (10, 3)
    assert by_id["RDA-F1-01D"] == IndicatorCount(2, 1, 0)
    assert by_id["RDA-A1-03D"] == IndicatorCount(1, 0, 2)
