"""Resolutions: units in metres and ISO 8601 durations, and distances and steps written as text."""

from __future__ import annotations

import re

from core.timespan import duration_parts

METRES_PER_DEGREE = 111_319.49  # one degree of the equator of WGS 84 (a = 6,378,137 m)

_LARGEST = 1e12  # larger than anything on Earth, in any unit

_METRES = {
    METRES_PER_DEGREE: "deg degs degree degrees dd decimaldegree decimaldegrees ° 9102 9122",
    METRES_PER_DEGREE / 60: "arcmin arcminute arcminutes minuteofarc ' 9103",
    METRES_PER_DEGREE / 3600: 'arcsec arcsecond arcseconds secondofarc second seconds " 9104',
    1.0: "m metre metres meter meters mtr ground_sample_distance 9001 gsd",
    1000.0: "km kms kilometre kilometres kilometer kilometers 9036",
    0.01: "cm centimetre centimetres centimeter centimeters",
    0.001: "mm millimetre millimetres millimeter millimeters",
    0.3048: "ft foot feet 9002",
    1609.344: "mi mile miles 9093",
    1852.0: "nm nmi nauticalmile nauticalmiles 9030",
}
_BY_UNIT = {unit: metres for metres, units in _METRES.items() for unit in units.split()}
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_CALENDAR = {"month": ("M", 1), "quarter": ("M", 3), "year": ("Y", 1), "decade": ("Y", 10), "century": ("Y", 100)}
_SHORT_TIME = {
    "s": "second", "sec": "second", "secs": "second", "min": "minute", "mins": "minute", "h": "hour", "hr": "hour",
    "hrs": "hour", "d": "day", "mon": "month", "mth": "month", "yr": "year", "yrs": "year", "y": "year", "a": "year",
}  # fmt: skip
_AMOUNT = r"(?<![\d.,])(?:[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?+|\d++(?:[.,]\d++)?+|[.,]\d++)"
_NUMBER_AND_UNIT = re.compile(
    rf"(?P<number>\d+\s*/\s*\d+|{_AMOUNT})\s*[- ]?"
    r"(?P<unit>(?:decimal )?deg(?:ree)?s?|°|km|kilomet(?:er|re)s?|met(?:er|re)s?|m"
    r"|arc[- ]?min(?:ute)?s?|arc[- ]?sec(?:ond)?s?|minutes?|feet|ft|nautical miles?|miles?)\b",
    re.IGNORECASE,
)
_DEGREES = re.compile(rf"(?P<number>\d+\s*/\s*\d+|{_AMOUNT})\s*(?:°|º)")
_BOTH_IN_ONE_UNIT = re.compile(rf"({_AMOUNT})\s*(?:x|×|by)\s*({_AMOUNT})\s*([a-z°]+)", re.IGNORECASE)
_THOUSANDS = re.compile(r",(?=\d{3}(?!\d))")
_LIST_SEPARATOR = re.compile(r",\s+|;|\s+x\s+|\s+by\s+|\s+and\s+", re.IGNORECASE)
_STEP = re.compile(
    r"(?P<number>(?<![\d.])\d++(?:\.\d++)?+)?\s*+-?\s*"
    r"(?P<unit>seconds?|minutes?|hours?|hr|days?|weeks?|months?|mon|years?|yr)(?:pt|c)?\b"  # CMIP: 3hrPt, monC
)
_COUNTED_ADVERB = re.compile(r"(\d)\s*-?\s*(hour|dai|week|month|year)ly\b")
_NAMED_STEPS = {
    "subhourly": None, "hourly": "PT1H", "daily": "P1D", "weekly": "P7D", "monthly": "P1M", "quarterly": "P3M",
    "seasonal": "P3M", "annual": "P1Y", "annually": "P1Y", "yearly": "P1Y", "biennial": "P2Y", "decadal": "P10Y",
}  # fmt: skip
_WORD = re.compile(r"[a-z]+")
_LONGEST = 500  # characters: no resolution needs more, and a text may have a million


def metres(value: float, unit: str) -> float | None:
    """A ground distance in metres; angles are converted at the equator. None for an unknown unit."""
    per_unit = _BY_UNIT.get(re.sub(r"[\s_-]", "", _last_word(unit)).lower())
    return None if per_unit is None or not 0 < value < _LARGEST else round(value * per_unit, 3)


def time_step(value: float, unit: str) -> str | None:
    """A time step as an ISO 8601 duration (``P1M``, ``PT6H``); None for an unknown unit.

    Parts of a day become hours, minutes or seconds where that is exact.
    """
    if duration := iso_duration(unit):
        return duration if value == 1 else None
    if not 0 < value < _LARGEST:
        return None
    name = _last_word(unit).lower()
    name = _SHORT_TIME.get(name, name.removesuffix("s"))
    if name in _CALENDAR:
        letter, factor = _CALENDAR[name]
        count = value * factor
        return f"P{int(count)}{letter}" if count > 0 and count == int(count) else None
    if name not in _SECONDS or not value > 0:
        return None
    return _from_seconds(value * _SECONDS[name])


def iso_duration(text: str) -> str | None:
    """The text itself where it is an ISO 8601 duration."""
    duration = text.strip().upper()
    return duration if duration_parts(duration) else None


def _from_seconds(seconds: float) -> str | None:
    for letter, size in (("D", 86400), ("H", 3600), ("M", 60), ("S", 1)):
        count = seconds / size
        if count >= 1 and abs(count - round(count)) < 1e-9:
            return f"P{round(count)}D" if letter == "D" else f"PT{round(count)}{letter}"
    return None


def _last_word(unit: str) -> str:
    """``m`` of ``http://.../units.xml#m`` and ``9001`` of ``urn:ogc:def:uom:EPSG::9001``."""
    return re.split(r"[#/:]", unit.strip())[-1]


def distance_in(text: str) -> float | None:
    """The first distance in a text in metres (the finest of a list, angles at the equator); None without one."""
    text = text[:_LONGEST]
    parts = _LIST_SEPARATOR.split(_BOTH_IN_ONE_UNIT.sub(r"\1 \3 x \2 \3", text))
    distances = [distance for part in parts if (distance := _first_distance(part)) is not None]
    return min(distances) if len(distances) == len(parts) else _first_distance(text)


def _first_distance(text: str) -> float | None:
    match = _NUMBER_AND_UNIT.search(text) or _DEGREES.search(text)
    if match is None:
        return None
    unit = match.groupdict().get("unit") or "deg"
    unit = re.sub(r"[- ]", "", unit.lower())
    unit = {"minute": "arcmin", "minutes": "arcmin", "arcmins": "arcmin", "arcsecs": "arcsec"}.get(unit, unit)
    number = match["number"]
    if not number.startswith(("0", ",")):  # 1,000 m is a kilometre, 0,250 km a quarter of one
        number = _THOUSANDS.sub("", number)
    numerator, _, denominator = number.replace(",", ".").partition("/")
    divisor = float(denominator or 1)
    return metres(float(numerator) / divisor, unit) if divisor else None


def step_in(text: str) -> str | None:
    """The first time step in a text as an ISO 8601 duration; None without one."""
    if duration := iso_duration(text):
        return duration
    lower_text = text[:_LONGEST].lower()
    lower_text = _COUNTED_ADVERB.sub(lambda match: f"{match[1]} {match[2].replace('dai', 'day')}", lower_text)
    word = _WORD.search(lower_text)
    if word is not None and word[0] in _NAMED_STEPS:
        return _NAMED_STEPS[word[0]]
    match = _STEP.search(lower_text)
    return None if match is None else time_step(float(match["number"] or 1), match["unit"])
