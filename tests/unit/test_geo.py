"""Geometry of boxes: answers by hand, laws by Hypothesis, the closed form against shapely."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from hypothesis import assume, given
from hypothesis import strategies as st

from core.geo import (
    EARTH_RADIUS_KM,
    WORLD,
    BBox,
    area_km2,
    box_array,
    compare,
    diagonal_deg,
    hausdorff_deg,
    hausdorff_deg_many,
    normalise_longitude,
)

FIJI = BBox(177.0, -19.0, -178.0, -16.0)
BERING_SEA = BBox(162.0, 52.0, -157.0, 66.0)
ARCTIC = BBox(-180.0, 66.5, 180.0, 90.0)
ANTARCTICA = BBox(-180.0, -90.0, 180.0, -60.0)
ITALY = BBox(6.0, 36.0, 19.0, 47.0)

latitudes = st.integers(-900, 900).map(lambda tenths: tenths / 10.0)
longitudes = st.integers(-1800, 1800).map(lambda tenths: tenths / 10.0)


@st.composite
def any_box(draw: st.DrawFn) -> BBox:
    """Boxes anywhere, points, lines and those across the antimeridian among them."""
    south, north = sorted((draw(latitudes), draw(latitudes)))
    return BBox(draw(longitudes), south, draw(longitudes), north)


@st.composite
def flat_box(draw: st.DrawFn) -> BBox:
    """Boxes of longitudes -90..90, so that shifting by up to 90 degrees stays on the sheet."""
    west, east = sorted((draw(longitudes) / 2.0, draw(longitudes) / 2.0))
    south, north = sorted((draw(latitudes), draw(latitudes)))
    return BBox(west, south, east, north)


def around(a: BBox, b: BBox) -> float:
    return float(compare(a, box_array([b])).hausdorff_deg[0])


def turned(box: BBox, by_deg: float) -> BBox:
    """The box turned around the globe, wherever that leads it."""
    west = normalise_longitude(box.west + by_deg)
    east = normalise_longitude(box.east + by_deg)
    return BBox(west, box.south, east, box.north)


class TestPlainHausdorff:
    def test_side_by_side(self) -> None:
        # The far side of each is 3 degrees from the other's near side.
        assert hausdorff_deg(BBox(0, 0, 1, 1), BBox(3, 0, 4, 1)) == 3.0

    def test_at_a_corner(self) -> None:
        assert hausdorff_deg(BBox(0, 0, 1, 1), BBox(3, 4, 4, 5)) == 5.0

    def test_one_inside_the_other(self) -> None:
        # Nothing of the small one is outside; the large one's far corner (10, 10) is (8, 6) from (2, 4).
        assert hausdorff_deg(BBox(0, 0, 10, 10), BBox(1, 2, 2, 4)) == 10.0

    def test_each_sticks_out_elsewhere(self) -> None:
        # A wide and a tall box: 2 degrees of longitude one way, 5 of latitude the other.
        assert hausdorff_deg(BBox(0, 4, 5, 6), BBox(2, 0, 3, 11)) == 5.0

    def test_points(self) -> None:
        assert hausdorff_deg(BBox(0, 0, 0, 0), BBox(3, 4, 3, 4)) == 5.0

    def test_world_from_italy(self) -> None:
        # The corner (-180, -90): 186 degrees west and 126 south of Italy's.
        assert hausdorff_deg(ITALY, WORLD) == math.hypot(186.0, 126.0)

    def test_a_crossing_box_is_unrolled_and_not_shifted(self) -> None:
        west_of_the_line, east_of_the_line = BBox(177, -19, 180, -16), BBox(-180, -19, -178, -16)
        assert hausdorff_deg(FIJI, west_of_the_line) == 2.0
        assert hausdorff_deg(FIJI, east_of_the_line) == 360.0

    @given(any_box(), any_box())
    def test_symmetric_and_zero_only_for_the_same(self, a: BBox, b: BBox) -> None:
        assert hausdorff_deg(a, b) == hausdorff_deg(b, a)
        assert hausdorff_deg(a, a) == 0.0
        assert (hausdorff_deg(a, b) == 0.0) == (box_array([a]) == box_array([b])).all()

    @given(any_box(), any_box(), any_box())
    def test_triangle_inequality(self, a: BBox, b: BBox, c: BBox) -> None:
        assert hausdorff_deg(a, c) <= hausdorff_deg(a, b) + hausdorff_deg(b, c) + 1e-9

    @given(flat_box(), flat_box(), st.integers(-90, 90))
    def test_shifting_both_changes_nothing(self, a: BBox, b: BBox, by_deg: int) -> None:
        assert hausdorff_deg(turned(a, by_deg), turned(b, by_deg)) == pytest.approx(hausdorff_deg(a, b))

    @given(any_box(), st.lists(any_box(), max_size=8))
    def test_many_are_each(self, query: BBox, boxes: list[BBox]) -> None:
        each = [hausdorff_deg(query, box) for box in boxes]
        assert hausdorff_deg_many(query, box_array(boxes)).tolist() == pytest.approx(each)

    def test_against_shapely(self) -> None:
        """The distance of each corner to the other filled box, by shapely: its own hausdorff_distance looks at
        outlines, and a box inside another is not at distance 0 from an outline."""
        random = np.random.default_rng(20)
        for _ in range(500):
            (a, b) = (_random_box(random), _random_box(random))
            assert hausdorff_deg(a, b) == pytest.approx(max(_directed(a, b), _directed(b, a)), abs=1e-9)


def _random_box(random: np.random.Generator) -> BBox:
    west, east = sorted(random.uniform(-180, 180, 2))
    south, north = sorted(random.uniform(-90, 90, 2))
    return BBox(west, south, east, north)


def _directed(a: BBox, b: BBox) -> float:
    filled = shapely.box(b.west, b.south, b.east, b.north)
    corners = shapely.points([(x, y) for x in (a.west, a.east) for y in (a.south, a.north)])
    return float(shapely.distance(corners, filled).max())


class TestAroundTheGlobe:
    def test_longitudes_shrink_with_the_latitude(self) -> None:
        # Both at 60 degrees north, where a degree of longitude is half as long.
        assert around(BBox(0, 60, 0, 60), BBox(10, 60, 10, 60)) == pytest.approx(5.0)

    def test_the_scale_is_never_below_a_tenth(self) -> None:
        assert around(BBox(0, 90, 0, 90), BBox(10, 90, 10, 90)) == pytest.approx(1.0)

    def test_fiji_is_near_itself_from_both_sides(self) -> None:
        east_of_the_line = BBox(-180.0, -19.0, -178.0, -16.0)
        assert around(FIJI, east_of_the_line) == pytest.approx(3.0 * math.cos(math.radians(17.5)))
        assert compare(FIJI, box_array([east_of_the_line])).box_share[0] == pytest.approx(1.0, abs=1e-5)
        assert compare(FIJI, box_array([east_of_the_line])).query_share[0] == pytest.approx(0.4, abs=1e-5)

    def test_bering_sea_has_alaska_in_it(self) -> None:
        nome = BBox(-166.0, 64.0, -165.0, 65.0)
        comparison = compare(BERING_SEA, box_array([nome]))
        assert comparison.box_share[0] == pytest.approx(1.0)
        # Centres: 182.5 and 194.5 east, 59 and 64.5 north; scaled at 61.75 north.
        expected = math.hypot(12.0 * math.cos(math.radians(61.75)), 5.5)
        assert comparison.centre_deg[0] == pytest.approx(expected)

    def test_arctic_is_the_same_from_every_seam(self) -> None:
        from_zero = np.array([[0.0, 66.5, 360.0, 90.0]])
        comparison = compare(ARCTIC, from_zero)
        assert comparison.hausdorff_deg[0] == 0.0
        assert comparison.query_share[0] == pytest.approx(1.0)

    def test_a_pole_is_inside_its_cap_and_far_from_the_other(self) -> None:
        south_pole = box_array([BBox(0, -90, 0, -90)])
        assert compare(ANTARCTICA, south_pole).box_share[0] == pytest.approx(1.0)
        assert compare(ARCTIC, south_pole).overlap_km2[0] == 0.0

    def test_worldwide_is_as_far_from_fiji_as_from_kenya(self) -> None:
        # All of longitude lies within 180 degrees; latitude -90 is farther than 90 is.
        point_at_line, point_at_greenwich = BBox(180, 0, 180, 0), BBox(0, 0, 0, 0)
        assert around(point_at_line, WORLD) == around(point_at_greenwich, WORLD) == math.hypot(180.0, 90.0)

    def test_two_wide_arcs_meet_on_both_sides(self) -> None:
        # 0..200 east and 180..20 east (through the line) share 180..200 and 0..20.
        a, b = BBox(0, 0, -160, 10), BBox(180, 0, 20, 10)
        assert compare(a, box_array([b])).query_share[0] == pytest.approx(40.0 / 200.0, abs=1e-5)

    def test_points_and_lines_have_shares(self) -> None:
        point, line = BBox(10, 40, 10, 40), BBox(6, 40, 19, 40)
        assert compare(point, box_array([ITALY])).query_share[0] == 1.0
        assert compare(ITALY, box_array([point, line])).box_share.tolist() == pytest.approx([1.0, 1.0])
        assert compare(ITALY, box_array([point, line])).query_share.max() < 1e-6
        assert compare(point, box_array([point])).query_share[0] == pytest.approx(1.0)
        on_the_edge = BBox(6, 40, 6, 40)
        assert compare(on_the_edge, box_array([ITALY])).query_share[0] == pytest.approx(1.0)

    @given(any_box(), any_box())
    def test_symmetric_and_zero_for_itself(self, a: BBox, b: BBox) -> None:
        assert around(a, b) == pytest.approx(around(b, a), abs=1e-9)
        assert around(a, a) == pytest.approx(0.0, abs=1e-9)
        one, other = compare(a, box_array([b])), compare(b, box_array([a]))
        assert one.query_share[0] == pytest.approx(other.box_share[0], abs=1e-6)

    @given(any_box(), any_box(), longitudes)
    def test_turning_the_globe_changes_nothing(self, a: BBox, b: BBox, by_deg: float) -> None:
        # A width of 0 and of 360 degrees are written alike once turned onto the line.
        assume(all(turned(box, by_deg).width_deg == pytest.approx(box.width_deg, abs=1e-6) for box in (a, b)))
        one, other = compare(a, box_array([b])), compare(turned(a, by_deg), box_array([turned(b, by_deg)]))
        assert one.hausdorff_deg[0] == pytest.approx(other.hausdorff_deg[0], abs=1e-6)
        assert one.centre_deg[0] == pytest.approx(other.centre_deg[0], abs=1e-6)
        assert one.overlap_km2[0] == pytest.approx(other.overlap_km2[0], abs=1.0)

    @given(any_box(), any_box())
    def test_shares_are_shares(self, a: BBox, b: BBox) -> None:
        comparison = compare(a, box_array([b]))
        for share in (comparison.query_share[0], comparison.box_share[0]):
            assert 0.0 <= share <= 1.0
        assert comparison.box_km2[0] > 0.0
        assert comparison.overlap_km2[0] <= min(comparison.query_km2, comparison.box_km2[0]) * (1 + 1e-6)

    def test_agrees_with_the_plain_distance_at_the_equator(self) -> None:
        # Centre latitudes 0: the scale is 1, nothing wraps.
        a, b = BBox(-10, -5, 10, 5), BBox(20, -2, 24, 2)
        assert around(a, b) == pytest.approx(hausdorff_deg(a, b))


class TestAreas:
    def test_the_globe(self) -> None:
        assert area_km2(box_array([WORLD]))[0] == pytest.approx(4 * math.pi * EARTH_RADIUS_KM**2, rel=1e-6)

    def test_the_arctic_is_a_small_cap(self) -> None:
        share = area_km2(box_array([ARCTIC]))[0] / area_km2(box_array([WORLD]))[0]
        assert share == pytest.approx((1 - math.sin(math.radians(66.5))) / 2, rel=1e-5)

    def test_diagonal(self) -> None:
        assert diagonal_deg(BBox(0, 58, 8, 62)) == pytest.approx(math.hypot(8 * 0.5, 4))
        assert diagonal_deg(FIJI) == pytest.approx(math.hypot(5 * math.cos(math.radians(17.5)), 3))

    def test_no_boxes(self) -> None:
        none = box_array([])
        assert none.shape == (0, 4)
        assert hausdorff_deg_many(ITALY, none).shape == (0,)
        assert compare(ITALY, none).query_share.shape == (0,)
