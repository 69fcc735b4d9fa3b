"""How many spans of time lie in each year, from their first and last years alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from core.timespan import TimeSpan

FIRST_YEAR, LAST_YEAR = 1850, 2100
"""Earlier years are one number, that of the year before; the years after the last one are not counted."""
BEFORE = FIRST_YEAR - 1


def turns_of(spans: Iterable[TimeSpan]) -> list[int]:
    """Where the years of all spans together begin (2 x year) and where they have ended (2 x year + 1), sorted.

    An open start begins at ``BEFORE``; an open end, and one in the last year or later, has not ended.
    """
    years = sorted((_year(span.start_ms, BEFORE), _year(span.end_ms, LAST_YEAR)) for span in spans)
    turns: list[int] = []
    reached = BEFORE - 1
    for first, last in years:
        if first > LAST_YEAR:
            break
        if first > reached + 1 or not turns:
            turns += _ended(reached) if turns else []
            turns.append(2 * first)
        reached = max(reached, last)
    return [*turns, *_ended(reached)] if turns else []


def counts_by_year(times: Mapping[int, int]) -> dict[int, int]:
    """Spans by year, from ``BEFORE`` to ``LAST_YEAR``; ``times``: how many records have each of the turns."""
    counted: dict[int, int] = {}
    now = 0
    for year in range(BEFORE, LAST_YEAR + 1):
        now += times.get(2 * year, 0) - times.get(2 * year + 1, 0)
        counted[year] = now
    return counted


def _ended(last: int) -> list[int]:
    return [] if last >= LAST_YEAR else [2 * (last + 1) + 1]


def _year(instant_ms: int | None, open_end: int) -> int:
    if instant_ms is None:
        return open_end
    year = int(np.datetime64(instant_ms, "ms").astype("datetime64[Y]").astype(np.int64)) + 1970
    return max(year, BEFORE)
