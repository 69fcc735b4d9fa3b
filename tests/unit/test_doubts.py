"""Which periods of a record are doubted, and that the record shows it."""

from __future__ import annotations

import pytest

from core.record import Provenance, ProvenanceKind, Record, doubts
from core.timespan import TimeSpan
from search_api.search.views.geojson import properties


def record(start: str | None, end: str | None, kind: ProvenanceKind = "unknown") -> Record:
    times = (TimeSpan.from_iso(start, end),)
    return Record("a:1", "a", "1", "A record", times=times, provenance=Provenance(kind=kind))


@pytest.mark.parametrize(
    ("start", "end", "codes"),
    [
        ("0042", "4000", ["starts_before_1000", "ends_after_2100"]),
        ("1000", "2144", ["ends_after_2100"]),
        ("0042", None, ["starts_before_1000"]),
        ("1990", "2020", []),
        ("1850", "2100", []),
        ("0850", "1400", []),  # a period of the Middle Ages
        ("-9700", "1950", []),  # the Holocene
        (None, None, []),
    ],
)
def test_years_that_are_hardly_meant(start: str | None, end: str | None, codes: list[str]) -> None:
    assert [doubt.code for doubt in doubts(record(start, end))] == codes
    shown = properties(record(start, end)).get("sonde:doubts", [])
    assert [doubt["code"] for doubt in shown] == codes


def test_a_projection_may_lie_ahead() -> None:
    assert doubts(record("2015", "2300", "projection")) == ()
    assert len(doubts(record("2015", "2300", "observation"))) == 1
