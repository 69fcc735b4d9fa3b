"""GCMD's lists give platforms, instruments, projects and variables one name; without lists nothing changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.names import Names, Variable
from core.record import Record
from core.record_keys import keys_of
from indexer.plan.parsed_record import identify, parse, with_listed_names
from indexer.raw import RawRecord
from reading.concepts import NO_LISTS, Concept, Label, NamedVocabulary, NameLists, read_files


def _tree(tmp_path: Path) -> tuple[Concept, ...]:
    def node(label: str, definition: str = "", children: tuple[object, ...] = ()) -> dict[str, object]:
        return {"uuid": label.lower(), "label": label, "definition": definition, "children": list(children)}

    satellites = (
        node("Aqua", "Group\n   Short_Name: Aqua\n   Long_Name: Earth Observing System, Aqua\n"),
        node("FLEX", "The Fluorescence Explorer (FLEX) will map vegetation."),
        node("CCD2", "The second camera (a CCD) of it."),
        node("TOPEX", "Short_Name: OTHER\nLong_Name: Another one\n"),
    )
    path = tmp_path / "gcmd-platforms.json"
    path.write_text(json.dumps([node("Platforms", "", (node("Space-based Platforms", "", satellites),))]), "utf-8")
    return read_files([path])


@pytest.fixture
def lists(tmp_path: Path) -> NameLists:
    keywords = (Concept("k:1", (Label("SEA SURFACE TEMPERATURE", "en"), Label("SST", "en"))),)
    instruments = (
        Concept("i:1", (Label("MODIS", "en"), Label("Moderate-Resolution Imaging Spectroradiometer", "en"))),
        Concept("i:2", (Label("CAM-A", "en"), Label("Camera", "en"))),
        Concept("i:3", (Label("CAM-B", "en"), Label("Camera", "en"))),
    )
    return NameLists.of(
        [
            NamedVocabulary("gcmd", _tree(tmp_path)),
            NamedVocabulary("gcmd-instruments", instruments),
            NamedVocabulary("gcmd-sciencekeywords", keywords),
            NamedVocabulary("projects", (Concept("p:1", (Label("Other", "en"),)),)),
        ]
    )


@pytest.mark.parametrize(
    ("written", "preferred"),
    [
        ("AQUA", "Aqua"),
        ("Aqua satellite", "Aqua"),
        ("Earth Observing System AQUA", "Aqua"),
        ("Earth Observing System, Aqua (AQUA)", "Aqua"),
        ("fluorescence explorer", "FLEX"),
        ("CCD2 (HuanJing 1B)", None),  # of another satellite than CCD2 (HuanJing 1A)
        ("Another one", None),  # the long name of another thing
        ("Platforms", None),
        ("Terra", None),
    ],
)
def test_a_platform_is_called_as_the_list_calls_it(lists: NameLists, written: str, preferred: str | None) -> None:
    assert lists.preferred("platforms", written) == preferred


def test_each_list_is_of_one_kind_and_what_two_things_are_called_is_no_name(lists: NameLists) -> None:
    assert lists.preferred("instruments", "Aqua") is None
    assert lists.preferred("instruments", "moderate resolution imaging spectroradiometer") == "MODIS"
    assert lists.preferred("instruments", "camera") is None
    assert lists.preferred("projects", "other") is None  # a vocabulary that is not GCMD's


def test_a_record_uses_the_lists_names_and_is_found_by_its_own(lists: NameLists) -> None:
    names = Names(
        platforms=("AQUA", "Earth Observing System, Aqua", "Terra"),
        variables=(Variable("sst", None, "K"), Variable("Sea surface temperature", "sea_surface_temperature")),
    )
    record = with_listed_names(Record("s:a", "s", "a", "T", names=names), lists)
    assert record.names.platforms == ("Aqua", "Terra")
    assert record.names.variables == (Variable("SEA SURFACE TEMPERATURE", "sea_surface_temperature", "K"),)
    assert record.names.written == ("AQUA", "Earth Observing System, Aqua", "sst", "Sea surface temperature")
    assert {"aqua", "terra", "earthobservingsystemaqua", "sst"} <= set(keys_of(record))


def test_another_list_reads_records_again_and_none_changes_nothing(lists: NameLists) -> None:
    item = {"type": "Feature", "stac_version": "1.0.0", "id": "a", "geometry": None, "links": [], "assets": {}}
    raw = RawRecord("a", json.dumps({**item, "properties": {"datetime": None, "platform": "AQUA"}}).encode(), "a.json")
    assert identify(raw, "s", NO_LISTS) == identify(raw, "s")
    assert identify(raw, "s", lists).raw_hash != identify(raw, "s").raw_hash
    assert parse(raw, "s").record.names == Names(platforms=("AQUA",))
    assert parse(raw, "s", lists).record.names == Names(platforms=("Aqua",), written=("AQUA",))
    assert NameLists.of([]).version == ""
