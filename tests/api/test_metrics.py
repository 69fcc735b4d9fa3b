"""``/metrics`` on the real service: searches by stage, indices, queues; and what is said while a part is down."""

from __future__ import annotations

import re

import redis
from prometheus_client import REGISTRY
from prometheus_client.core import GaugeMetricFamily

from search_api.http.access.guard import INSIDE
from sonde.telemetry.service_metrics import CACHE_S, CachedCollector, ServiceState
from tests.gauges import GAUGES
from tests.service import Service


def test_searches_are_counted_by_stage_and_algorithm_and_indices_by_kind(samples: Service) -> None:
    samples.search("rainfall", algorithm="bm25")
    text = samples.http.get("/metrics", environ_overrides={INSIDE: True}).get_data(as_text=True)
    assert re.search(r'sonde_search_stage_seconds_count\{algorithm="bm25",stage="retrieve"\} [1-9]', text)
    assert 'sonde_index_documents{kind="records"} 169.0' in text
    assert 'sonde_harvest_records{outcome="seen",source="samples"} 169.0' in text
    assert 'sonde_harvest_state{source="samples",state="complete"} 1.0' in text


def test_every_gauge_that_is_promised_is_given_and_a_broker_that_is_down_is_said(
    samples: Service, broker_url: str
) -> None:
    there = ServiceState(samples.client, redis.Redis.from_url(broker_url), samples.prefix).read()
    assert {family.name for family in there} == GAUGES
    nobody = redis.Redis(host="127.0.0.1", port=1, socket_connect_timeout=1)
    without = ServiceState(samples.client, nobody, samples.prefix).read()
    up = {sample.labels["part"]: sample.value for sample in without[0].samples}
    assert up == {"broker": 0.0, "elasticsearch": 1.0}
    assert {family.name for family in without} == GAUGES - {"sonde_queue_tasks", "sonde_queue_age_seconds"}


def test_scrapes_are_answered_from_memory_for_a_while() -> None:
    asked = []
    now = [0.0]

    def read() -> list[GaugeMetricFamily]:
        asked.append(now[0])
        return []

    kept = CachedCollector(read, lambda: now[0])
    for moment in (0.0, CACHE_S - 0.1, CACHE_S):
        now[0] = moment
        list(kept.collect())
    assert asked == [0.0, CACHE_S]


def test_models_and_memories_are_seen(samples: Service) -> None:
    before = _cache("serving", "hit")
    samples.search("rainfall", rerank="false")
    samples.search("snow", rerank="false")
    assert _cache("serving", "hit") > before
    model = samples.models.embedder().card.model
    assert (REGISTRY.get_sample_value("sonde_model_load_seconds", {"role": "embedder", "model": model}) or 0) > 0


def _cache(name: str, outcome: str) -> float:
    return REGISTRY.get_sample_value("sonde_cache_requests_total", {"cache": name, "outcome": outcome}) or 0.0
