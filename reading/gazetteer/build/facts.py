"""The project's own facts (``facts/*.yaml``) as drafts."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import yaml

from core.extent import BBox
from core.place import PlaceKind
from reading.gazetteer.build.draft import Draft, area_km2

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
