"""The vocabularies for reading questions: Sonde's own and the loaded ones, cached in memory and refreshed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import structlog

from core.errors import NotFound
from es_gateway.errors import ElasticsearchError
from reading.vocabulary.concept import NamedVocabulary
from reading.vocabulary.vocabulary import Vocabulary
from search_api.understanding.vocabulary_store import VocabularyStore

log = structlog.get_logger(__name__)

LOOKED_AFTER_S = 30.0
"""A loaded vocabulary is in use after at most this many seconds."""


class LoadedVocabularies:
    """Call it for the current vocabulary. Thread-safe.

    Every 30 seconds one request checks for newly loaded vocabularies; the caller that finds one reads it, the others
    continue with the old one. A read error changes nothing: a search does not fail because of a thesaurus.
    """

    def __init__(
        self,
        store: VocabularyStore,
        own: Callable[[], NamedVocabulary],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._own = own
        self._clock = clock
        self._looking = threading.Lock()
        self._versions: frozenset[tuple[str, str]] | None = None
        self._looked_at: float | None = None
        self._kept: Vocabulary | None = None

    def __call__(self) -> Vocabulary:
        if self._is_due() and self._looking.acquire(blocking=self._kept is None):
            try:
                if self._is_due():
                    self._look()
            finally:
                self._looking.release()
        return self._kept or Vocabulary()

    def _is_due(self) -> bool:
        return self._looked_at is None or self._clock() - self._looked_at >= LOOKED_AFTER_S

    def _look(self) -> None:
        self._looked_at = self._clock()
        try:
            manifests = self._store.manifests()
            versions = frozenset((manifest.name, manifest.version) for manifest in manifests)
            if versions != self._versions:
                loaded = [self._store.load(manifest) for manifest in manifests]
                self._kept, self._versions = Vocabulary.of([self._own(), *loaded]), versions
        except (ElasticsearchError, NotFound) as error:
            log.warning("vocabulary.unread", error=type(error).__name__)
        if self._kept is None:
            self._kept = Vocabulary.of([self._own()])
