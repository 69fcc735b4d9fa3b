"""Parts of places: "northern Italy" is the northern half of Italy's box."""

from __future__ import annotations

import dataclasses

from core.extent import BBox, normalise_longitude
from core.place import Place

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
