"""Places that the catalogue's own titles name, beside the gazetteer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import structlog

from core.geo import BBox, Place
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_mappings.codecs.title_places import DOCUMENT, from_document
from es_mappings.names import alias
from reading.gazetteer import Gazetteer, GazetteerName, longest_names, name_key

log = structlog.get_logger(__name__)

READ_EVERY_S = 60.0
_WELL_KNOWN = 0.45
"""Importance from which the gazetteer's place stays the first: a city of 250,000 people."""
_NEAR_DEG = 1.0


@dataclass(frozen=True, slots=True)
class TitlePlaces:
    """By the key of their name; ``longest`` as ``Gazetteer.longest``."""

    by_key: Mapping[str, Place] = field(default_factory=dict)
    longest: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, places: list[Place]) -> TitlePlaces:
        by_key = {name_key(place.name): place for place in places}
        return cls(by_key, longest_names(by_key))


NO_PLACES = TitlePlaces()


def no_title_places() -> TitlePlaces:
    """For tests and evaluations without a catalogue."""
    return NO_PLACES


class LoadedTitlePlaces:
    """Call it for the stored places; looks for newer ones every minute. Thread-safe.

    Keeps the last if reading fails.
    """

    def __init__(self, client: Elasticsearch, prefix: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._index = alias(prefix, "vocabulary")
        self._clock = clock
        self._lock = threading.Lock()
        self._read_at: float | None = None
        self._version: str | None = None
        self._places = NO_PLACES

    def __call__(self) -> TitlePlaces:
        if self._is_due() and self._lock.acquire(blocking=False):
            try:
                if self._is_due():
                    self._read_at = self._clock()
                    self._read()
            finally:
                self._lock.release()
        return self._places

    def _is_due(self) -> bool:
        return self._read_at is None or self._clock() - self._read_at >= READ_EVERY_S

    def _read(self) -> None:
        reader = self._client.options(ignore_status=404)
        try:
            state = reader.get(index=self._index, id=DOCUMENT, source_includes=["version"]).body
            version = state["_source"]["version"] if state.get("found") else None
            if version == self._version:
                return
            document = reader.get(index=self._index, id=DOCUMENT).body if version else {}
            self._places = TitlePlaces.of(from_document(document["_source"])) if document.get("found") else NO_PLACES
            self._version = version
        except ElasticsearchError as error:
            log.warning("title_places.unread", error=type(error).__name__)


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
