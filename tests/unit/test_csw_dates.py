"""Patterns of dates and dates with a zone, as CSW's clients write them."""

from __future__ import annotations

import pytest

from search_api.protocols.csw.constraint import periods, unzoned


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("2006-05-%", ["2006-05"]),
        ("2006%", ["2006"]),
        ("2006-05-1_", [f"2006-05-1{one}" for one in range(10)]),
        ("2006-1%", ["2006-10", "2006-11", "2006-12"]),
        ("200_-10-%", [f"200{one}-10" for one in range(10)]),
        ("2005-02-2_", [f"2005-02-2{one}" for one in range(9)]),
        ("2006-__-__", ["2006"]),
        ("199%", [f"199{one}" for one in range(10)]),
    ],
)
def test_a_pattern_is_a_list_of_years_months_or_days(pattern: str, found: list[str]) -> None:
    assert periods(pattern) == found


@pytest.mark.parametrize("pattern", ["", "%-05-%", "spring%", "2006-13-%", "2006-0", "2%", "____-__-01", "2006-02-31"])
def test_a_pattern_of_no_date_or_of_too_many_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="is compared with"):
        periods(pattern)


@pytest.mark.parametrize(
    ("text", "day"),
    [("2006-01-01Z", "2006-01-01"), ("2006-01-01+02:00", "2006-01-01"), ("2006-05", "2006-05"), ("2006", "2006")],
)
def test_the_zone_of_a_date_is_left_out(text: str, day: str) -> None:
    assert unzoned(text) == day
