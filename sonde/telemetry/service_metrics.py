"""Metrics for Prometheus: counters of the API processes, and the state of queues, sources, documents and indices.

The second part queries Elasticsearch and the broker at most every fifteen seconds, for any number of scrapers; if one
does not answer, its metrics are absent and ``sonde_part_up`` is 0.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import redis
from cachetools import TTLCache
from prometheus_client import REGISTRY, CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from core.errors import SondeError
from core.json_types import Json
from es_gateway.blocks import write_blocks
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_mappings.names import KINDS, IndexKind, alias
from sonde.settings import Settings
from workers.broker import queue_ages
from workers.source_entry import ScheduleEntry, overdue_s
from workers.sources_file import source_entries

CACHE_S = 15.0
_ALL_SAMPLES = "samples"
_BROKER_S = 2.0
_MOST_SOURCES = 500
_DELIVERIES: Json = {"term": {"kind": "delivery"}}
_SORT_BY_TIME: list[Json] = [{"field": "at", "format": "epoch_millis"}]

Samples = list[GaugeMetricFamily]


@dataclass(frozen=True, slots=True)
class ServiceState:
    """Reads the state of one installation."""

    client: Elasticsearch
    broker: redis.Redis
    prefix: str
    sources: Path | None = None

    @classmethod
    def of(cls, settings: Settings, client: Elasticsearch) -> ServiceState:
        """Opens no connection yet."""
        broker = redis.Redis.from_url(settings.broker_url, socket_timeout=_BROKER_S, socket_connect_timeout=_BROKER_S)
        return cls(client, broker, settings.index.prefix, settings.harvest.sources)

    def read(self) -> Samples:
        """All gauges, current values."""
        up_gauge = GaugeMetricFamily("sonde_part_up", "Whether a part answers", labels=["part"])
        samples: Samples = [up_gauge]
        for part, ask, errors in (
            ("broker", self._queues, (redis.RedisError,)),
            ("elasticsearch", self._indices, (ElasticsearchError,)),
        ):
            try:
                samples += ask()
                up_gauge.add_metric([part], 1.0)
            except errors:
                up_gauge.add_metric([part], 0.0)
        return samples

    def _queues(self) -> Samples:
        depth = GaugeMetricFamily("sonde_queue_tasks", "Tasks that wait", labels=["queue"])
        age = GaugeMetricFamily("sonde_queue_age_seconds", "Since the oldest waiting task was queued", labels=["queue"])
        for queue in queue_ages(self.broker, self.prefix):
            depth.add_metric([queue.queue], float(queue.waiting))
            if queue.age_s is not None:
                age.add_metric([queue.queue], queue.age_s)
        return [depth, age]

    def _indices(self) -> Samples:
        return [
            *self._health(),
            *self._sizes(),
            *self._freshness(),
            *self._runs(),
            self._documents(),
            *self._alerts(),
            *self._measurements(),
        ]

    def _health(self) -> Samples:
        """The worst state of Sonde's indices, and whether they can be written."""
        status = GaugeMetricFamily("sonde_elasticsearch_status", "1 for the state of the indices", labels=["status"])
        indices = ",".join(f"{alias(self.prefix, kind)}-*" for kind in KINDS)
        worst_status = self.client.cluster.health(index=indices, timeout="1s").body["status"]
        for level in ("green", "yellow", "red"):
            status.add_metric([level], float(level == worst_status))
        blocked_gauge = GaugeMetricFamily("sonde_writes_blocked", "Whether Elasticsearch refuses writes")
        blocks = write_blocks(self.client, [alias(self.prefix, kind) for kind in KINDS])
        blocked_gauge.add_metric([], float(bool(blocks)))
        return [status, blocked_gauge]

    def _sizes(self) -> Samples:
        count = GaugeMetricFamily("sonde_index_documents", "Documents of an index", labels=["kind"])
        size = GaugeMetricFamily("sonde_index_bytes", "Size of an index on all its nodes", labels=["kind"])
        for kind in KINDS:
            name = alias(self.prefix, kind)
            stats = self.client.options(ignore_status=404).indices.stats(index=name, metric="docs,store").body
            if "_all" in stats:
                count.add_metric([kind], stats["_all"]["primaries"]["docs"]["count"])
                size.add_metric([kind], stats["_all"]["total"]["store"]["size_in_bytes"])
        return [count, size]

    def _freshness(self) -> Samples:
        """The time since a record was last written."""
        aggregations = self._aggregations("records", {"last": {"max": {"field": "harvest.written"}}})
        age = GaugeMetricFamily("sonde_index_age_seconds", "Since a record was last written")
        last = aggregations.get("last", {}).get("value")
        if last is not None:
            age.add_metric([], max(0.0, time.time() - last / 1000.0))
        return [age]

    def _runs(self) -> Samples:
        """The last run of each source: its result and its start."""
        latest = {"top_hits": {"size": 1, "sort": [{"started": "desc"}], "_source": ["state", "counts", "started"]}}
        aggs = {"last": latest, "began": {"max": {"field": "started"}}}
        by_source = {"terms": {"field": "source", "size": _MOST_SOURCES}, "aggs": aggs}
        buckets = self._aggregations("runs", {"sources": by_source}).get("sources", {}).get("buckets", [])
        records = GaugeMetricFamily("sonde_harvest_records", "Of a source's last run", labels=["source", "outcome"])
        state = GaugeMetricFamily("sonde_harvest_state", "1 for the state of the last run", labels=["source", "state"])
        age = GaugeMetricFamily("sonde_harvest_age_seconds", "Since the last run began", labels=["source"])
        overdue = GaugeMetricFamily(
            "sonde_harvest_overdue_seconds", "Since the schedule wanted a run that did not begin", labels=["source"]
        )
        schedules = self._schedules()
        for bucket in buckets:
            run = bucket["last"]["hits"]["hits"][0]["_source"]
            if (schedule := schedules.get(bucket["key"])) is not None and run["state"] != "running":
                began = datetime.fromtimestamp(bucket["began"]["value"] / 1000.0, UTC)
                overdue.add_metric([bucket["key"]], overdue_s(bucket["key"], schedule, began, datetime.now(UTC)))
            state.add_metric([bucket["key"], run["state"]], 1.0)
            age.add_metric([bucket["key"]], max(0.0, time.time() - bucket["began"]["value"] / 1000.0))
            for outcome, number in run.get("counts", {}).items():
                records.add_metric([bucket["key"], outcome], float(number))
        return [records, state, age, overdue]

    def _schedules(self) -> dict[str, ScheduleEntry]:
        """The schedule of each source that is not paused; empty if the file cannot be read now."""
        try:
            entries = source_entries(self.sources) if self.sources is not None else {}
            paused_ids = self.broker.smembers(f"{self.prefix}:redbeat:paused")
            paused = {id.decode() if isinstance(id, bytes) else id for id in paused_ids}
        except (SondeError, redis.RedisError):
            return {}
        return {
            id: entry.schedule
            for id, entry in entries.items()
            if entry.schedule is not None and not entry.paused and id not in paused
        }

    def _documents(self) -> GaugeMetricFamily:
        documents = GaugeMetricFamily("sonde_documents", "Documents by state", labels=["state"])
        states = self._aggregations("documents", {"states": {"terms": {"field": "state", "size": 50}}})
        for bucket in states.get("states", {}).get("buckets", []):
            documents.add_metric([bucket["key"]], bucket["doc_count"])
        return documents

    def _alerts(self) -> Samples:
        """Deliveries of saved searches, and how long ago the window ended that was matched last."""
        deliveries = GaugeMetricFamily(
            "sonde_alert_deliveries", "Deliveries of saved searches in 60 days", labels=["channel", "state"]
        )
        age = GaugeMetricFamily("sonde_alert_round_age_seconds", "Since the end of what was matched last")
        states = {"terms": {"field": "state"}}
        aggs = {
            "rounds": {"filter": {"term": {"kind": "round"}}, "aggs": {"until": {"max": {"field": "until"}}}},
            "channels": {
                "filter": _DELIVERIES,
                "aggs": {"by": {"terms": {"field": "channel"}, "aggs": {"in": states}}},
            },
        }
        aggregations = self._aggregations("notices", aggs)
        for channel in aggregations.get("channels", {}).get("by", {}).get("buckets", []):
            for state in channel["in"]["buckets"]:
                deliveries.add_metric([channel["key"], state["key"]], state["doc_count"])
        until = aggregations.get("rounds", {}).get("until", {}).get("value")
        if until is not None:
            age.add_metric([], max(0.0, time.time() - until / 1000.0))
        return [deliveries, age]

    def _measurements(self) -> Samples:
        """The last measurement of the answers."""
        ndcg = GaugeMetricFamily("sonde_live_ndcg", "nDCG@10 of the judged questions, measured last")
        fall = GaugeMetricFamily("sonde_live_ndcg_fall", "How far it is below the median of the seven before")
        age = GaugeMetricFamily("sonde_live_age_seconds", "Since the last measurement")
        answer = self.client.options(ignore_status=404).search(
            index=alias(self.prefix, "measurements"), size=1, sort=[{"at": "desc"}], fields=_SORT_BY_TIME
        )
        for hit in answer.body.get("hits", {}).get("hits", []):
            ndcg.add_metric([], hit["_source"]["ndcg_at_10"])
            fall.add_metric([], hit["_source"]["fall"])
            age.add_metric([], max(0.0, time.time() - float(hit["fields"]["at"][0]) / 1000.0))
        return [ndcg, fall, age]

    def _aggregations(self, kind: IndexKind, aggs: Json) -> Json:
        answer = self.client.options(ignore_status=404).search(
            index=alias(self.prefix, kind), size=0, track_total_hits=False, aggs=aggs
        )
        aggregations: Json = answer.body.get("aggregations", {})
        return aggregations


class CachedCollector(Collector):
    """A collector with a cache of ``CACHE_S``; one thread queries, the others wait for its answer."""

    def __init__(self, read_samples: Callable[[], Samples], clock: Callable[[], float] = time.monotonic) -> None:
        self._read_samples = read_samples
        self._lock = threading.Lock()
        self._cache: TTLCache[str, Samples] = TTLCache(1, CACHE_S, clock)

    def collect(self) -> Iterable[GaugeMetricFamily]:
        with self._lock:
            samples = self._cache.get(_ALL_SAMPLES)
            if samples is None:
                samples = self._cache[_ALL_SAMPLES] = self._read_samples()
            return samples


class ServiceMetrics:
    """The text of ``/metrics``, the same from each process of the API."""

    def __init__(self, state: ServiceState) -> None:
        self._state = CollectorRegistry(auto_describe=False)
        self._state.register(CachedCollector(state.read))

    def text(self) -> bytes:
        """In Prometheus' text format."""
        return b"".join(generate_latest(registry) for registry in (*_of_processes(), self._state))


def _of_processes() -> Iterator[CollectorRegistry]:
    """This process's own counters or, with several processes, those of all, which they share in files."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        yield REGISTRY
        return
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    ProcessCollector(registry=registry)
    yield registry
