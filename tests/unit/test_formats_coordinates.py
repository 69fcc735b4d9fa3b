"""Coordinates that are written wrongly: mended where only one place can be meant, else reported, never dropped."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.geo import BBox
from indexer.formats.registry import read, separate
from indexer.formats.repair.shapes import PlaceCollector
from indexer.raw import RawRecord
from tests.shared_data import shared_data

SWAPPED = "extent: latitude and longitude of a box were swapped"


def test_the_reported_envelopes() -> None:
    content = shared_data("cases", "12-geoblacklight-envelopes", "a.json").read_bytes()
    found = {one.identifier: one for one in (read(raw, "s") for raw in separate(RawRecord("a", content, "a")).records)}
    assert found["minus-space"].extents == (BBox(-81.06667, -5.015556, -75.19694, -1.363889),)
    assert found["swapped-ns"].warnings == ("extent: south and north were swapped",)
    assert len(found) == 5
    assert all(one.extents for one in found.values())


_MALFORMED = (
    "ENVELOPE(-81.06,-75.19,-1.36)", "ENVELOPE(-81.06,,-1.36,-5.01)", "ENVELOPE(W81,W75,S1,S5)",
    "ENVELOPE -81 -75 -1 -5", "-88.1,37.77,,41.76,", "-88.1,37.77,-84.78", "-88.1 37.77 -84.78 41.76 12",
    "BBOX(1,2,3)", "envelope(1;2;3;4)",
)  # fmt: skip


@pytest.mark.parametrize("written", _MALFORMED)
def test_a_box_that_cannot_be_read_is_reported_and_the_record_kept(written: str) -> None:
    document = {"id": "x", "gbl_mdVersion_s": "Aardvark", "dct_title_s": "A", "gbl_resourceClass_sm": ["Maps"]}
    document["dcat_bbox"] = written
    for extra in ({}, {"locn_geometry": "POLYGON((0 0, 1 0, 1 1, 0 1, 0 0))"}):
        record = read(RawRecord("x", json.dumps({**document, **extra}).encode(), "x"), "s")
        assert any("left out" in warning for warning in record.warnings), record.warnings


_LATITUDE = st.floats(min_value=-80, max_value=80)
_ONLY_LONGITUDE = st.floats(min_value=92, max_value=179) | st.floats(min_value=-179, max_value=-92)


@given(south=_LATITUDE, north=_LATITUDE, west=_ONLY_LONGITUDE, width=st.floats(min_value=0, max_value=0.9))
def test_a_box_with_swapped_axes_is_the_box_with_a_warning(
    south: float, north: float, west: float, width: float
) -> None:
    south, north = sorted((south, north))
    right, wrong = PlaceCollector(), PlaceCollector()
    right.add_box(west, south, west + width, north)
    wrong.add_box(south, west, north, west + width)
    assert (wrong.boxes, SWAPPED in wrong.warnings) == (right.boxes, True)


@given(latitude=_LATITUDE, longitude=_ONLY_LONGITUDE)
def test_a_point_with_swapped_axes_is_the_point_with_a_warning(latitude: float, longitude: float) -> None:
    for add in (PlaceCollector.add_point, lambda places, x, y: places.add_numbers([x, y])):
        right, wrong = PlaceCollector(), PlaceCollector()
        add(right, longitude, latitude)
        add(wrong, latitude, longitude)
        assert (wrong.boxes, SWAPPED in wrong.warnings) == (right.boxes, True)
        assert not right.warnings


@pytest.mark.parametrize("given", [[1, 2, 3], "1,2,3,4", {"west": 1}, [1, 2, 3, 4, 5]])
def test_numbers_that_make_no_box_are_reported(given: object) -> None:
    places = PlaceCollector()
    assert not places.add_numbers(given)
    assert any("left out" in warning for warning in places.warnings)


@pytest.mark.parametrize("written", ["Lake Constance", "Section 12", "Europe, 2020", "", "area 51, Nevada"])
def test_names_are_not_reported_as_coordinates(written: str) -> None:
    places = PlaceCollector()
    assert not places.add_text(written)
    assert not places.warnings
