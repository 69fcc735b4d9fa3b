"""Sources that a data steward paused: a set in Redis beside the schedules, so that sources.yaml stays as it is."""

from __future__ import annotations

from celery import Celery
from redbeat.schedulers import get_redis


def paused_sources(app: Celery) -> frozenset[str]:
    """Ids of sources that are not harvested by schedule until they are resumed."""
    return frozenset(_text(id) for id in get_redis(app).smembers(_key(app)))


def pause(app: Celery, source_id: str) -> None:
    """Survives restarts. A run that has begun continues."""
    get_redis(app).sadd(_key(app), source_id)


def resume(app: Celery, source_id: str) -> None:
    """A source that sources.yaml pauses stays paused."""
    get_redis(app).srem(_key(app), source_id)


def _text(id: str | bytes) -> str:
    return id.decode() if isinstance(id, bytes) else id


def _key(app: Celery) -> str:
    return f"{app.conf.redbeat_key_prefix}paused"
