"""Names of places, points in words, kinds of geometry, licences and high-value data in what portals publish."""

from __future__ import annotations

import json

import pytest

from core.record import Record
from indexer.formats.registry import read
from indexer.formats.repair.codes import place_names
from indexer.formats.repair.licences import spdx
from indexer.formats.repair.shapes import PlaceCollector
from indexer.raw import RawRecord
from search_api.formats_out import dcat
from tests.shared_data import shared_data


def _record(content: bytes) -> Record:
    return read(RawRecord("x", content, "/x"), "test")


def _places(record: Record) -> list[str]:
    return [keyword.term for keyword in record.keywords if keyword.vocabulary == "location"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('["ARG", "02"]', ["Argentina"]),
        ('["Bogotá", ["Cali"]]', ["Bogotá", "Cali"]),
        ("DEU", ["Germany"]),
        ("NRW", ["NRW"]),
        ("US", ["US"]),
        ("[Rhine valley]", ["[Rhine valley]"]),
        ("New York, NY", ["New York, NY"]),
        ("中国", ["中国"]),
        ("02", []),
        ("DE", []),
        ("DE-BY", []),
        ("DE212", []),
        ("2921044", []),
        ("Q183", []),
        ("fr:departement:75", []),
        ('{"type": "Point"', []),
        ('["ARG"', []),
        ("POLYGON((1 2, 3 4", []),
        ("westlimit=1; eastlimit=2", []),
        ("-77.0", []),
        ("NaN", []),
        ("Nan", ["Nan"]),
        ("undefined", []),
        ("[object Object]", []),
    ],
)
def test_a_code_is_no_name_of_a_place(text: str, names: list[str]) -> None:
    assert place_names(text) == names


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("38.9,-77.0", (-77.0, 38.9)),
        ("38.9 -77.0", (-77.0, 38.9)),
        ("-122.5, 37.7", (-122.5, 37.7)),
        ("38.9N 77.0W", (-77.0, 38.9)),
        ("W77, N38.9", (-77.0, 38.9)),
        ("lat: 38.9, lon: -77.0", (-77.0, 38.9)),
        ("Longitude 10.5; Latitude -33", (10.5, -33.0)),
        ("38°30'N 77°15'W", (-77.25, 38.5)),
        ("38° 30′ 36″ N, 77° 15′ W", (-77.25, 38.51)),
        ("38.9N 77.0N", None),
        ("38.9N 77.0", None),
        ("12,5", None),
        ("38,77", None),
        ("1.5", None),
    ],
)
def test_two_numbers_are_a_point_with_the_latitude_first(text: str, point: tuple[float, float] | None) -> None:
    places = PlaceCollector()
    assert places.add_text(text) is (point is not None)
    assert [(box.west, box.south) for box in places.boxes] == ([] if point is None else [point])


def test_a_point_of_schema_org_may_be_a_text() -> None:
    said = {"@context": "https://schema.org/", "@type": "Dataset", "name": "Gauge"}
    places = [{"@type": "Place", "geo": "52.5 13.4"}, {"@type": "Place", "geo": "near the weir"}]
    record = _record(json.dumps({**said, "spatialCoverage": places}).encode())
    assert [(box.west, box.south) for box in record.extents] == [(13.4, 52.5)]
    assert any("near the weir" in warning for warning in record.warnings)


@pytest.mark.parametrize("kind", ["Multipolygon", "MULTIPOLYGON", "multiPolygon", "MultiPolygon"])
@pytest.mark.parametrize("as_text", [True, False])
def test_the_type_of_a_geometry_may_be_in_any_case(kind: str, as_text: bool) -> None:
    shape = {"type": kind, "coordinates": [[[[5, 45], [11, 45], [11, 48], [5, 48], [5, 45]]]]}
    said = {"@type": "dcat:Dataset", "identifier": "a", "title": "Roads", "description": "Roads of a town."}
    said["spatial"] = json.dumps(shape) if as_text else shape  # type: ignore[assignment]
    record = _record(
        json.dumps({"conformsTo": "https://project-open-data.cio.gov/v1.1/schema", "dataset": [said]}).encode()
    )
    assert [box.as_list() for box in record.extents] == [[5, 45, 11, 48]]
    assert _places(record) == []


@pytest.mark.parametrize(
    ("address", "licence"),
    [
        ("dl-by-de/2.0", "DL-DE-BY-2.0"),
        ("dl-zero-de/2.0", "DL-DE-ZERO-2.0"),
        ("cc-by/4.0", "CC-BY-4.0"),
        ("cc-by-sa/4.0", "CC-BY-SA-4.0"),
        ("cc-by-de/3.0", "CC-BY-3.0-DE"),
        ("cc-zero", "CC0-1.0"),
        ("odbl", "ODbL-1.0"),
        ("gpl/3.0", "GPL-3.0"),
        ("other-closed", None),
    ],
)
def test_licences_of_dcat_ap_de(address: str, licence: str | None) -> None:
    found = spdx(f"http://dcat-ap.de/def/licenses/{address}")
    assert found == licence or (licence == "GPL-3.0" and str(found).startswith(licence))


def test_high_value_data_of_the_european_union() -> None:
    record = _record(shared_data("cases", "28-dcat-ap", "hvd.ttl").read_bytes())
    by_vocabulary = {keyword.vocabulary: keyword for keyword in record.keywords}
    category = by_vocabulary["EU high-value data set category"]
    assert (category.term, category.uri) == ("Geospatial", "http://data.europa.eu/bna/c_ac64a52d")
    law = by_vocabulary["applicable legislation"]
    assert law.uri == "http://data.europa.eu/eli/reg_impl/2023/138/oj"
    assert "2023/138" in law.term
    written = dcat.TURTLE.record
    assert written is not None
    turtle = written(record, "https://s.example.org/records/x")
    assert "dcatap:hvdCategory <http://data.europa.eu/bna/c_ac64a52d>" in turtle
    again = {keyword.vocabulary: keyword for keyword in _record(turtle.encode()).keywords}
    assert [again[keyword.vocabulary] for keyword in (category, law)] == [category, law]
    assert _places(record) == ["Germany"]
    assert record.licence == "DL-DE-BY-2.0"


def test_a_case_with_shapes_of_every_kind() -> None:
    features = json.loads(shared_data("cases", "27-geo-shapes", "shapes.json").read_text("utf-8"))["features"]
    for feature in features:
        record = _record(json.dumps(feature).encode())
        assert record.extents or record.warnings or feature["geometry"] is None, feature["id"]
        if feature["id"].startswith("type-"):
            assert record.extents, feature["id"]


def test_every_name_of_a_place_is_kept() -> None:
    catalogue = json.loads(shared_data("cases", "01-dcatus3-locations", "data.json").read_text("utf-8"))
    (said,) = (one for one in catalogue["dataset"] if one["identifier"] == "label-only")
    assert _places(_record(json.dumps({**catalogue, "dataset": [said]}).encode())) == ["Mojave Desert", "High Desert"]
