"""The values of the field: boxes, spans and ids."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.geo import WORLD, BBox, enclosing_box, normalise_longitude
from core.record import record_id
from core.timespan import TimeSpan, instant_ms, iso

DAY_MS = 86_400_000


@pytest.mark.parametrize(
    "edges",
    [(float("nan"), 0, 1, 1), (0, float("inf"), 1, 1), (-181, 0, 1, 1), (0, 0, 181, 1), (0, -91, 1, 1), (0, 2, 1, 1)],
)
def test_an_impossible_box_is_refused(edges: tuple[float, float, float, float]) -> None:
    with pytest.raises(ValueError, match=r"west|south|east|north"):
        BBox(*edges)


def test_a_box_over_the_antimeridian_is_twenty_degrees_wide_around_180() -> None:
    fiji = BBox(170, -20, -170, -15)
    assert fiji.width_deg == 20
    assert fiji.centre == (180.0, -17.5)
    assert fiji.parts() == (BBox(170, -20, 180, -15), BBox(-180, -20, -170, -15))


def test_boxes_on_both_sides_of_the_antimeridian_are_enclosed_the_short_way() -> None:
    assert enclosing_box((BBox(170, 0, 175, 5), BBox(-175, -5, -170, 0))) == BBox(170, -5, -170, 5)
    assert enclosing_box((BBox(0, 0, 10, 1), BBox(20, 0, 30, 1))) == BBox(0, 0, 30, 1)
    assert enclosing_box((WORLD,)) == WORLD
    assert enclosing_box(()) is None


@given(st.floats(-1e6, 1e6))
def test_every_longitude_has_its_place(longitude: float) -> None:
    brought = normalise_longitude(longitude)
    assert -180 <= brought <= 180
    assert abs((brought - longitude) % 360.0) < 1e-6 or abs((brought - longitude) % 360.0 - 360.0) < 1e-6


def test_the_end_of_a_span_is_the_end_of_what_it_names() -> None:
    span = TimeSpan.from_iso("1990", "2000-02")
    assert span.start_iso == "1990-01-01T00:00:00Z"
    assert span.end_iso == "2000-02-29T23:59:59.999Z"
    assert TimeSpan.from_iso("..", "1950").start_ms is None


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("-9700", "-9700-01-01T00:00:00Z"),
        ("-0044-03-15", "-0044-03-15T00:00:00Z"),
        ("0001", "0001-01-01T00:00:00Z"),
        ("+12000-06", "+12000-06-01T00:00:00Z"),
        ("2000-01-01T01:30+01:30", "2000-01-01T00:00:00Z"),
        ("2000-01-01T00:00:00.250Z", "2000-01-01T00:00:00.250Z"),
    ],
)
def test_instants_of_any_age_are_read_and_written(text: str, written: str) -> None:
    assert iso(instant_ms(text)) == written


@pytest.mark.parametrize(
    "text", ["2001-02-29", "2001-13", "19900105", "yesterday", "", "2001-1-1", "2001-01-01T25:00", "+300000000"]
)
def test_what_is_no_date_is_refused_and_quoted(text: str) -> None:
    with pytest.raises(ValueError, match="is not"):
        instant_ms(text)


@given(st.integers(-(10**14), 10**14))
def test_what_is_written_reads_back(instant: int) -> None:
    assert instant_ms(iso(instant)) == instant


def test_a_span_cannot_end_before_it_starts() -> None:
    with pytest.raises(ValueError, match="after the end"):
        TimeSpan(DAY_MS, 0)


def test_an_id_is_fit_for_a_url() -> None:
    assert record_id("ncar", "edu.ucar.gdex::d010000") == "ncar:edu.ucar.gdex::d010000"
    assert record_id("s", "a b/ü") == "s:a~20b~2f~c3~bc"


def test_a_long_id_is_hashed_and_stays_apart_from_its_neighbour() -> None:
    one, other = record_id("s", "x" * 500 + "1"), record_id("s", "x" * 500 + "2")
    assert len(one) == len(other) == 400
    assert one != other
