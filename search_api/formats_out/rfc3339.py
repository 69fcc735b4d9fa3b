"""Moments in RFC 3339. Its years have four digits; year 0 is avoided, because many clients do not support it."""

from __future__ import annotations

from core.timespan import TimeSpan, instant_ms, iso

EARLIEST_MS = instant_ms("0001-01-01")
LATEST_MS = instant_ms("9999-12-31", at_end=True)
EXPRESSIBLE = TimeSpan(EARLIEST_MS, LATEST_MS)


def nearest(instant: int) -> int:
    """The nearest moment that RFC 3339 can express."""
    return min(max(instant, EARLIEST_MS), LATEST_MS)


def moment(text: str | None) -> str | None:
    """The start of an ISO 8601 date of any precision as a date-time; None if it is not a date or out of range."""
    try:
        instant = instant_ms(text) if text else None
    except ValueError:
        return None
    return iso(instant) if instant is not None and instant == nearest(instant) else None


def enclosing(start_ms: int | None, end_ms: int | None) -> tuple[str | None, str | None]:
    """The narrowest interval around both ends that RFC 3339 can express; None is an open end.

    The last ice age becomes an interval without a start; its end remains if RFC 3339 can express it.
    """
    start = None if start_ms is None or start_ms < EARLIEST_MS else nearest(start_ms)
    end = None if end_ms is None or end_ms > LATEST_MS else nearest(end_ms)
    return (None if start is None else iso(start), None if end is None else iso(end))
