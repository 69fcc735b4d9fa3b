"""Places before they are written to the gazetteer, and the project's own facts (``facts/*.yaml``) as such drafts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

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


FACTS = Path(__file__).parents[1] / "facts"
SOURCE = "sonde"
_BASE: dict[PlaceKind, float] = {
    "continent": 0.98,
    "sea": 0.6,
    "named_region": 0.62,
    "island": 0.58,
    "river_basin": 0.52,
}
_RIVER_FORMS = ("{} River", "{} Basin", "{} River Basin", "{} catchment", "{} watershed", "{} drainage basin")


def load(name: str) -> Any:
    """One file of facts, parsed from YAML."""
    return yaml.safe_load((FACTS / name).read_text(encoding="utf-8"))


def places() -> list[Draft]:
    """Continents, seas, regions, islands and river basins, each with its other names."""
    drafts = []
    for file in ("waters.yaml", "regions.yaml"):
        for kind, rows in load(file).items():
            drafts += [_draft(name, kind, row) for name, row in rows.items()]
    return drafts


def _draft(name: str, kind: PlaceKind, row: list[Any]) -> Draft:
    box = BBox(*(float(number) for number in row[:4]))
    names = frozenset({name, *map(str, row[4:])})
    if kind == "river_basin":
        names |= _river_names(name)
    return Draft(name, kind, box, _importance(kind, box), SOURCE, names=names)


def _river_names(name: str) -> frozenset[str]:
    bare = name.removesuffix(" River")
    if bare.endswith("Delta"):
        return frozenset()
    return frozenset(form.format(bare) for form in _RIVER_FORMS)


def _importance(kind: PlaceKind, box: BBox) -> float:
    size = min(1.0, max(0.0, math.log10(max(area_km2(box), 1.0)) - 3.0) / 5.0)
    return _BASE[kind] if kind == "continent" else _BASE[kind] + 0.2 * size
