"""Places before they are written, the project's own facts (``facts/*.yaml``) as such drafts, and the writing.

The gazetteer's file is gzip of tab-separated lines; equal input gives equal bytes.
"""

from __future__ import annotations

import gzip
import math
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from core.geo import BBox, PlaceKind
from reading.gazetteer import name_key

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
    common_area = sum(
        max(0.0, min(p.east, q.east) - max(p.west, q.west)) * max(0.0, min(p.north, q.north) - max(p.south, q.south))
        for p in a.parts()
        for q in b.parts()
    )
    joint = a.width_deg * a.height_deg + b.width_deg * b.height_deg - common_area
    return common_area / joint if joint > 0.0 else 0.0


FACTS = Path(__file__).parents[1] / "facts"
SOURCE = "sonde"
_BASE: dict[PlaceKind, float] = {
    "continent": 0.98,
    "sea": 0.6,
    "named_region": 0.62,
    "island": 0.58,
    "river_basin": 0.52,
}
_RIVER_FORMS = (
    *("{} River", "{} Basin", "{} River Basin", "{} catchment", "{} watershed", "{} drainage basin"),
    *("Fluss {}", "fleuve {}", "rivière {}", "río {}", "rio {}", "fiume {}"),
    *("bassin du {}", "bassin de la {}", "cuenca del {}", "cuenca del río {}", "bacino del {}", "bacia do {}"),
)


def load(name: str) -> Any:
    """One file of facts, parsed from YAML."""
    return yaml.safe_load((FACTS / name).read_text(encoding="utf-8"))


def places() -> list[Draft]:
    """Continents, seas, regions, islands, river basins and sites of science, each with its other names."""
    drafts = [_site(name, kind, row) for kind, rows in load("sites.yaml").items() for name, row in rows.items()]
    for file in ("waters.yaml", "regions.yaml"):
        for kind, rows in load(file).items():
            drafts += [_draft(name, kind, row) for name, row in rows.items()]
    return drafts


_GERMAN_ADJECTIVE = re.compile(
    r"(\w{3,}?)(?:er|es|e) ((?:Ozean|Meer|Halbinsel|Wüste|See|Bucht|Becken|Alpen|Inseln)\b.*)"
)


def _declined(name: str) -> list[str]:
    """A German name with an adjective, as it is written behind small words: "im Arktischen Ozean", "des ... Ozeans"."""
    match = _GERMAN_ADJECTIVE.fullmatch(name)
    return [] if match is None else [f"{match[1]}en {match[2]}", f"{match[1]}en {match[2]}s"]


def _draft(name: str, kind: PlaceKind, row: list[Any]) -> Draft:
    box = BBox(*(float(number) for number in row[:4]))
    names = frozenset({name, *map(str, row[4:])})
    names |= frozenset(form for written in names for form in _declined(written))
    if kind == "river_basin":
        names |= _river_names(name)
    return Draft(name, kind, box, _importance(kind, box), SOURCE, names=names)


_SITE_REACH_DEG = 0.1
_SITE_IMPORTANCE: dict[PlaceKind, float] = {"named_region": 0.5, "city": 0.31}  # as a town of 15,000 people


def _site(name: str, kind: PlaceKind, row: list[Any]) -> Draft:
    longitude, latitude, country = float(row[0]), float(row[1]), str(row[2])
    box = BBox(
        longitude - _SITE_REACH_DEG,
        max(-90.0, latitude - _SITE_REACH_DEG),
        longitude + _SITE_REACH_DEG,
        min(90.0, latitude + _SITE_REACH_DEG),
    )
    names = frozenset({name, *map(str, row[3:])})
    return Draft(name, kind, box, _SITE_IMPORTANCE[kind], SOURCE, country, estimated=True, names=names)


def _river_names(name: str) -> frozenset[str]:
    name_alone = name.removesuffix(" River")
    if name_alone.endswith("Delta"):
        return frozenset()
    return frozenset(form.format(name_alone) for form in _RIVER_FORMS)


def _importance(kind: PlaceKind, box: BBox) -> float:
    size = min(1.0, max(0.0, math.log10(max(area_km2(box), 1.0)) - 3.0) / 5.0)
    return _BASE[kind] if kind == "continent" else _BASE[kind] + 0.2 * size


_LEAST_CITY = 0.3  # importance: less is a town
_SAME_PLACE_IOU = 0.6  # a name's second place that covers the first this much is the same place
_LONGEST_NAME = 8  # words; people do not type longer official names
_MOST_PER_NAME = 6
_SHORT = 3  # letters; a shorter name is nearly always a word, a unit or a formula


@dataclass(frozen=True, slots=True)
class WrittenCounts:
    places: int
    names: int
    size: int


def write(drafts: Iterable[Draft], path: Path) -> WrittenCounts:
    """Writes places (most important first), names, abbreviations and codes; ``gazetteer.py`` lists the columns."""
    drafts_sorted = sorted(drafts, key=lambda draft: (-draft.importance, draft.name, draft.bbox.as_list()))
    names, adjectives = _index(drafts_sorted)
    word_lists = load("words.yaml")
    words = {name_key(word) for word in word_lists["words"]}
    capital_keys = {name_key(word) for word in word_lists["capital"]}
    excluded_keys = {name_key(word) for word in word_lists["never"]}
    small_adjectives = {name_key(word) for draft in drafts_sorted for word in draft.small_adjectives}
    lines = [_place_line(draft) for draft in drafts_sorted] + [""]
    keys = sorted((names.keys() | adjectives.keys()) - excluded_keys)
    for key in keys:
        is_short = len(key) <= _SHORT and not (key in names and drafts_sorted[names[key][0]].kind == "country")
        flags = ("w" if key in words or is_short else "") + ("a" if key not in names else "")
        flags += "c" if key in capital_keys else ""
        flags += "s" if key in small_adjectives and key not in names else ""
        numbers = [*names.get(key, []), *adjectives.get(key, [])][:_MOST_PER_NAME]
        lines.append(f"{key}\t{flags}\t{' '.join(map(str, numbers))}")
    lines.append("")
    for abbreviation, name in load("abbreviations.yaml").items():
        lines.append(f"{abbreviation}\t{names[name_key(name)][0]}")
    lines += [f"{draft.code}\t{number}" for number, draft in enumerate(drafts_sorted) if draft.code]
    data = gzip.compress("\n".join(lines).encode(), 9, mtime=0)
    path.write_bytes(data)
    return WrittenCounts(len(drafts_sorted), len(keys), len(data))


def _index(drafts: list[Draft]) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    names: defaultdict[str, list[int]] = defaultdict(list)
    adjectives: defaultdict[str, list[int]] = defaultdict(list)
    people = {name_key(name) for draft in drafts for name in draft.adjectives}
    for number, draft in enumerate(drafts):
        keys = {name_key(name) for name in draft.names}
        for key in keys - people if draft.importance < _LEAST_CITY else keys:  # Canadian is a town of Texas too
            if key and key.count(" ") < _LONGEST_NAME and not _is_known(draft, names[key], drafts):
                names[key].append(number)
        for key in {name_key(name) for name in draft.adjectives | draft.small_adjectives}:
            adjectives[key].append(number)
    for number, draft in enumerate(drafts):
        for key in {name_key(name) for name in draft.weak_names}:
            if not names[key] and key not in adjectives:
                names[key].append(number)
    return {key: places for key, places in names.items() if places}, dict(adjectives)


def _is_known(draft: Draft, numbers: list[int], drafts: list[Draft]) -> bool:
    return any(iou(draft.bbox, drafts[number].bbox) >= _SAME_PLACE_IOU for number in numbers)


def _place_line(draft: Draft) -> str:
    box = " ".join(f"{number:.3f}".rstrip("0").rstrip(".") for number in draft.bbox.as_list())
    estimated_flag = "1" if draft.estimated else ""
    return "\t".join(
        (draft.name, draft.kind, box, draft.country, f"{draft.importance:.3f}", estimated_flag, draft.source)
    )
