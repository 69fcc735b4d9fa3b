"""When: periods and instants of ISO 19139, open ends and repairs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from iso19139_document import begin_end, extent, period, record, temporal

from core.timespan import TimeSpan
from indexer.formats.repair.dates import Position, interval_in, read_date, repair_span


def _times(*inner: str) -> tuple[TimeSpan, ...]:
    return record(extent(*inner)).times


@pytest.mark.parametrize("gml", ["gml", "gml31"])
def test_a_period_in_both_versions_of_gml(gml):
    (span,) = _times(begin_end("1990", "2000-05", gml))
    assert (span.start_iso, span.end_iso) == ("1990-01-01T00:00:00Z", "2000-05-31T23:59:59.999Z")


def test_an_instant_lasts_as_long_as_it_names():
    (span,) = _times(
        temporal("<gml:TimeInstant gml:id='i'><gml:timePosition>2004-02</gml:timePosition></gml:TimeInstant>")
    )
    assert span == TimeSpan.from_iso("2004-02-01", "2004-02-29")


@pytest.mark.parametrize(
    "inner",
    [
        "<gml:begin><gml:TimeInstant gml:id='a'><gml:timePosition>1990</gml:timePosition></gml:TimeInstant></gml:begin>"
        "<gml:end><gml:TimeInstant gml:id='b'><gml:timePosition>1991</gml:timePosition></gml:TimeInstant></gml:end>",
        "<gml:beginPosition><gml:TimeInstant><gml:timePosition>1990</gml:timePosition></gml:TimeInstant></gml:beginPosition>"
        "<gml:endPosition><gml:timePosition>1991</gml:timePosition></gml:endPosition>",
    ],
)
def test_nested_instants(inner):
    assert _times(period(inner)) == (TimeSpan.from_iso("1990", "1991"),)


def test_every_period_once():
    assert _times(begin_end("1990", "1991"), begin_end("2000", "2001"), begin_end("1990", "1991")) == (
        TimeSpan.from_iso("1990", "1991"),
        TimeSpan.from_iso("2000", "2001"),
    )


@pytest.mark.parametrize(
    ("begin", "end", "span", "warnings"),
    [
        (Position("1990"), Position("", "now"), ("1990", None), []),
        (Position("1990"), Position("2020-01-01", "now"), ("1990", None), []),
        (Position("1990"), Position("2020", "after"), ("1990", None), []),
        (Position("1990", "after"), Position("2000", "before"), ("1990", "2000"), []),
        (Position("1990", "before"), Position("2000"), (None, "2000"), []),
        (Position("", "unknown"), Position("2000"), (None, "2000"), []),
        (Position("1990"), Position("present"), ("1990", None), []),
        (Position("1990"), Position("Ongoing"), ("1990", None), []),
        (Position("1990"), Position("9999-12-31"), ("1990", None), ["time: end 9999 read as open"]),
        (Position("0001-01-01"), Position("2000"), (None, "2000"), ["time: begin 0001-01-01 read as open"]),
        (Position("2000"), Position("1990"), ("1990", "2000"), ["time: begin and end were swapped"]),
        (
            Position("1979-01-01T0000+00"),
            Position("1980"),
            ("1979-01-01T00:00:00Z", "1980"),
            ["time: 1979-01-01T0000+00 read as 1979-01-01T00:00+00:00"],
        ),
        (
            Position("19900105"),
            Position("1990/02/03"),
            ("1990-01-05", "1990-02-03"),
            ["time: 19900105 read as 1990-01-05", "time: 1990/02/03 read as 1990-02-03"],
        ),
    ],
)
def test_open_ends_and_repairs(begin, end, span, warnings):
    assert repair_span(begin, end) == (TimeSpan.from_iso(*span), warnings)


@pytest.mark.parametrize(
    ("begin", "end", "warnings"),
    [
        (Position(), Position(), []),
        (Position("unknown"), Position("", "now"), []),
        (Position("2003-02-30"), Position("2004"), ["time: period left out: '2003-02-30' does not exist"]),
        (Position("01/02/1999"), Position("2004"), ["time: period left out: '01/02/1999' is not a date"]),
    ],
)
def test_what_says_nothing_or_cannot_be_is_left_out(begin, end, warnings):
    assert repair_span(begin, end) == (None, warnings)


def test_a_duration_stands_for_the_end():
    inner = "<gml:beginPosition>2000-01-01</gml:beginPosition><gml:duration>P1Y6M</gml:duration>"
    assert _times(period(inner)) == (TimeSpan.from_iso("2000-01-01", "2001-06-30"),)


@pytest.mark.parametrize(
    ("duration", "end"), [("P1Y", "2000-12-31"), ("30 days", "2000-01-30"), ("2 weeks", "2000-01-14"), ("long", None)]
)
def test_durations_as_iso_8601_and_as_thredds_write_them(duration, end):
    assert repair_span(Position("2000-01-01"), Position(), duration) == (TimeSpan.from_iso("2000-01-01", end), [])


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [
        ("2010-01-01/P1Y", "2010-01-01", "2010-12-31"),
        ("P1Y/2010-12-31", "2010-01-01", "2010-12-31"),
        ("p1y/2010", "2010-01-01", "2010"),
        ("P6M/2010-06", "2010-01-01", "2010-06"),
        ("P1M/2011-01-01T00:00:00Z", "2010-12-01", "2011-01-01T00:00:00Z"),
        ("P1Y/2010-12-31T23:59:59Z", "2010-01-01", "2010-12-31T23:59:59Z"),
        ("R5/P1M/2010-12-31", "2010-12-01", "2010-12-31"),
        ("2010-01-01/2010-12-31/P1D", "2010-01-01", "2010-12-31"),
        ("2010/P0.5Y", "2010-01-01", "2010-06-30"),
        ("0800-01-01/P1Y", "0800-01-01", "0800-12-31"),
        ("Present/2010", None, None),
    ],
)
def test_a_duration_stands_before_or_after_the_end_that_is_known(text, begin, end):
    interval = interval_in(text)
    assert interval is not None
    span, _ = repair_span(interval.begin, interval.end, interval.duration)
    assert span == (None if end is None else TimeSpan.from_iso(begin, end))


def test_a_duration_stands_for_the_begin():
    inner = "<gml:beginPosition/><gml:endPosition>2001-06-30</gml:endPosition><gml:duration>P1Y6M</gml:duration>"
    assert _times(period(inner)) == (TimeSpan.from_iso("2000-01-01", "2001-06-30"),)
    assert _times(period(inner.replace("n/>", 'n indeterminatePosition="unknown"/>'))) == _times(period(inner))
    assert _times(period(inner.replace("n/>", 'n indeterminatePosition="before"/>'))) == (
        TimeSpan.from_iso(None, "2001-06-30"),
    )
    warning = "time: period left out: 'P9999Y' up to 2000-01-01 does not begin in the calendar"
    assert repair_span(Position(), Position("2000-01-01"), "P9999Y") == (None, [warning])


@pytest.mark.parametrize("duration", ["P9999Y", "P99999999999D", "PT99999999999H"])
def test_a_duration_beyond_the_calendar_leaves_the_period_out(duration):
    warnings = [f"time: period left out: {duration!r} from 2000-01-01 does not end in the calendar"]
    assert repair_span(Position("2000-01-01"), Position(), duration) == (None, warnings)


def test_another_reference_system_is_left_out_by_name():
    inner = '<gml:beginPosition frame="urn:x:gps">1024</gml:beginPosition><gml:endPosition>1025</gml:endPosition>'
    found = record(extent(period(inner)))
    assert found.times == ()
    assert found.warnings == ("time: period left out: its reference system urn:x:gps is not the calendar",)


def test_indeterminate_positions_in_a_document():
    inner = '<gml:beginPosition>1990-06</gml:beginPosition><gml:endPosition indeterminatePosition="now"/>'
    found = record(extent(period(inner)))
    assert found.times == (TimeSpan.from_iso("1990-06", None),)
    assert found.warnings == ()


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("1990", "1990"),
        ("199002", "1990-02"),
        ("19900229T10", None),
        ("-12000", "-12000"),
        ("1990-1-5", "1990-01-05"),
        ("1990-00-00", "1990"),
        ("1990-12-00", "1990-12"),
        ("2000-01-01Z", "2000-01-01"),
        ("2000-01-01 10:00:00", "2000-01-01T10:00:00Z"),
        ("2000-01-01T10:00:00.5+0130", "2000-01-01T10:00:00.5+01:30"),
        ("2000-01-01T24:00:00Z", "2000-01-01T23:59:59Z"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
    ],
)
def test_unmistakable_dates(written, iso):
    if iso is None:
        with pytest.raises(ValueError, match="does not exist"):
            read_date(written, [])
    else:
        assert read_date(written, []) == iso


@given(st.text(max_size=20), st.text(max_size=20), st.sampled_from(["", "now", "before", "after", "unknown"]))
def test_any_text_gives_a_span_or_none(begin, end, indeterminate):
    span, warnings = repair_span(Position(begin), Position(end, indeterminate))
    assert span is None or span.start_ms is not None or span.end_ms is not None
    assert all(warning.startswith("time: ") for warning in warnings)


@given(st.dates(), st.dates())
def test_the_order_of_two_days_does_not_matter(one, other):
    forth, _ = repair_span(Position(one.isoformat()), Position(other.isoformat()))
    back, _ = repair_span(Position(other.isoformat()), Position(one.isoformat()))
    assert forth == back or "0001-01-01" in (one.isoformat(), other.isoformat()) or 9999 in (one.year, other.year)
