"""Where: boxes and their repairs, polygons, vertical extents of ISO 19139."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from iso19139_document import box, extent, polygon, record, text

from core.geo import BBox
from core.record import Vertical
from indexer.formats.repair.boxes import repair_box

BROUGHT = "extent: longitudes 0..360 brought to -180..180"


def test_every_box_is_read_and_none_twice():
    found = record(extent(box(10, 40, 20, 50)) + extent(box(-5, 1, 5, 2), box("10.0", "40.0", "20.0", "50.0")))
    assert found.extents == (BBox(10, 40, 20, 50), BBox(-5, 1, 5, 2))
    assert found.warnings == ()


def test_a_box_across_the_antimeridian_stays_as_it_is():
    found = record(extent(box(170, -20, -170, -10)))
    assert found.extents == (BBox(170, -20, -170, -10),)
    assert (found.extents[0].width_deg, found.warnings) == (20, ())


@pytest.mark.parametrize(
    ("edges", "repaired", "warnings"),
    [
        ((10, 50, 20, 40), BBox(10, 40, 20, 50), ["extent: south and north were swapped"]),
        ((0, -90, 360, 90), BBox(-180, -90, 180, 90), [BROUGHT]),
        ((200, 10, 250, 20), BBox(-160, 10, -110, 20), [BROUGHT]),  # 200 - 360, 250 - 360
        ((350, 0, 370, 5), BBox(-10, 0, 10, 5), [BROUGHT]),
        ((100, 0, 260, 5), BBox(100, 0, -100, 5), [BROUGHT]),  # 160 degrees wide across the antimeridian
        ((-180.125, -90, 179.875, 90), BBox(-180, -90, 180, 90), [BROUGHT]),  # a full circle by cell edges
        ((180, 0, -170, 5), BBox(-180, 0, -170, 5), []),
        ((170, 0, -180, 5), BBox(170, 0, 180, 5), []),
        (
            (0, -90.5, 1, 90.25),
            BBox(0, -90, 1, 90),
            ["extent: latitude -90.5 was cut to -90", "extent: latitude 90.25 was cut to 90"],
        ),
        ((0, 0, 1, 95), None, ["extent: box left out: latitude 95 outside -90..90"]),
        ((-999, 0, 1, 5), None, ["extent: box left out: longitude -999 outside -180..180"]),
        ((float("nan"), 0, 1, 5), None, ["extent: box left out: west is not a number"]),
        ((0, 0, 1, float("inf")), None, ["extent: box left out: north is not a number"]),
    ],
)
def test_repairs_of_a_box(edges, repaired, warnings):
    assert repair_box(*edges) == (repaired, warnings)


@given(st.floats(-180, 180), st.floats(-90, 90), st.floats(-180, 180), st.floats(-90, 90))
def test_a_box_in_range_keeps_its_size(west, south, east, north):
    found, _ = repair_box(west, south, east, north)
    assert found is not None
    assert found.height_deg == abs(north - south)
    if west <= east:
        assert found.width_deg == pytest.approx(east - west, abs=1e-5)


@given(st.floats(-360, 540), st.floats(0, 359), st.floats(allow_nan=True, allow_infinity=True))
def test_any_numbers_give_a_box_or_a_reason(west, width, latitude):
    found, warnings = repair_box(west, -5, west + width, latitude)
    assert found is not None or any("left out" in warning for warning in warnings)
    if found is not None and width < 359:
        assert found.width_deg == pytest.approx(width, abs=1e-6)


def test_a_box_left_out_is_listed_and_the_others_stay():
    found = record(extent(box("12,5", 0, 13, 1), box("W", 0, 1, 1), box("", "", "", "")))
    assert found.extents == (BBox(12.5, 0, 13, 1),)
    assert found.warnings == ("extent: box left out: west is not a number",)


def _ring(positions: str, srs: str = "", more: str = "") -> str:
    named = f' srsName="{srs}"' if srs else ""
    return (
        f'<gml:Polygon gml:id="p"{named}><gml:exterior><gml:LinearRing><gml:posList{more}>{positions}</gml:posList>'
        "</gml:LinearRing></gml:exterior></gml:Polygon>"
    )


def test_a_polygon_gives_a_geometry_and_its_box():
    found = record(extent(polygon(_ring("0 0 4 0 4 2 0 0"))))
    assert found.geometry == {"type": "Polygon", "coordinates": (((0.0, 0.0), (4.0, 0.0), (4.0, 2.0), (0.0, 0.0)),)}
    assert found.extents == (BBox(0, 0, 4, 2),)


def test_the_box_beside_a_polygon_is_not_doubled():
    assert record(extent(box(0, 0, 4, 2), polygon(_ring("0 0 4 0 4 2 0 0")))).extents == (BBox(0, 0, 4, 2),)


def test_an_urn_means_latitude_first():
    found = record(extent(polygon(_ring("40 10 40 20 50 20 40 10", "urn:ogc:def:crs:EPSG::4326"))))
    assert (found.extents, found.warnings) == ((BBox(10, 40, 20, 50),), ())


def test_the_records_own_box_settles_the_order_of_axes():
    found = record(extent(box(10, 40, 20, 50), polygon(_ring("10 40 20 40 20 50 10 40", "urn:ogc:def:crs:EPSG::4326"))))
    assert found.extents == (BBox(10, 40, 20, 50),)
    assert found.warnings == ("extent: latitude and longitude of a polygon were swapped",)


def test_gml_3_1_with_coordinates_holes_and_heights():
    ring = "<gml31:LinearRing><gml31:coordinates>1,1,9 2,1,9 2,2,9 1,1,9</gml31:coordinates></gml31:LinearRing>"
    hole = f"<gml31:interior>{ring}</gml31:interior>"
    outer = '<gml31:exterior><gml31:LinearRing><gml31:posList srsDimension="3">0 0 9 8 0 9 8 4 9 0 0 9</gml31:posList>'
    found = record(extent(polygon(f"<gml31:Polygon>{outer}</gml31:LinearRing></gml31:exterior>{hole}</gml31:Polygon>")))
    assert found.extents == (BBox(0, 0, 8, 4),)
    assert found.geometry is not None
    assert len(found.geometry["coordinates"]) == 2


def test_several_surfaces_become_one_geometry():
    surfaces = "".join(
        f"<gml:surfaceMember>{_ring(ring)}</gml:surfaceMember>" for ring in ("0 0 1 0 1 1 0 0", "5 5 6 5 6 6 5 5")
    )
    found = record(extent(polygon(f'<gml:MultiSurface gml:id="m">{surfaces}</gml:MultiSurface>')))
    assert found.geometry is not None
    assert (found.geometry["type"], len(found.geometry["coordinates"])) == ("MultiPolygon", 2)
    assert found.extents == (BBox(0, 0, 6, 6),)


def test_a_polygon_past_180_is_cut_at_the_antimeridian():
    found = record(extent(polygon(_ring("170 0 190 0 190 10 170 10 170 0"))))
    assert found.extents == (BBox(170, 0, -170, 10),)
    assert found.geometry is not None
    assert found.geometry["type"] == "MultiPolygon"
    assert found.warnings == (BROUGHT,)


@pytest.mark.parametrize(
    ("gml", "reason"),
    [
        (_ring("0 0 1 0 1", "EPSG:4326"), "5 numbers do not make positions"),
        (
            _ring("500000 4000000 500001 4000000 500001 4000001 500000 4000000", "EPSG:3857"),
            "EPSG:3857 is not in degrees",
        ),
        (_ring("100 0 101 0 101 95 100 0"), "latitude 95 outside -90..90"),
        (_ring(""), "no outer ring"),
        ('<gml:Polygon gml:id="p"/>', "no outer ring"),
        (_ring("a b c d e f g h"), "could not convert"),
    ],
)
def test_a_polygon_that_cannot_be_read_is_left_out(gml, reason):
    found = record(extent(polygon(gml)))
    assert (found.geometry, found.extents) == (None, ())
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith("extent: polygon left out: ")
    assert reason in found.warnings[0]


def test_an_excluded_area_is_not_an_extent_but_the_only_one_is():
    excluded = box(0, 0, 1, 1).replace(
        "<gmd:EX_GeographicBoundingBox>",
        "<gmd:EX_GeographicBoundingBox><gmd:extentTypeCode><gco:Boolean>false</gco:Boolean></gmd:extentTypeCode>",
    )
    found = record(extent(excluded, box(5, 5, 6, 6)))
    assert found.extents == (BBox(5, 5, 6, 6),)
    assert found.warnings == ("extent: an area that is marked as excluded was left out",)
    found = record(extent(excluded))
    assert found.extents == (BBox(0, 0, 1, 1),)
    assert found.warnings == ("extent: an area that is marked as excluded is the only one and was taken",)


def _vertical(low: object, high: object, crs: str = "") -> str:
    return extent(
        "<gmd:verticalElement><gmd:EX_VerticalExtent>"
        f"<gmd:minimumValue><gco:Real>{low}</gco:Real></gmd:minimumValue>"
        f"<gmd:maximumValue><gco:Real>{high}</gco:Real></gmd:maximumValue>{crs}"
        "</gmd:EX_VerticalExtent></gmd:verticalElement>"
    )


@pytest.mark.parametrize(
    ("element", "vertical"),
    [
        (_vertical(-10, 250), Vertical(-10, 250, "m")),
        (
            _vertical(0, 5000, '<gmd:verticalCRS xlink:href="http://www.opengis.net/def/crs/EPSG/0/5715"/>'),
            Vertical(-5000, 0, "m"),
        ),
        (
            _vertical(1000, 10, '<gmd:verticalCRS><gml:VerticalCRS uom="hPa"/></gmd:verticalCRS>'),
            Vertical(10, 1000, "hPa"),
        ),
        (_vertical(5, ""), Vertical(5, None, "m")),
        (_vertical("", ""), None),
        (_vertical(0, 10) + _vertical(5, 30), Vertical(0, 30, "m")),
    ],
)
def test_vertical_extents_point_upwards(element, vertical):
    assert record(element).vertical == vertical


def test_swapped_heights_are_repaired():
    assert record(_vertical(9, 1)).warnings == ("vertical: minimum and maximum were swapped",)


def test_a_long_description_is_no_keyword():
    assert record(extent(text("description", "x" * 101))).keywords == ()


def test_an_outline_of_very_many_corners_that_crosses_itself_counts_by_its_box():
    corners = [(index / 200_000, index % 2) for index in range(200_000)]  # a zigzag whose last edge crosses all others
    ring = " ".join(f"{lat} {lon}" for lon, lat in [*corners, corners[0]])
    found = record(extent(polygon(_ring(ring))))
    assert found.extents == (BBox(0, 0, 1, 0.999995),)
    assert found.geometry is None or len(found.geometry["coordinates"][0]) == 5
