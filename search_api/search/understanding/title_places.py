"""Places that the catalogue's own titles name, beside the gazetteer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.geo import BBox, Place
from es_gateway.client import Elasticsearch
from es_mappings.codecs.title_places import DOCUMENT, from_document
from es_mappings.names import alias
from reading.gazetteer import Gazetteer, GazetteerName, longest_names, name_key
from search_api.search.caches import PeriodicReader

READ_EVERY_S = 60.0
_WELL_KNOWN = 0.45
"""Importance from which the gazetteer's place stays the first: a city of 250,000 people."""
_NEAR_DEG = 1.0


@dataclass(frozen=True, slots=True)
class TitlePlaces:
    """By the key of their name; ``longest`` as ``Gazetteer.longest``. ``version``: of the stored document."""

    by_key: Mapping[str, Place] = field(default_factory=dict)
    longest: Mapping[str, int] = field(default_factory=dict)
    version: str | None = None

    @classmethod
    def of(cls, places: list[Place], version: str | None = None) -> TitlePlaces:
        by_key = {name_key(place.name): place for place in places}
        return cls(by_key, longest_names(by_key), version)


NO_PLACES = TitlePlaces()


def no_title_places() -> TitlePlaces:
    """For tests and evaluations without a catalogue."""
    return NO_PLACES


def loaded_title_places(
    client: Elasticsearch, prefix: str, clock: Callable[[], float] = time.monotonic
) -> Callable[[], TitlePlaces]:
    """The stored places; looks for newer ones every minute."""
    index = alias(prefix, "vocabulary")

    def read(last: TitlePlaces) -> TitlePlaces:
        reader = client.options(ignore_status=404)
        state = reader.get(index=index, id=DOCUMENT, source_includes=["version"]).body
        version = state["_source"]["version"] if state.get("found") else None
        if version == last.version:
            return last
        document = reader.get(index=index, id=DOCUMENT).body if version else {}
        return TitlePlaces.of(from_document(document["_source"]), version) if document.get("found") else NO_PLACES

    return PeriodicReader(read, NO_PLACES, READ_EVERY_S, "title places", clock)


class CatalogueGazetteer(Gazetteer):
    """A gazetteer with the catalogue's places: behind a well-known one of the same name, else before.

    Of several places with the name, the one where the catalogue's records lie is the first and keeps its own box.
    """

    def __init__(self, base: Gazetteer, catalogue: Callable[[], TitlePlaces]) -> None:
        super().__init__()
        self._base = base
        self._catalogue = catalogue

    def preload(self) -> Gazetteer:
        self._base.preload()
        return self

    def snapshot(self) -> Gazetteer:
        base, places = self._base.snapshot(), self._catalogue()
        return CatalogueGazetteer(base, lambda: places) if places.by_key else base

    def named(self, key: str) -> GazetteerName | None:
        base, place = self._base.named(key), self._catalogue().by_key.get(key)
        if place is None:
            return base
        if base is None:
            return GazetteerName((place,))
        if base.is_word or base.is_adjective or base.places[0].importance >= _WELL_KNOWN:
            return base
        near = tuple(known for known in base.places if _is_near(known.bbox, place.bbox))
        others = tuple(known for known in base.places if known not in near)
        return GazetteerName((*(near or (place,)), *others))

    def abbreviation(self, text: str) -> GazetteerName | None:
        return self._base.abbreviation(text)

    def longest(self, first: str) -> int:
        return max(self._base.longest(first), self._catalogue().longest.get(first, 0))

    def keys(self) -> list[str]:
        return sorted({*self._base.keys(), *self._catalogue().by_key})


def _is_near(box: BBox, other: BBox) -> bool:
    (longitude, latitude), (other_longitude, other_latitude) = box.centre, other.centre
    apart = abs((longitude - other_longitude + 180.0) % 360.0 - 180.0)
    return apart <= _NEAR_DEG and abs(latitude - other_latitude) <= _NEAR_DEG
