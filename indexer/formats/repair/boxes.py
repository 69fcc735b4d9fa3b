"""Repairs the edges of boxes; ambiguous boxes are decided after the whole document is read."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable
from dataclasses import replace
from typing import NamedTuple

from core.geo import BBox, normalise_longitude
from indexer.formats.repair.antimeridian import SWAPPED_WARNING, PlaceEvidence, is_inside_out, is_swapped

_OVERSHOOT_DEG = 1.0  # the outer edge of a grid cell at a pole
_FULL_CIRCLE_DEG = 360.0 - 1e-6
_NO_EVIDENCE = PlaceEvidence()
_EDGES = ("west", "south", "east", "north")
_LARGEST_LATITUDE = 91.0  # with the outer edge of a grid cell at a pole
_LARGEST_LONGITUDE = 180.0


def repair_box(
    west: float, south: float, east: float, north: float, evidence: PlaceEvidence = _NO_EVIDENCE
) -> tuple[BBox | None, list[str]]:
    """A box in degrees, and the repairs; None where it had to be left out (the last warning says why).

    Where west > east, ``evidence`` decides between a box across the antimeridian and swapped edges.
    """
    edges = dict(zip(_EDGES, (west, south, east, north), strict=True))
    invalid_edges = [name for name, value in edges.items() if not math.isfinite(value)]
    if invalid_edges:
        return None, [f"extent: box left out: {invalid_edges[0]} is not a number"]
    latitudes, warnings = _latitudes(south, north)
    longitudes, repairs = _longitudes(west, east)
    warnings += repairs
    if latitudes is None or longitudes is None:
        return None, [text for text in warnings if "left out" in text]
    (west_edge, east_edge), (low, high) = longitudes, latitudes
    if west > east and SWAPPED_WARNING not in warnings and is_swapped(west, east, low, high, evidence):
        west_edge, east_edge = east_edge, west_edge
        warnings.append(SWAPPED_WARNING)
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
    is_outside = not (-180.0 <= west <= 180.0 and -180.0 <= east <= 180.0)
    warnings = ["extent: longitudes 0..360 brought to -180..180"] if is_outside else []
    if east - west >= _FULL_CIRCLE_DEG:
        return (-180.0, 180.0), warnings
    west, east = normalise_longitude(west), normalise_longitude(east)
    # An edge exactly on the antimeridian is written so that the box does not cross it.
    if west == 180.0 and east == -180.0:
        return (-180.0, 180.0), [*warnings, SWAPPED_WARNING]
    if west == 180.0 and east < 180.0:
        west = -180.0
    if east == -180.0 and west > -180.0:
        east = 180.0
    return (west, east), warnings


class BoxEdges(NamedTuple):
    """A box as written, in degrees."""

    west: float
    south: float
    east: float
    north: float


def _has_swapped_axes(edges: BoxEdges) -> bool:
    """Whether the latitudes can only be longitudes, and the longitudes can be latitudes; also of a point."""
    latitudes = max(abs(edges.south), abs(edges.north))
    longitudes = max(abs(edges.west), abs(edges.east))
    return _LARGEST_LATITUDE < latitudes <= _LARGEST_LONGITUDE and longitudes <= 90.0


class BoxCollector:
    """Boxes in order of addition; ``resolve`` decides the ambiguous ones (written with west > east)."""

    def __init__(self) -> None:
        self.boxes: list[BBox] = []
        self.warnings: list[str] = []
        self._ambiguous: dict[int, BoxEdges] = {}  # by position
        self._confirming_boxes: list[BBox] = []

    @property
    def unambiguous(self) -> tuple[BBox, ...]:
        """The boxes that have only one reading."""
        return tuple(box for i, box in enumerate(self.boxes) if i not in self._ambiguous)

    def add(self, edges: BoxEdges) -> bool:
        """Adds the edges; whether they make a box."""
        if _has_swapped_axes(edges):
            self.warnings.append("extent: latitude and longitude of a box were swapped")
            edges = BoxEdges(edges.south, edges.west, edges.north, edges.east)
        box, repairs = repair_box(*edges)
        if box is None:
            self.warnings.extend(repairs)
            return False
        if edges.west > edges.east:
            self._ambiguous[len(self.boxes)] = edges  # ``resolve`` reports what it changed
        else:
            self.warnings.extend(repairs)
        self.boxes.append(box)
        return True

    def confirm_with(self, second_places: BoxCollector) -> None:
        """Uses the boxes that the document states a second time to choose a reading of the first ones.

        If two boxes are each other's complement, one of them is the other with west and east swapped.
        """
        self._confirming_boxes.extend(second_places.unambiguous)
        for position, box in enumerate(self.boxes):
            for edges in second_places._ambiguous.values():
                if (edges.west, edges.east, edges.south) == (box.east, box.west, box.south):
                    self._ambiguous[position] = edges

    def resolve(
        self, words: str, other_boxes: Iterable[BBox] = (), *, skipped_positions: Container[int] = ()
    ) -> PlaceEvidence:
        """Decides the ambiguous boxes by ``words`` (title, places, keywords) and other shapes; gives that evidence.

        Boxes at the positions in ``skipped_positions`` are left to the caller.
        """
        certain_boxes = [
            box for i, box in enumerate(self.boxes) if i not in self._ambiguous and i not in skipped_positions
        ]
        evidence = PlaceEvidence(words, (*certain_boxes, *self._confirming_boxes, *other_boxes))
        for position, edges in self._ambiguous.items():
            decided_box, repairs = repair_box(*edges, evidence)
            self.warnings.extend(repairs)
            self.boxes[position] = decided_box or self.boxes[position]
        self._ambiguous = {}
        for position, box in enumerate(self.boxes):
            if position not in skipped_positions and is_inside_out(box, words):
                self.warnings.append(SWAPPED_WARNING)
                self.boxes[position] = replace(box, west=box.east, east=box.west)
        return evidence
