"""Boxes that can be read in two ways: across the antimeridian, or with west and east swapped."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.geo import WORLD, BBox
from core.record import Record
from indexer.formats.registry import read
from indexer.formats.repair.antimeridian import ACROSS_WARNING, SWAPPED_WARNING
from indexer.formats.repair.boxes import repair_box
from indexer.raw import RawRecord
from tests.unit import iso19139_document as iso
from tests.unit import second_formats

FIJI_TO_SAMOA = BBox(177, -21, -172, -12)
FIJI_POLYGON = "POLYGON((177 -12, -172 -12, -172 -21, 177 -21, 177 -12))"


def _map(title: str = "A map", **fields: Any) -> Record:
    document = {"id": "m", "dct_title_s": title, "gbl_resourceClass_sm": ["Maps"], **fields}
    return read(RawRecord("m", json.dumps(document).encode(), "m"), "library")


@pytest.mark.parametrize(
    ("envelope", "box"),
    [
        ("-93.08,-93.09,44.96,44.95", BBox(-93.09, 44.95, -93.08, 44.96)),  # by a hair
        ("-24,-28,71,70", BBox(-28, 70, -24, 71)),
        ("-165,-179.99,-86,-87", BBox(-179.99, -87, -165, -86)),
        ("170,162,-77,-78", BBox(162, -78, 170, -77)),
    ],
)
def test_swapped_edges_are_read_as_the_narrow_box_with_a_warning(envelope, box):
    found = _map(dcat_bbox=f"ENVELOPE({envelope})")
    assert (found.extents, found.warnings) == ((box,), (SWAPPED_WARNING,))


@pytest.mark.parametrize(
    ("envelope", "box"),
    [
        ("177,-172,-12,-21", FIJI_TO_SAMOA),
        ("166.7,-180,-34,-47", BBox(166.7, -47, 180, -34)),
        ("101.7,-160.4,75,49", BBox(101.7, 49, -160.4, 75)),  # eastern Siberia
    ],
)
def test_a_true_crossing_stays(envelope, box):
    found = _map(dcat_bbox=f"ENVELOPE({envelope})")
    assert (found.extents, found.warnings) == ((box,), ())


@pytest.mark.parametrize(
    "fields",
    [
        {"locn_geometry": FIJI_POLYGON},
        {"locn_geometry": FIJI_POLYGON, "dcat_bbox": "ENVELOPE(177,-172,-12,-21)"},
        {"locn_geometry": "ENVELOPE(-172,177,-12,-21)", "dcat_bbox": "ENVELOPE(177,-172,-12,-21)"},
        {"dcat_bbox": "ENVELOPE(-172,177,-12,-21)", "title": "Fiji to Samoa"},
        {"dcat_bbox": "ENVELOPE(-172,177,-12,-21)", "dct_spatial_sm": ["Tonga"]},
    ],
)
def test_fiji_to_samoa_never_becomes_the_world_without_fiji(fields):
    assert _map(**fields).extents == (FIJI_TO_SAMOA,)


def test_a_polygon_with_more_corners_than_a_box_crosses_as_a_shape_of_two_parts():
    found = _map(locn_geometry="POLYGON((177 -12, -172 -12, -170 -15, -172 -21, 177 -21, 177 -12))")
    assert found.extents == (BBox(177, -21, -170, -12),)
    assert (found.geometry or {}).get("type") == "MultiPolygon"
    assert found.warnings == (ACROSS_WARNING,)


@pytest.mark.parametrize(
    ("fields", "box"),
    [
        ({"title": "Land use [Global]", "dcat_bbox": "ENVELOPE(170,-170,85,-75)"}, BBox(-170, -75, 170, 85)),
        ({"dcat_bbox": "ENVELOPE(179,-179,85,-75)"}, BBox(-179, -75, 179, 85)),  # nobody means a strip of 2 degrees
        ({"dcat_bbox": "ENVELOPE(180,-180,90,-90)"}, WORLD),
        ({"title": "Tuna of the Pacific", "dcat_bbox": "ENVELOPE(100,-70,60,-60)"}, BBox(100, -60, -70, 60)),
        (
            {"locn_geometry": "POLYGON((150 10, 180 10, 180 20, 150 20, 150 10))",
             "dcat_bbox": "ENVELOPE(150,180,20,10)"},
            BBox(150, 10, 180, 20),
        ),
        ({"locn_geometry": "POLYGON((-179.9 -89, 179.9 -89, 179.9 89, -179.9 89, -179.9 -89))"},
         BBox(-179.9, -89, 179.9, 89)),
        ({"locn_geometry": "POLYGON((-179.9 60, 179.9 60, 179.9 89, -179.9 89, -179.9 60))"},
         BBox(-179.9, 60, 179.9, 89)),
        ({"locn_geometry": "POLYGON((-170 -30, 170 -30, 170 30, -170 30, -170 -30))",
          "dcat_bbox": "ENVELOPE(-170,170,30,-30)"}, BBox(-170, -30, 170, 30)),
    ],
)  # fmt: skip
def test_words_and_other_shapes_say_which_reading_is_meant(fields, box):
    assert _map(**fields).extents == (box,)


@pytest.mark.parametrize(
    ("west", "south", "east", "north"),
    [(148.64, 0.9, -2.57, 85.33), (0.002, 24.7, -0.004, 89.8), (0.005, -89.7, -0.008, 89.7)],
    ids=["a regional reanalysis of North America", "of the Arctic", "a grid of the globe"],
)
def test_the_box_of_a_large_grid_stays_as_it_is_written(west, south, east, north):
    box, warnings = repair_box(west, south, east, north)
    assert box == BBox(west, south, east, north)
    assert warnings == []


def test_a_word_of_the_world_does_not_make_a_town_a_belt():
    found = _map("World Trade Center of Saint Paul", dcat_bbox="ENVELOPE(-93.08,-93.09,44.96,44.95)")
    assert found.extents == (BBox(-93.09, 44.95, -93.08, 44.96),)


def test_in_iso_19139_the_polygon_says_what_the_box_means():
    ring = "<gml:exterior><gml:LinearRing><gml:posList>{}</gml:posList></gml:LinearRing></gml:exterior>"
    wide = iso.polygon(
        f"<gml:Polygon gml:id='a'>{ring.format('100 0 150 0 180 0 180 9 150 9 100 9 100 0')}</gml:Polygon>"
    )
    found = iso.record(iso.extent(iso.box(100, 0, -75, 9), wide))
    assert found.extents[0] == BBox(100, 0, -75, 9)
    assert iso.record(iso.extent(iso.box(100, 0, -75, 9))).extents == (BBox(-75, 0, 100, 9),)


def test_the_bbox_of_a_stac_item_says_what_its_polygon_means():
    ring = [[-172, -21], [177, -21], [177, -12], [-172, -12], [-172, -21]]
    item = {"type": "Feature", "stac_version": "1.0.0", "id": "i", "properties": {"datetime": "2020-01-01T00:00:00Z"},
            "geometry": {"type": "Polygon", "coordinates": [ring]}, "links": [], "assets": {}}  # fmt: skip
    for bbox, box in (([-172, -21, 177, -12], BBox(-172, -21, 177, -12)), ([177, -21, -172, -12], FIJI_TO_SAMOA)):
        found = read(RawRecord("i", json.dumps({**item, "bbox": bbox}).encode(), "i"), "stac")
        assert found.extents == (box,)


@given(st.floats(-180, 180), st.floats(-180, 180), st.floats(-80, 80), st.floats(0, 10))
def test_without_any_word_west_above_east_never_gives_more_than_half_the_globe(west, east, south, height):
    found, warnings = repair_box(west, south, east, south + height)
    assert found is not None
    if west > east and (west, east) != (180.0, -180.0):
        assert found.width_deg <= 180.0
        assert (SWAPPED_WARNING in warnings) == (west - east < 180.0 and {abs(west), abs(east)} != {180.0})


def test_no_map_of_the_real_library_is_a_belt_round_the_globe():
    for name, content in second_formats.of("OpenGeoMetadata+edu.umn").items():
        for record in second_formats.records(content, name):
            for box in record.extents:
                assert box.width_deg <= 180.0 or box.height_deg >= 60.0, (name, box)
