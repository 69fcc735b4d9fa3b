"""The boxes of one document; those that can be read in two ways are decided when all it says is known."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from typing import NamedTuple

from core.extent import BBox
from indexer.formats.antimeridian import SWAPPED, Evidence, is_inside_out
from indexer.formats.repair_box import repair_box


class Edges(NamedTuple):
    """A box as written, in degrees."""

    west: float
    south: float
    east: float
    north: float


class Boxes:
    """Boxes in the order they were added; ``settle`` decides the doubtful ones (west written above east)."""

    def __init__(self) -> None:
        self.found: list[BBox] = []
        self.warnings: list[str] = []
        self._doubtful: dict[int, Edges] = {}  # by position
        self._near: list[BBox] = []

    @property
    def clear(self) -> tuple[BBox, ...]:
        """Those that can be read in one way only."""
        return tuple(box for i, box in enumerate(self.found) if i not in self._doubtful)

    def add(self, edges: Edges) -> bool:
        """Whether they make a box."""
        found, repairs = repair_box(*edges)
        if found is None:
            self.warnings.extend(repairs)
            return False
        if edges.west > edges.east:
            self._doubtful[len(self.found)] = edges  # ``settle`` says what was done to it
        else:
            self.warnings.extend(repairs)
        self.found.append(found)
        return True

    def confirmed_by(self, other: Boxes) -> None:
        """What the document states a second time says which reading of the first is meant.

        Of two boxes that are each other's complement, one is the other with west and east swapped.
        """
        self._near.extend(other.clear)
        for position, box in enumerate(self.found):
            for edges in other._doubtful.values():
                if (edges.west, edges.east, edges.south) == (box.east, box.west, box.south):
                    self._doubtful[position] = edges

    def settle(self, said: str, near: Iterable[BBox] = (), *, leaving: Container[int] = ()) -> Evidence:
        """Decides by the record's title, places and keywords (``said``) and by other shapes; gives what it went by.

        Boxes at the positions of ``leaving`` are left to the caller.
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
