"""Boxes found by name against other people's boxes: median overlap and coverage."""

from __future__ import annotations

from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.geo import BBox
from reading.gazetteer import Gazetteer
from reading.gazetteer.build.drafts import iou
from tests.unit.gazetteer_yardstick import yardstick


@pytest.fixture(scope="module")
def measured() -> dict[str, list[float | None]]:
    """IoU of every yardstick place with the first place of its name, None where the name is not known; by source."""
    gazetteer = Gazetteer()
    found: dict[str, list[float | None]] = {}
    for source, name, box in yardstick():
        places = gazetteer.lookup(name)
        found.setdefault(source, []).append(iou(places[0].bbox, box) if places else None)
    return found


def test_the_median_overlap_over_all_places_is_at_least_seven_tenths(measured: dict[str, list[float | None]]) -> None:
    overlaps = [value for values in measured.values() for value in values if value is not None]
    assert median(overlaps) >= 0.7


@pytest.mark.parametrize(
    ("source", "overlap", "coverage"),
    [("country-bounding-boxes", 0.9, 0.97), ("marine polygons", 0.7, 0.9), ("thesaurus", 0.8, 0.85)],
)
def test_each_source_is_covered_and_agrees(
    measured: dict[str, list[float | None]], source: str, overlap: float, coverage: float
) -> None:
    values = measured[source]
    known = [value for value in values if value is not None]
    assert median(known) >= overlap
    assert len(known) / len(values) >= coverage


def test_overlap_by_hand() -> None:
    assert iou(BBox(0, 0, 2, 2), BBox(1, 0, 3, 2)) == pytest.approx(2 / 6)
    assert iou(BBox(0, 0, 1, 1), BBox(2, 2, 3, 3)) == 0.0


def test_overlap_across_the_antimeridian_by_hand() -> None:
    fiji, west_half = BBox(177, -20, -177, -10), BBox(177, -20, 180, -10)
    assert iou(fiji, west_half) == pytest.approx(30 / 60)
    assert iou(fiji, BBox(-180, -20, -177, -10)) == pytest.approx(30 / 60)


_LATITUDES = st.floats(-90, 90).map(lambda value: round(value, 3))
_LONGITUDES = st.floats(-180, 180).map(lambda value: round(value, 3))
_BOXES = st.builds(
    lambda west, east, a, b: BBox(west, min(a, b), east, max(a, b)), _LONGITUDES, _LONGITUDES, _LATITUDES, _LATITUDES
)


@given(_BOXES, _BOXES)
def test_overlap_is_symmetric_and_between_0_and_1(a: BBox, b: BBox) -> None:
    assert iou(a, b) == pytest.approx(iou(b, a))
    assert 0.0 <= iou(a, b) <= 1.0 + 1e-9


@given(_BOXES)
def test_a_box_overlaps_itself_wholly(a: BBox) -> None:
    assert iou(a, a) == pytest.approx(1.0 if a.width_deg * a.height_deg > 0.0 else 0.0)
