"""Every standard says the same of one data set, and fills exactly the fields that docs/stewards/formats.md promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.geo import BBox
from core.record import Record
from core.timespan import TimeSpan
from indexer.formats.field_table import field_sources, filled_fields, with_table
from indexer.formats.format import inspect
from indexer.formats.recognition import FORMATS, recognise
from indexer.formats.registry import read, reader_tag
from indexer.raw import RawRecord
from tests.unit.format_documents import (
    ABSTRACT,
    DATA,
    DOCUMENTS,
    DOI,
    INSTRUMENT,
    PLATFORM,
    PROJECT,
    TITLE,
    VARIABLE,
    VARIANTS,
)

DOC = Path(__file__).parents[2] / "docs" / "stewards" / "formats.md"
BOTH = [*DOCUMENTS.items(), *VARIANTS.items()]
IDS = [*DOCUMENTS, *(f"{name}, another" for name in VARIANTS)]


def _read(content: bytes) -> Record:
    return read(RawRecord("folder/file", content, "/x/folder/file"), "test")


def test_the_docs_hold_the_table_made_of_the_field_maps():
    text = DOC.read_text(encoding="utf-8")
    assert text == with_table(text), "write it anew: sonde formats --write docs/stewards/formats.md"


def test_every_reader_has_a_field_map_and_a_document():
    readers = set(FORMATS) - {"iso19115-2"}
    assert readers == set(field_sources()), "indexer/formats/fields.json has no other formats and leaves none out"
    assert readers == set(DOCUMENTS), "so does DOCUMENTS of tests/unit/format_documents.py"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_full_document_fills_what_the_map_says_and_nothing_else(name):
    found = filled_fields(_read(DOCUMENTS[name]))
    if name in VARIANTS:
        found |= filled_fields(_read(VARIANTS[name]))
    promised = set(field_sources()[name])
    assert found | {"type"} == promised | {"type"}  # a data set's type is the default


@pytest.mark.parametrize(("name", "content"), BOTH, ids=IDS)
def test_the_format_is_detected_by_content(name, content):
    assert recognise(content).format == name
    assert recognise(b"\n " + content).format == name
    assert reader_tag(RawRecord("x", content, "/x")) == f"{name}/{FORMATS[name].version}"


@pytest.mark.parametrize(("name", "content"), BOTH, ids=IDS)
def test_exactly_the_right_reader_recognises_it(name, content):
    assert [one.name for one in FORMATS.values() if one.recognises(inspect(content))] == [name]


@pytest.mark.parametrize(("name", "content"), BOTH, ids=IDS)
def test_title_abstract_box_and_period_are_the_same_whatever_the_standard(name, content):
    record = _read(content)
    facts = "\n\nVariables: rainfall (mm).\n\nFile: NetCDF-4, 1.2 kB." if name == "data-file" else ""
    assert (record.title, record.abstract) == (TITLE, ABSTRACT + facts)
    assert record.extents == (BBox(26, -26, 33, -21),)
    if content != DOCUMENTS["arcgis"]:  # an item has no word for a period; a service has
        assert [span.start_iso for span in record.times] == ["1990-01-01T00:00:00Z"]
    assert all((span.end_iso or "").startswith("2019-12-31T23:59:59") for span in record.times)
    assert record.warnings == ()


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name != "arcgis"])  # it has no word for a DOI
def test_doi_licence_access_and_data_are_the_same_whatever_the_standard(name):
    record = _read(DOCUMENTS[name])
    assert (record.doi, record.identity) == (DOI, DOI)
    assert record.licence == "CC-BY-4.0"
    assert record.access == ("open" if name == "stac" else "restricted")
    assert (record.provenance.kind, record.provenance.kind_source) == ("observation", "metadata")
    if name not in ("dublin-core", "datacite", "data-file"):  # they have no word for a download
        link = next(link for link in record.links if link.href == DATA)
        assert (link.rel, link.media_type) == ("download", "application/x-netcdf")


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name not in ("geoblacklight", "arcgis")])
def test_the_names_are_the_same_whatever_the_standard(name):
    names = _read(DOCUMENTS[name]).names
    assert names.platforms == (() if name == "eml" else (PLATFORM,))  # it has no word for a platform
    assert (names.instruments, names.projects) == ((INSTRUMENT,), (PROJECT,))
    assert [variable.name for variable in names.variables] == [VARIABLE]
    assert {variable.unit for variable in names.variables} <= {"mm", None}
    assert names.processing_level in ("L2", None)
    assert names.short_names in ((), ("LIMPOPO-RAIN",), ("za.rain",))


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name not in ("dublin-core", "echo10", "stac")])
def test_the_author_is_whom_the_data_are_attributed_to(name):
    assert "Thandi Nkosi" in _read(DOCUMENTS[name]).provenance.attributed_to


def test_the_end_of_a_period_may_be_open():
    cases = {
        "stac": (b'"end_datetime": "2019-12-31T23:59:59Z"', b'"end_datetime": null'),
        "ogc-record": (b'"2019-12-31"', b'".."'),
        "eml": (b"<calendarDate>2019-12-31", b"<calendarDate>"),
        "dif": (b"2019-12-31\n ", b""),
        "fgdc": (b"<enddate>20191231", b"<enddate>Present"),
        "dublin-core": (b"end=2019-12-31", b"end="),
        "schema.org": (b"1990-01-01/2019-12-31", b"1990-01-01/.."),
        "datacite": (b"1990-01-01/2019-12-31", b"1990-01-01/"),
        "ckan": (b'{"key": "temporal_end", "value": "2019-12-31"}', b'{"key": "x", "value": ""}'),
    }
    for name, (written, open_ended) in cases.items():
        assert written in DOCUMENTS[name], name
        record = _read(DOCUMENTS[name].replace(written, open_ended))
        assert record.times == (TimeSpan.from_iso("1990-01-01", None),), name
