"""Repairs the edges of a box where only one BBox can be meant."""

from __future__ import annotations

import math

from core.extent import BBox, normalise_longitude
from indexer.formats.antimeridian import SWAPPED, Evidence, is_swapped

_OVERSHOOT_DEG = 1.0  # the outer edge of a grid cell at a pole
_FULL_CIRCLE_DEG = 360.0 - 1e-6
_NO_EVIDENCE = Evidence()
_EDGES = ("west", "south", "east", "north")


def repair_box(
    west: float, south: float, east: float, north: float, evidence: Evidence = _NO_EVIDENCE
) -> tuple[BBox | None, list[str]]:
    """A box in degrees, and the repairs; None where it had to be left out (the last warning says why).

    Where west > east, ``evidence`` decides between a box across the antimeridian and swapped edges.
    """
    edges = dict(zip(_EDGES, (west, south, east, north), strict=True))
    bad = [name for name, value in edges.items() if not math.isfinite(value)]
    if bad:
        return None, [f"extent: box left out: {bad[0]} is not a number"]
    latitudes, warnings = _latitudes(south, north)
    longitudes, more = _longitudes(west, east)
    warnings += more
    if latitudes is None or longitudes is None:
        return None, [text for text in warnings if "left out" in text]
    (west_edge, east_edge), (low, high) = longitudes, latitudes
    if west > east and SWAPPED not in warnings and is_swapped(west, east, low, high, evidence):
        west_edge, east_edge = east_edge, west_edge
        warnings.append(SWAPPED)
    return BBox(west_edge, low, east_edge, high), warnings


def number(text: str) -> float:
    """A decimal number, also with a decimal comma; NaN where the text is not one."""
    try:
        return float(text.strip().replace(",", ".") if text.count(",") == 1 else text)
    except ValueError:
        return math.nan


def _latitudes(south: float, north: float) -> tuple[tuple[float, float] | None, list[str]]:
    warnings = []
    for value in (south, north):
        if abs(value) > 90.0 + _OVERSHOOT_DEG:
            return None, [f"extent: box left out: latitude {value:g} outside -90..90"]
        if abs(value) > 90.0:
            warnings.append(f"extent: latitude {value:g} was cut to {math.copysign(90.0, value):g}")
    south, north = (max(-90.0, min(90.0, value)) for value in (south, north))
    if south > north:
        south, north = north, south
        warnings.append("extent: south and north were swapped")
    return (south, north), warnings


def _longitudes(west: float, east: float) -> tuple[tuple[float, float] | None, list[str]]:
    for value in (west, east):
        if not -360.0 <= value <= 540.0:
            return None, [f"extent: box left out: longitude {value:g} outside -180..180"]
    outside = not (-180.0 <= west <= 180.0 and -180.0 <= east <= 180.0)
    warnings = ["extent: longitudes 0..360 brought to -180..180"] if outside else []
    if east - west >= _FULL_CIRCLE_DEG:
        return (-180.0, 180.0), warnings
    west, east = normalise_longitude(west), normalise_longitude(east)
    # An edge exactly on the antimeridian is written so that the box does not cross it.
    if west == 180.0 and east == -180.0:
        return (-180.0, 180.0), [*warnings, SWAPPED]
    if west == 180.0 and east < 180.0:
        west = -180.0
    if east == -180.0 and west > -180.0:
        east = 180.0
    return (west, east), warnings
