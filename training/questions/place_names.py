"""Finds the usual place name for a record's box in the embedded gazetteer."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.extent import BBox
from core.place import Place
from reading.gazetteer import Gazetteer

_KINDS = ("continent", "country", "sea", "named_region", "island", "river_basin")
_LEAST_OVERLAP = 0.4  # intersection over union from which a box gets a place's name
_TOO_WIDE_DEG = 300.0  # nobody asks for the whole world by name


class BoxNames:
    """Names of boxes; the gazetteer is read on first use."""

    def __init__(self, gazetteer: Gazetteer | None = None) -> None:
        self._gazetteer = gazetteer or Gazetteer()

    def of(self, box: BBox) -> str | None:
        """The place whose box is most similar, else the only country around it, or at sea the only sea.

        None if there is none. A point in the boxes of two countries gets neither, because boxes are larger than
        countries.
        """
        if box.width_deg > _TOO_WIDE_DEG:
            return None
        shared, own = self._shared(box), _area(box)
        union = self._areas + own - shared
        overlap = np.where(union > 0.0, shared / np.where(union > 0.0, union, 1.0), 0.0)
        best = int(np.argmax(overlap))
        if overlap[best] >= _LEAST_OVERLAP:
            return self._places[best].name
        countries, seas = (self._around(box, kind) for kind in ("country", "sea"))
        only = countries or seas
        return self._places[only[0]].name if len(only) == 1 else None

    def is_place(self, term: str) -> bool:
        return bool(self._gazetteer.lookup(term))

    def _around(self, box: BBox, kind: str) -> list[int]:
        return [at for at, place in enumerate(self._places) if place.kind == kind and _inside(box, place.bbox)]

    def _shared(self, box: BBox) -> NDArray[np.float64]:
        """(n,) square degrees that each place shares with the box, on either side of the antimeridian."""
        west, south, east, north = self._edges
        high = np.clip(np.minimum(north, box.north) - np.maximum(south, box.south), 0.0, None)
        wide = sum(
            np.clip(np.minimum(east, box.unrolled_east + shift) - np.maximum(west, box.west + shift), 0.0, None)
            for shift in (-360.0, 0.0, 360.0)
        )
        return np.asarray(wide * high, dtype=np.float64)

    @cached_property
    def _places(self) -> list[Place]:
        """Each named place once, by its name."""
        places: dict[str, Place] = {}
        for key in self._gazetteer.keys():  # noqa: SIM118 - no mapping
            named = self._gazetteer.named(key)
            for place in named.places if named is not None else ():
                if place.kind in _KINDS and not place.estimated:
                    places.setdefault(place.name, place)
        return [places[name] for name in sorted(places)]

    @cached_property
    def _edges(self) -> tuple[NDArray[np.float64], ...]:
        boxes = [place.bbox for place in self._places]
        edges = np.array([(box.west, box.south, box.unrolled_east, box.north) for box in boxes], dtype=np.float64)
        return tuple(edges.reshape(-1, 4).T)

    @cached_property
    def _areas(self) -> NDArray[np.float64]:
        return np.array([_area(place.bbox) for place in self._places], dtype=np.float64)


def _area(box: BBox) -> float:
    return box.width_deg * box.height_deg


def _inside(box: BBox, place: BBox) -> bool:
    inside = any(
        place.west <= box.west + shift and box.unrolled_east + shift <= place.unrolled_east
        for shift in (-360.0, 0.0, 360.0)
    )
    return inside and place.south <= box.south and box.north <= place.north
