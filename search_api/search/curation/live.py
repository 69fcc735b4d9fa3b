"""The rules in memory: read beside the requests, never in the time of a question."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, date, datetime

import structlog
from cachetools import LRUCache

from core.errors import SondeError
from reading.vocabulary.vocabulary import Vocabulary
from search_api.http.ticking import Ticker
from search_api.search.curation.curated import NOTHING_CURATED, Curated
from search_api.search.curation.store import CurationStore, Mark

log = structlog.get_logger(__name__)

READ_EVERY_S = 5.0
"""A rule counts after at most this many seconds; at once in the process that took it."""

_tried: ContextVar[Curated | None] = ContextVar("tried_curation", default=None)


def no_curation() -> Curated:
    """For an installation, an evaluation or a test without rules."""
    return NOTHING_CURATED


@contextmanager
def trying(curated: Curated) -> Iterator[None]:
    """Searches of this thread use these rules instead of the live ones."""
    token = _tried.set(curated)
    try:
        yield
    finally:
        _tried.reset(token)


def _today() -> date:
    return datetime.now(UTC).date()


class LiveCuration:
    """Call it for the rules that count now. Thread-safe; a failure to read keeps the last ones."""

    def __init__(self, store: CurationStore, today: Callable[[], date] = _today, every_s: float = READ_EVERY_S) -> None:
        self._store = store
        self._today = today
        self._reading = threading.Lock()
        self._kept = NOTHING_CURATED
        self._read: tuple[Mark, date] | None = None
        self._ticker = Ticker(self, every_s, "curation")

    def __call__(self) -> Curated:
        self._ticker.start()
        return _tried.get() or self._kept

    def tick(self) -> None:
        """Reads the rules if they changed, or if another day began."""
        with self._reading:
            today = self._today()
            state = (self._store.mark(), today)
            if state != self._read:
                self._kept = Curated.of(self._store.rules(draft=""), today)
                self._read = state

    def try_tick(self) -> None:
        """The same, where a failure must not stop what is done: the next tick reads them."""
        try:
            self.tick()
        except SondeError as error:
            log.warning("curation.unread", error=type(error).__name__)


class CuratedVocabulary:
    """The vocabulary of questions: the stewards' synonyms before all others. Thread-safe."""

    def __init__(self, base: Callable[[], Vocabulary], curated: Callable[[], Curated]) -> None:
        self._base = base
        self._curated = curated
        self._lock = threading.Lock()
        self._made: LRUCache[tuple[int, int], tuple[object, object, Vocabulary]] = LRUCache(4)

    def __call__(self) -> Vocabulary:
        base, own = self._base(), self._curated().vocabulary
        if not own.concepts:
            return base
        key = (id(base), id(own))
        with self._lock:
            if key not in self._made:  # the entry holds both, so that no other object gets their ids
                self._made[key] = (base, own, base.preceded_by(own))
            return self._made[key][2]
