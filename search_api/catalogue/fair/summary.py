"""Counts the indicators over the records of a catalogue: of all of them, or of a random part of a large one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from cachetools import TTLCache

from core.json_types import Json, JsonMapping
from core.timespan import instant_ms
from es_mappings.codecs.records import from_document
from search_api.catalogue.fair.indicators import INDICATORS, Subject, judged
from search_api.catalogue.link_checks import LinkCheck
from search_api.catalogue.listing.reader import RecordReader
from search_api.http.telemetry_memory import remembered

MOST_RECORDS = 2000
"""Of so many, a share is known to two hundredths in 19 of 20 cases."""
_KEPT_S = 600.0
_MOST_MEMORIES = 256
_FIELDS = (
    "id", "source", "identifier", "doi", "type", "title", "abstract", "keywords", "contacts", "boxes", "spans",
    "resolution", "provenance", "licence", "constraints", "access", "links", "dates", "formats", "names.platforms",
    "names.instruments", "names.variables", "edition", "parent", "native", "harvest.written",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Count:
    """How many of the records an indicator holds for, does not, and was not measured."""

    holds: int = 0
    fails: int = 0
    not_measured: int = 0

    def plus(self, *, holds: bool | None) -> Count:
        return Count(self.holds + (holds is True), self.fails + (holds is False), self.not_measured + (holds is None))


@dataclass(frozen=True, slots=True)
class Summary:
    """``counts``: in the order of INDICATORS, of ``looked_at`` of the ``records``."""

    records: int
    looked_at: int
    counts: tuple[Count, ...]


def summed(subjects: Iterable[Subject], records: int) -> Summary:
    """Pure."""
    counts, looked_at = [Count()] * len(INDICATORS), 0
    for subject in subjects:
        looked_at += 1
        counts = [one.plus(holds=each.holds) for one, each in zip(counts, judged(subject), strict=True)]
    return Summary(records, looked_at, tuple(counts))


class FairnessReader:
    """Counts at most MOST_RECORDS of a catalogue by one search, cached for ten minutes; thread-safe.

    ``seen_by``: the groups of the current caller. Callers who see different records have different counts and caches.
    """

    def __init__(
        self,
        reader: RecordReader,
        checks: Callable[[str], LinkCheck | None],
        seen_by: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        self._reader = reader
        self._checks = checks
        self._seen_by = seen_by
        self._lock = threading.Lock()
        self._kept: TTLCache[tuple[str | None, frozenset[str]], Summary] = TTLCache(_MOST_MEMORIES, _KEPT_S)

    def of_record(self, id: str, source: str | None) -> Subject:
        """Raises NotFound, also for a record that the caller may not see."""
        found = self._reader.record(id, source)
        return Subject(found.record, _moment(found.written), self._checks(found.record.source))

    def of_source(self, source: str | None) -> Summary:
        """``source`` None: of all. Raises Unavailable."""
        key = (source, self._seen_by())
        with self._lock:
            kept = self._kept.get(key)
        remembered("fairness", hit=kept is not None)
        if kept is not None:
            return kept
        answer = self._reader.search(_body(source))
        hits = answer["hits"]
        found = summed((self._subject(hit["_source"]) for hit in hits["hits"]), int(hits["total"]["value"]))
        with self._lock:
            self._kept[key] = found
        return found

    def _subject(self, document: JsonMapping) -> Subject:
        record = from_document(document)
        return Subject(record, _moment(document.get("harvest", {}).get("written")), self._checks(record.source))


def _body(source: str | None) -> Json:
    """The same random records each time, until they change."""
    wanted: Json = {"match_all": {}} if source is None else {"term": {"source": source}}
    return {
        "query": {"function_score": {"query": wanted, "random_score": {"seed": 1, "field": "_seq_no"}}},
        "size": MOST_RECORDS,
        "track_total_hits": True,
        "_source": list(_FIELDS),
    }


def _moment(written: str | None) -> int | None:
    return None if written is None else instant_ms(written)
