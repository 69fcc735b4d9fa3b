"""Times of CF (``days since 1990-01-01``, in any calendar) as ISO 8601."""

from __future__ import annotations

import math
import re
from datetime import date, timedelta

import cftime
import numpy as np
from numpy.typing import NDArray

from core.json_types import Json

Values = NDArray[np.float64]
_UNITS = re.compile(r"(?P<unit>[a-z]+)\s+since\s+(?P<epoch>.+)", re.IGNORECASE)
_ABSOLUTE = re.compile(r"(?:day|month|year)\s+as\s+%Y(?P<month>%m(?P<day>%d)?)?(?:\.%f)?", re.IGNORECASE)
_MONTHS = {"month": 1, "months": 1, "mon": 1, "year": 12, "years": 12, "yr": 12, "common_year": 12, "common_years": 12}
_SECONDS = {
    "s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hr": 3600, "hour": 3600, "d": 86400,
    "day": 86400,
}  # fmt: skip
_MONTH_DAYS, _YEAR_DAYS = (27.9, 31.1), (359.9, 366.1)


def describe_times(times: Values, edges: Values, units: str, calendar: str) -> Json:
    """Start, end and step; ``edges`` are the times or their bounds. Raises ValueError.

    A climatology counts from a year that stands for all: it has no times.
    """
    times, edges = times[np.isfinite(times)], edges[np.isfinite(edges)]
    if not times.size or not edges.size:
        return {}
    start, end = (_date(float(edge), units, calendar) for edge in (edges.min(), edges.max()))
    if end.year <= 1:
        raise ValueError(f"they lie in the year {end.year}, so they are a climatology, or their epoch is wrong")
    if float(edges.max()) > float(times.max()) and (end.hour, end.minute, end.second) == (0, 0, 0):
        end -= timedelta(days=1)  # bounds end with the beginning of the next day
    description = {"start": _iso(start), "end": _iso(end), "step": _step(times, units)}
    if calendar.lower() not in ("", "standard", "gregorian", "proleptic_gregorian"):
        description["calendar"] = calendar
    return {name: value for name, value in description.items() if value is not None}


def _date(value: float, units: str, calendar: str) -> cftime.datetime:
    absolute = _ABSOLUTE.fullmatch(units.strip())
    if absolute is not None:
        return _absolute_date(value, has_month=bool(absolute["month"]), has_day=bool(absolute["day"]))
    match = _UNITS.match(units.strip())
    if match is None:
        raise ValueError(f"{units!r} is no unit of time since a date")
    months = _MONTHS.get(match["unit"].lower())
    if months is None:
        return cftime.num2date(value, units, calendar or "standard")
    epoch = cftime.num2date(0, f"days since {match['epoch']}", calendar or "standard")  # a month has no fixed length
    count = (epoch.year * 12 + epoch.month - 1) + math.floor(value * months)
    return epoch.replace(year=count // 12, month=count % 12 + 1, day=min(epoch.day, 28))


def _absolute_date(value: float, *, has_month: bool, has_day: bool) -> cftime.datetime:
    """Of CDO's ``day as %Y%m%d.%f``: 20010301.5 is noon of 1 March 2001. Only days have parts."""
    whole = math.floor(value)
    day, months = (whole % 100, whole // 100) if has_day else (1, whole)
    year, month = divmod(months, 100) if has_month else (months, 1)
    seconds = round((value - whole) * 86400) if has_day else 0
    return cftime.datetime(year, month, day, calendar="proleptic_gregorian") + timedelta(seconds=seconds)


def is_time_unit(units: str) -> bool:
    """``hours since 1990-01-01``, ``day as %Y%m%d.%f``."""
    return _UNITS.match(units.strip()) is not None or _ABSOLUTE.fullmatch(units.strip()) is not None


def _iso(moment: cftime.datetime) -> str:
    """In the calendar of our days: the 30 February of a model is the last day of that month."""
    day = moment.day
    while day > 28 and not _exists(moment.year, moment.month, day):
        day -= 1
    date_text = f"{moment.year:0{5 if moment.year < 0 else 4}d}-{moment.month:02d}-{day:02d}"
    clock = f"{moment.hour:02d}:{moment.minute:02d}:{moment.second:02d}"
    return date_text if clock == "00:00:00" else f"{date_text}T{clock}Z"


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year if year > 0 else 4, month, day)
    except ValueError:
        return False
    return True


def _step(times: Values, units: str) -> str | None:
    """The usual step as ISO 8601; None where there is none."""
    steps = np.diff(np.sort(times))
    steps = steps[steps > 0]
    match = _UNITS.match(units.strip())
    if not steps.size or match is None:
        return None
    unit = match["unit"].lower()
    low, middle, high = (float(np.quantile(steps, share)) for share in (0.1, 0.5, 0.9))
    if unit in _MONTHS:
        return _months(round(middle * _MONTHS[unit]))
    seconds = _SECONDS.get(unit) or _SECONDS.get(unit.rstrip("s"))
    if seconds is None:
        return None
    days = [step * seconds / 86400 for step in (low, middle, high)]
    for (shortest, longest), months in ((_MONTH_DAYS, 1), (_YEAR_DAYS, 12)):
        if days[0] >= shortest and days[2] <= longest:
            return _months(months)
    return _duration(middle * seconds) if high <= 1.01 * low else None


def _months(count: int) -> str | None:
    if count < 1:
        return None
    return f"P{count // 12}Y" if count % 12 == 0 else f"P{count}M"


def _duration(seconds: float) -> str | None:
    for size, form in ((86400, "P{}D"), (3600, "PT{}H"), (60, "PT{}M"), (1, "PT{}S")):
        count = seconds / size
        if count >= 1 and abs(count - round(count)) < 0.001:
            return form.format(round(count))
    return None
