"""The runs index: one document per run, with its report and its position for resuming."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from core.json_types import JsonMapping
from es_gateway.client import Elasticsearch
from es_mappings.codecs.runs import UNFINISHED, RunReport, from_document, to_document
from es_mappings.names import alias


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs of one prefix."""

    client: Elasticsearch
    prefix: str

    @property
    def index(self) -> str:
        return alias(self.prefix, "runs")

    def save(self, report: RunReport) -> None:
        self.client.index(index=self.index, id=report.id, document=to_document(report), require_alias=True)

    def load(self, id: str) -> RunReport | None:
        """The run in real time; None if there is none with that id."""
        answer = self.client.options(ignore_status=404).get(index=self.index, id=id)
        return from_document(id, answer["_source"]) if answer.get("found") else None

    def find_unfinished(self, source: str, *, since: timedelta = timedelta(days=1)) -> RunReport | None:
        """The latest run of the source that has not ended and was alive within ``since``, to be resumed.

        An older one is not resumed, because the source may have changed too much since.
        """
        unfinished_runs = self._find([{"term": {"source": source}}, *_unfinished_since(since)], size=1)
        return unfinished_runs[0] if unfinished_runs else None

    def lapsed_runs(self, silent_for: timedelta, *, since: timedelta = timedelta(days=1)) -> list[RunReport]:
        """Runs in state running without a sign of life for ``silent_for``.

        Also a worker's interrupted run: if the broker failed, it could not be queued again. A run that a person
        interrupted is theirs to resume. A sign of life in the future is from before a clock was set back, and is
        ignored.
        """
        silent = _any_of(
            {"range": {"heartbeat": {"lt": _time_before_now(silent_for)}}},
            {"range": {"heartbeat": {"gt": _time_before_now(-silent_for)}}},
        )
        running_runs = _any_of({"term": {"state": "running"}}, {"term": {"trigger": "worker"}})
        filters = [running_runs, *_unfinished_since(since), silent]
        return self._find(filters, size=500)

    def latest(self, source: str | None = None, *, size: int = 20) -> list[RunReport]:
        """The newest runs first, of one source or of all."""
        return self._find([{"term": {"source": source}}] if source is not None else [], size=size)

    def last_complete(self, source: str, *, full: bool) -> RunReport | None:
        """The newest run that saw everything it requested (``full``: and requested everything), None if there is
        none.
        """
        query = [{"term": {"source": source}}, {"term": {"state": "complete"}}]
        restore_runs = {"term": {"trigger": "restore"}}
        excluded = [restore_runs, {"exists": {"field": "since"}}] if full else [restore_runs]
        complete_runs = self._find([*query, {"bool": {"must_not": excluded}}], size=1)
        return complete_runs[0] if complete_runs else None

    def _find(self, filters: list[JsonMapping], *, size: int) -> list[RunReport]:
        self.client.indices.refresh(index=self.index)
        query = {"bool": {"filter": filters}}
        answer = self.client.search(index=self.index, query=query, sort=[{"started": "desc"}], size=size)
        return [from_document(hit["_id"], hit["_source"]) for hit in answer["hits"]["hits"]]


def _unfinished_since(since: timedelta) -> list[JsonMapping]:
    by_hand: JsonMapping = {"bool": {"must_not": [{"term": {"trigger": "restore"}}]}}
    return [{"terms": {"state": list(UNFINISHED)}}, {"range": {"heartbeat": {"gte": _time_before_now(since)}}}, by_hand]


def _any_of(*clauses: JsonMapping) -> JsonMapping:
    return {"bool": {"should": list(clauses)}}


def _time_before_now(span: timedelta) -> str:
    return (datetime.now(UTC) - span).isoformat(timespec="milliseconds")


OVERLAP = timedelta(hours=1)
"""Servers' clocks differ from ours, and a record may become visible some time after its time stamp."""


def start_of_request(
    last_full: RunReport | None, last: RunReport | None, full_every: timedelta, now: datetime
) -> str | None:
    """The start time of the request; None for a full run: there was none yet, or the last one is ``full_every`` old.

    ``last``: the newest complete run of any kind. Records that it failed to import wait for a full run.
    """
    if last_full is None or last is None:
        return None
    if last.counts.failed or _moment(last_full.started) + full_every <= now:
        return None
    return (_moment(last.started) - OVERLAP).strftime("%Y-%m-%dT%H:%M:%SZ")


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
