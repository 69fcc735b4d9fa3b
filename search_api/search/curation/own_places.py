"""The gazetteer with the places that stewards added: theirs come first."""

from __future__ import annotations

from collections.abc import Callable

from core.place import Place
from core.ports import Geocoder
from reading.gazetteer import Gazetteer, GazetteerName, name_key
from search_api.search.curation.curated import Curated


class CuratedGazetteer(Gazetteer):
    """Immutable but for the rules, which are looked up at each call."""

    def __init__(self, base: Gazetteer, curated: Callable[[], Curated]) -> None:
        super().__init__()
        self._base = base
        self._curated = curated

    def preload(self) -> Gazetteer:
        self._base.preload()
        return self

    def named(self, key: str) -> GazetteerName | None:
        own, known = self._curated().places.get(key, ()), self._base.named(key)
        return GazetteerName((*own, *(known.places if known else ()))) if own else known

    def abbreviation(self, text: str) -> GazetteerName | None:
        own = self._curated().places.get(name_key(text))
        return None if own else self._base.abbreviation(text)

    def longest(self, first: str) -> int:
        return max(self._base.longest(first), self._curated().longest.get(first, 0))

    def keys(self) -> list[str]:
        return sorted({*self._base.keys(), *self._curated().places})


class CuratedGeocoder:
    """The stewards' places, else what the geocoder says."""

    def __init__(self, geocoder: Geocoder, curated: Callable[[], Curated]) -> None:
        self._geocoder = geocoder
        self._curated = curated

    def lookup(self, name: str) -> list[Place]:
        own = self._curated().places.get(name_key(name), ())
        return [*own, *self._geocoder.lookup(name)] if own else self._geocoder.lookup(name)
