"""A cache of recently read records, each with its version.

A search returns the version of each record; a record cached in that version is not read again. So no entry can be
stale, and the cache shows only records that the search, with the caller's filters, found.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from cachetools import LRUCache

from core.json_types import JsonMapping
from core.record import Record
from core.token_bits import Bits
from search_api.http.telemetry import count_cache_lookup
from search_api.search.ranking.fields import RankingFields
from search_api.search.retrieval.passage_found import PassageFound
from search_api.search.retrieval.remembered_answers import RememberedAnswers

T = TypeVar("T")
Version = tuple[str, int, int]
"""The index (its UUID: a name can be reused for other records), and Elasticsearch's ``_seq_no`` and ``_primary_term``
in it, which are unique per write of a record.
"""

MOST_FIELDS = 50_000
"""About 600 bytes each."""
MOST_RECORDS = 4_000
"""Some 10 KB each, and as much again for its display form; a larger record counts as several."""
_USUAL_CHARACTERS = 10_000
MOST_PASSAGES = 4_000
"""Some 2 KB each."""
MOST_TOKEN_BYTES = 64 * 1024 * 1024
"""Some 2 KB a record."""
MOST_DRAWS = 128
"""Some 100 KB each."""
_ENTRY_BYTES = 200


def version_of(index_uuid: str, hit: JsonMapping) -> Version:
    """Of a hit requested with ``seq_no_primary_term``."""
    return index_uuid, hit["_seq_no"], hit["_primary_term"]


def weight_of(record: Record) -> int:
    """The size in usual records: outlines of coasts can have megabytes."""
    texts = (record.abstract, record.provenance.lineage or "", str(record.geometry or ""))
    return min(1 + sum(map(len, texts)) // _USUAL_CHARACTERS, MOST_RECORDS)


def _bytes_of(bits: Bits | None) -> int:
    return _ENTRY_BYTES + (0 if bits is None else bits.nbytes)


class VersionedCache(Generic[T]):
    """One version of each record, the ``most`` recently used; thread-safe."""

    def __init__(self, name: str, most: int, weight: Callable[[T], int] = lambda _: 1) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._kept: LRUCache[str, tuple[Version, T]] = LRUCache(most, lambda kept: weight(kept[1]))

    def known(self, versions: Mapping[str, Version]) -> dict[str, T]:
        """The requested records that are cached in exactly that version, by id."""
        found: dict[str, T] = {}
        with self._lock:
            for record, version in versions.items():
                try:  # hundreds for each search: `get` would look twice
                    kept = self._kept[record]
                except KeyError:
                    continue
                if kept[0] == version:
                    found[record] = kept[1]
        if versions:
            count_cache_lookup(self._name, hit=len(found) == len(versions))
        return found

    def last(self, records: Iterable[str]) -> dict[str, tuple[Version, T]]:
        """The cached ones with their versions, which the caller must still compare with those in the index."""
        with self._lock:
            kept = {record: self._kept.get(record) for record in records}
        return {record: one for record, one in kept.items() if one is not None}

    def keep(self, versions: Mapping[str, Version], values: Mapping[str, T]) -> None:
        """Caches the values whose version is known."""
        with self._lock:
            for record, value in values.items():
                if record in versions:
                    self._kept[record] = versions[record], value


@dataclass(frozen=True, slots=True)
class RecordCaches:
    """The cache of one process: ranking fields and token vectors of candidates, and whole records and passages for
    pages; answers about all records.
    """

    fields: VersionedCache[RankingFields] = field(default_factory=lambda: VersionedCache("facts", MOST_FIELDS))
    tokens: VersionedCache[Bits | None] = field(
        default_factory=lambda: VersionedCache("tokens", MOST_TOKEN_BYTES, _bytes_of)
    )
    passages: VersionedCache[PassageFound] = field(default_factory=lambda: VersionedCache("passages", MOST_PASSAGES))
    answers: RememberedAnswers = field(default_factory=RememberedAnswers)
    draws: RememberedAnswers = field(default_factory=lambda: RememberedAnswers(most=MOST_DRAWS))
    records: VersionedCache[Record] = field(default_factory=lambda: VersionedCache("records", MOST_RECORDS, weight_of))
