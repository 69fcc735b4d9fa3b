"""Boxes in degrees WGS 84."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BBox:
    """A box in degrees WGS 84; ``west > east`` crosses the antimeridian, ``south <= north``.

    Raises ValueError for a number that is not finite or out of range (longitudes -180..180, latitudes -90..90).
    """

    west: float
    south: float
    east: float
    north: float

    def __post_init__(self) -> None:
        for name in ("west", "south", "east", "north"):
            if not math.isfinite(getattr(self, name)):
                raise ValueError(f"{name} is not a finite number")
        for name in ("west", "east"):
            if not -180.0 <= getattr(self, name) <= 180.0:
                raise ValueError(f"{name} is outside -180..180 degrees")
        for name in ("south", "north"):
            if not -90.0 <= getattr(self, name) <= 90.0:
                raise ValueError(f"{name} is outside -90..90 degrees")
        if self.south > self.north:
            raise ValueError("south is larger than north")

    @property
    def crosses_antimeridian(self) -> bool:
        return self.west > self.east

    @property
    def unrolled_east(self) -> float:
        """East as a longitude never smaller than west: the only place that resolves the antimeridian."""
        return self.east + 360.0 if self.crosses_antimeridian else self.east

    @property
    def width_deg(self) -> float:
        return self.unrolled_east - self.west

    @property
    def height_deg(self) -> float:
        return self.north - self.south

    @property
    def is_point(self) -> bool:
        return self.width_deg == 0.0 and self.height_deg == 0.0

    @property
    def centre(self) -> tuple[float, float]:
        """Longitude (-180..180) and latitude of the middle of the box."""
        longitude = self.west + self.width_deg / 2.0
        return (longitude - 360.0 if longitude > 180.0 else longitude, (self.south + self.north) / 2.0)

    def as_list(self) -> list[float]:
        """``[west, south, east, north]``, GeoJSON's order."""
        return [self.west, self.south, self.east, self.north]

    def parts(self) -> tuple[BBox, ...]:
        """The box as one or two boxes that do not cross the antimeridian."""
        if not self.crosses_antimeridian:
            return (self,)
        return (
            BBox(self.west, self.south, 180.0, self.north),
            BBox(-180.0, self.south, self.east, self.north),
        )


WORLD = BBox(-180.0, -90.0, 180.0, 90.0)


def normalise_longitude(longitude_deg: float) -> float:
    """Any longitude brought to -180..180; 180 itself stays 180."""
    if -180.0 <= longitude_deg <= 180.0:
        return longitude_deg
    return (longitude_deg + 180.0) % 360.0 - 180.0


def enclosing_box(boxes: tuple[BBox, ...]) -> BBox | None:
    """The smallest box around all of them, across the antimeridian if that is narrower; None for no boxes.

    Longitudes are arcs on a circle: the widest gap between them is left out.
    """
    if not boxes:
        return None
    south = min(box.south for box in boxes)
    north = max(box.north for box in boxes)
    arcs = sorted((part.west, part.east) for box in boxes for part in box.parts())
    merged = [arcs[0]]
    for west, east in arcs[1:]:
        if west <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], east))
        else:
            merged.append((west, east))
    gaps = [(merged[i + 1][0] - merged[i][1], i) for i in range(len(merged) - 1)]
    around = merged[0][0] + 360.0 - merged[-1][1]
    if not gaps or around >= max(gaps)[0]:
        return BBox(merged[0][0], south, merged[-1][1], north)
    _, widest = max(gaps)
    return BBox(merged[widest + 1][0], south, merged[widest][1], north)
