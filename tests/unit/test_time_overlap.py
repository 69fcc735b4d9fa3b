"""Shares of time, by hand and by law."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.timespan import TimeSpan, age_ms, asked_ends_ms, duration_s, instant_ms, overlap, span_array

NOW = instant_ms("2026-01-01")
DAY = 86_400_000


def shares(asked: TimeSpan, span: TimeSpan) -> tuple[float | None, float]:
    result = overlap(asked, span_array([span]), NOW)
    return None if result.asked_share is None else float(result.asked_share[0]), float(result.span_share[0])


def years(start: str | None, end: str | None) -> TimeSpan:
    return TimeSpan.from_iso(start, end)


def test_half_of_each() -> None:
    # Ten days each, five in common; both ends belong to a span.
    asked, span = TimeSpan(0, 10 * DAY - 1), TimeSpan(5 * DAY, 15 * DAY - 1)
    assert shares(asked, span) == (0.5, 0.5)


def test_apart() -> None:
    assert shares(years("1990", "1999"), years("2000", "2010")) == (0.0, 0.0)


def test_an_instant_inside_lies_wholly_inside() -> None:
    asked_share, span_share = shares(years("2000", "2009"), years("2003-05-12", "2003-05-12"))
    assert span_share == 1.0
    assert asked_share == pytest.approx(1 / 3653)


def test_a_record_without_end_lasts_until_now() -> None:
    asked_share, _ = shares(years("1990", None), years("2008-01-01", None))
    assert asked_share == pytest.approx(18 / 36, abs=1e-3)


def test_since_means_until_now_and_after_a_future_year_means_for_ever() -> None:
    assert asked_ends_ms(years("1990", None), NOW) == (instant_ms("1990"), NOW)
    assert asked_ends_ms(years("2050", None), NOW) == (instant_ms("2050"), float("inf"))


def test_before_1950_asks_for_no_share_of_its_own() -> None:
    before = years(None, "1949")
    assert shares(before, years("1900", "1999")) == (None, pytest.approx(0.5, abs=1e-3))
    assert shares(before, years("1000", "1500")) == (None, 1.0)
    assert shares(before, years(None, "1900")) == (None, 1.0)
    assert shares(before, years("1950", "2000")) == (None, 0.0)


def test_a_record_without_start_covers_but_does_not_lie_inside() -> None:
    assert shares(years("1990", "1999"), years(None, "2020")) == (1.0, 0.0)


def test_geological_times() -> None:
    eocene = TimeSpan(-56_000_000 * 366 * DAY, -34_000_000 * 366 * DAY)
    older_half = TimeSpan(-56_000_000 * 366 * DAY, -45_000_000 * 366 * DAY)
    assert shares(eocene, older_half) == (pytest.approx(0.5), pytest.approx(1.0))


def test_ages() -> None:
    spans = span_array([years("1990", None), TimeSpan(0, NOW - 10 * DAY), years("2000", "2100")])
    assert age_ms(spans, NOW).tolist() == [0.0, 10.0 * DAY, 0.0]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("PT1H", 3600), ("P1D", 86_400), ("P1W", 604_800), ("PT0.5S", 0.5), ("P1M", 2_629_746), ("P1Y", 31_556_952)],
)
def test_durations(text: str, seconds: float) -> None:
    assert duration_s(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "P", "PT", "P1", "1D", "P1DT", "daily", "PT0S", "P-1D"])
def test_no_durations(text: str) -> None:
    assert duration_s(text) is None


instants = st.one_of(st.none(), st.integers(-(10**19), 10**16))


@st.composite
def spans(draw: st.DrawFn) -> TimeSpan:
    start, end = draw(instants), draw(instants)
    if start is not None and end is not None and start > end:
        start, end = end, start
    return TimeSpan(start, end)


@given(spans(), spans())
def test_shares_are_shares_whatever_is_open(asked: TimeSpan, span: TimeSpan) -> None:
    asked_share, span_share = shares(asked, span)
    assert 0.0 <= span_share <= 1.0
    assert asked_share is None or 0.0 <= asked_share <= 1.0


@given(spans())
def test_a_closed_span_covers_itself(span: TimeSpan) -> None:
    if span.start_ms is not None and span.end_ms is not None:
        assert shares(span, span) == (1.0, 1.0)
