"""A place with all its names during the gazetteer's build."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from core.extent import BBox
from core.place import PlaceKind

LANGUAGES = ("en", "de", "fr", "es", "it", "pt")


@dataclass(frozen=True, slots=True)
class Draft:
    """``names`` are spellings in any language, ``adjectives`` the words for its people and things.

    ``weak_names`` are transliterations and nicknames: used only if no place has the name properly.
    """

    name: str
    kind: PlaceKind
    bbox: BBox
    importance: float
    source: str
    country: str = ""
    estimated: bool = False
    names: frozenset[str] = field(default_factory=frozenset)
    adjectives: frozenset[str] = field(default_factory=frozenset)
    small_adjectives: frozenset[str] = field(default_factory=frozenset)  # in languages that write them in lower case
    weak_names: frozenset[str] = field(default_factory=frozenset)
    code: str = ""  # ISO 3166-2, if it is used to identify a city ("Boulder, CO")


def area_km2(box: BBox) -> float:
    """Area of a box on the sphere, in square kilometres."""
    bands = math.sin(math.radians(box.north)) - math.sin(math.radians(box.south))
    return 6371.0**2 * math.radians(box.width_deg) * bands


def iou(a: BBox, b: BBox) -> float:
    """Intersection over union of two boxes in plain degrees, 0..1, also across the antimeridian."""
    shared = sum(
        max(0.0, min(p.east, q.east) - max(p.west, q.west)) * max(0.0, min(p.north, q.north) - max(p.south, q.south))
        for p in a.parts()
        for q in b.parts()
    )
    joint = a.width_deg * a.height_deg + b.width_deg * b.height_deg - shared
    return shared / joint if joint > 0.0 else 0.0
