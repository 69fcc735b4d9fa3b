"""The catalogues: one per harvested source, and ``all``, each with its size, extent and period."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cachetools import TTLCache

from core.errors import NotFound
from core.extent import BBox
from core.json_types import Json, JsonMapping
from core.timespan import TimeSpan
from search_api.catalogue.listing.reader import RecordReader
from search_api.http.telemetry_memory import remembered

ALL = "all"
_KEPT_S = 60.0
_ASKED_AGAIN_S = 1.0
_MOST_MEMORIES = 64
_MOST_SOURCES = 1000

# The hull comes from the doc values for ranking (w,s,e,n; start/end). A box across the antimeridian counts as the
# whole range of longitudes: the hull of a catalogue is only a first orientation.
_EDGE = """
for (String box : doc['boxes']) {
  String[] edges = box.splitOnToken(',');
  double west = Double.parseDouble(edges[0]); double east = Double.parseDouble(edges[2]);
  if (params.edge == 0) { emit(west > east ? -180.0 : west); }
  else if (params.edge == 2) { emit(west > east ? 180.0 : east); }
  else { emit(Double.parseDouble(edges[params.edge])); }
}
"""
_TIME = """
for (String span : doc['spans']) {
  String[] ends = span.splitOnToken('/');
  if (ends.length > params.end && ends[params.end].length() > 0) { emit(Long.parseLong(ends[params.end])); }
}
"""


@dataclass(frozen=True, slots=True)
class SourceDescription:
    """What sources.yaml says of a source for readers; empty where it says nothing."""

    title: str = ""
    publisher: str = ""
    description: str = ""
    licence: str = ""


_NOTHING_SAID = SourceDescription()


@dataclass(frozen=True, slots=True)
class Catalogue:
    """``box`` and ``span`` enclose the records' extents; None if they have none. ``updated``: ms since 1970."""

    id: str
    title: str
    count: int
    box: BBox | None = None
    span: TimeSpan | None = None
    updated: int | None = None
    said: SourceDescription = _NOTHING_SAID

    @property
    def source(self) -> str | None:
        """The source of this catalogue; None for all sources."""
        return None if self.id == ALL else self.id


class Catalogues:
    """Counts the catalogues, cached for a minute; thread-safe.

    ``seen_by``: the groups of the current caller. Callers who see different records have different counts and caches.
    """

    def __init__(
        self,
        reader: RecordReader,
        descriptions: Callable[[], Mapping[str, SourceDescription]],
        seen_by: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        self._reader = reader
        self._descriptions = descriptions
        self._seen_by = seen_by
        self._lock = threading.Lock()
        self._kept: TTLCache[frozenset[str], tuple[Catalogue, ...]] = TTLCache(_MOST_MEMORIES, _KEPT_S)
        self._just_read: TTLCache[frozenset[str], bool] = TTLCache(_MOST_MEMORIES, _ASKED_AGAIN_S)

    def list(self) -> tuple[Catalogue, ...]:
        """``all`` first, then each source by its id."""
        groups = self._seen_by()
        with self._lock:
            kept = self._kept.get(groups)
        remembered("catalogues", hit=kept is not None)
        if kept is not None:
            return kept
        found = self._read()
        with self._lock:
            self._kept[groups], self._just_read[groups] = found, True
        return found

    def get(self, catalogue: str) -> Catalogue:
        """Raises NotFound, after another look for sources that were harvested just now."""
        for _ in range(2):
            for one in self.list():
                if one.id == catalogue:
                    return one
            with self._lock:
                if self._seen_by() in self._just_read:
                    break
                self._kept.pop(self._seen_by(), None)
        raise NotFound(f"There is no catalogue {catalogue!r}; /collections lists all.")

    def forget(self) -> None:
        """Clears the cache, after a record was pushed or deleted here."""
        with self._lock:
            self._kept.clear()
            self._just_read.clear()

    def _read(self) -> tuple[Catalogue, ...]:
        measures = _measures()
        answer = self._reader.search(
            {
                "size": 0,
                "track_total_hits": True,
                "runtime_mappings": _runtime(),
                "aggs": {**measures, "source": {"terms": {"field": "source", "size": _MOST_SOURCES}, "aggs": measures}},
            }
        )
        said, found = self._descriptions(), answer["aggregations"]
        sources = [
            _catalogue(bucket["key"], said.get(bucket["key"], _NOTHING_SAID), bucket["doc_count"], bucket)
            for bucket in sorted(found["source"]["buckets"], key=lambda one: str(one["key"]))
        ]
        whole = _catalogue(ALL, SourceDescription("All catalogues"), answer["hits"]["total"]["value"], found)
        return (whole, *(one for one in sources if one.id != ALL))


def _runtime() -> Json:
    edges = {
        name: {"type": "double", "script": {"source": _EDGE, "params": {"edge": position}}}
        for position, name in enumerate(("west", "south", "east", "north"))
    }
    ends = {
        name: {"type": "long", "script": {"source": _TIME, "params": {"end": position}}}
        for position, name in enumerate(("start", "end"))
    }
    return {**edges, **ends}


def _measures() -> Json:
    least = {name: {"min": {"field": name}} for name in ("west", "south", "start")}
    most = {name: {"max": {"field": name}} for name in ("east", "north", "end")}
    return {**least, **most, "updated": {"max": {"field": "harvest.written"}}}


def _catalogue(catalogue: str, said: SourceDescription, count: int, measured: JsonMapping) -> Catalogue:
    value = {name: measured[name]["value"] for name in ("west", "south", "east", "north", "start", "end", "updated")}
    box = None
    if value["west"] is not None:
        box = BBox(value["west"], value["south"], value["east"], value["north"])
    start, end = (None if value[name] is None else int(value[name]) for name in ("start", "end"))
    if start is not None and end is not None and start > end:  # only open-ended records that do not overlap
        start, end = end, start
    span = None if start is None and end is None else TimeSpan(start, end)
    updated = None if value["updated"] is None else int(value["updated"])
    return Catalogue(catalogue, said.title or catalogue, count, box, span, updated, said)
