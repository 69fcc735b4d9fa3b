"""Named places, and entities that a recogniser finds in a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.extent import BBox

PlaceKind = Literal[
    "continent", "country", "region", "sea", "named_region", "island", "river_basin", "city", "coordinates"
]


@dataclass(frozen=True, slots=True)
class Place:
    """One entry of a gazetteer.

    ``importance`` (0..1) resolves ambiguity: without other evidence, the higher one is meant.
    ``estimated`` marks a box made from a point and a size class.
    """

    name: str
    kind: PlaceKind
    bbox: BBox
    country: str | None = None  # ISO 3166-1 alpha-2
    importance: float = 0.0
    estimated: bool = False
    source: str = ""


@dataclass(frozen=True, slots=True)
class Entity:
    """A named span of a text (character offsets, end exclusive); ``label`` is spaCy's (GPE, LOC)."""

    text: str
    start: int
    end: int
    label: str
