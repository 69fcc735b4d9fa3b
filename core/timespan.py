"""Spans of time in milliseconds since 1970, so that geological times fit too."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

_ISO = re.compile(
    r"^(?P<year>-?\d{4}|[+-]\d{5,9})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2})"
    r"(?:[T ](?P<clock>\d{2}(?::\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?)(?P<zone>Z|[+-]\d{2}:?\d{2})?)?)?)?$",
    re.ASCII,
)
_RFC3339 = re.compile(r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$", re.ASCII)
_MINUTE_MS = 60_000


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
    Raises ValueError that quotes the text if it is not a date or names a day that does not exist.
    """
    match = _ISO.match(text.strip().upper())  # RFC 3339, 5.6: T and Z may be written in lower case
    if match is None:
        raise ValueError(f"{text!r} is not an ISO 8601 date")
    year, month, day, clock = match["year"], match["month"], match["day"], match["clock"]
    try:
        if clock is not None:
            return _clock_ms(f"{year}-{month}-{day}", clock, match["zone"], at_end=at_end)
        named = "-".join(part for part in (year, month, day) if part is not None)
        instant = np.datetime64(named)  # numpy takes the unit (year, month, day) from the text
        if not at_end:
            return int(instant.astype("datetime64[ms]").astype(np.int64))
        return int((instant + 1).astype("datetime64[ms]").astype(np.int64)) - 1
    except ValueError as error:
        raise ValueError(f"{text!r} is not a date that exists") from error


def _clock_ms(date: str, clock: str, zone: str | None, *, at_end: bool) -> int:
    parts = clock.split(":")
    padded = ":".join(parts + ["00"] * (3 - len(parts)))
    instant = int(np.datetime64(f"{date}T{padded}", "ms").astype(np.int64))
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
