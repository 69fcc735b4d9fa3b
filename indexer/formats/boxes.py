"""The boxes of one document. Ambiguous boxes are decided after the whole document is read."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from typing import NamedTuple

from core.extent import BBox
from indexer.formats.antimeridian import SWAPPED, Evidence, is_inside_out
from indexer.formats.repair_box import repair_box

_LARGEST_LATITUDE = 91.0  # with the outer edge of a grid cell at a pole
_LARGEST_LONGITUDE = 180.0


class Edges(NamedTuple):
    """A box as written, in degrees."""

    west: float
    south: float
    east: float
    north: float


def _has_swapped_axes(edges: Edges) -> bool:
    """Whether the latitudes can only be longitudes, and the longitudes can be latitudes; also of a point."""
    latitudes = max(abs(edges.south), abs(edges.north))
    longitudes = max(abs(edges.west), abs(edges.east))
    return _LARGEST_LATITUDE < latitudes <= _LARGEST_LONGITUDE and longitudes <= 90.0


class Boxes:
    """Boxes in the order in which they were added; ``settle`` decides the ambiguous ones (written with west > east)."""

    def __init__(self) -> None:
        self.found: list[BBox] = []
        self.warnings: list[str] = []
        self._doubtful: dict[int, Edges] = {}  # by position
        self._near: list[BBox] = []

    @property
    def clear(self) -> tuple[BBox, ...]:
        """The boxes that have only one reading."""
        return tuple(box for i, box in enumerate(self.found) if i not in self._doubtful)

    def add(self, edges: Edges) -> bool:
        """Adds the edges; whether they make a box."""
        if _has_swapped_axes(edges):
            self.warnings.append("extent: latitude and longitude of a box were swapped")
            edges = Edges(edges.south, edges.west, edges.north, edges.east)
        found, repairs = repair_box(*edges)
        if found is None:
            self.warnings.extend(repairs)
            return False
        if edges.west > edges.east:
            self._doubtful[len(self.found)] = edges  # ``settle`` reports what it changed
        else:
            self.warnings.extend(repairs)
        self.found.append(found)
        return True

    def confirmed_by(self, other: Boxes) -> None:
        """Uses the boxes that the document states a second time to choose a reading of the first ones.

        If two boxes are each other's complement, one of them is the other with west and east swapped.
        """
        self._near.extend(other.clear)
        for position, box in enumerate(self.found):
            for edges in other._doubtful.values():
                if (edges.west, edges.east, edges.south) == (box.east, box.west, box.south):
                    self._doubtful[position] = edges

    def settle(self, said: str, near: Iterable[BBox] = (), *, leaving: Container[int] = ()) -> Evidence:
        """Decides the ambiguous boxes by ``said`` (title, places, keywords) and other shapes; gives that evidence.

        Boxes at the positions in ``leaving`` are left to the caller.
        """
        known = [box for i, box in enumerate(self.found) if i not in self._doubtful and i not in leaving]
        evidence = Evidence(said, (*known, *self._near, *near))
        for position, edges in self._doubtful.items():
            found, repairs = repair_box(*edges, evidence)
            self.warnings.extend(repairs)
            self.found[position] = found or self.found[position]
        self._doubtful = {}
        for position, box in enumerate(self.found):
            if position not in leaving and is_inside_out(box, said):
                self.warnings.append(SWAPPED)
                self.found[position] = replace(box, west=box.east, east=box.west)
        return evidence
