"""Definitions of vocabularies: what is English, what is there, and files that define nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InvalidInput
from tests.shared_data import shared_data
from training.corpora import read_definitions
from training.examples import TrainingError

SKOS = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<urn:2> skos:prefLabel "firn"@en, "Firn"@de ; skos:definition "Old snow."@en, "Alter Schnee."@de .
<urn:1> skos:prefLabel "albedo" ; skos:definition "Share of light." .
<urn:3> skos:prefLabel "Gletscher"@de ; skos:definition "Ein Strom aus Eis."@de .
<urn:4> skos:prefLabel "moraine"@en .
"""
TREE = """[{"uuid": "1", "label": "SCIENCE", "definition": "No definition available.", "children": [
  {"uuid": "2", "label": "SNOW", "definition": "Frozen water that falls.", "children": []},
  {"uuid": "3", "label": "ICE", "definition": null}]}]"""


def test_skos_definitions_in_english(tmp_path: Path) -> None:
    (tmp_path / "v.ttl").write_text(SKOS)
    assert read_definitions(tmp_path / "v.ttl") == [("albedo", "Share of light."), ("firn", "Old snow.")]


def test_a_keyword_tree(tmp_path: Path) -> None:
    (tmp_path / "v.json").write_text(TREE)
    assert read_definitions(tmp_path / "v.json") == [("SNOW", "Frozen water that falls.")]


@pytest.mark.parametrize("tree", ['[{"label": "SNOW"}]', '[{"uuid": "1", "label": "A", "children": ["b"]}]', "{", "7"])
def test_what_is_no_tree_is_named(tree: str, tmp_path: Path) -> None:
    (tmp_path / "v.json").write_text(tree)
    with pytest.raises(InvalidInput, match=r"v\.json"):
        read_definitions(tmp_path / "v.json")


def test_a_file_without_definitions_is_said(tmp_path: Path) -> None:
    (tmp_path / "v.json").write_text('[{"uuid": "1", "label": "SNOW"}]')
    with pytest.raises(TrainingError, match=r"v\.json defines no concept in English"):
        read_definitions(tmp_path / "v.json")


def test_gcmd_defines_its_keywords(tmp_path: Path) -> None:
    import tarfile

    with tarfile.open(shared_data("vocab", "gcmd.tar.gz")) as archive:
        archive.extract("gcmd/gcmd-sciencekeywords.json", tmp_path, filter="data")
    found = dict(read_definitions(tmp_path / "gcmd" / "gcmd-sciencekeywords.json"))
    assert len(found) > 2000
    assert not [text for text in found.values() if text.startswith("No definition")]
