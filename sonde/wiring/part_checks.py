"""What the API notices about parts that no request waits for."""

from __future__ import annotations

from functools import partial

import redis

from es_gateway.client import Elasticsearch
from es_mappings.lost_aliases import lost_aliases
from sonde.settings import Settings
from sonde.wiring.models import Models
from sonde.wiring.named_models import language_model_trouble, reranker_trouble
from sonde.wiring.part_watch import Check, PartWatch
from workers.config import QUEUES
from workers.signs_of_life import beat_ticks, queues_without_worker

_BROKER_S = 2.0


def part_watch(settings: Settings, client: Elasticsearch, models: Models) -> PartWatch:
    """Opens no connection yet. ``client`` sees everything."""
    broker = redis.Redis.from_url(settings.broker_url, socket_timeout=_BROKER_S, socket_connect_timeout=_BROKER_S)
    checks: dict[str, Check] = {
        "reranker": partial(reranker_trouble, settings, models),
        "language model": lambda: language_model_trouble(settings, lambda: models.gate),
        "aliases": lambda: [one.told for one in lost_aliases(client, settings.index.prefix)],
        "workers": lambda: _background_work(broker, settings.index.prefix),
    }
    return PartWatch(checks)


def _background_work(broker: redis.Redis, prefix: str) -> list[str]:
    """Harvests, documents and schedules; searches do not need them."""
    try:
        left, ticks = queues_without_worker(broker, prefix), beat_ticks(broker, prefix)
    except redis.RedisError as error:
        return [f"The broker does not answer ({type(error).__name__}): nothing is harvested, and no document is read."]
    found = []
    if left:
        named = "any queue" if len(left) == len(QUEUES) else ", ".join(left)
        found.append(f"No worker takes tasks from {named}: start one, or look at its log.")
    if not ticks:
        found.append("Beat does not run: start it, or nothing is harvested by itself.")
    return found
