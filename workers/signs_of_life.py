"""Signs of life of workers and beat in the broker: the API reads them without asking each worker."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import redis

from workers.config import QUEUES

_EVERY_S = 20.0
_LAPSES_S = 65
_BROKER_S = 5.0


def leave_signs(broker_url: str, prefix: str, queues: Sequence[str]) -> None:
    """From now on this process leaves a sign for each of its queues; the signs lapse a minute after its end."""
    broker = redis.Redis.from_url(broker_url, socket_timeout=_BROKER_S, socket_connect_timeout=_BROKER_S)
    threading.Thread(target=_keep, args=(broker, prefix, queues), name="sonde-signs", daemon=True).start()


def queues_without_worker(broker: redis.Redis, prefix: str) -> list[str]:
    """Queues for which no worker has left a sign. Raises redis.RedisError."""
    return [queue for queue in QUEUES if not broker.exists(_key(prefix, queue))]


def beat_ticks(broker: redis.Redis, prefix: str) -> bool:
    """RedBeat renews its lock at each tick and lets it lapse after 30 s without one. Raises redis.RedisError."""
    return bool(broker.exists(f"{prefix}:redbeat::lock"))


def _keep(broker: redis.Redis, prefix: str, queues: Sequence[str]) -> None:
    pause = threading.Event()
    while True:
        try:
            for queue in queues:
                broker.set(_key(prefix, queue), "1", ex=_LAPSES_S)
        except redis.RedisError:
            pass  # everybody else notices a broker that is down
        pause.wait(_EVERY_S)


def _key(prefix: str, queue: str) -> str:
    return f"{prefix}:worker:{queue}"
