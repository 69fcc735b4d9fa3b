"""Which of several places of one name is meant: by the words beside it and by the other places of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.extent import BBox
from core.place import Place, PlaceKind

_SAME_COUNTRY = 0.2
_NEAR = 0.1
_INSIDE = 0.15
_NAMED_KIND = 0.5
_QUALIFIED = 1.0  # "Hobart, Australia" leaves no choice
_NEAR_DEG = 5.0
_LOCAL_KINDS = frozenset(("country", "region", "city", "island"))  # a continent or an ocean decides nothing
_KIND_WORDS: dict[str, PlaceKind] = {
    "state": "region",
    "county": "region",
    "counties": "region",
    "statewide": "region",
    "province": "region",
    "country": "country",
    "republic": "country",
    "nation": "country",
    "national": "country",
    "city": "city",
    "town": "city",
    "urban": "city",
    "downtown": "city",
    "island": "island",
    "islands": "island",
}


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands next to a name: folded words, and whether the next name follows after nothing but a comma."""

    words: frozenset[str] = frozenset()
    comma: bool = False


def resolve(names: Sequence[Sequence[Place]], beside: Sequence[Beside]) -> list[tuple[Place, ...]]:
    """The places of each name, the likeliest first; order and number of names stay.

    Ties keep the gazetteer's order.
    """
    resolved = []
    for number, places in enumerate(names):
        others = [places for other, places in enumerate(names) if other != number]
        after = names[number + 1] if beside[number].comma and number + 1 < len(names) else ()
        scores = {
            id(place): score(place, others, beside[number].words) + (_QUALIFIED if _within(place, after) else 0.0)
            for place in places
        }
        resolved.append(tuple(sorted(places, key=lambda place: -scores[id(place)])))
    return resolved


def _within(place: Place, outers: Sequence[Place]) -> bool:
    return any(
        outer.kind in ("country", "region") and place.country == outer.country and inside(place.bbox, outer.bbox)
        for outer in outers
    )


def score(place: Place, others: Sequence[Sequence[Place]], beside: frozenset[str]) -> float:
    """Importance, and what the context adds to it."""
    named = _NAMED_KIND if any(_KIND_WORDS.get(word) == place.kind for word in beside) else 0.0
    return place.importance + named + sum(_support(place, candidates) for candidates in others)


def _support(place: Place, candidates: Sequence[Place]) -> float:
    """What another name of the text adds: the best over what that name may stand for, its first three places."""
    return max((_bond(place, other) for other in candidates[:3] if other.kind in _LOCAL_KINDS), default=0.0)


def _bond(place: Place, other: Place) -> float:
    if place.kind not in _LOCAL_KINDS:
        return 0.0
    bond = _SAME_COUNTRY if place.country and place.country == other.country else 0.0
    if inside(place.bbox, other.bbox) or inside(other.bbox, place.bbox):
        bond += _INSIDE
    if gap_deg(place.bbox, other.bbox) <= _NEAR_DEG:
        bond += _NEAR
    return bond


def inside(inner: BBox, outer: BBox) -> bool:
    """Whether the middle of ``inner`` lies in ``outer`` and ``inner`` is the smaller one."""
    longitude, latitude = inner.centre
    holds = (
        any(part.west <= longitude <= part.east for part in outer.parts()) and outer.south <= latitude <= outer.north
    )
    return holds and inner.width_deg * inner.height_deg < outer.width_deg * outer.height_deg


def gap_deg(a: BBox, b: BBox) -> float:
    """The wider of the gaps in latitude and longitude between two boxes, plain degrees; 0 where they touch."""
    up = max(0.0, a.south - b.north, b.south - a.north)
    turns = (-360.0, 0.0, 360.0)
    across = min(max(0.0, a.west - b.unrolled_east - turn, b.west + turn - a.unrolled_east) for turn in turns)
    return max(up, across)
