"""The catalogues: one per harvested source, and ``all``, each with its size, extent and period."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cachetools import TTLCache

from core.errors import NotFound
from core.geo import BBox
from core.json_types import Json, JsonMapping
from core.timespan import TimeSpan
from search_api.catalogue.listing import RecordReader
from search_api.http.telemetry import count_cache_lookup

ALL = "all"
_CACHE_S = 60.0
_SHORTEST_CACHE_S = 1.0
_MOST_CACHED = 64
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


_NO_DESCRIPTION = SourceDescription()


@dataclass(frozen=True, slots=True)
class Catalogue:
    """``box`` and ``span`` enclose the records' extents; None if they have none. ``updated``: ms since 1970."""

    id: str
    title: str
    count: int
    box: BBox | None = None
    span: TimeSpan | None = None
    updated: int | None = None
    about: SourceDescription = _NO_DESCRIPTION

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
        self._cache: TTLCache[frozenset[str], tuple[Catalogue, ...]] = TTLCache(_MOST_CACHED, _CACHE_S)
        self._just_read: TTLCache[frozenset[str], bool] = TTLCache(_MOST_CACHED, _SHORTEST_CACHE_S)

    def list(self) -> tuple[Catalogue, ...]:
        """``all`` first, then each source by its id."""
        groups = self._seen_by()
        with self._lock:
            from_cache = self._cache.get(groups)
        count_cache_lookup("catalogues", hit=from_cache is not None)
        if from_cache is not None:
            return from_cache
        catalogues = self._read_all()
        with self._lock:
            self._cache[groups], self._just_read[groups] = catalogues, True
        return catalogues

    def get(self, catalogue: str) -> Catalogue:
        """Raises NotFound, after another look for sources that were harvested just now."""
        for _ in range(2):
            for entry in self.list():
                if entry.id == catalogue:
                    return entry
            with self._lock:
                if self._seen_by() in self._just_read:
                    break
                self._cache.pop(self._seen_by(), None)
        raise NotFound(f"There is no catalogue {catalogue!r}; /collections lists all.")

    def forget(self) -> None:
        """Clears the cache, after a record was pushed or deleted here."""
        with self._lock:
            self._cache.clear()
            self._just_read.clear()

    def _read_all(self) -> tuple[Catalogue, ...]:
        measures = _measures()
        answer = self._reader.search(
            {
                "size": 0,
                "track_total_hits": True,
                "runtime_mappings": _runtime(),
                "aggs": {**measures, "source": {"terms": {"field": "source", "size": _MOST_SOURCES}, "aggs": measures}},
            }
        )
        descriptions, counts = self._descriptions(), answer["aggregations"]
        sources = [
            _catalogue(bucket["key"], descriptions.get(bucket["key"], _NO_DESCRIPTION), bucket["doc_count"], bucket)
            for bucket in sorted(counts["source"]["buckets"], key=lambda entry: str(entry["key"]))
        ]
        all_catalogues = _catalogue(ALL, SourceDescription("All catalogues"), answer["hits"]["total"]["value"], counts)
        return (all_catalogues, *(entry for entry in sources if entry.id != ALL))


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
    minima = {name: {"min": {"field": name}} for name in ("west", "south", "start")}
    maxima = {name: {"max": {"field": name}} for name in ("east", "north", "end")}
    return {**minima, **maxima, "updated": {"max": {"field": "harvest.written"}}}


def _catalogue(catalogue: str, description: SourceDescription, count: int, measures: JsonMapping) -> Catalogue:
    value = {name: measures[name]["value"] for name in ("west", "south", "east", "north", "start", "end", "updated")}
    box = None
    if value["west"] is not None:
        box = BBox(value["west"], value["south"], value["east"], value["north"])
    start, end = (None if value[name] is None else int(value[name]) for name in ("start", "end"))
    if start is not None and end is not None and start > end:  # only open-ended records that do not overlap
        start, end = end, start
    span = None if start is None and end is None else TimeSpan(start, end)
    updated_ms = None if value["updated"] is None else int(value["updated"])
    return Catalogue(catalogue, description.title or catalogue, count, box, span, updated_ms, description)
