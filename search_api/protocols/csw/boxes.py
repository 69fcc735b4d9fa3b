"""Boxes of a CSW request, in any reference system, as boxes in degrees."""

from __future__ import annotations

import math

from core.extent import BBox
from core.reference_systems import ReferenceSystem, read_reference_system
from search_api.http.parameter_types import plain_number
from search_api.protocols.csw.errors import CswError


def system_of(name: str, locator: str = "constraint") -> ReferenceSystem:
    """Raises CswError that names the system."""
    try:
        return read_reference_system(name)
    except ValueError as error:
        raise CswError("InvalidParameterValue", str(error), locator) from None


def in_degrees(corners: list[float], system: ReferenceSystem, locator: str = "constraint") -> list[float]:
    """west, south, east, north of two corners in a reference system. Raises CswError."""
    if not all(map(math.isfinite, corners)):
        raise CswError("InvalidParameterValue", "a corner of a box is two numbers", locator)
    try:
        return _on_earth(*system.box(*corners))
    except ValueError as error:
        raise CswError("InvalidParameterValue", str(error), locator) from None


def box_of_pair(text: str) -> BBox:
    """``w,s,e,n`` or ``w,s,e,n,EPSG:n`` of a key-value pair, as OWS Common has it. Raises CswError."""
    *numbers, last = text.split(",") if text.count(",") in (4, 6) else [*text.split(","), ""]
    system = system_of(last, "bbox")
    try:
        corners = [plain_number(number) for number in numbers]
    except ValueError:
        corners = []
    if len(corners) == 6:
        corners = [corners[position] for position in (0, 1, 3, 4)]
    if len(corners) != 4:
        raise CswError("InvalidParameterValue", "bbox is west,south,east,north and the name of its system", "bbox")
    try:
        return BBox(*in_degrees(corners, system, "bbox"))
    except ValueError as error:
        raise CswError("InvalidParameterValue", f"bbox: {error}", "bbox") from None


def _on_earth(west: float, south: float, east: float, north: float) -> list[float]:
    """What lies on the Earth of a map's extent: desktop maps reach past the poles, and around the world more than once.

    ``west > east`` crosses the antimeridian.
    """
    south, north = (min(90.0, max(-90.0, lat)) for lat in (south, north))
    if east - west >= 360:
        return [-180.0, south, 180.0, north]
    west, east = (lon if -180 <= lon <= 180 else (lon + 180) % 360 - 180 for lon in (west, east))
    return [west, south, east, north]
