"""Croissant: a record's files as a machine-learning library loads them."""

from __future__ import annotations

from core.record import Link, Record
from search_api.formats_out.schema_org import croissant, has_files


def _record(*links: Link) -> Record:
    return Record(id="s:1", source="s", identifier="1", title="Rain", licence="CC-BY-4.0", links=links)


def test_each_file_has_a_name_of_its_own_and_an_address() -> None:
    record = _record(
        Link("https://example.org/a/rain%20gauge.csv?v=1", "download", media_type="text/csv", description="Daily"),
        Link("https://example.org/b/rain%20gauge.csv", "enclosure"),
        Link("https://example.org/", "data"),
        Link("https://example.org/about.html", "about"),
        Link("javascript:alert(1)", "download"),
    )
    said = croissant(record, "https://sonde.example/records/s:1")
    assert (said["@type"], said["conformsTo"], said["isLiveDataset"]) == (
        "Dataset",
        "http://mlcommons.org/croissant/1.0",
        True,
    )
    assert said["license"] == "https://creativecommons.org/licenses/by/4.0/"
    assert said["description"] == "Rain"  # required, where a record has no abstract
    assert [(one["name"], one["encodingFormat"]) for one in said["distribution"]] == [
        ("rain gauge.csv", "text/csv"),
        ("rain gauge.csv (2)", "application/octet-stream"),
        ("data", "application/octet-stream"),
    ]
    assert [one["@id"] for one in said["distribution"]] == ["file-1", "file-2", "file-3"]
    assert said["distribution"][0]["contentUrl"] == "https://example.org/a/rain%20gauge.csv?v=1"


def test_a_record_without_files_has_none() -> None:
    assert not has_files(_record(Link("https://example.org/about.html", "about"), Link("ftp:", "download")))
    assert has_files(_record(Link("https://example.org/x.nc", "item")))
