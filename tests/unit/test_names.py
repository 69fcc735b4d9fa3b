"""Names and their keys: what is a short name, how paths and levels are read, by which keys a record is found."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.names import Names, Variable, name_key
from core.record import Record
from core.record_keys import LONGEST_KEY, MOST_KEYS, keys_of
from indexer.formats.registry import read
from indexer.formats.repair.names import NameCollector, is_short_name, kind_of_vocabulary
from indexer.raw import RawRecord


def _record(names: Names = Names(), **said: object) -> Record:  # noqa: B008  # frozen
    return Record(**{"id": "s:a", "source": "s", "identifier": "a", "title": "T", "names": names, **said})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("MOD11_L2", "mod11l2"),
        ("mod11 l2", "mod11l2"),
        ("Sentinel-1", "sentinel1"),
        ("ds083.2", "ds0832"),
        ("Météo-France", "meteofrance"),
        ("ＧＰＭ", "gpm"),
        ("—", ""),
    ],
)
def test_a_key_has_letters_and_digits_only(text: str, key: str) -> None:
    assert name_key(text) == key


@given(st.text())
def test_the_key_of_a_key_is_itself_and_separators_do_not_count(text: str) -> None:
    key = name_key(text)
    assert name_key(key) == key
    assert name_key(f" {text}_-") == key


def test_keys_are_short_names_with_versions_then_titles_identifiers_and_what_made_the_data() -> None:
    names = Names(
        short_names=("MOD11_L2",),
        platforms=("Terra", "Integrated Sounding System - ISS"),
        instruments=("MODIS",),
        projects=("Pacific Islands Ocean Observing System (PacIOOS)",),
        variables=(Variable("land surface temperature"),),
    )
    record = _record(
        names,
        identifier="gov.nasa.echo:C1000000240",
        edition="V006",
        alternate_titles=("LST", "Land temperature", "82.061"),
        doi="10.5067/modis/mod11_l2.006",
    )
    assert keys_of(record) == (
        "mod11l2", "mod11l2006", "mod11l26", "lst", "82061", "govnasaechoc1000000240", "c1000000240",
        "105067modismod11l2006", "terra", "integratedsoundingsystemiss", "iss", "modis",
        "pacificislandsoceanobservingsystempacioos", "pacioos",
    )  # fmt: skip


def test_keys_are_few_and_short() -> None:
    record = _record(Names(platforms=tuple(f"P{number}" for number in range(500)), instruments=("x" * 500,)))
    assert len(keys_of(record)) == MOST_KEYS
    assert max(map(len, keys_of(record))) <= LONGEST_KEY


@pytest.mark.parametrize(
    "text", ["MOD11_L2", "ERA5", "d083002", "SST", "AIRIBRAD_NRT", "GPM_3IMERGHH.06", "sentinel-2-l2a"]
)
def test_short_names(text: str) -> None:
    assert is_short_name(text)


@pytest.mark.parametrize(
    "text",
    ["82.061", "Radar", "two words", "", "10.5067/X1", "https://e.org/X1", "4bc9b901-1e48-4afd-a01a-cc80e40c35b8",
     "FR-120066022-LDD-4bc9b901-1e48-4afd-a01a-cc80e40c35b8", "d41d8cd98f00b204e9800998ecf8427e"],
)  # fmt: skip
def test_numbers_words_and_identifiers_of_machines_are_no_short_names(text: str) -> None:
    assert not is_short_name(text)


@pytest.mark.parametrize(
    ("vocabulary", "kind"),
    [
        ("Global Change Master Directory (GCMD) Platform Keywords", "platform"),
        ("AODN Instrument Vocabulary", "instrument"),
        ("GCMD Project Keywords", "project"),
        ("NASA/GCMD Earth Science Keywords", "science keyword"),
        ("http://www.cgd.ucar.edu/cms/eaton/cf-metadata/standard_name.html", "standard name"),
        ("CF-1.4", "standard name"),
        ("AtlantOS Essential Variables", "variable"),
        ("GEMET - INSPIRE themes, version 1.0", None),
    ],
)
def test_a_vocabulary_says_what_its_terms_are(vocabulary: str, kind: str | None) -> None:
    assert kind_of_vocabulary(vocabulary) == kind


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("AQUA > Earth Observing System, AQUA", "AQUA"),
        ("Earth Observation Satellites > Terra > Earth Observing System, TERRA (AM-1)", "Terra"),
        ("Space-based Platforms > Earth Observation Satellites > GOES > GOES-13", "GOES-13"),
        ("LABORATORY > LABORATORY", "LABORATORY"),
        ("R/V Ronald H. Brown", "R/V Ronald H. Brown"),
    ],
)
def test_the_short_name_of_a_path(path: str, name: str) -> None:
    names = NameCollector()
    names.add_platform(path)
    assert names.finish().platforms == (name,)


@pytest.mark.parametrize(
    ("written", "level"),
    [("Level-2A", "L2A"), ("2", "L2"), ("l1b", "L1B"), ("Processing Level 3", "L3"), ("Not provided", None),
     ("gridded", "gridded"), ("", None)],
)  # fmt: skip
def test_levels(written: str, level: str | None) -> None:
    names = NameCollector()
    names.set_level(written)
    assert names.finish().processing_level == level


def test_variables_of_a_cube_have_units_also_in_assets() -> None:
    cube = {"t2m": {"type": "data", "unit": "K"}, "lat": {"type": "auxiliary"}}
    parameters = [{"name": "rain_rate"}, {"name": "Fog"}]
    asset = {"href": "https://a.org/a.nc", "cube:variables": {"tp": {"type": "data", "attrs": {"units": "m"}}}}
    item = {
        "type": "Feature", "stac_version": "1.0.0", "id": "a", "geometry": None, "links": [],
        "properties": {"datetime": None, "cube:variables": cube, "cf:parameter": parameters},
        "assets": {"data": asset},
    }  # fmt: skip
    assert read(RawRecord("a", json.dumps(item).encode(), "a.json"), "s").names.variables == (
        Variable("t2m", None, "K"),
        Variable("rain_rate", "rain_rate"),
        Variable("Fog"),
        Variable("tp", None, "m"),
    )


def test_a_variable_is_kept_once_with_all_that_is_said_of_it() -> None:
    names = NameCollector()
    names.add_variable("Temperature (sea_water_temperature)")
    names.add_variable("temperature", unit="K")
    names.add_keyword("EARTH SCIENCE > OCEANS > SALINITY/DENSITY > SALINITY", "any")
    names.add_keyword("EARTH SCIENCE > OCEANS", "any")
    names.add_keyword("sea_ice_area", "CF Standard Names")
    assert names.finish().variables == (
        Variable("Temperature", "sea_water_temperature", "K"),
        Variable("SALINITY"),
        Variable("sea_ice_area", "sea_ice_area"),
    )
