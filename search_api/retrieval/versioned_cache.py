"""What was read of records of late, each under the version it was read at.

A search names the version of each record that it finds; who remembers just that version need not read the record again.
So nothing here can be out of date, and nothing is seen that the search, which is filtered for who asks, did not find.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from cachetools import LRUCache

from core.json_types import JsonMapping
from core.record import Record
from search_api.ranking.fields import RankingFields
from search_api.telemetry_memory import remembered

T = TypeVar("T")
Version = tuple[str, int, int]
"""Which index (its UUID: a name may come again with other records), and Elasticsearch's ``_seq_no`` and
``_primary_term`` there, which no two writes of a record share."""

MOST_FIELDS = 50_000
"""About 600 bytes each."""
MOST_RECORDS = 4_000
"""Of some 10 KB each, and as much again for what is shown of it; a larger one counts as several."""
_USUAL_CHARACTERS = 10_000


def version_of(index_uuid: str, hit: JsonMapping) -> Version:
    """Of a hit that was asked for with ``seq_no_primary_term``."""
    return index_uuid, hit["_seq_no"], hit["_primary_term"]


def weight_of(record: Record) -> int:
    """How many usual records it is as large as: outlines of coasts may have megabytes."""
    texts = (record.abstract, record.provenance.lineage or "", str(record.geometry or ""))
    return min(1 + sum(map(len, texts)) // _USUAL_CHARACTERS, MOST_RECORDS)


class VersionedCache(Generic[T]):
    """One version of each record, the ``most`` last asked for; safe to share between threads."""

    def __init__(self, name: str, most: int, weight: Callable[[T], int] = lambda _: 1) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._kept: LRUCache[str, tuple[Version, T]] = LRUCache(most, lambda kept: weight(kept[1]))

    def known(self, versions: Mapping[str, Version]) -> dict[str, T]:
        """By record id, those of the asked that are remembered at just that version."""
        found: dict[str, T] = {}
        with self._lock:
            for record, version in versions.items():
                kept = self._kept.get(record)
                if kept is not None and kept[0] == version:
                    found[record] = kept[1]
        if versions:
            remembered(self._name, hit=len(found) == len(versions))
        return found

    def keep(self, versions: Mapping[str, Version], values: Mapping[str, T]) -> None:
        """Of the values those whose version is known."""
        with self._lock:
            for record, value in values.items():
                if record in versions:
                    self._kept[record] = versions[record], value


@dataclass(frozen=True, slots=True)
class RecordCaches:
    """Of one process: what ranking reads of candidates, and whole records for pages."""

    fields: VersionedCache[RankingFields] = field(default_factory=lambda: VersionedCache("facts", MOST_FIELDS))
    records: VersionedCache[Record] = field(default_factory=lambda: VersionedCache("records", MOST_RECORDS, weight_of))
