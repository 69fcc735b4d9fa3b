"""Caches of one process that cannot be stale: values by the version of a record, answers by the state of the index.

A search returns the version of each record; a value cached in that version is not read again. The cache shows only
records that the search, with the caller's filters, found.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import orjson
from cachetools import LRUCache

from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all
from search_api.http.telemetry import count_cache_lookup

T = TypeVar("T")
Version = tuple[str, int, int]
"""The index (its UUID: a name can be reused for other records), and Elasticsearch's ``_seq_no`` and ``_primary_term``
in it, which are unique per write of a record.
"""

_MOST_ANSWERS = 4_000
"""Some 2 KB each."""


@dataclass(frozen=True, slots=True)
class IndexState:
    """What an index shows: ``refreshes`` counts how often that changed; ``uuid``: a name can be reused."""

    uuid: str
    refreshes: int


NO_STATE = IndexState("", 0)
_Key = tuple[IndexState, frozenset[str], bytes]


def versions_of(index_uuid: str, hits: Mapping[str, JsonMapping]) -> dict[str, Version]:
    """Of hits requested with ``seq_no_primary_term``, by the same keys."""
    return {name: (index_uuid, hit["_seq_no"], hit["_primary_term"]) for name, hit in hits.items()}


class VersionedCache(Generic[T]):
    """One version of each record, the ``most`` recently used; thread-safe."""

    def __init__(self, name: str, most: int, weight: Callable[[T], int] | None = None) -> None:
        self._name = name
        self._lock = threading.Lock()
        size = None if weight is None else (lambda entry: weight(entry[1]))
        self._entries: LRUCache[str, tuple[Version, T]] = LRUCache(most, size)

    def get(self, versions: Mapping[str, Version]) -> dict[str, T]:
        """The requested records that are cached in exactly that version, by id."""
        values: dict[str, T] = {}
        with self._lock:
            for record, version in versions.items():
                try:  # hundreds for each search: `get` would look twice
                    entry = self._entries[record]
                except KeyError:
                    continue
                if entry[0] == version:
                    values[record] = entry[1]
        if versions:
            count_cache_lookup(self._name, hit=len(values) == len(versions))
        return values

    def last(self, records: Iterable[str]) -> dict[str, tuple[Version, T]]:
        """The cached ones with their versions, which the caller must still compare with those in the index."""
        with self._lock:
            entries = {record: self._entries.get(record) for record in records}
        return {record: entry for record, entry in entries.items() if entry is not None}

    def put(self, versions: Mapping[str, Version], values: Mapping[str, T]) -> None:
        """Caches the values whose version is known."""
        with self._lock:
            for record, value in values.items():
                if record in versions:
                    self._entries[record] = versions[record], value


@dataclass(slots=True)
class AnswerCache:
    """Answers of Elasticsearch about all records, until the index shows other records. Thread-safe.

    ``groups``: of the current caller; people who see other records get answers of their own.
    """

    groups: Callable[[], frozenset[str]] = frozenset
    most: int = _MOST_ANSWERS
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _entries: LRUCache[_Key, JsonMapping] = field(init=False)

    def __post_init__(self) -> None:
        self._entries = LRUCache(self.most)

    def ask(self, client: Elasticsearch, index: str, state: IndexState, bodies: Sequence[Json]) -> list[JsonMapping]:
        """One request for those that are not cached, none if all are. Raises Unavailable."""
        keys = [orjson.dumps(body) for body in bodies]
        answers = self.get("names", state, keys)
        missing = {key: body for key, body in zip(keys, bodies, strict=True) if key not in answers}
        if missing:
            replies = search_all(client, [part for body in missing.values() for part in ({"index": index}, body)])
            fresh = dict(zip(missing, replies, strict=True))
            self.put(state, fresh)
            answers |= fresh
        return [answers[key] for key in keys]

    def get(self, name: str, state: IndexState, keys: Sequence[bytes]) -> dict[bytes, JsonMapping]:
        """The cached ones; ``name``: of the lookup, for the metrics."""
        groups = self.groups()
        with self._lock:
            entries = {key: self._entries.get((state, groups, key)) for key in keys}
        answers = {key: answer for key, answer in entries.items() if answer is not None}
        count_cache_lookup(name, hit=len(answers) == len(entries))
        return answers

    def put(self, state: IndexState, answers: Mapping[bytes, JsonMapping]) -> None:
        """Caches what the current caller was answered."""
        groups = self.groups()
        with self._lock:
            self._entries.update({(state, groups, key): answer for key, answer in answers.items()})
