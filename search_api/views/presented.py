"""Features of records that are shown again and again: made once for each record that the search remembers."""

from __future__ import annotations

import threading

from cachetools import LRUCache

from core.json_types import Json
from core.record import Record
from search_api.retrieval.versioned_cache import MOST_RECORDS, weight_of
from search_api.views import geojson


class Presented:
    """Safe to share between threads.

    A record is told by its being the same object, which the search's memory gives out as long as the record is not
    written anew; it is kept beside its feature, so that its place in memory cannot become another's.
    """

    def __init__(self, most: int = MOST_RECORDS) -> None:
        self._lock = threading.Lock()
        self._kept: LRUCache[int, tuple[Record, Json]] = LRUCache(most, lambda kept: weight_of(kept[0]))

    def feature(self, record: Record) -> Json:
        """A feature whose members belong to all: a caller adds members, and changes none."""
        with self._lock:
            kept = self._kept.get(id(record))
        if kept is not None and kept[0] is record:
            return kept[1]
        made = geojson.feature(record)
        with self._lock:
            self._kept[id(record)] = record, made
        return made
