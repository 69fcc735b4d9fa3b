"""Croissant: a record's files as a machine-learning library loads them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.geo import BBox
from core.record import Link, Record, Resolution
from search_api.formats_out.schema_org import croissant, geo_croissant, has_files, is_placed


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


@pytest.mark.parametrize(
    ("step", "quantity"), [("P1D", (1, "day")), ("PT15M", (15, "minute")), ("P1M", (1, "month")), ("P1Y2M", None)]
)
def test_geo_croissant_says_distance_and_step(step: str, quantity: tuple[float, str] | None) -> None:
    plain = _record(Link("https://example.org/x.nc", "download"))
    assert not is_placed(plain)
    placed = replace(plain, extents=(BBox(26, -26, 33, -21),), resolution=Resolution(metres=500, time_step=step))
    assert is_placed(placed)
    document = geo_croissant(placed, "https://sonde.example/records/s:1")
    assert document["conformsTo"] == ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/geo/1.0"]
    assert document["@context"]["geocr"] == "http://mlcommons.org/croissant/geo/"
    assert document["geocr:spatialResolution"] == {"@type": "QuantitativeValue", "value": 500, "unitText": "m"}
    stated = document.get("geocr:temporalResolution")
    assert (stated and (stated["value"], stated["unitText"])) == quantity
    assert document["spatialCoverage"][0]["geo"]["box"] == "-26 26 -21 33"
