"""Units of resolution in metadata, converted to metres and ISO 8601 durations."""

from __future__ import annotations

import re

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
_ISO_DURATION = re.compile(
    r"^P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$"
)


def metres(value: float, unit: str) -> float | None:
    """A ground distance in metres; angles are converted at the equator. None for an unknown unit."""
    per_unit = _BY_UNIT.get(re.sub(r"[\s_-]", "", _last_word(unit)).lower())
    return None if per_unit is None or not 0 < value < _LARGEST else round(value * per_unit, 3)


def time_step(value: float, unit: str) -> str | None:
    """A time step as an ISO 8601 duration (``P1M``, ``PT6H``); None for an unknown unit.

    Parts of a day become hours, minutes or seconds where that is exact.
    """
    if _ISO_DURATION.match(unit.upper()):
        return unit.upper() if value == 1 else None
    if not 0 < value < _LARGEST:
        return None
    name = _last_word(unit).lower()
    name = _SHORT_TIME.get(name, name.removesuffix("s"))
    if name in _CALENDAR:
        letter, many = _CALENDAR[name]
        count = value * many
        return f"P{int(count)}{letter}" if count > 0 and count == int(count) else None
    if name not in _SECONDS or not value > 0:
        return None
    return _from_seconds(value * _SECONDS[name])


def iso_duration(text: str) -> str | None:
    """The text itself where it is an ISO 8601 duration."""
    written = text.strip().upper()
    return written if _ISO_DURATION.match(written) else None


def _from_seconds(seconds: float) -> str | None:
    for letter, size in (("D", 86400), ("H", 3600), ("M", 60), ("S", 1)):
        count = seconds / size
        if count >= 1 and abs(count - round(count)) < 1e-9:
            return f"P{round(count)}D" if letter == "D" else f"PT{round(count)}{letter}"
    return None


def _last_word(unit: str) -> str:
    """``m`` of ``http://.../units.xml#m`` and ``9001`` of ``urn:ogc:def:uom:EPSG::9001``."""
    return re.split(r"[#/:]", unit.strip())[-1]
