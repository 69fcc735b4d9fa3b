"""How fine a data set is, as GeoDCAT-AP's measurements and STAC's cubes say it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.geo import BBox
from core.record import Record, Resolution
from core.timespan import TimeSpan
from indexer.formats.registry import read
from indexer.raw import RawRecord

_TURTLE = """@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix dqv: <http://www.w3.org/ns/dqv#> .
@prefix sdmx: <http://purl.org/linked-data/sdmx/2009/attribute#> .
@prefix geodcat: <http://data.europa.eu/930/> .
<https://data.example.org/id/rain> a dcat:Dataset ; dct:title "Rain" ; {said} .
"""


def _dcat(said: str) -> Resolution:
    return read(RawRecord("r", _TURTLE.format(said=said).encode(), "/r"), "test").resolution


def _measured(metric: str, value: str, unit: str = "") -> str:
    of_unit = f"; sdmx:unitMeasure <{unit}>" if unit else ""
    return f"dqv:hasQualityMeasurement [ dqv:isMeasurementOf geodcat:{metric} ; dqv:value {value} {of_unit} ]"


OM = "http://www.wurvoc.org/vocabularies/om-1.8/"


@pytest.mark.parametrize(
    ("said", "resolution"),
    [
        (_measured("spatialResolutionAsDistance", "30"), Resolution(30.0)),
        (_measured("spatialResolutionAsDistance", "2.5", f"{OM}kilometre"), Resolution(2500.0)),
        (_measured("spatialResolutionAsDistance", "7", "http://example.org/units#cubit"), Resolution()),
        # 0.25 of 111,319.49 m
        (_measured("spatialResolutionAsAngularDistance", "0.25"), Resolution(27829.873)),
        (_measured("spatialResolutionAsVerticalDistance", "5"), Resolution()),
        (_measured("spatialResolutionAsScale", "0.00002"), Resolution(None, 50_000)),
        (_measured("spatialResolutionAsScale", "50000"), Resolution(None, 50_000)),
        (_measured("spatialResolutionAsScale", "-1"), Resolution()),
        (_measured("spatialResolutionAsScale", '"fine"'), Resolution()),
        (_measured("spatialResolutionAsScale", "1e-300"), Resolution()),
        ("dcat:spatialResolutionInMeters 100 ; " + _measured("spatialResolutionAsDistance", "30"), Resolution(30.0)),
    ],
)
def test_measurements_of_geodcat(said: str, resolution: Resolution) -> None:
    assert _dcat(said) == resolution


def _cube(dimensions: Any, **said: Any) -> Record:
    item = {
        "type": "Feature",
        "stac_version": "1.0.0",
        "id": "cube",
        "geometry": None,
        "properties": {"datetime": None, "cube:dimensions": dimensions, **said},
        "links": [],
        "assets": {},
    }
    return read(RawRecord("r", json.dumps(item).encode(), "/r"), "test")


X = {"type": "spatial", "axis": "x", "extent": [-10, 20], "step": 0.5}
Y = {"type": "spatial", "axis": "y", "extent": [30, 40], "step": -0.25}
TIME = {"type": "temporal", "extent": ["2001-01-01T00:00:00Z", "2002-01-01T00:00:00Z"], "step": "PT6H"}


def test_a_cube_says_where_when_and_how_fine() -> None:
    record = _cube({"x": X, "y": Y, "t": TIME, "z": {"type": "spatial", "axis": "z", "step": 0.01}, "bands": "?"})
    assert record.extents == (BBox(-10, 30, 20, 40),)
    assert record.times == (TimeSpan.from_iso("2001-01-01T00:00:00Z", "2002-01-01T00:00:00Z"),)
    assert record.resolution == Resolution(27829.873, None, "PT6H")  # 0.25 of 111,319.49 m


@pytest.mark.parametrize(
    ("changed", "metres"),
    [
        ({"reference_system": 32633}, None),  # in units that nobody names
        ({"reference_system": 32633, "unit": "m", "step": 10}, 10.0),
        ({"reference_system": {"id": {"authority": "EPSG", "code": 4326}}, "step": 1}, 111319.49),
        ({"step": None}, None),  # irregular
        ({"step": "wide"}, None),
        ({"step": 0}, None),
        ({"step": True}, None),
    ],
)
def test_the_step_of_an_axis(changed: dict[str, Any], metres: float | None) -> None:
    assert _cube({"x": X | changed}).resolution == Resolution(metres)


def test_a_projected_cube_has_no_box_of_degrees() -> None:
    metric = {"reference_system": 32633, "unit": "m"}
    assert _cube({"x": X | metric, "y": Y | metric}).extents == ()


def test_what_the_document_says_itself_comes_before_the_cube() -> None:
    record = _cube({"x": X, "y": Y, "t": TIME}, gsd=30, datetime="2020-05-01T00:00:00Z")
    assert record.resolution == Resolution(30.0, None, "PT6H")
    assert record.times == (TimeSpan.from_iso("2020-05-01T00:00:00Z", "2020-05-01T00:00:00Z"),)


@pytest.mark.parametrize("nonsense", [[], "x", {"x": []}, {"x": {"type": "spatial", "axis": [], "extent": "far"}}])
def test_a_cube_that_is_none_says_nothing(nonsense: Any) -> None:
    assert _cube(nonsense).resolution == Resolution()
