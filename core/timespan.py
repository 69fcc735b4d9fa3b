"""Spans of time in milliseconds since 1970, so that geological times fit too; how much they overlap, and how many lie
in each year.

Arrays of spans are ``(n, 2) float64``: start, end in milliseconds, ``-inf`` and ``inf`` for open ends. The scale
is linear, also for geological spans: only shares count, and a share is the same number in years or in millions of
years. Beyond 285,000 years float64 rounds to whole milliseconds and more, which has no effect on a share.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

_ISO = re.compile(
    r"^(?P<year>-?\d{4}|[+-]\d{5,9})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2})"
    r"(?:[T ](?P<clock>\d{2}(?::\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?)(?P<zone>Z|[+-]\d{2}:?\d{2})?)?)?)?$",
    re.ASCII,
)
_RFC3339 = re.compile(r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$", re.ASCII)
_MINUTE_MS = 60_000
_DAY_MS = 86_400_000
Floats = NDArray[np.float64]
_DURATION = re.compile(
    r"^P(?=.)(?:(?P<years>\d+(?:\.\d+)?)Y)?(?:(?P<months>\d+(?:\.\d+)?)M)?(?:(?P<weeks>\d+(?:\.\d+)?)W)?"
    r"(?:(?P<days>\d+(?:\.\d+)?)D)?"
    r"(?:T(?=.)(?:(?P<hours>\d+(?:\.\d+)?)H)?(?:(?P<minutes>\d+(?:\.\d+)?)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?$"
)
_SECONDS = {
    "years": 365.2425 * 86_400,
    "months": 365.2425 * 86_400 / 12,
    "weeks": 7 * 86_400,
    "days": 86_400,
    "hours": 3_600,
    "minutes": 60,
    "seconds": 1,
}
FIRST_YEAR, LAST_YEAR = 1850, 2100
"""Earlier years are one number, that of the year before; the years after the last one are not counted."""
YEAR_BEFORE_FIRST = FIRST_YEAR - 1
FARTHEST_YEAR = 290_000_000
"""Before and after: the milliseconds of a later or earlier year do not fit into 64 bits."""


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """From ``start_ms`` to ``end_ms``, both inclusive, UTC milliseconds since 1970-01-01 (proleptic Gregorian).

    None is an open end: "since 1990" has no end, "before 1950" no start.
    Raises ValueError if the start is after the end.
    """

    start_ms: int | None
    end_ms: int | None

    def __post_init__(self) -> None:
        if self.start_ms is not None and self.end_ms is not None and self.start_ms > self.end_ms:
            raise ValueError("the start lies after the end")

    @classmethod
    def from_iso(cls, start: str | None, end: str | None) -> TimeSpan:
        """A span from ISO 8601 dates of any precision; the end is rounded up to the end of the period that it names.

        ``from_iso("1990", "2000-05")`` ends with May 2000. ``..``, the empty string and None are open ends.
        Raises ValueError for a date that does not exist.
        """
        return cls(
            None if start in (None, "", "..") else instant_ms(str(start)),
            None if end in (None, "", "..") else instant_ms(str(end), at_end=True),
        )

    @property
    def start_iso(self) -> str | None:
        return None if self.start_ms is None else iso(self.start_ms)

    @property
    def end_iso(self) -> str | None:
        return None if self.end_ms is None else iso(self.end_ms)


def instant_ms(text: str, *, at_end: bool = False) -> int:
    """Milliseconds since 1970 of an ISO 8601 date or time; ``at_end``: the last one of the year, month or day.

    Years of more than four digits need a sign, as in ISO 8601: 19900105 is not a year.
    Raises ValueError that quotes the text if it is not a date, names a day that does not exist or a year that is too
    far away.
    """
    match = _ISO.match(text.strip().upper())  # RFC 3339, 5.6: T and Z may be written in lower case
    if match is None:
        raise ValueError(f"{text!r} is not an ISO 8601 date")
    year, month, day, clock = match["year"], match["month"], match["day"], match["clock"]
    if abs(int(year)) > FARTHEST_YEAR:
        raise ValueError(f"{text!r} is not in the years -{FARTHEST_YEAR} to +{FARTHEST_YEAR}")
    try:
        if clock is not None:
            return _clock_ms(f"{year}-{month}-{day}", clock, match["zone"], at_end=at_end)
        date_text = "-".join(part for part in (year, month, day) if part is not None)
        instant = np.datetime64(date_text)  # numpy takes the unit (year, month, day) from the text
        if not at_end:
            return int(instant.astype("datetime64[ms]").astype(np.int64))
        return int((instant + 1).astype("datetime64[ms]").astype(np.int64)) - 1
    except ValueError as error:
        raise ValueError(f"{text!r} is not a date that exists") from error


def _clock_ms(date: str, clock: str, zone: str | None, *, at_end: bool) -> int:
    parts = clock.split(":")
    clock_text = ":".join(parts + ["00"] * (3 - len(parts)))
    instant = int(np.datetime64(f"{date}T{clock_text}", "ms").astype(np.int64))
    if at_end and len(parts) < 3:
        instant += (60 * _MINUTE_MS if len(parts) == 1 else _MINUTE_MS) - 1
    if zone and zone != "Z":
        digits = zone[1:].replace(":", "")
        offset = (int(digits[:2]) * 60 + int(digits[2:])) * _MINUTE_MS
        instant += -offset if zone[0] == "+" else offset
    return instant


def rfc3339_ms(text: str) -> int:
    """Milliseconds since 1970 of an RFC 3339 moment: date, time and zone, in either case.

    Raises ValueError for less (a day, a year, a time without a zone) and for a moment that does not exist.
    """
    if not _RFC3339.match(text.upper()):
        raise ValueError(f"{text!r} is not a moment of RFC 3339: write 1990-01-01T00:00:00Z")
    return instant_ms(text)


def iso(instant: int) -> str:
    """``1990-01-01T00:00:00Z``; milliseconds only if not zero, a year beyond 9999 with its sign."""
    year, month, day = str(np.datetime64(instant, "ms")).removesuffix(".000").rsplit("-", 2)
    sign = "-" if year.startswith("-") else "+" if len(year) > 4 else ""
    return f"{sign}{year.lstrip('-').zfill(4)}-{month}-{day}Z"


def enclosing_span(spans: Sequence[TimeSpan]) -> TimeSpan | None:
    """From the first start to the last end; None for no spans."""
    if not spans:
        return None
    starts, ends = [span.start_ms for span in spans], [span.end_ms for span in spans]
    return TimeSpan(
        None if None in starts else min(start for start in starts if start is not None),
        None if None in ends else max(end for end in ends if end is not None),
    )


def span_array(spans: Iterable[TimeSpan]) -> Floats:
    """spans: (n, 2) float64 start, end in ms, open ends infinite; (0, 2) for none."""
    rows = [
        (-math.inf if span.start_ms is None else span.start_ms, math.inf if span.end_ms is None else span.end_ms)
        for span in spans
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, 2)


@dataclass(frozen=True, slots=True)
class Overlap:
    """``asked_share``: (n,) 0..1 of the asked time, None if that is endless; ``span_share``: (n,) 0..1 of each
    span inside the asked time.
    """

    asked_share: Floats | None
    span_share: Floats


def asked_ends_ms(query: TimeSpan, now_ms: int) -> tuple[float, float]:
    """The ends of an asked span at ``now_ms``: "since 1990" ends now; "after 2050" (asked before 2050) and "in future",
    which begins today, never.
    """
    start = -math.inf if query.start_ms is None else float(query.start_ms)
    if query.end_ms is not None:
        return start, float(query.end_ms)
    return start, float(now_ms) if start <= now_ms - _DAY_MS else math.inf


def overlap(query: TimeSpan, spans: Floats, now_ms: int) -> Overlap:
    """Shares of the asked time and of each of ``spans`` (n, 2); both ends belong to a span.

    A span without an end lasts until now (or is its start instant, if that is in the future).
    """
    asked_start, asked_end = asked_ends_ms(query, now_ms)
    starts, ends = spans[:, 0], _ends_ms(spans, now_ms)
    overlaps = _length(np.maximum(starts, asked_start), np.minimum(ends, asked_end))
    lengths = _length(starts, ends)
    endless = np.isinf(lengths)
    share = np.where(np.isinf(overlaps), 1.0, overlaps / np.where(endless, 1.0, lengths))
    span_share = np.where(endless & np.isfinite(overlaps), 0.0, share)
    asked_length = asked_end - asked_start + 1.0
    return Overlap(None if math.isinf(asked_length) else overlaps / asked_length, span_share)


def age_ms(spans: Floats, now_ms: int) -> Floats:
    """The time since each span ended: (n,) ms, 0 for a span that lasts until now or longer."""
    return np.maximum(now_ms - _ends_ms(spans, now_ms), 0.0)


def _ends_ms(spans: Floats, now_ms: int) -> Floats:
    latest_ms: Floats = np.where(np.isinf(spans[:, 1]), np.maximum(spans[:, 0], float(now_ms)), spans[:, 1])
    return latest_ms


def _length(starts: Floats, ends: Floats) -> Floats:
    """Milliseconds from start to end, both included; 0 if the end comes first."""
    return np.where(ends >= starts, ends - starts + 1.0, 0.0)


def duration_parts(text: str) -> dict[str, float]:
    """The numbers of an ISO 8601 duration by unit (``years``, ``months``, ..., ``seconds``); empty for other texts."""
    match = _DURATION.match(text.strip())
    return {unit: float(count) for unit, count in match.groupdict().items() if count} if match else {}


def duration_s(text: str) -> float | None:
    """Seconds of an ISO 8601 duration (``P1D``, ``PT6H``, ``P1M`` as a twelfth of a year); None for other texts."""
    return sum(count * _SECONDS[unit] for unit, count in duration_parts(text).items()) or None


def turns_of(spans: Iterable[TimeSpan]) -> list[int]:
    """The turns of all spans together, sorted. A turn is a year at which they begin (2 x year), or at which they have
    ended (2 x year + 1).

    An open start begins at ``YEAR_BEFORE_FIRST``; an open end, and one in the last year or later, has not ended.
    """
    years = sorted((_year(span.start_ms, YEAR_BEFORE_FIRST), _year(span.end_ms, LAST_YEAR)) for span in spans)
    changes: list[int] = []
    last_year_done = YEAR_BEFORE_FIRST - 1
    for first, last in years:
        if first > LAST_YEAR:
            break
        if first > last_year_done + 1 or not changes:
            changes += _end_turn(last_year_done) if changes else []
            changes.append(2 * first)
        last_year_done = max(last_year_done, last)
    return [*changes, *_end_turn(last_year_done)] if changes else []


def counts_by_year(records_by_turn: Mapping[int, int]) -> dict[int, int]:
    """Spans by year, from ``YEAR_BEFORE_FIRST`` to ``LAST_YEAR``.

    ``records_by_turn``: how many records have each turn (see ``turns_of``).
    """
    counts: dict[int, int] = {}
    running_count = 0
    for year in range(YEAR_BEFORE_FIRST, LAST_YEAR + 1):
        running_count += records_by_turn.get(2 * year, 0) - records_by_turn.get(2 * year + 1, 0)
        counts[year] = running_count
    return counts


def _end_turn(last: int) -> list[int]:
    return [] if last >= LAST_YEAR else [2 * (last + 1) + 1]


def _year(instant_ms: int | None, open_end: int) -> int:
    if instant_ms is None:
        return open_end
    year = int(np.datetime64(instant_ms, "ms").astype("datetime64[Y]").astype(np.int64)) + 1970
    return max(year, YEAR_BEFORE_FIRST)


def utc_now() -> datetime:
    return datetime.now(UTC)


def now_iso() -> str:
    """ISO 8601 in UTC to the millisecond, ``2026-10-01T09:00:00.000Z``: the form of every stored time."""
    return utc_now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
