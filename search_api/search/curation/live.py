"""The stewards' rules in memory, and vocabulary, gazetteer and geocoder with them. Read beside the requests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, date, datetime

import structlog
from cachetools import LRUCache

from core.errors import SondeError
from core.place import Place
from core.ports import Geocoder
from reading.gazetteer import Gazetteer, GazetteerName, name_key
from reading.vocabulary.vocabulary import Vocabulary
from search_api.http.ticking import Ticker
from search_api.search.curation.curated import NO_RULES, ActiveRules
from search_api.search.curation.store import CurationStore, Mark

log = structlog.get_logger(__name__)

READ_EVERY_S = 5.0
"""A rule applies after at most this many seconds; at once in the process that wrote it."""

_trial_rules: ContextVar[ActiveRules | None] = ContextVar("tried_curation", default=None)


def no_rules() -> ActiveRules:
    """For installations, evaluations and tests without rules."""
    return NO_RULES


@contextmanager
def trying_rules(curated: ActiveRules) -> Iterator[None]:
    """Searches of this thread use these rules instead of the live rules."""
    token = _trial_rules.set(curated)
    try:
        yield
    finally:
        _trial_rules.reset(token)


def _today() -> date:
    return datetime.now(UTC).date()


class LiveRules:
    """Call it for the active rules. Thread-safe; keeps the last rules if reading fails."""

    def __init__(self, store: CurationStore, today: Callable[[], date] = _today, every_s: float = READ_EVERY_S) -> None:
        self._store = store
        self._today = today
        self._lock = threading.Lock()
        self._rules = NO_RULES
        self._read: tuple[Mark, date] | None = None
        self._ticker = Ticker(self, every_s, "curation")

    def __call__(self) -> ActiveRules:
        self._ticker.start()
        return _trial_rules.get() or self._rules

    def tick(self) -> None:
        """Reads the rules if they changed, or if a new day began."""
        with self._lock:
            today = self._today()
            state = (self._store.mark(), today)
            if state != self._read:
                self._rules = ActiveRules.of(self._store.rules(draft=""), today)
                self._read = state

    def try_tick(self) -> None:
        """Like ``tick``, but only logs a failure; the next tick reads the rules."""
        try:
            self.tick()
        except SondeError as error:
            log.warning("curation.read_failed", error=type(error).__name__)


class CuratedVocabulary:
    """The vocabulary for questions, with the stewards' synonyms first. Thread-safe."""

    def __init__(self, base: Callable[[], Vocabulary], curated: Callable[[], ActiveRules]) -> None:
        self._base = base
        self._curated = curated
        self._lock = threading.Lock()
        self._cache: LRUCache[tuple[int, int], tuple[object, object, Vocabulary]] = LRUCache(4)

    def __call__(self) -> Vocabulary:
        base, own = self._base(), self._curated().vocabulary
        if not own.concepts:
            return base
        key = (id(base), id(own))
        with self._lock:
            if key not in self._cache:  # the entry holds both, so that no other object gets their ids
                self._cache[key] = (base, own, base.preceded_by(own))
            return self._cache[key][2]


class CuratedGazetteer(Gazetteer):
    """A gazetteer with the stewards' places first; the rules are looked up at each call."""

    def __init__(self, base: Gazetteer, curated: Callable[[], ActiveRules]) -> None:
        super().__init__()
        self._base = base
        self._curated = curated

    def preload(self) -> Gazetteer:
        self._base.preload()
        return self

    def named(self, key: str) -> GazetteerName | None:
        own, base = self._curated().places.get(key, ()), self._base.named(key)
        return GazetteerName((*own, *(base.places if base else ()))) if own else base

    def abbreviation(self, text: str) -> GazetteerName | None:
        own = self._curated().places.get(name_key(text))
        return None if own else self._base.abbreviation(text)

    def longest(self, first: str) -> int:
        return max(self._base.longest(first), self._curated().longest.get(first, 0))

    def keys(self) -> list[str]:
        return sorted({*self._base.keys(), *self._curated().places})


class CuratedGeocoder:
    """A geocoder with the stewards' places first."""

    def __init__(self, geocoder: Geocoder, curated: Callable[[], ActiveRules]) -> None:
        self._geocoder = geocoder
        self._curated = curated

    def lookup(self, name: str) -> list[Place]:
        own = self._curated().places.get(name_key(name), ())
        return [*own, *self._geocoder.lookup(name)] if own else self._geocoder.lookup(name)
