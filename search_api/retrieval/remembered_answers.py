"""Answers of Elasticsearch about all records, kept until the index shows other records."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import orjson
from cachetools import LRUCache

from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all
from search_api.serving import IndexState
from search_api.telemetry_memory import remembered

_MOST = 4_000
"""Some 2 KB each."""

_Asked = tuple[IndexState, frozenset[str], bytes]


@dataclass(slots=True)
class RememberedAnswers:
    """Thread-safe. ``groups``: of the current caller; people who see other records get answers of their own."""

    groups: Callable[[], frozenset[str]] = frozenset
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _kept: LRUCache[_Asked, JsonMapping] = field(default_factory=lambda: LRUCache(_MOST))

    def ask(self, client: Elasticsearch, index: str, state: IndexState, bodies: Sequence[Json]) -> list[JsonMapping]:
        """One request for those that are not remembered, none if all are. Raises Unavailable."""
        seen = self.groups()
        keys = [(state, seen, orjson.dumps(body)) for body in bodies]
        with self._lock:
            answers = {key: self._kept.get(key) for key in keys}
        asked = [(key, body) for key, body in zip(keys, bodies, strict=True) if answers[key] is None]
        remembered("names", hit=not asked)
        if asked:
            found = search_all(client, [part for _, body in asked for part in ({"index": index}, body)])
            fresh = {key: answer for (key, _), answer in zip(asked, found, strict=True)}
            answers |= fresh
            with self._lock:
                self._kept.update(fresh)
        return [answer for key in keys if (answer := answers[key]) is not None]
