"""How many tasks wait in each queue, and for how long: for metrics, `sonde doctor` and alerts."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

import redis

from workers.config import QUEUES, Queue

HEADER = "sonde_queued"
"""Each message carries this header: when its task was queued, in seconds since 1970 by the sender's clock."""

LATE_S = 1800.0
"""A task that waits longer has no worker, or one that is held up; the chart's alert SondeTasksWait says the same."""


@dataclass(frozen=True, slots=True)
class QueueAge:
    """``age_s``: since the oldest waiting task was queued; 0 without one, None if its message does not say."""

    queue: Queue
    waiting: int
    age_s: float | None


def queue_ages(broker: redis.Redis, prefix: str) -> list[QueueAge]:
    """Every queue of this installation. Raises redis.RedisError if the broker does not answer."""
    return [_age(broker, f"{prefix}:{queue}", queue) for queue in QUEUES]


def _age(broker: redis.Redis, name: str, queue: Queue) -> QueueAge:
    waiting, oldest = int(broker.llen(name)), broker.lindex(name, -1)  # pushed on the left, taken from the right
    now = time.time()
    since = now if oldest is None else queued_at(oldest)
    return QueueAge(queue, waiting, None if since is None else max(0.0, now - since))


def queued_at(message: str | bytes) -> float | None:
    """When a message of the broker's list was queued; None if unknown."""
    try:
        found = json.loads(message)["headers"][HEADER]
    except (ValueError, KeyError, TypeError):
        return None
    return float(found) if isinstance(found, int | float) else None
