"""What is made of the loaded vocabularies (terms of questions, lists of names), cached in memory and refreshed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import structlog

from core.errors import NotFound
from es_gateway.errors import ElasticsearchError
from reading.vocabulary import NamedVocabulary
from search_api.search.understanding.vocabulary_store import VocabularyStore

log = structlog.get_logger(__name__)

LOOKED_AFTER_S = 30.0
"""A loaded vocabulary is in use after at most this many seconds."""


T = TypeVar("T")


class LoadedVocabularies(Generic[T]):
    """Call it for what ``made`` makes of the vocabularies that are loaded now. Thread-safe.

    Every 30 seconds one request checks for newly loaded vocabularies; the caller that finds one reads it, the others
    continue with the old one. A read error changes nothing: a search does not fail because of a thesaurus.
    """

    def __init__(
        self,
        store: VocabularyStore,
        made: Callable[[Sequence[NamedVocabulary]], T],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._made = made
        self._clock = clock
        self._looking = threading.Lock()
        self._versions: frozenset[tuple[str, str]] | None = None
        self._looked_at: float | None = None
        self._kept: T | None = None

    def __call__(self) -> T:
        if self._is_due() and self._looking.acquire(blocking=self._kept is None):
            try:
                if self._is_due():
                    self._look()
            finally:
                self._looking.release()
        return self._kept if self._kept is not None else self._made(())

    def _is_due(self) -> bool:
        return self._looked_at is None or self._clock() - self._looked_at >= LOOKED_AFTER_S

    def _look(self) -> None:
        self._looked_at = self._clock()
        try:
            manifests = self._store.manifests()
            versions = frozenset((manifest.name, manifest.version) for manifest in manifests)
            if versions != self._versions:
                loaded = [self._store.load(manifest) for manifest in manifests]
                self._kept, self._versions = self._made(loaded), versions
        except (ElasticsearchError, NotFound) as error:
            log.warning("vocabulary.unread", error=type(error).__name__)
        if self._kept is None:
            self._kept = self._made(())
