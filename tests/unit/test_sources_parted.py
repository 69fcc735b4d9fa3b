"""Files that hold several records: parted alike wherever they lie, names told apart, and resumed without a gap."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.formats.registry import Separation, possible_documents, read, separate, with_unique_names
from indexer.formats.splitting.json_members import RecordPart
from indexer.raw import RawRecord, Recognition
from indexer.sources.folder import FolderSource
from tests.unit.format_documents import DOCUMENTS

TURTLE = """@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
<https://x.example.org/cat> a dcat:Catalog ; dcat:dataset <https://x.example.org/a> , <https://x.example.org/b> .
<https://x.example.org/a> a dcat:Dataset ; dct:title "A" .
<https://x.example.org/b> a dcat:Dataset ; dct:title "B" .
"""


def _named(parts: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    return [(record.name, record.content) for record in with_unique_names([RecordPart(*part) for part in parts])]


def data_json(*identifiers: str) -> bytes:
    sets = [{"identifier": one, "title": f"Title {one}", "description": "d", "keyword": ["k"]} for one in identifiers]
    return json.dumps({"conformsTo": "https://project-open-data.cio.gov/v1.1/schema", "dataset": sets}).encode()


def test_a_data_json_gives_its_data_sets_under_its_own_name() -> None:
    raw = RawRecord("deep/data.json", data_json("x", "y"), "/d/deep/data.json", "application/json")
    found = separate(raw).records
    assert [one.native_id for one in found] == ["deep/data.json#x", "deep/data.json#y"]
    assert [one.origin for one in found] == ["/d/deep/data.json#x", "/d/deep/data.json#y"]
    assert [read(one, "s").title for one in found] == ["Title x", "Title y"]


def test_data_sets_of_turtle_are_handed_on_as_json_ld() -> None:
    found = separate(RawRecord("c.ttl", TURTLE.encode(), "/c.ttl", "text/turtle")).records
    assert [one.native_id for one in found] == ["c.ttl#https://x.example.org/a", "c.ttl#https://x.example.org/b"]
    assert {one.media_type for one in found} == {"application/ld+json"}
    assert [read(one, "s").title for one in found] == ["A", "B"]


def test_one_record_and_what_cannot_be_read_stay_as_they_are() -> None:
    for content in (
        b"",
        b"{",
        b"<a",
        b"<nobody/>",
        data_json("x"),
        TURTLE.partition("<https://x.example.org/b> a")[0].encode(),
    ):
        raw = RawRecord("f.json", content, "/f.json")
        assert separate(raw) == Separation((raw,))


def test_names_that_come_twice_are_told_apart_by_edition_then_title_whatever_their_order() -> None:
    def part(**said: str) -> bytes:
        return json.dumps({"@type": "Dataset", "identifier": "a", "description": "d", **said}).encode()

    parts = [("a", part(title="A", version="1")), ("a", part(title="A", version="2")), ("a", part(title="B"))]
    names = {content: name for name, content in _named(parts)}
    assert {content: name for name, content in _named(parts[::-1])} == names
    first, second, third = (names[content] for _, content in parts)
    assert (first, second, len(third)) == ("a#1", "a#2", len("a#") + 16)


def test_only_what_nothing_tells_apart_is_counted() -> None:
    first, second = (name for name, _ in _named([("a", b"x"), ("a", b"x")]))
    assert second == f"{first}#2"


def test_a_data_json_loses_no_data_set_to_another_of_its_identifier() -> None:
    said = [{"identifier": "x", "title": "X", "description": "d", "version": version} for version in "123"]
    (whole,) = (json.dumps({"dataset": [*said, said[0]]}).encode(),)
    found = separate(RawRecord("data.json", whole, "data.json")).records
    assert [read(one, "s").edition for one in found] == ["1", "2", "3"]


@given(st.lists(st.tuples(st.sampled_from(["", "a", "a#2", "a#3", "b"]), st.binary(max_size=2)), max_size=12))
def test_no_two_parts_have_one_name_and_none_is_lost(parts: list[tuple[str, bytes]]) -> None:
    named = _named(parts)
    assert len({name for name, _ in named}) == len(parts)
    assert [content for _, content in named] == [content for _, content in parts]


def test_the_files_that_a_part_may_be_of() -> None:
    assert list(possible_documents("/d/a.json#http://x/#1")) == [
        "/d/a.json#http://x/#1",
        "/d/a.json",
        "/d/a.json#http://x/",
    ]


def test_a_folder_gives_all_records_and_goes_on_behind_the_last_whole_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(data_json(*(f"n{index}" for index in range(5))))
    (tmp_path / "b.ttl").write_text(TURTLE)
    (tmp_path / "c.json").write_bytes(data_json("only"))
    pages = list(FolderSource(tmp_path, page_size=2).pages())
    ids = [[record.native_id for record in page.records] for page in pages]
    assert ids == [
        ["a.json#n0", "a.json#n1"],
        ["a.json#n2", "a.json#n3"],
        ["a.json#n4", "b.ttl#https://x.example.org/a"],
        ["b.ttl#https://x.example.org/b", "c.json"],
    ]
    assert [page.position for page in pages] == [None, None, "a.json", "c.json"]
    behind = [record.native_id for page in FolderSource(tmp_path).pages("a.json") for record in page.records]
    assert behind == [*ids[2][1:], *ids[3]]


@pytest.mark.parametrize("name", ["stac", "iso19139", "dcat", "schema.org"])
def test_a_document_of_one_record_is_recognised_once_and_handed_on(name: str) -> None:
    (record,) = separate(RawRecord("a", DOCUMENTS[name], "/a")).records
    assert record.recognition is not None
    assert record.recognition.format == name
    assert read(record, "s") == read(RawRecord("a", DOCUMENTS[name], "/a"), "s")


def test_a_json_document_is_read_from_what_splitting_parsed() -> None:
    (record,) = separate(RawRecord("a", DOCUMENTS["stac"], "/a")).records
    assert record.recognition is not None
    parsed = {**record.recognition.parsed, "title": "From the parsed value", "properties": {}}
    handed_on = replace(record, recognition=Recognition("stac", parsed))
    assert read(handed_on, "s").title == "From the parsed value"


def test_each_record_of_a_list_has_its_format() -> None:
    members = [json.loads(DOCUMENTS[name]) for name in ("stac", "umm-c")]
    records = separate(RawRecord("a", json.dumps(members).encode(), "/a")).records
    assert [record.recognition and record.recognition.format for record in records] == ["stac", "umm-c"]
