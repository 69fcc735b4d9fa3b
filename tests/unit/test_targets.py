"""The area a relation means, computed by hand."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.geo import WORLD, BBox
from reading.related_boxes import target_box
from reading.relations import Relation

ITALY = BBox(6.0, 36.0, 18.0, 48.0)  # 12 by 12 degrees, centre 12, 42


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("in", ITALY),
        ("within", ITALY),
        ("over", ITALY),
        ("near", BBox(0.0, 30.0, 24.0, 54.0)),  # half of 12 on each side
        ("coast", BBox(5.5, 35.5, 18.5, 48.5)),
        ("off_coast", BBox(4.0, 34.0, 20.0, 50.0)),
        ("north_of", BBox(6.0, 48.0, 18.0, 60.0)),
        ("south_of", BBox(6.0, 24.0, 18.0, 36.0)),
        ("east_of", BBox(18.0, 36.0, 30.0, 48.0)),
        ("west_of", BBox(-6.0, 36.0, 6.0, 48.0)),
        ("northeast_of", BBox(18.0, 48.0, 30.0, 60.0)),
        ("part_north", BBox(6.0, 42.0, 18.0, 48.0)),
        ("part_southwest", BBox(6.0, 36.0, 12.0, 42.0)),
        ("part_central", BBox(9.0, 39.0, 15.0, 45.0)),
        ("global", WORLD),
        ("outside", None),
    ],
)
def test_italy(relation: Relation, expected: BBox | None) -> None:
    assert target_box(relation, [ITALY]) == expected


def test_between_spans_the_centres() -> None:
    rome, vienna = BBox(12.0, 41.0, 13.0, 42.0), BBox(16.0, 48.0, 17.0, 49.0)
    assert target_box("between", [rome, vienna]) == BBox(12.5, 41.5, 16.5, 48.5)


def test_between_two_places_of_one_latitude_is_a_degree_high() -> None:
    assert target_box("between", [BBox(10, 50, 10, 50), BBox(20, 50, 20, 50)]) == BBox(10.0, 49.5, 20.0, 50.5)


def test_between_goes_the_shorter_way_around() -> None:
    fiji, samoa = BBox(178.0, -18.0, 178.0, -18.0), BBox(-172.0, -14.0, -172.0, -14.0)
    assert target_box("between", [fiji, samoa]) == BBox(178.0, -18.0, -172.0, -14.0)


def test_a_point_counts_as_a_degree_and_near_it_is_half_a_degree() -> None:
    point = BBox(10.0, 50.0, 10.0, 50.0)
    assert target_box("north_of", [point]) == BBox(9.5, 50.0, 10.5, 51.0)
    assert target_box("near", [point]) == BBox(9.5, 49.5, 10.5, 50.5)


def test_a_distance_grows_the_box_and_moves_it_in_a_direction() -> None:
    town = BBox(10.0, 60.0, 10.2, 60.1)
    grown = target_box("within_distance", (town,), 111.195)
    assert grown is not None
    assert (grown.south, grown.north) == (pytest.approx(59.0, abs=1e-3), pytest.approx(61.1, abs=1e-3))
    assert grown.west == pytest.approx(8.0, abs=0.02)  # a degree of longitude is half as long here
    north = target_box("north_of", (town,), 111.195)
    assert north is not None
    assert north.centre == (pytest.approx(10.1), pytest.approx(61.05, abs=1e-3))
    assert north.height_deg == pytest.approx(1.0, abs=1e-3)


def test_across_the_antimeridian() -> None:
    fiji = BBox(177.0, -20.0, -178.0, -16.0)  # 5 degrees wide
    assert target_box("east_of", [fiji]) == BBox(-178.0, -20.0, -173.0, -16.0)
    assert target_box("part_west", [fiji]) == BBox(177.0, -20.0, 179.5, -16.0)


def test_what_lies_past_the_poles_or_around_the_world_is_nowhere() -> None:
    assert target_box("north_of", [BBox(-180.0, 66.0, 180.0, 90.0)]) is None
    assert target_box("east_of", [BBox(-180.0, 66.0, 180.0, 90.0)]) is None
    assert target_box("south_of", [BBox(-180.0, 66.0, 180.0, 90.0)]) == BBox(-180.0, 42.0, 180.0, 66.0)


def test_several_places_are_taken_together_and_none_gives_none() -> None:
    assert target_box("in", [BBox(0, 0, 1, 1), BBox(3, 3, 4, 4)]) == BBox(0, 0, 4, 4)
    assert target_box("in", []) is None


@st.composite
def boxes(draw: st.DrawFn) -> BBox:
    south, north = sorted(draw(st.tuples(*[st.floats(-90, 90)] * 2)))
    return BBox(draw(st.floats(-180, 180)), south, draw(st.floats(-180, 180)), north)


@given(st.sampled_from(get_args(Relation)), st.lists(boxes(), min_size=1, max_size=3))
def test_any_boxes_give_a_box_or_none(relation: Relation, places: list[BBox]) -> None:
    target = target_box(relation, places)  # BBox itself refuses what is out of range
    assert target is None or -90 <= target.south <= target.north <= 90


def test_the_middle_of_a_place_around_the_world_is_around_the_world() -> None:
    assert target_box("part_central", [BBox(-180.0, 60.0, 180.0, 80.0)]) == BBox(-180.0, 65.0, 180.0, 75.0)
