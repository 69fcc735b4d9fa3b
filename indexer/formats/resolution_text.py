"""Resolutions written as one text: ``0.25 degree``, ``30 m``, ``Daily - < Weekly``."""

from __future__ import annotations

import re

from indexer.formats.units import iso_duration, metres, time_step

_NUMBER_AND_UNIT = re.compile(
    r"(?P<number>\d+\s*/\s*\d+|\d*[.,]?\d+)\s*[- ]?"
    r"(?P<unit>(?:decimal )?deg(?:ree)?s?|°|km|kilomet(?:er|re)s?|met(?:er|re)s?|m"
    r"|arc[- ]?min(?:ute)?s?|arc[- ]?sec(?:ond)?s?|minutes?|feet|ft|nautical miles?|miles?)\b",
    re.IGNORECASE,
)
_DEGREES = re.compile(r"(?P<number>\d+\s*/\s*\d+|\d*[.,]?\d+)\s*(?:°|º)")
_BOTH_IN_ONE_UNIT = re.compile(r"(\d*[.,]?\d+)\s*(?:x|×|by)\s*(\d*[.,]?\d+)\s*([a-z°]+)", re.IGNORECASE)
_LISTED = re.compile(r",\s+|;|\s+x\s+|\s+by\s+|\s+and\s+", re.IGNORECASE)
_STEP = re.compile(
    r"(?P<number>\d+(?:\.\d+)?)?\s*-?\s*(?P<unit>seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b", re.I
)
_NAMED_STEPS = {
    "subhourly": None, "hourly": "PT1H", "daily": "P1D", "weekly": "P7D", "monthly": "P1M", "quarterly": "P3M",
    "seasonal": "P3M", "annual": "P1Y", "annually": "P1Y", "yearly": "P1Y", "biennial": "P2Y", "decadal": "P10Y",
}  # fmt: skip
_WORD = re.compile(r"[a-z]+")


def distance_in(text: str) -> float | None:
    """The first distance in a text in metres (the finest of a list, angles at the equator); None without one."""
    parts = _LISTED.split(_BOTH_IN_ONE_UNIT.sub(r"\1 \3 x \2 \3", text))
    distances = [found for part in parts if (found := _first_distance(part)) is not None]
    return min(distances) if len(distances) == len(parts) else _first_distance(text)


def _first_distance(text: str) -> float | None:
    match = _NUMBER_AND_UNIT.search(text) or _DEGREES.search(text)
    if match is None:
        return None
    unit = match.groupdict().get("unit") or "deg"
    unit = re.sub(r"[- ]", "", unit.lower())
    unit = {"minute": "arcmin", "minutes": "arcmin", "arcmins": "arcmin", "arcsecs": "arcsec"}.get(unit, unit)
    above, _, below = match["number"].replace(",", ".").partition("/")
    divisor = float(below or 1)
    return metres(float(above) / divisor, unit) if divisor else None


def step_in(text: str) -> str | None:
    """The first time step in a text as an ISO 8601 duration; None without one."""
    if found := iso_duration(text):
        return found
    lowered = text.lower()
    word = _WORD.search(lowered)
    if word is not None and word[0] in _NAMED_STEPS:
        return _NAMED_STEPS[word[0]]
    match = _STEP.search(lowered)
    return None if match is None else time_step(float(match["number"] or 1), match["unit"])
