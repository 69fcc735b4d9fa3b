"""Answers of Elasticsearch about all records, kept until the index shows other records."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import orjson
from cachetools import LRUCache

from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all
from search_api.http.telemetry import count_cache_lookup
from search_api.search.retrieval.serving import IndexState

_MOST = 4_000
"""Some 2 KB each."""

_Key = tuple[IndexState, frozenset[str], bytes]


@dataclass(slots=True)
class RememberedAnswers:
    """Thread-safe. ``groups``: of the current caller; people who see other records get answers of their own."""

    groups: Callable[[], frozenset[str]] = frozenset
    most: int = _MOST
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _kept: LRUCache[_Key, JsonMapping] = field(init=False)

    def __post_init__(self) -> None:
        self._kept = LRUCache(self.most)

    def ask(self, client: Elasticsearch, index: str, state: IndexState, bodies: Sequence[Json]) -> list[JsonMapping]:
        """One request for those that are not remembered, none if all are. Raises Unavailable."""
        sent = [orjson.dumps(body) for body in bodies]
        answers = self.known("names", state, sent)
        asked = {key: body for key, body in zip(sent, bodies, strict=True) if key not in answers}
        if asked:
            found = search_all(client, [part for body in asked.values() for part in ({"index": index}, body)])
            fresh = dict(zip(asked, found, strict=True))
            self.keep(state, fresh)
            answers |= fresh
        return [answers[key] for key in sent]

    def known(self, name: str, state: IndexState, asked: Sequence[bytes]) -> dict[bytes, JsonMapping]:
        """The remembered ones; ``name``: of the lookup, for the metrics."""
        seen = self.groups()
        with self._lock:
            kept = {one: self._kept.get((state, seen, one)) for one in asked}
        found = {one: answer for one, answer in kept.items() if answer is not None}
        count_cache_lookup(name, hit=len(found) == len(kept))
        return found

    def keep(self, state: IndexState, answers: Mapping[bytes, JsonMapping]) -> None:
        """Remembers what the current caller was answered."""
        seen = self.groups()
        with self._lock:
            self._kept.update({(state, seen, one): answer for one, answer in answers.items()})
