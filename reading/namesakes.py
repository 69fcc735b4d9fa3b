"""Which of several places with one name is meant: the importance of each, the names beside it, and the catalogue.

Where a catalogue counts its records by area, the namesake with more records gains: Georgia is the state in a catalogue
of American records. Cities gain little, because a large city is meant wherever the records are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.geo import BBox, Place, PlaceKind

RecordDensity = Callable[[BBox], float]
"""Records of the catalogue in a box, in the mean of its area; 0 where nothing is known."""


def no_density(_: BBox) -> float:
    """For texts that are read without a catalogue."""
    return 0.0


_DENSITY_OF_REGIONS = 0.4
_DENSITY_OF_OTHERS = 0.1
_CLEARLY_DENSER = 5.0  # a smaller factor between two areas is no evidence
_SAME_COUNTRY = 0.2
_NEAR_WEIGHT = 0.1
_INSIDE = 0.15
_NAMED_KIND = 0.5
_IN_NEXT_NAME = 1.0  # "Hobart, Australia" is unambiguous
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
    names: Sequence[Sequence[Place]],
    contexts: Sequence[NameContext],
    further: Sequence[Sequence[Place]] = (),
    density: RecordDensity = no_density,
) -> list[tuple[Place, ...]]:
    """The places of each name, most likely first; order and number of names are unchanged.

    Only the nearest names, ``_REACH`` before and after, influence a name, and the first ``_REACH`` places found
    ``further``, so the time is linear in the number of names. Ties keep the gazetteer's order.
    """
    results, support = [], Support()
    for number, places in enumerate(names):
        if len(places) < 2:
            results.append(tuple(places))
            continue
        near_names = [*names[max(0, number - _REACH) : number], *names[number + 1 : number + 1 + _REACH]]
        all_names = [*near_names, *further[:_REACH]]
        next_name = names[number + 1] if contexts[number].comma and number + 1 < len(names) else ()
        gains = _density_gains(places, density)
        scores = {
            id(place): gains[id(place)]
            + _score(place, all_names, contexts[number].words, support)
            + (_IN_NEXT_NAME if _is_within_one(place, next_name) else 0.0)
            for place in places
        }
        results.append(tuple(sorted(places, key=lambda place: -scores[id(place)])))
    return results


def _density_gains(places: Sequence[Place], density: RecordDensity) -> dict[int, float]:
    """By the place's ``id``: 1 unless another is clearly denser, less for fewer records; weighted by its kind."""
    densities = [density(place.bbox) for place in places]
    densest = max(densities)
    if densest <= 0.0:
        return dict.fromkeys(map(id, places), 0.0)
    is_of_regions = places[0].kind in ("country", "region")
    gains = {}
    for place, records in zip(places, densities, strict=True):
        is_region = is_of_regions and place.kind in ("country", "region")
        gains[id(place)] = (_DENSITY_OF_REGIONS if is_region else _DENSITY_OF_OTHERS) * min(
            1.0, _CLEARLY_DENSER * records / densest
        )
    return gains


def _is_within_one(place: Place, outers: Sequence[Place]) -> bool:
    return any(
        outer.kind in ("country", "region")
        and place.country == outer.country
        and is_centre_inside(place.bbox, outer.bbox)
        for outer in outers
    )


def _score(
    place: Place, other_names: Sequence[Sequence[Place]], words_beside: frozenset[str], support: Support
) -> float:
    """The importance, plus the support by the context."""
    kind_named = _NAMED_KIND if any(_KIND_WORDS.get(word) == place.kind for word in words_beside) else 0.0
    return place.importance + kind_named + sum(support.of(place, candidates) for candidates in other_names)


class Support:
    """The support that another name of a text gives to a place; once for each pair, however often the text repeats
    it.
    """

    def __init__(self) -> None:
        self._by_pair: dict[tuple[int, int], float] = {}

    def of(self, place: Place, candidates: Sequence[Place]) -> float:
        """The best over the other name's first three places."""
        pair = id(place), id(candidates)  # the cache lives as long as the text is being read
        best = self._by_pair.get(pair)
        if best is None:
            bonds = (_bond(place, candidate) for candidate in candidates[:3] if candidate.kind in _LOCAL_KINDS)
            best = self._by_pair[pair] = max(bonds, default=0.0)
        return best


def _bond(place: Place, candidate: Place) -> float:
    if place.kind not in _LOCAL_KINDS:
        return 0.0
    bond = _SAME_COUNTRY if place.country and place.country == candidate.country else 0.0
    if is_centre_inside(place.bbox, candidate.bbox) or is_centre_inside(candidate.bbox, place.bbox):
        bond += _INSIDE
    if is_near(place.bbox, candidate.bbox, _NEAR_DEG):
        bond += _NEAR_WEIGHT
    return bond


def is_centre_inside(inner: BBox, outer: BBox) -> bool:
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
