"""The values of what was opened, in memory: read from the query log beside the requests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import structlog

from core.errors import SondeError
from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_gateway.errors import IndexGone
from es_mappings.names import alias
from search_api.http.ticking import Ticker
from search_api.search.ranking.signals.usage import Evidence
from search_api.search.usage.openings import NO_USAGE, Logged, UsageTable, usage_of

log = structlog.get_logger(__name__)

READ_EVERY_S = 3600.0
"""People change their minds in days; and a deleted question counts no longer than this."""

_MOST_QUESTIONS = 2_000
_MOST_ASKINGS = 100_000
_PAGE = 2_000
_KEEP_ALIVE = "2m"
_FIELDS = ("question", "who", "at", "shown", "opened")


def no_usage() -> UsageTable:
    """For an installation, an evaluation or a test that ranks without what was opened."""
    return NO_USAGE


@dataclass(frozen=True, slots=True)
class OpeningsReader:
    """Reads the askings of the questions whose hits were opened most often; an index that is missing holds none."""

    client: Elasticsearch
    prefix: str

    def askings(self) -> Iterator[Logged]:
        """Newest first, at most 100,000. Raises the gateway's errors."""
        try:
            questions = self._questions()
            if questions:
                yield from self._of(questions)
        except IndexGone:
            return

    def _questions(self) -> list[str]:
        opened: Json = {"exists": {"field": "opened"}}
        grouped: Json = {"terms": {"field": "question", "size": _MOST_QUESTIONS}}
        index = alias(self.prefix, "queries")
        found = self.client.search(
            index=index, query=opened, aggs={"questions": grouped}, size=0, ignore_unavailable=True
        )
        buckets = found.body.get("aggregations", {}).get("questions", {}).get("buckets", [])
        return [str(one["key"]) for one in buckets]

    def _of(self, questions: list[str]) -> Iterator[Logged]:
        pit = self.client.open_point_in_time(index=alias(self.prefix, "queries"), keep_alive=_KEEP_ALIVE)["id"]
        after: list[str | float | bool | None] | None = None
        try:
            for _ in range(_MOST_ASKINGS // _PAGE):
                hits = self.client.search(
                    pit={"id": pit, "keep_alive": _KEEP_ALIVE},
                    query={"terms": {"question": questions}},
                    source={"includes": list(_FIELDS)},
                    sort=[{"at": "desc"}],
                    search_after=after,
                    size=_PAGE,
                    track_total_hits=False,
                )["hits"]["hits"]
                yield from (logged(hit["_source"]) for hit in hits)
                if len(hits) < _PAGE:
                    return
                after = hits[-1]["sort"]
        finally:
            self.client.options(ignore_status=404).close_point_in_time(id=pit)


def logged(document: JsonMapping) -> Logged:
    """From a document of the query log that was kept in full."""
    return Logged(
        question=document["question"],
        who=document["who"],
        day=str(document["at"])[:10],
        shown=tuple(document.get("shown", ())),
        opened=tuple(document.get("opened", ())),
    )


class LiveUsage:
    """Call it for the values that count now. Thread-safe; a failure to read keeps the last ones."""

    def __init__(self, reader: OpeningsReader, evidence: Evidence, every_s: float = READ_EVERY_S) -> None:
        self._reader = reader
        self._evidence = evidence
        self._reading = threading.Lock()
        self._kept = NO_USAGE
        self._ticker = Ticker(self, every_s, "usage")

    def __call__(self) -> UsageTable:
        self._ticker.start()
        return self._kept

    def tick(self) -> None:
        with self._reading:
            self._kept = usage_of(self._reader.askings(), self._evidence)
            log.info("usage.read", questions=len(self._kept))

    def try_tick(self) -> None:
        """The same, where a failure must not stop what is done: the next tick reads it."""
        try:
            self.tick()
        except SondeError as error:
            log.warning("usage.unread", error=type(error).__name__)
