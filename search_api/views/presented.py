"""A cache of features for records that are shown often: made once for each record in the search's cache."""

from __future__ import annotations

import threading

from cachetools import LRUCache

from core.json_types import Json
from core.record import Record
from search_api.retrieval.versioned_cache import MOST_RECORDS, weight_of
from search_api.views import geojson


class Presented:
    """Thread-safe.

    The key is the identity of the record object, which the search's cache returns until the record is written again.
    The entry holds the record, so its memory address cannot be reused for another one.
    """

    def __init__(self, most: int = MOST_RECORDS) -> None:
        self._lock = threading.Lock()
        self._kept: LRUCache[int, tuple[Record, Json]] = LRUCache(most, lambda kept: weight_of(kept[0]))

    def feature(self, record: Record) -> Json:
        """A feature with shared members: a caller may add members, but must not change any."""
        with self._lock:
            kept = self._kept.get(id(record))
        if kept is not None and kept[0] is record:
            return kept[1]
        made = geojson.feature(record)
        with self._lock:
            self._kept[id(record)] = record, made
        return made
