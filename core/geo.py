"""Boxes, named places, and how two boxes compare.

Arrays of boxes are ``(n, 4) float64``: west, south, east, north in degrees, east unrolled (``east >= west``,
up to 540) for a box across the antimeridian; :func:`box_array` makes them.

There are two geometries:

* *plain* (:func:`hausdorff_deg`): degrees on a flat plane, as in "Context-Aware Search for Environmental Data Using
  Dense Retrieval" (Wetzel and Mäs, doi:10.3390/ijgi13110380). Comparable with its figures, but a degree of longitude
  counts the same at the equator and at a pole, and Fiji at 178 and at -178 are 356 apart.
* *around the globe* (:func:`compare`): longitudes are arcs on a circle and shrink with the cosine of the latitude;
  areas are those of the sphere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray


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
    united = [arcs[0]]
    for west, east in arcs[1:]:
        if west <= united[-1][1]:
            united[-1] = (united[-1][0], max(united[-1][1], east))
        else:
            united.append((west, east))
    gaps = [(united[i + 1][0] - united[i][1], i) for i in range(len(united) - 1)]
    outer_gap_deg = united[0][0] + 360.0 - united[-1][1]
    if not gaps or outer_gap_deg >= max(gaps)[0]:
        return BBox(united[0][0], south, united[-1][1], north)
    _, widest_index = max(gaps)
    return BBox(united[widest_index + 1][0], south, united[widest_index][1], north)


PlaceKind = Literal[
    "continent", "country", "region", "sea", "named_region", "island", "river_basin", "city", "coordinates"
]


@dataclass(frozen=True, slots=True)
class Place:
    """One entry of a gazetteer.

    ``importance`` (0..1) resolves ambiguity: without other evidence, the higher one is meant.
    ``estimated`` marks a box made from a point and a size class. ``record_count``: of the records whose titles gave
    the place, if the catalogue itself is its source.
    """

    name: str
    kind: PlaceKind
    bbox: BBox
    country: str | None = None  # ISO 3166-1 alpha-2
    importance: float = 0.0
    estimated: bool = False
    source: str = ""
    record_count: int = 0


@dataclass(frozen=True, slots=True)
class Entity:
    """A named span of a text (character offsets, end exclusive); ``label`` is spaCy's (GPE, LOC)."""

    text: str
    start: int
    end: int
    label: str


Floats = NDArray[np.float64]

EARTH_RADIUS_KM = 6371.0088
SMALLEST_LONGITUDE_SCALE = 0.1
# Points and lines have no area. Every box is padded by this much (0.1 m) on each side before areas are computed, so
# that a point inside or on the edge of a box is wholly covered by it, and a point equals itself.
PAD_DEG = 1e-6

_PAD_RAD = math.radians(PAD_DEG)


def box_array(boxes: Iterable[BBox]) -> Floats:
    """boxes: (n, 4) float64, west, south, east, north, east unrolled; (0, 4) for none."""
    rows = [(box.west, box.south, box.unrolled_east, box.north) for box in boxes]
    return np.array(rows, dtype=np.float64).reshape(-1, 4)


def hausdorff_deg(a: BBox, b: BBox) -> float:
    """Planar Hausdorff distance between filled boxes, in plain degrees, longitudes unrolled but not shifted.

    The distance to a convex set is convex, so over a box its maximum is at a corner. The square of the distance from a
    corner to a box is a longitude part plus a latitude part. The corners combine both parts freely, so each part can be
    maximised alone. The result is the larger of the two directions.
    """
    from_a = math.hypot(
        max(0.0, b.west - a.west, a.unrolled_east - b.unrolled_east), max(0.0, b.south - a.south, a.north - b.north)
    )
    from_b = math.hypot(
        max(0.0, a.west - b.west, b.unrolled_east - a.unrolled_east), max(0.0, a.south - b.south, b.north - a.north)
    )
    return max(from_a, from_b)


def hausdorff_deg_many(query: BBox, boxes: Floats) -> Floats:
    """:func:`hausdorff_deg` of one box to each of ``boxes`` (n, 4); distances: (n,) degrees."""
    west, south, east, north = boxes.T
    more_west, more_east = query.west - west, east - query.unrolled_east  # how far a box extends beyond the query
    more_south, more_north = query.south - south, north - query.north
    outside_deg = np.hypot(_positive(more_west, more_east), _positive(more_south, more_north))
    inside_deg = np.hypot(_positive(-more_west, -more_east), _positive(-more_south, -more_north))
    return np.maximum(outside_deg, inside_deg)


def _positive(a: Floats, b: Floats) -> Floats:
    larger: Floats = np.maximum(np.maximum(a, b), 0.0)
    return larger


@dataclass(frozen=True, slots=True)
class BoxComparison:
    """The position of each of n boxes relative to a query box, around the globe.

    ``hausdorff_deg`` and ``centre_deg``: (n,) degrees of latitude, longitudes scaled; ``overlap_km2`` and ``box_km2``:
    (n,) on the sphere, ``query_km2`` likewise. Areas are never 0 (see PAD_DEG).
    """

    hausdorff_deg: Floats
    centre_deg: Floats
    overlap_km2: Floats
    box_km2: Floats
    query_km2: float

    @property
    def query_share(self) -> Floats:
        """Share of the query's area that each box covers, (n,) 0..1."""
        return np.minimum(self.overlap_km2 / self.query_km2, 1.0)

    @property
    def box_share(self) -> Floats:
        """Share of each box's area inside the query, (n,) 0..1."""
        return np.minimum(self.overlap_km2 / self.box_km2, 1.0)


def compare(query: BBox, boxes: Floats) -> BoxComparison:
    """Compares each of ``boxes`` (n, 4) with the query, longitudes as arcs of a circle.

    The boxes are shifted by -360, 0 or +360 to where the centres are nearest. Longitudes are scaled by the cosine of
    the mean of both centre latitudes, at least .1. Distances in longitude end at the far side of the globe: 190 degrees
    east is 170 degrees west, so a worldwide box is as far from Fiji as from Kenya, wherever its edge is.
    """
    west, south, east, north = boxes.T
    half_width, query_half_width = (east - west) / 2.0, query.width_deg / 2.0
    centres_apart_deg = _turn(west + half_width - query.west - query_half_width)
    middle, query_middle = (south + north) / 2.0, (query.south + query.north) / 2.0
    scale = np.maximum(np.cos(np.radians((middle + query_middle) / 2.0)), SMALLEST_LONGITUDE_SCALE)
    out_of_query = np.maximum(np.minimum(centres_apart_deg + half_width, 180.0) - query_half_width, 0.0) * scale
    out_of_box = np.maximum(np.minimum(centres_apart_deg + query_half_width, 180.0) - half_width, 0.0) * scale
    more_south, more_north = query.south - south, north - query.north
    return BoxComparison(
        hausdorff_deg=np.maximum(
            np.hypot(out_of_query, _positive(more_south, more_north)),
            np.hypot(out_of_box, _positive(-more_south, -more_north)),
        ),
        centre_deg=np.hypot(centres_apart_deg * scale, middle - query_middle),
        overlap_km2=_overlap_km2(query, boxes, centres_apart_deg),
        box_km2=area_km2(boxes),
        query_km2=float(area_km2(box_array([query]))[0]),
    )


def shared_km2(query: BBox, boxes: Floats) -> Floats:
    """``overlap_km2`` of ``compare`` alone: (n,)."""
    west, _, east, _ = boxes.T
    return _overlap_km2(query, boxes, _turn(west + (east - west) / 2.0 - query.west - query.width_deg / 2.0))


def area_km2(boxes: Floats) -> Floats:
    """Area on the sphere of each box (n, 4), padded by PAD_DEG: (n,) km2, never 0."""
    west, south, east, north = boxes.T
    return _area_km2(np.minimum(east - west + 2.0 * PAD_DEG, 360.0), south - PAD_DEG, north + PAD_DEG)


def diagonal_deg(box: BBox) -> float:
    """The box's diagonal in degrees of latitude, its width scaled by the cosine of its centre latitude (>= .1)."""
    scale = max(math.cos(math.radians((box.south + box.north) / 2.0)), SMALLEST_LONGITUDE_SCALE)
    return math.hypot(box.width_deg * scale, box.height_deg)


def _turn(longitudes_apart: Floats) -> Floats:
    """The shorter way around: 0..180."""
    shorter: Floats = np.abs(longitudes_apart - 360.0 * np.round(longitudes_apart / 360.0))
    return shorter


def _overlap_km2(query: BBox, boxes: Floats, centres_apart_deg: Floats) -> Floats:
    """Shared area of the padded boxes; two wide arcs can overlap on both sides of the globe, so both parts are
    added.
    """
    west, south, east, north = boxes.T
    width = np.minimum(east - west + 2.0 * PAD_DEG, 360.0)
    query_width = min(query.width_deg + 2.0 * PAD_DEG, 360.0)
    narrower = np.minimum(width, query_width)
    reach = (width + query_width) / 2.0
    near_side = np.clip(reach - centres_apart_deg, 0.0, narrower)
    far_side = np.maximum(reach + centres_apart_deg - 360.0, 0.0)
    shared_south = np.maximum(south, query.south) - PAD_DEG
    shared_north = np.minimum(north, query.north) + PAD_DEG
    return _area_km2(np.minimum(near_side + far_side, narrower), shared_south, np.maximum(shared_north, shared_south))


def _area_km2(width_deg: Floats, south: Floats, north: Floats) -> Floats:
    """R^2 x width x (sin north - sin south), with the difference of sines as a product, for precision in thin bands."""
    half_height = np.radians((north - south) / 2.0)
    middle = np.radians((north + south) / 2.0)
    band = 2.0 * np.maximum(np.cos(middle), _PAD_RAD) * np.sin(half_height)  # a pole itself keeps a small area
    area: Floats = EARTH_RADIUS_KM**2 * np.radians(width_deg) * band
    return area
