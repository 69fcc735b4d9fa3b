"""Runs of harvests and of link checks, newest first, and what the last check of a source's links found."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass

from cachetools import TTLCache, cachedmethod

from core.errors import NotFound, Unavailable
from core.json_types import Json, JsonMapping
from core.timespan import instant_ms
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all, stored_document
from es_mappings.codecs.runs import RunReport, from_document
from es_mappings.names import alias

TREND = 20
"""The number of runs per source for its trend."""

_MOST_SOURCES = 1000
_ORDER = [{"started": "desc"}, {"source": "asc"}]  # a source has one run at a time, so both together are unique
BRIEF = ("source", "state", "started", "finished", "heartbeat", "since", "total", "message", "counts")
"""The fields of a run in a list; a run's own page has the rest."""

_CACHE_S = 300.0
_LINK_RUNS = "links:"  # the prefix of the source of a link run


@dataclass(frozen=True, slots=True)
class RunPage:
    """``after``: the start of the next page, None on the last one."""

    runs: tuple[RunReport, ...]
    after: tuple[object, ...] | None


@dataclass(frozen=True, slots=True)
class RunReader:
    """Runs under one prefix. Methods raise Unavailable; a missing index means no runs."""

    client: Elasticsearch
    prefix: str

    def latest(self) -> dict[str, tuple[RunReport, ...]]:
        """The ``TREND`` newest runs of each source that was ever harvested."""
        newest_runs = {"top_hits": {"size": TREND, "sort": _ORDER, "_source": list(BRIEF)}}
        by_source = {"terms": {"field": "source", "size": _MOST_SOURCES}, "aggs": {"runs": newest_runs}}
        answer = self._search({"size": 0, "aggs": {"sources": by_source}})
        buckets = answer.get("aggregations", {}).get("sources", {}).get("buckets", [])
        return {str(bucket["key"]): _runs(bucket["runs"]["hits"]["hits"]) for bucket in buckets}

    def of_source(self, source: str) -> tuple[RunReport, ...]:
        """The ``TREND`` newest runs of one source."""
        return self.page(source, None, TREND, None).runs

    def page(self, source: str | None, state: str | None, limit: int, after: tuple[object, ...] | None) -> RunPage:
        """Runs of one source, or in one state, or all."""
        filters = [{"term": {name: value}} for name, value in (("source", source), ("state", state)) if value]
        body: Json = {"query": {"bool": {"filter": filters}}, "sort": _ORDER, "size": limit + 1}
        body["_source"] = list(BRIEF)
        if after is not None:
            body["search_after"] = list(after)
        hits = self._search(body)["hits"]["hits"]
        page = hits[:limit]
        return RunPage(_runs(page), tuple(page[-1]["sort"]) if len(hits) > limit else None)

    def run(self, id: str) -> RunReport:
        """With its detail. Raises NotFound."""
        stored_run = stored_document(self.client, alias(self.prefix, "runs"), id)
        if stored_run is None:
            raise NotFound(f"There is no run {id!r}.")
        return from_document(stored_run["_id"], stored_run["_source"])

    def _search(self, body: JsonMapping) -> Json:
        header = {"index": alias(self.prefix, "runs"), "ignore_unavailable": True}
        return search_all(self.client, [header, body])[0]


def _runs(hits: Iterable[JsonMapping]) -> tuple[RunReport, ...]:
    return tuple(from_document(hit["_id"], hit["_source"]) for hit in hits)


@dataclass(frozen=True, slots=True)
class LinkCheck:
    """``broken``: addresses without their fragment. ``names_all``: whether these are all
    that are broken, not only the first.

    ``started``: ms since 1970.
    """

    started: int
    broken: frozenset[str] = frozenset()
    names_all: bool = True

    def works(self, href: str, written_ms: int | None) -> bool | None:
        """Whether the address led somewhere; None if it was not checked.

        ``written_ms``: when the record was written, in ms.
        """
        address = href.partition("#")[0]
        if not address.startswith(("http://", "https://")):
            return None
        if address in self.broken:
            return False
        is_checked = self.names_all and written_ms is not None and written_ms <= self.started
        return True if is_checked else None


class LinkChecks:
    """Reads the newest complete check of each source, cached for five minutes; thread-safe."""

    def __init__(self, runs: RunReader) -> None:
        self._runs = runs
        self._lock = threading.Lock()
        self._cache: TTLCache[str, LinkCheck | None] = TTLCache(_MOST_SOURCES, _CACHE_S)

    def of(self, source: str) -> LinkCheck | None:
        """None if the links were never checked, or if the runs cannot be read now."""
        try:
            return self._newest(source)
        except Unavailable:
            return None

    def broken(self, source: str) -> frozenset[str]:
        """Addresses without their fragment that led nowhere."""
        check = self.of(source)
        return frozenset() if check is None else check.broken

    @cachedmethod(lambda self: self._cache, lock=lambda self: self._lock)
    def _newest(self, source: str) -> LinkCheck | None:
        """A refusal of a link run names the address, and in parentheses one of its records."""
        checks = self._runs.of_source(f"{_LINK_RUNS}{source}")
        last = next((run for run in checks if run.state == "complete"), None)
        if last is None:
            return None
        refusals = self._runs.run(last.id).refusals if last.counts.refused else ()
        broken = frozenset(refusal.origin.rpartition(" (")[0] for refusal in refusals)
        return LinkCheck(instant_ms(last.started), broken, names_all=len(refusals) == last.counts.refused)
