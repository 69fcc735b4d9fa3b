"""Compares spans of time: shares and ages, in numpy and without its own clock.

Arrays of spans are ``(n, 2) float64``: start, end in milliseconds since 1970, ``-inf`` and ``inf`` for open ends.
Spans are compared on a linear scale, geological ones too: only the share of the asked time counts, and that is the
same number in years or in millions of years. Beyond 285,000 years float64 rounds to whole milliseconds and more,
which has no effect on a share.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.timespan import TimeSpan

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


def asked_ends_ms(asked: TimeSpan, now_ms: int) -> tuple[float, float]:
    """The ends of an asked span at ``now_ms``: "since 1990" ends now, "after 2050" (asked before 2050) never."""
    start = -math.inf if asked.start_ms is None else float(asked.start_ms)
    if asked.end_ms is not None:
        return start, float(asked.end_ms)
    return start, float(now_ms) if start <= now_ms else math.inf


def overlap(asked: TimeSpan, spans: Floats, now_ms: int) -> Overlap:
    """Shares of the asked time and of each of ``spans`` (n, 2); both ends belong to a span.

    A span without an end lasts until now (or is its start instant, if that is in the future).
    """
    asked_start, asked_end = asked_ends_ms(asked, now_ms)
    starts, ends = spans[:, 0], _ends_ms(spans, now_ms)
    shared = _length(np.maximum(starts, asked_start), np.minimum(ends, asked_end))
    lengths = _length(starts, ends)
    endless = np.isinf(lengths)
    share = np.where(np.isinf(shared), 1.0, shared / np.where(endless, 1.0, lengths))
    span_share = np.where(endless & np.isfinite(shared), 0.0, share)
    asked_length = asked_end - asked_start + 1.0
    return Overlap(None if math.isinf(asked_length) else shared / asked_length, span_share)


def age_ms(spans: Floats, now_ms: int) -> Floats:
    """The time since each span ended: (n,) ms, 0 for a span that lasts until now or longer."""
    return np.maximum(now_ms - _ends_ms(spans, now_ms), 0.0)


def _ends_ms(spans: Floats, now_ms: int) -> Floats:
    latest: Floats = np.where(np.isinf(spans[:, 1]), np.maximum(spans[:, 0], float(now_ms)), spans[:, 1])
    return latest


def _length(starts: Floats, ends: Floats) -> Floats:
    """Milliseconds from start to end, both included; 0 if the end comes first."""
    return np.where(ends >= starts, ends - starts + 1.0, 0.0)


def duration_s(text: str) -> float | None:
    """Seconds of an ISO 8601 duration (``P1D``, ``PT6H``, ``P1M`` as a twelfth of a year); None for other texts."""
    match = _DURATION.match(text.strip())
    if match is None:
        return None
    seconds = sum(float(count) * _SECONDS[unit] for unit, count in match.groupdict().items() if count)
    return seconds or None
