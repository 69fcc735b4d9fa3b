"""The area that a title names, for a record that states none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.geo import BBox
from core.record import Overlay, Record
from es_mappings.codecs.records import from_document, to_document
from indexer.plan.parsed_record import with_inferences, with_title_area
from reading.title_areas import title_areas
from search_api.formats_out.formats import record_formats
from search_api.formats_out.stac import item
from search_api.search.views.geojson import feature, geometry

RECORD = Record("a:1", "a", "1", "Rainfall in Kenya", languages=("en",))
BOX = BBox(1.0, 2.0, 3.0, 4.0)


def _is_around(title: str, longitude: float, latitude: float) -> bool:
    """Whether one of the boxes has the point in it."""
    points = [(west <= longitude <= east, s <= latitude <= n) for west, s, east, n in _parts(title)]
    return (True, True) in points


def _parts(title: str) -> list[list[float]]:
    return [part.as_list() for box in title_areas().boxes(title) for part in box.parts()]


@pytest.mark.parametrize(
    ("title", "longitude", "latitude"),
    [
        ("Groundwater levels in Bavaria 1990-2010", 11.5, 48.5),
        ("Boulder, CO daily temperature", -105.25, 40.0),
        ("Sea ice thickness of the Baltic Sea", 20.0, 58.0),
        ("Kenya Monthly Station Rainfall, 1920-1960", 37.0, 0.5),
        ("Streamflow over the Colorado River Basin", -110.0, 36.0),
        ("Sea Level at Honiara (Solomon Islands)", 160.0, -9.45),
        ("Snow depth in Kiruna, Sweden [Svensson, Uppsala University]", 20.2, 67.9),
        ("Air quality in Lima, Peru", -77.0, -12.05),
        ("Soil Carbon of Alaska and Hawaii", -155.5, 19.6),
    ],
    ids=["region", "state code", "sea", "country first", "basin", "brackets", "author", "country", "two"],
)
def test_a_sure_place_gives_its_area(title: str, longitude: float, latitude: float) -> None:
    assert _is_around(title, longitude, latitude)


@pytest.mark.parametrize(
    "title",
    [
        "UK Met Office Unified Model Output",
        "Japan Agency for Marine-Earth Science CTD Casts",
        "Wyoming Cloud Radar Imagery",
        "French Falcon Flight Track",
        "Oregon State Satellite Derived Winds",
        "SCS Underway Sensor Data",
        "China Lake Hourly Weather",
        "Miami Isopycnic Coordinate Ocean Model Output",
        "Insolation for 1.1 Million Years (from Belgium)",
        "U.S. and Canada Hourly Observations",
        "Northern and Southern Hemisphere Analyses",
        "Currents north of Alaska",
        "Global Elevation and Bathymetry of Australia's Survey",
        "Ozone soundings [Lauder, New Zealand]",
        "Aerosol chamber experiment 20150413",
    ],
    ids=[
        "office", "agency", "instrument", "adjective", "state university", "acronym", "longer name", "model", "origin",
        "unsure beside", "shared head", "beside", "global", "square brackets", "none",
    ],
)  # fmt: skip
def test_a_doubtful_one_gives_none(title: str) -> None:
    assert title_areas().boxes(title) == ()


def test_of_a_place_and_the_country_around_it_only_the_place_counts() -> None:
    assert title_areas().boxes("Thaw depth at Barrow, Alaska, USA") == title_areas().boxes(
        "Thaw depth at Barrow, Alaska"
    )


def test_only_a_record_without_an_extent_gets_it() -> None:
    assert with_inferences(RECORD).estimated_extents
    assert with_inferences(replace(RECORD, extents=(BOX,))).estimated_extents == ()
    assert with_inferences(replace(RECORD, geometry={"type": "Point", "coordinates": [1, 2]})).estimated_extents == ()


def test_a_steward_s_title_and_box_change_it() -> None:
    record = with_inferences(RECORD)
    assert with_title_area(Overlay(box=BOX).on(record)).estimated_extents == ()
    renamed = with_title_area(Overlay(title="Rainfall in Peru").on(record))
    assert renamed.estimated_extents == title_areas().boxes("Rainfall in Peru")


def test_it_is_stored_apart_from_the_extent() -> None:
    record = with_inferences(RECORD)
    document = to_document(record)
    assert from_document(document) == record
    assert {"boxes", "estimated_boxes", "extent", "cells"} & document.keys() == {"estimated_boxes"}
    assert from_document({name: value for name, value in document.items() if name != "estimated_boxes"}) == RECORD


@pytest.mark.parametrize("form", sorted(record_formats()))
def test_no_format_exports_it_as_the_record_s_own(form: str) -> None:
    write = record_formats()[form].record
    assert write is not None
    address = "https://example.org/a/1"
    assert write(with_inferences(RECORD), address) == write(RECORD, address)


def test_nor_does_stac() -> None:
    record = with_inferences(RECORD)
    assert item(record, geometry(record), []) == item(RECORD, None, [])


def test_the_record_says_that_it_is_estimated() -> None:
    record = with_inferences(RECORD)
    shown = feature(record)
    assert shown["geometry"] is None
    assert "sonde:boxes" not in shown["properties"]
    assert shown["properties"]["sonde:estimatedBoxes"] == [box.as_list() for box in record.estimated_extents]
