"""Reads runs from the runs index, newest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.errors import NotFound
from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all
from es_mappings.codecs.runs import RunReport, from_document
from es_mappings.names import alias

TREND = 20
"""The number of runs per source for its trend."""

_MOST_SOURCES = 1000
_ORDER = [{"started": "desc"}, {"source": "asc"}]  # a source has one run at a time, so both together are unique
BRIEF = ("source", "state", "started", "finished", "heartbeat", "since", "total", "message", "counts")
"""The fields of a run in a list; a run's own page has the rest."""


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
        youngest = {"top_hits": {"size": TREND, "sort": _ORDER, "_source": list(BRIEF)}}
        by_source = {"terms": {"field": "source", "size": _MOST_SOURCES}, "aggs": {"runs": youngest}}
        answer = self._search({"size": 0, "aggs": {"sources": by_source}})
        buckets = answer.get("aggregations", {}).get("sources", {}).get("buckets", [])
        return {str(bucket["key"]): _runs(bucket["runs"]["hits"]["hits"]) for bucket in buckets}

    def of_source(self, source: str) -> tuple[RunReport, ...]:
        """The ``TREND`` newest runs of one source."""
        return self.page(source, None, TREND, None).runs

    def page(self, source: str | None, state: str | None, limit: int, after: tuple[object, ...] | None) -> RunPage:
        """Runs of one source, or in one state, or all."""
        wanted = [{"term": {name: value}} for name, value in (("source", source), ("state", state)) if value]
        body: Json = {"query": {"bool": {"filter": wanted}}, "sort": _ORDER, "size": limit + 1}
        body["_source"] = list(BRIEF)
        if after is not None:
            body["search_after"] = list(after)
        hits = self._search(body)["hits"]["hits"]
        shown = hits[:limit]
        return RunPage(_runs(shown), tuple(shown[-1]["sort"]) if len(hits) > limit else None)

    def run(self, id: str) -> RunReport:
        """With its detail. Raises NotFound."""
        found = self.client.options(ignore_status=404).get(index=alias(self.prefix, "runs"), id=id).body
        if not found.get("found"):
            raise NotFound(f"There is no run {id!r}.")
        return from_document(found["_id"], found["_source"])

    def _search(self, body: JsonMapping) -> Json:
        header = {"index": alias(self.prefix, "runs"), "ignore_unavailable": True}
        return search_all(self.client, [header, body])[0]


def _runs(hits: Iterable[JsonMapping]) -> tuple[RunReport, ...]:
    return tuple(from_document(hit["_id"], hit["_source"]) for hit in hits)
