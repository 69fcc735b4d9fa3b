"""The names in real records of three catalogues."""

from __future__ import annotations

import tarfile

from core.names import Variable
from core.record import Record
from core.record_keys import keys_of
from indexer.formats.registry import read
from indexer.raw import RawRecord
from search_api.catalogue.view import article
from search_api.formats_out import schema_org, stac
from tests.shared_data import shared_data

_APISO = "format_fixtures/pycsw/tests/functionaltests/suites/apiso/data/"


def _real(archive: str, name: str) -> Record:
    with tarfile.open(shared_data("catalogues", archive)) as opened:
        member = opened.extractfile(name)
        assert member is not None
        return read(RawRecord(name, member.read(), name), "test")


def test_lists_of_gcmd_that_a_thesaurus_names_in_its_details() -> None:
    record = _real("ncar_rda_1669.tar.gz", "rda/d083002.xml")
    names = record.names
    assert names.short_names == ("d083002",)
    assert names.platforms == ("MODELS", "NCEP-FNL")
    assert names.projects == ("WRF",)
    assert Variable("GEOPOTENTIAL HEIGHT") in names.variables
    assert {"d083002", "ncepfnl", "wrf"} <= set(keys_of(record))


def test_bands_with_standard_names_and_units() -> None:
    names = _real("format_fixtures.tar.gz", f"{_APISO}pacioos-NS06agg.xml").names
    assert Variable("Temperature", "sea_water_temperature", "Celsius") in names.variables
    assert "Pacific Islands Ocean Observing System (PacIOOS)" in names.projects


def test_acquisition_and_level_of_a_scene() -> None:
    names = _real("format_fixtures.tar.gz", f"{_APISO}iso_19115-2_Sentinel-2-scene.xml").names
    assert names.platforms == ("Sentinel-2B",)
    assert names.instruments
    assert names.processing_level == "L2A"


def test_what_was_read_is_written_again() -> None:
    scene = _real("format_fixtures.tar.gz", f"{_APISO}iso_19115-2_Sentinel-2-scene.xml")
    item = stac.item(scene, None, [])
    assert (item["properties"]["platform"], item["properties"]["processing:level"]) == ("Sentinel-2B", "L2A")
    assert any("/processing/" in schema for schema in item["stac_extensions"])
    assert "<dt>Platforms</dt><dd>Sentinel-2B</dd>" in article(scene)
    buoy = _real("format_fixtures.tar.gz", f"{_APISO}pacioos-NS06agg.xml")
    measured = schema_org.dataset(buoy, "https://e.org/r")["variableMeasured"]
    assert {"@type": "PropertyValue", "name": "Temperature", "alternateName": "sea_water_temperature",
            "unitText": "Celsius"} in measured  # fmt: skip
