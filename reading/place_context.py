"""Chooses between places with the same name, by the words beside it and by the other places of the text.

A direction before a name means a part of the place: "northern Italy" is the northern half of Italy's box.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from core.extent import BBox, normalise_longitude
from core.place import Place, PlaceKind

# Folded word -> (eastward, northward): 1 the eastern or northern half, -1 the other, 0 undivided.
_WAYS: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("north", "northern", "nordliches", "nordlichen", "nordliche"), (0, 1)),
    **dict.fromkeys(("south", "southern", "sudliches", "sudlichen", "sudliche"), (0, -1)),
    **dict.fromkeys(("east", "eastern", "ostliches", "ostlichen", "ostliche"), (1, 0)),
    **dict.fromkeys(("west", "western", "westliches", "westlichen", "westliche"), (-1, 0)),
    **dict.fromkeys(("northeast", "northeastern"), (1, 1)),
    **dict.fromkeys(("northwest", "northwestern"), (-1, 1)),
    **dict.fromkeys(("southeast", "southeastern"), (1, -1)),
    **dict.fromkeys(("southwest", "southwestern"), (-1, -1)),
}
_CENTRAL = frozenset(("central", "zentrales", "zentralen", "zentrale"))
_DIVISIBLE = frozenset(("continent", "country", "region", "named_region", "sea", "island", "river_basin"))


def part_of(place: Place, direction: str) -> Place | None:
    """The part of a place that a folded word names; None if the word is not a direction or the place is a city.

    Halves for the four directions, quarters for the ones in between, the middle half each way for "central". The box is
    marked as estimated. A place around the whole world has no east and west.
    """
    if place.kind not in _DIVISIBLE:
        return None
    box = place.bbox
    if direction in _CENTRAL:
        across = (0.25, 0.75) if box.width_deg < 360.0 else (0.0, 1.0)
        return _part(place, direction, across, (0.25, 0.75))
    way = _WAYS.get(direction)
    if way is None or (box.width_deg == 360.0 and way[0]):
        return None
    return _part(place, direction, _share(way[0]), _share(way[1]))


def _share(way: int) -> tuple[float, float]:
    return {1: (0.5, 1.0), -1: (0.0, 0.5), 0: (0.0, 1.0)}[way]


def _part(place: Place, direction: str, across: tuple[float, float], up: tuple[float, float]) -> Place:
    box = place.bbox
    part = BBox(
        west=_longitude(box.west + across[0] * box.width_deg),
        south=round(box.south + up[0] * box.height_deg, 4),
        east=_longitude(box.west + across[1] * box.width_deg),
        north=round(box.south + up[1] * box.height_deg, 4),
    )
    return dataclasses.replace(place, name=f"{direction} {place.name}", bbox=part, kind="named_region", estimated=True)


def _longitude(value: float) -> float:
    """Rounds to a ten-thousandth of a degree, so that a half shares the whole's edge exactly."""
    return normalise_longitude(round(value, 4))


_SAME_COUNTRY = 0.2
_NEAR = 0.1
_INSIDE = 0.15
_NAMED_KIND = 0.5
_QUALIFIED = 1.0  # "Hobart, Australia" is unambiguous
_NEAR_DEG = 5.0
_REACH = 6
_LOCAL_KINDS = frozenset(("country", "region", "city", "island"))  # a continent or an ocean does not help
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
class NameContext:
    """What is next to a name: folded words, and whether the next name follows after only a comma."""

    words: frozenset[str] = frozenset()
    comma: bool = False


def resolve(
    names: Sequence[Sequence[Place]], contexts: Sequence[NameContext], further: Sequence[Sequence[Place]] = ()
) -> list[tuple[Place, ...]]:
    """The places of each name, most likely first; order and number of names are unchanged.

    Only the nearest names, ``_REACH`` before and after, influence a name, and the first ``_REACH`` places found
    ``further``, so the time is linear in the number of names. Ties keep the gazetteer's order.
    """
    resolved, support = [], Support()
    for number, places in enumerate(names):
        if len(places) < 2:
            resolved.append(tuple(places))
            continue
        near = [*names[max(0, number - _REACH) : number], *names[number + 1 : number + 1 + _REACH]]
        others = [*near, *further[:_REACH]]
        after = names[number + 1] if contexts[number].comma and number + 1 < len(names) else ()
        scores = {
            id(place): _score(place, others, contexts[number].words, support)
            + (_QUALIFIED if _within(place, after) else 0.0)
            for place in places
        }
        resolved.append(tuple(sorted(places, key=lambda place: -scores[id(place)])))
    return resolved


def _within(place: Place, outers: Sequence[Place]) -> bool:
    return any(
        outer.kind in ("country", "region") and place.country == outer.country and inside(place.bbox, outer.bbox)
        for outer in outers
    )


def _score(place: Place, others: Sequence[Sequence[Place]], words_beside: frozenset[str], support: Support) -> float:
    """The importance, plus the support by the context."""
    named = _NAMED_KIND if any(_KIND_WORDS.get(word) == place.kind for word in words_beside) else 0.0
    return place.importance + named + sum(support.of(place, candidates) for candidates in others)


class Support:
    """The support that another name of a text gives to a place; once for each pair, however often the text repeats
    it.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], float] = {}

    def of(self, place: Place, candidates: Sequence[Place]) -> float:
        """The best over the other name's first three places."""
        pair = id(place), id(candidates)  # the cache lives as long as the text is being read
        known = self._known.get(pair)
        if known is None:
            bonds = (_bond(place, other) for other in candidates[:3] if other.kind in _LOCAL_KINDS)
            known = self._known[pair] = max(bonds, default=0.0)
        return known


def _bond(place: Place, other: Place) -> float:
    if place.kind not in _LOCAL_KINDS:
        return 0.0
    bond = _SAME_COUNTRY if place.country and place.country == other.country else 0.0
    if inside(place.bbox, other.bbox) or inside(other.bbox, place.bbox):
        bond += _INSIDE
    if is_near(place.bbox, other.bbox, _NEAR_DEG):
        bond += _NEAR
    return bond


def inside(inner: BBox, outer: BBox) -> bool:
    """Whether the middle of ``inner`` is in ``outer`` and ``inner`` is smaller."""
    if not outer.south <= (inner.south + inner.north) / 2.0 <= outer.north:
        return False  # most pairs of places stop here
    if inner.width_deg * inner.height_deg >= outer.width_deg * outer.height_deg:
        return False
    longitude = inner.centre[0]
    return any(part.west <= longitude <= part.east for part in outer.parts())


def is_near(a: BBox, b: BBox, most_deg: float) -> bool:
    """Whether the gaps between two boxes in latitude and in longitude are both at most this wide, in plain degrees."""
    if max(a.south - b.north, b.south - a.north) > most_deg:
        return False
    east_of_a, east_of_b = a.unrolled_east, b.unrolled_east
    return any(max(a.west - east_of_b - turn, b.west + turn - east_of_a) <= most_deg for turn in (0.0, -360.0, 360.0))
