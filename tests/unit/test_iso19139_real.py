"""The reader on real catalogues: every document is a record or a refusal, and some are known by heart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from core.geo import BBox
from core.record import Record
from core.timespan import TimeSpan
from indexer.formats.recognition import recognise
from indexer.formats.registry import read
from indexer.raw import RawRecord, RecordRefused
from indexer.sources.folder import FolderSource
from tests.shared_data import shared_data

EVERY = 20
UNUSUAL = (
    b"fieldSession", b">9999-", b"0001-01-01", b"<gmd:aggregationInfo", b"<gco:Distance", b"password", b"T2400",
    b"<gmd:EX_BoundingPolygon", b"<gmd:PT_FreeText", b"indeterminatePosition",
)  # fmt: skip
KNOWN = frozenset(
    {"rda/d010000.xml", "dash-eol-prod/100.023.xml", "dash-eol-prod/136.005.xml", "dash-eol-prod/102.000.xml"}
)


def _documents(archive: Path) -> Iterator[RawRecord]:
    for page in FolderSource(archive).pages():
        assert page.skipped == ()
        yield from page.records


@cache
def _sample() -> tuple[dict[str, Record], dict[str, str], int]:
    """Records and refusals of every twentieth NCAR document and of the unusual ones, and how many there are in all."""
    records, refused, seen = {}, {}, 0
    for name in ("ncar_eol_9206.tar.gz", "ncar_rda_1669.tar.gz"):
        for raw in _documents(shared_data("catalogues", name)):
            seen += 1
            if seen % EVERY and raw.native_id not in KNOWN and not any(mark in raw.content for mark in UNUSUAL):
                continue
            try:
                records[raw.native_id] = read(raw, "ncar")
            except RecordRefused as reason:
                refused[raw.native_id] = str(reason)
    return records, refused, seen


def _share(field: str) -> float:
    records, _, _ = _sample()
    return sum(bool(getattr(record, field)) for record in records.values()) / len(records)


def test_all_10875_documents_are_seen_and_none_of_the_sample_is_refused():
    records, refused, seen = _sample()
    assert seen == 10_875
    assert refused == {}
    assert len(records) > 600


def test_ids_are_unique_and_fit_for_a_url():
    records, _, _ = _sample()
    ids = {record.id for record in records.values()}
    assert len(ids) == len(records)
    assert all(len(one) <= 400 and one.isascii() for one in ids)


@pytest.mark.parametrize(
    ("field", "least"),
    [("title", 1), ("abstract", 1), ("keywords", 1), ("contacts", 1), ("extents", 0.85), ("times", 0.95), ("doi", 0.9)],
)
def test_what_the_records_hold(field, least):
    assert _share(field) >= least


def test_every_warning_says_which_field_it_is_about():
    records, _, _ = _sample()
    fields = {warning.partition(":")[0] for record in records.values() for warning in record.warnings}
    assert fields <= {"time", "extent", "resolution", "links", "dates", "vertical", "type", "title", "abstract", "xml"}


def test_a_station_of_the_energy_balance_experiment():
    record = _sample()[0]["dash-eol-prod/136.005.xml"]
    assert record.id == "ncar:edu.ucar.eol::136.005"
    assert record.title == "NCAR/EOL Low-rate Quality Controlled ISFF data"
    assert record.alternate_titles == ("136.005",)
    assert (record.doi, record.identity) == ("10.5065/d64b2zqc", "10.5065/d64b2zqc")
    assert record.extents == (BBox(-119.8, 36.2, -119.8, 36.2),)
    assert record.times == (TimeSpan.from_iso("2000-08-01T00:00:00Z", "2000-08-25T23:59:59Z"),)
    assert record.themes == ("climatologyMeteorologyAtmosphere",)
    assert record.formats == ("NetCDF: Network Common Data Form (application/x-netcdf)",)
    assert (record.dates.published, record.dates.metadata) == ("2017-04-11T19:00:25Z", "2025-10-07T21:45:04Z")
    assert (record.languages, record.licence, record.constraints, record.access) == (("en",), None, (), "open")
    assert ("Steve Oncley", "originator", "oncley@ucar.edu") in {(c.name, c.role, c.email) for c in record.contacts}
    assert ("Flux Tower", None) in {(k.term, k.vocabulary) for k in record.keywords}
    manual = next(link for link in record.links if link.href.endswith("readme.EBEX.isfs.pdf"))
    assert (manual.rel, manual.media_type) == ("describedby", "application/pdf")


def test_daily_pressure_grids_with_times_of_their_own_fashion():
    record = _sample()[0]["rda/d010000.xml"]
    assert record.title == "Daily Northern Hemisphere Sea Level Pressure Grids, continuing from 1899"
    assert record.extents == (BBox(-180, 15, 180, 90),)
    assert record.times == (TimeSpan.from_iso("1899-01-01T13:00:00Z", "2026-08-21T12:00Z"),)
    assert record.resolution.metres == pytest.approx(5 * 111_319.49, abs=0.01)
    assert (record.doi, record.licence) == ("10.5065/7nb6-rj33", "CC-BY-4.0")
    assert "time: 1899-01-01T1300+00 read as 1899-01-01T13:00+00:00" in record.warnings


def test_a_network_that_goes_on_has_an_open_end():
    record = _sample()[0]["dash-eol-prod/100.023.xml"]
    assert record.extents == (BBox(-180, 17, -60, 72),)
    assert record.times == (TimeSpan.from_iso("2012-12-31T17:00:00Z", None),)
    assert record.warnings == ("time: end 9999 read as open",)


def test_a_field_session_and_a_part_of_it():
    records = _sample()[0]
    assert records["dash-eol-prod/102.000.xml"].type == "fieldSession"
    assert records["dash-eol-prod/102.001.xml"].parent == "edu.ucar.eol::102.000"


@cache
def _fixtures() -> tuple[dict[str, Record], dict[str, str]]:
    records, refused = {}, {}
    for raw in _documents(shared_data("catalogues", "format_fixtures.tar.gz")):
        if recognise(raw.content).format not in ("iso19139", "iso19115-2"):
            continue
        try:
            records[raw.native_id] = read(raw, "fixtures")
        except RecordRefused as reason:
            refused[raw.native_id] = str(reason)
    return records, refused


def test_the_iso_fixtures_of_other_projects_are_all_read():
    records, refused = _fixtures()
    parted = Counter(name.partition("#")[0].rpartition("/")[2] for name in records if "#" in name)
    assert len(records) - parted.total() == 69
    assert parted == {"inspire-getrecords-response.xml": 2, "get_ListRecords_iso19139.xml": 10}  # files of several
    assert refused == {}
    assert all(record.title for record in records.values())


def test_a_swiss_profile_with_polygons_and_three_languages():
    records, _ = _fixtures()
    record = next(found for name, found in records.items() if name.endswith("iso_che.xml"))
    assert (record.title, record.languages) == ("Gewässerschutzkarte", ("de",))
    assert record.geometry is not None
    assert record.extents[0].west == pytest.approx(8.396, abs=1e-3)


def test_a_german_service_is_restricted():
    records, _ = _fixtures()
    record = next(found for name, found in records.items() if name.endswith("iso19139_srv.xml"))
    assert (record.type, record.access, record.languages) == ("service", "restricted", ("de",))
