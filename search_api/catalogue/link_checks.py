"""What the last complete check of a source's links found."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from cachetools import TTLCache

from core.errors import Unavailable
from core.timespan import instant_ms
from search_api.stewards.harvests.runs import RunReader

_KEPT_S = 300.0
_MOST_SOURCES = 1000
_LINK_RUNS = "links:"  # the prefix of the source of a link run


@dataclass(frozen=True, slots=True)
class LinkCheck:
    """``broken``: addresses without their fragment; ``names_all``: else it names only the first of many.

    ``started``: ms since 1970.
    """

    started: int
    broken: frozenset[str] = frozenset()
    names_all: bool = True

    def works(self, href: str, written: int | None) -> bool | None:
        """Whether the address led somewhere; None if it was not checked. ``written``: when its record was, in ms."""
        address = href.partition("#")[0]
        if not address.startswith(("http://", "https://")):
            return None
        if address in self.broken:
            return False
        looked_at = self.names_all and written is not None and written <= self.started
        return True if looked_at else None


class LinkChecks:
    """Reads the newest complete check of each source, cached for five minutes; thread-safe."""

    def __init__(self, runs: RunReader) -> None:
        self._runs = runs
        self._lock = threading.Lock()
        self._kept: TTLCache[str, LinkCheck | None] = TTLCache(_MOST_SOURCES, _KEPT_S)

    def of(self, source: str) -> LinkCheck | None:
        """None if the links were never checked, or if the runs cannot be read now."""
        with self._lock:
            if source in self._kept:
                return self._kept[source]
        try:
            found = self._read(source)
        except Unavailable:
            return None
        with self._lock:
            self._kept[source] = found
        return found

    def broken(self, source: str) -> frozenset[str]:
        """Addresses without their fragment that led nowhere."""
        found = self.of(source)
        return frozenset() if found is None else found.broken

    def _read(self, source: str) -> LinkCheck | None:
        """A refusal of a link run names the address, and in parentheses one of its records."""
        checks = self._runs.of_source(f"{_LINK_RUNS}{source}")
        last = next((run for run in checks if run.state == "complete"), None)
        if last is None:
            return None
        refusals = self._runs.run(last.id).refusals if last.counts.refused else ()
        broken = frozenset(one.origin.rpartition(" (")[0] for one in refusals)
        return LinkCheck(instant_ms(last.started), broken, names_all=len(refusals) == last.counts.refused)
