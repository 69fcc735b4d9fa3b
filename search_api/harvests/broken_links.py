"""The links of a source that led nowhere at the last complete check."""

from __future__ import annotations

import threading

from cachetools import TTLCache

from core.errors import Unavailable
from search_api.harvests.runs import RunReader

_KEPT_S = 300.0
_MOST_SOURCES = 1000
_LINK_RUNS = "links:"  # the prefix of the source of a link run


class BrokenLinks:
    """Reads the newest complete check of each source, cached for five minutes; thread-safe."""

    def __init__(self, runs: RunReader) -> None:
        self._runs = runs
        self._lock = threading.Lock()
        self._kept: TTLCache[str, frozenset[str]] = TTLCache(_MOST_SOURCES, _KEPT_S)

    def of(self, source: str) -> frozenset[str]:
        """Addresses without their fragment; empty if nothing was checked, or if the runs cannot be read now."""
        with self._lock:
            kept = self._kept.get(source)
        if kept is not None:
            return kept
        try:
            found = self._read(source)
        except Unavailable:
            return frozenset()
        with self._lock:
            self._kept[source] = found
        return found

    def _read(self, source: str) -> frozenset[str]:
        """A refusal of a link run names the address, and in parentheses one of its records."""
        checks = self._runs.of_source(f"{_LINK_RUNS}{source}")
        last = next((run for run in checks if run.state == "complete"), None)
        if last is None or last.counts.refused == 0:
            return frozenset()
        return frozenset(one.origin.rpartition(" (")[0] for one in self._runs.run(last.id).refusals)
