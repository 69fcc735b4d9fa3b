"""Boxes, points and bands written out in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading.coordinates import written_boxes


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("sst at 45.5N 10.2E", [10.2, 45.5, 10.2, 45.5]),
        ("45.5°N, 10.2°W", [-10.2, 45.5, -10.2, 45.5]),
        ("45°30'N 10°15'E", [10.25, 45.5, 10.25, 45.5]),
        ("33°52'12\"S 151°12'36\"E", [151.21, -33.87, 151.21, -33.87]),
        ("N45.5 E10.2", [10.2, 45.5, 10.2, 45.5]),
        ("rain at S12 W77", [-77, -12, -77, -12]),
        ("N 45°30' E 10°15' daily", [10.25, 45.5, 10.25, 45.5]),
        ("N45°30'E10°15'", [10.25, 45.5, 10.25, 45.5]),
        ("E10.2 N45.5", [10.2, 45.5, 10.2, 45.5]),
        ("10.2E 45.5N", [10.2, 45.5, 10.2, 45.5]),
        ("45.5° N / 10.2° E", [10.2, 45.5, 10.2, 45.5]),
        ("45.5 N and 10.2 E", [10.2, 45.5, 10.2, 45.5]),
        ("45 degrees north 10 degrees west", [-10, 45, -10, 45]),
        ("latitude 45.5° N, longitude 10.2° E", [10.2, 45.5, 10.2, 45.5]),
        ("lat=45.5 lon=-10.2", [-10.2, 45.5, -10.2, 45.5]),
        ("lon 10.2 lat 45.5", [10.2, 45.5, 10.2, 45.5]),
        ("within 100 km of 45.5, 10.2", [10.2, 45.5, 10.2, 45.5]),
        ("lat 10-20 lon 30-40", [30, 10, 40, 20]),
        ("lat -10 to 10, lon 120 to 160", [120, -10, 160, 10]),
        ("latitude 45-50N, longitude 5-10E", [5, 45, 10, 50]),
        ("latitudes between 40 and 60 degrees north", [-180, 40, 180, 60]),
        ("40 to 60 degrees south", [-180, -60, 180, -40]),
        ("52.5, 13.4", [13.4, 52.5, 13.4, 52.5]),
        ("stations near 52.5, -13.4", [-13.4, 52.5, -13.4, 52.5]),
        ("lat 52.5 lon 13.4", [13.4, 52.5, 13.4, 52.5]),
        ("latitude: 52, longitude: 13", [13, 52, 13, 52]),
        ("bbox 5,45,15,55", [5, 45, 15, 55]),
        ("bbox=[-10, 35, 30, 70] wind", [-10, 35, 30, 70]),
        ("bbox 170,-20,-170,-10", [170, -20, -170, -10]),
        ("between 10S and 20S", [-180, -20, 180, -10]),
        ("10S-10N", [-180, -10, 180, 10]),
        ("between 30 and 60 N", [-180, 30, 180, 60]),
        ("10-20S, 30-40E", [30, -20, 40, -10]),
        ("30°E-40°E, 10°S to 20°S", [30, -20, 40, -10]),
        ("170E-170W", [170, -90, -170, 90]),
        ("SST in 5°N-5°S, 170°W-120°W", [-170, -5, -120, 5]),
        ("45N to 50N 10E to 20E", [10, 45, 20, 50]),
        ("10S-20S, 160E-160W", [160, -20, -160, -10]),
        ("10-20W", [-20, -90, -10, 90]),
        ("between 10 and 20 W", [-20, -90, -10, 90]),
        ("350E-10E", [-10, -90, 10, 90]),
        ("170E-200E", [170, -90, -160, 90]),
        ("0-360E", [-180, -90, 180, 90]),
        ("bbox 170,-20,190,-10", [170, -20, -170, -10]),
        ("bbox 0,-90,360,90", [-180, -90, 180, 90]),
        ("52,5N 13,4E", [13.4, 52.5, 13.4, 52.5]),
        ("52.5N13.4E", [13.4, 52.5, 13.4, 52.5]),
        ("lat45 lon10", [10, 45, 10, 45]),
        ("between 10 and 20 degrees south and 30 and 40 degrees east", [30, -20, 40, -10]),
        ("station (−77.85, 166.67)", [166.67, -77.85, 166.67, -77.85]),
        ("20−10S", [-180, -20, 180, -10]),
        ("north of 60N", [-180, 60, 180, 90]),
        ("poleward of 60S", [-180, -90, 180, -60]),
        ("permafrost above 70°N", [-180, 70, 180, 90]),
        ("ice below 60°S", [-180, -90, 180, -60]),
        ("soil > 70° N", [-180, 70, 180, 90]),
        ("north of 70 degrees north", [-180, 70, 180, 90]),
        ("nördlich von 70°N", [-180, 70, 180, 90]),
        ("au sud de 10°N", [-180, -90, 180, 10]),
        ("5W 40N 10E 50N", [-5, 40, 10, 50]),
        ("5W, 50N, 10E, 40N", [-5, 40, 10, 50]),
        ("5W 10E 40N 50N", [-5, 40, 10, 50]),
        ("40N 50N 5W 10E", [-5, 40, 10, 50]),
        ("170E 10S 170W 10N", [170, -10, -170, 10]),
    ],
)
def test_written_positions(text: str, edges: list[float]) -> None:
    (written,) = written_boxes(text)
    assert written.bbox.as_list() == pytest.approx(edges)


@pytest.mark.parametrize(
    "text",
    [
        "pH 3.5, 4.5",
        "version 1.2, 3.4",
        "1990-2000",
        "in the 80s and 90s",
        "5 s and 10 s",
        "30 m at 1:50 000",
        "0.5 x 0.5 degree",
        "10 to 20 years",
        "10 to 20 W/m2",
        "heat flux of 10 W/m2 to 20 W m-2",
        "snow at 47,5N",
        "at 95.5, 13.4",  # no latitude is 95.5
        "bbox 5,55,15,45",  # south over north
        "bbox 5,45,15",
        "north of 95N",
        "S2 W3",
        "S2 A",
        "E10 N2O",
        "E10 N20",
        "E3 ubiquitin S1",
        "ERA5 S2 E10",
        "N95 E10",
        "SRTM N45E010",
        "strike N45E 30",
        "exposure of 5.2w 10.1s",
        "sections 30N and 40W",
        "flat 10 lon 20",
        "45-30-15N 010-12-20E",
        "33N UTM zone",
        "profile P16N 20 W",
        "section A16 S 30 W",
        "3 north 5 west sites",
        "2 to 4 south east of Kenya",
        "long 10 to 20 days",
        "lat 2-3 mm",
        "lon 10-20 days",
        "lat 10-20 s",
        "force above 70 N",
        "below 30°N",  # on either side
        "above 60°S",
        "rain",
    ],
)
def test_other_numbers_are_no_positions(text: str) -> None:
    assert written_boxes(text) == []


@pytest.mark.parametrize("text", ["5W 40N, 10E 50N", "5W 40N 10E 50N 15E 60N", "40N 5W 50N 10E"])
def test_positions_in_a_row_are_no_box(text: str) -> None:
    assert all(written.bbox.west == written.bbox.east for written in written_boxes(text))


def test_a_written_place_keeps_its_signs() -> None:
    (written,) = written_boxes("(−77.85, 166.67)")
    assert written.text == "−77.85, 166.67"


@given(st.integers(-89, 89), st.integers(-179, 179))
def test_a_written_point_is_read_back(latitude: int, longitude: int) -> None:
    text = f"{abs(latitude)}{'S' if latitude < 0 else 'N'} {abs(longitude)}{'W' if longitude < 0 else 'E'}"
    (written,) = written_boxes(text)
    assert written.bbox.as_list() == [longitude, latitude, longitude, latitude]
