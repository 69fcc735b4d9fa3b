"""Dates as librarians write them: what is meant is read, what is doubted is said, "no date" is nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.record import Record
from core.timespan import TimeSpan
from indexer.formats.registry import read
from indexer.formats.repair.dates import interval_in, read_date
from indexer.formats.repair.written_dates import parse_written_dates, says_no_date
from indexer.raw import RawRecord
from tests.unit import second_formats


@pytest.mark.parametrize(
    ("text", "begin", "end", "doubtful"),
    [
        ("1918?", "1918", "1918", True),
        ("[1918?]", "1918", "1918", True),
        ("[ca. 1850]", "1850", "1850", True),
        ("circa 1850-1860", "1850", "1860", True),
        ("c1900", "1900", "1900", True),
        ("1998, c1997", "1998", "1998", False),
        ("1968 [i.e. 1986]", "1986", "1986", False),
        ("1893, printed 1895", "1893", "1893", False),
        ("1920 - 1929?", "1920", "1929", True),
        ("2008-2010", "2008", "2010", False),
        ("1998-99", "1998", "1999", False),
        ("between 1850 and 1860", "1850", "1860", False),
        ("1840 or 1841", "1840", "1841", False),
        ("185-?", "1850", "1859", True),
        ("192?", "1920", "1929", False),
        ("1850's", "1850", "1859", False),
        ("1920s-1930s", "1920", "1939", False),
        ("18--", "1800", "1899", False),
        ("19th century", "1801", "1900", False),
        ("XIXe siècle", "1801", "1900", False),
        ("late 19th century", "1867", "1900", True),
        ("March 2008", "2008-03", "2008-03", False),
        ("5. März 2008", "2008-03-05", "2008-03-05", False),
        ("5 de marzo de 2008", "2008-03-05", "2008-03-05", False),
        ("March 5th, 2008", "2008-03-05", "2008-03-05", False),
        ("05-MAR-2008", "2008-03-05", "2008-03-05", False),
        ("March - May 2008", "2008-03", "2008-05", False),
        ("5.IV.1998", "1998-04-05", "1998-04-05", False),
        ("IV 1998", "1998-04", "1998-04", False),
        ("Spring 2008", "2008-03", "2008-05", True),
        ("winter 2008-2009", "2008-12", "2009-02", True),
        ("2nd quarter 2008", "2008-04", "2008-06", False),
        ("25.12.1999", "1999-12-25", "1999-12-25", False),
        ("12/25/1999", "1999-12-25", "1999-12-25", False),
        ("1950-", "1950", "", False),
        ("before 1900", "", "1900", False),
    ],
)
def test_what_a_text_means(text, begin, end, doubtful):
    found = parse_written_dates(text)
    assert found is not None
    assert (found.begin, found.end, found.doubtful) == (begin, end, doubtful)
    interval = interval_in(text)
    assert interval is not None
    assert (interval.begin.text, interval.end.text) == (begin, end)


@pytest.mark.parametrize(
    ("text", "iso"), [("20151214Z", "2015-12-14"), ("20080305120000", "2008-03-05T12:00:00"), ("Aug. 1976", "1976-08")]
)
def test_one_date(text, iso):
    assert read_date(text, []) == iso


@pytest.mark.parametrize(
    "text", ["Minnesota", "North Carolina 1923", "May", "01/02/1999", "Holocene", "3", "192", "1 of 5"]
)
def test_what_is_no_date_is_not_guessed(text):
    assert parse_written_dates(text) is None


@pytest.mark.parametrize("text", ["n.d.", "[n.d.]", "N.D.", "s.d.", "undated", "o. J.", "no date"])
def test_no_date_is_nothing_and_no_warning(text):
    assert says_no_date(text)
    found = _map(issued=text, temporal=text)
    assert (found.times, found.dates.published, found.warnings) == ((), None, ())


def _map(issued: str, temporal: str) -> Record:
    document = {"layer_slug_s": "m", "dc_title_s": "A map", "dct_issued_s": issued, "dct_temporal_sm": [temporal]}
    return read(RawRecord("m", json.dumps(document).encode(), "m"), "library")


def test_a_map_of_a_library_says_what_is_doubtful():
    found = _map("1920 - 1929?", "1920-1929?")
    assert found.times == (TimeSpan.from_iso("1920", "1929"),)
    assert found.dates.published == "1920"
    assert found.warnings == (
        "dates: 1920 - 1929? read as 1920, which is doubtful",
        "time: 1920-1929? read as 1920/1929, which is doubtful",
    )


@given(st.text(alphabet="0123456789-?[]cs. /XVIn,"), st.text(max_size=12))
def test_any_text_is_a_date_that_exists_or_none(digits, letters):
    for text in (digits, letters, digits + letters):
        found = parse_written_dates(text)
        assert found is None or found.begin or found.end


def test_every_date_of_the_real_library_is_read():
    for name, content in second_formats.of("OpenGeoMetadata+edu.umn").items():
        stated = json.loads(content)
        for record in second_formats.records(content, name):
            assert not [text for text in record.warnings if "left out" in text and "extent" not in text], (name, record)
            assert record.times or not stated.get("dct_temporal_sm"), name
            assert (record.dates.published is None) == (stated.get("dct_issued_s", "n.d.") == "n.d."), name
