"""Scale words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading.scale import ScaleMention, read_scales


def only(text: str) -> ScaleMention:
    (mention,) = read_scales(text)
    assert text[mention.start : mention.end] == mention.text
    return mention


@pytest.mark.parametrize(
    ("text", "metres"),
    [
        ("land cover 30 m", 30.0),
        ("30m DEM", 30.0),
        ("30-m pixels", 30.0),
        ("30 m elevation model", 30.0),
        ("30 m elevation", 30.0),
        ("1 km grid", 1_000.0),
        ("2,5 km Raster", 2_500.0),
        ("50 cm imagery", 0.5),
        ("30 m x 30 m", 30.0),
        ("10 m resolution wind", 10.0),
        ("Auflösung von 30 m", 30.0),
        ("0.25 degree", 27_830.0),  # 0.25 x 111,320
        ("0.25° x 0.25°", 27_830.0),
        ("1/4 degree ocean", 27_830.0),
        ("30 arc-seconds", 111_320.0 / 120),
        ("5 arcmin", 111_320.0 / 12),
    ],
)
def test_resolutions(text: str, metres: float) -> None:
    assert only(text).metres == pytest.approx(metres)


@pytest.mark.parametrize(
    ("text", "denominator"),
    [
        ("1:50 000", 50_000),
        ("1:250,000 soils", 250_000),
        ("1:50.000", 50_000),
        ("1 : 25000", 25_000),
        ("1:1M", 1_000_000),
    ],
)
def test_map_scales(text: str, denominator: int) -> None:
    assert only(text).scale_denominator == denominator


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("daily rain", "P1D"), ("hourly", "PT1H"), ("monthly", "P1M"), ("annual mean", "P1Y"), ("weekly", "P7D"),
        ("6-hourly wind", "PT6H"), ("3 hourly", "PT3H"), ("half-hourly", "PT30M"), ("8-day composite", "P8D"),
        ("10 minute data", "PT10M"), ("tägliche Werte", "P1D"), ("6-stündliche Werte", "PT6H"),
        ("données mensuelles", "P1M"), ("datos diarios", "P1D"), ("dati orari", "PT1H"), ("dados anuais", "P1Y"),
    ],
)  # fmt: skip
def test_time_steps(text: str, step: str) -> None:
    assert only(text).time_step == step


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("high resolution imagery", "high"), ("very high resolution imagery", "very_high"),
        ("coarse resolution", "low"),
        ("hochauflösende Bilder", "high"), ("global soils", "global"), ("worldwide", "global"),
        ("continental data", "continental"), ("national soil map", "national"), ("bundesweite Daten", "national"),
        ("regional data", "regional"), ("local survey", "local"),
    ],
)  # fmt: skip
def test_levels(text: str, level: str) -> None:
    assert only(text).level == level


@pytest.mark.parametrize(
    "text",
    [
        "2 m temperature", "2-m air temperature", "10 m wind", "100 m depth", "depth of 100 m", "500 m isobath",
        "100 m a.s.l.", "upper 1000 m", "within 100 km of Rome", "10 m/s", "10 m2", "45°N", "2°C", "2 degrees warming",
        "global warming", "global radiation", "continental shelf", "National Park Service", "sub-daily", "16:9",
        "1000 m elevation", "500 hPa", "local time", "in 1990", "",
    ],
)  # fmt: skip
def test_what_is_no_scale(text: str) -> None:
    assert read_scales(text) == []


def test_the_number_of_a_product_counts_nothing() -> None:
    assert [one.text for one in read_scales("ERA-40 monthly means, Japanese 25-year reanalysis")] == ["monthly"]


def test_several_in_one_question() -> None:
    read = read_scales("daily global rain at 0.5 degree, 1:50 000")
    assert [one.text for one in read] == ["daily", "global", "0.5 degree", "1:50 000"]


@given(st.text(alphabet="0123456789 m:k°°-x.,/ daily resolution", max_size=80))
def test_each_mention_has_one_meaning(text: str) -> None:
    for one in read_scales(text):
        meanings = (one.metres, one.scale_denominator, one.time_step, one.level)
        assert sum(meaning is not None for meaning in meanings) == 1
        assert one.text == text[one.start : one.end]
