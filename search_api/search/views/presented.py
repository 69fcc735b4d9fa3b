"""The JSON of hits, spliced from bytes: a record's own part is written once for each record in the search's cache."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import orjson
from cachetools import LRUCache

from core.record import Record
from search_api.http.addresses import GEOJSON, Addresses, document_link, item_path, link
from search_api.http.responses import json_part
from search_api.search.answer import FoundRecord
from search_api.search.views import geojson

MOST_BYTES = 32 * 1024 * 1024
"""Of JSON; the records themselves, which an entry holds too, take about as much again."""


@dataclass(frozen=True, slots=True)
class _Written:
    """``opened``: the record's feature as JSON, still open at the end of its links. ``path``: the record's own."""

    record: Record
    opened: bytes
    path: str

    @classmethod
    def of(cls, record: Record) -> _Written:
        feature = geojson.feature(record)
        whole = json_part(feature)  # its last member is a list: the links
        return cls(record, whole[:-2] + (b"," if feature["links"] else b""), item_path(record))


class Presented:
    """Thread-safe.

    The key is the identity of the record object, which the search's cache returns until the record is written again.
    The entry holds the record, so its memory address cannot be reused for another one.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._lock = threading.Lock()
        self._kept: LRUCache[int, _Written] = LRUCache(most_bytes, lambda kept: len(kept.opened))

    def hit(self, found: FoundRecord, addresses: Addresses, opened: str | None = None) -> orjson.Fragment:
        """What ``geojson.hit_feature`` makes, as a part for orjson. ``opened``: the address that counts an opening."""
        written = self._of(found.record)
        own = json_part(link("self", f"{addresses.base}{written.path}", GEOJSON))
        if (document := document_link(found.record, addresses.base)) is not None:
            own = b",".join((own, json_part(document)))
        members = geojson.hit_members(found)
        beside = json_part(members if opened is None else {**members, "sonde:opened": opened})
        return orjson.Fragment(b"".join((written.opened, own, b"],", beside[1:])))

    def _of(self, record: Record) -> _Written:
        with self._lock:
            kept = self._kept.get(id(record))
        if kept is not None and kept.record is record:
            return kept
        made = _Written.of(record)
        with self._lock:
            if len(made.opened) <= self._kept.maxsize:
                self._kept[id(record)] = made
        return made
