"""Decides between the two possible readings of a box or polygon near the antimeridian.

A box with west > east crosses the antimeridian, or its edges were swapped. A polygon with an edge longer than half
the globe reaches almost around it, or crosses the antimeridian the short way. The narrower reading wins, unless the
record's words, its other shapes or its height fit the wider one better.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import Polygon
from shapely.geometry.base import BaseGeometry

from core.geo import BBox, box_array, compare, normalise_longitude

SWAPPED_WARNING = "extent: west and east were swapped"
ACROSS_WARNING = "extent: a polygon was read across the antimeridian"

_TALL_DEG = 60.0  # a box of the whole world is at least this high
_WIDEST_OCEAN_DEG = 240.0
_NEAR_THE_SEAM_DEG = 170.0
_SLIVER = 0.1  # of its height; a narrower area is a mistake
_SLIVER_HEIGHT_DEG = 25.0
_LEAST_DIFFERENCE = 0.1
_FAR_NARROWER = 2.0
"""The swapped edges of a tall box must be at least this many times narrower."""
_GLOBAL = re.compile(
    r"\b(?:global\w*|world\w*|planisphere|mondial\w*|mundial\w*|mundo|monde|weltweit\w*|weltkarte)\b", re.IGNORECASE
)
_AT_THE_SEAM = re.compile(
    r"\b(?:fiji|fidji|samoa|tonga|tuvalu|wallis|kermadec|chatham islands?|aleutian\w*|chukot\w*|antimeridian)\b",
    re.IGNORECASE,
)
_WIDER_THAN_ANY_SEA_DEG = 300.0
_PACIFIC = re.compile(
    r"\b(?:pacifi[ck]\w*|pacífico|pazifi\w+|oceania|(?:poly|micro|mela)nesia|bering)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class PlaceEvidence:
    """What else a record says about its place.

    ``words``: title, places and keywords. ``other_boxes``: those of its other shapes.
    """

    words: str = ""
    other_boxes: tuple[BBox, ...] = ()

    def overlap(self, box: BBox) -> float:
        """The largest intersection over union of the box with one of ``other_boxes``, 0..1."""
        boxes = box_array(self.other_boxes)
        if not len(boxes):
            return 0.0
        comparison = compare(box, boxes)
        return float(
            (comparison.overlap_km2 / (comparison.query_km2 + comparison.box_km2 - comparison.overlap_km2)).max()
        )


def is_swapped(west: float, east: float, south: float, north: float, evidence: PlaceEvidence) -> bool:
    """Whether the edges of a box written with west > east were swapped; if not, it crosses the antimeridian."""
    read_across = (east - west) % 360.0
    west, east = normalise_longitude(west), normalise_longitude(east)
    if west <= east:  # 350 to 10 is -10 to 10
        return False
    as_written, swapped_box = BBox(west, south, east, north), BBox(east, south, west, north)
    nearer = _fits_better(swapped_box, as_written, evidence)
    if nearer is not None:
        return nearer
    if max(read_across, 360.0 - read_across) >= _WIDER_THAN_ANY_SEA_DEG and _is_global(as_written, evidence):
        return read_across < 180.0
    if _PACIFIC.search(evidence.words) and read_across <= _WIDEST_OCEAN_DEG:
        return False
    if swapped_box.height_deg >= max(_SLIVER_HEIGHT_DEG, swapped_box.width_deg / _SLIVER):
        return False  # a grid around the whole globe whose last column is just past its first
    if swapped_box.height_deg >= _TALL_DEG and _FAR_NARROWER * swapped_box.width_deg > read_across:
        return False  # a grid on a polar projection: North America's reaches from 149 E to 3 W
    return 360.0 - read_across < read_across


def is_inside_out(box: BBox, words: str) -> bool:
    """Whether a box reaches almost around the globe and leaves out exactly the place that the words name."""
    remaining_deg = 360.0 - box.width_deg
    at_the_seam = not box.crosses_antimeridian and box.width_deg >= _WIDER_THAN_ANY_SEA_DEG
    return at_the_seam and remaining_deg > _SLIVER * box.height_deg and _AT_THE_SEAM.search(words) is not None


def read_across(shape: BaseGeometry, evidence: PlaceEvidence) -> BaseGeometry | None:
    """The shape read the short way across the antimeridian (0..360); None where the written form is right."""
    if not has_long_edges(shape):
        return None
    west, south, east, north = shape.bounds
    if not -180.0 <= west < 0.0 < east <= 180.0 or south < -90.0 or north > 90.0:
        return None
    shifted_shape = shapely.transform(shape, _shift_west)
    narrow_west, _, narrow_east, _ = shifted_shape.bounds
    as_written, narrow_box = BBox(west, south, east, north), BBox(narrow_west, south, narrow_east - 360.0, north)
    nearer = _fits_better(narrow_box, as_written, evidence)
    if nearer is None:
        nearer = not _is_global(narrow_box, evidence) and narrow_box.width_deg < as_written.width_deg
    return shifted_shape if nearer else None


def has_long_edges(shape: BaseGeometry) -> bool:
    """Whether an edge is longer than half the globe. An edge of exactly 360 degrees is the whole globe, not long."""
    rings = (part.exterior.coords for part in shapely.get_parts(shape) if isinstance(part, Polygon))
    return any(180.0 < abs(a[0] - b[0]) < 360.0 for ring in rings for a, b in pairwise(ring))


def _is_global(crossing_box: BBox, evidence: PlaceEvidence) -> bool:
    """Whether one reading reaches (almost) around the globe and the words or the other reading's shape support it.

    ``crossing_box`` is the reading across the antimeridian.
    """
    at_the_seam = min(abs(crossing_box.west), abs(crossing_box.east)) >= _NEAR_THE_SEAM_DEG
    if at_the_seam and crossing_box.height_deg >= max(_SLIVER_HEIGHT_DEG, crossing_box.width_deg / _SLIVER):
        return True
    return crossing_box.height_deg >= _TALL_DEG and _GLOBAL.search(evidence.words) is not None


def _fits_better(reading: BBox, other_reading: BBox, evidence: PlaceEvidence) -> bool | None:
    """Whether the record's other shapes fit ``reading`` better than the other; None if undecided."""
    difference = evidence.overlap(reading) - evidence.overlap(other_reading)
    return None if abs(difference) < _LEAST_DIFFERENCE else difference > 0


def _shift_west(points: NDArray[np.float64]) -> NDArray[np.float64]:
    moved_points = points.copy()
    moved_points[moved_points[:, 0] < 0.0, 0] += 360.0
    return moved_points
