"""Sources that a steward paused: a set in Redis beside the schedules, so that no file has to be written."""

from __future__ import annotations

from celery import Celery
from redbeat.schedulers import get_redis


def paused_sources(app: Celery) -> frozenset[str]:
    """Ids; none of them is harvested by schedule until it is resumed."""
    return frozenset(_text(id) for id in get_redis(app).smembers(_key(app)))


def pause(app: Celery, source_id: str) -> None:
    """Kept over restarts; a run that is under way goes on."""
    get_redis(app).sadd(_key(app), source_id)


def resume(app: Celery, source_id: str) -> None:
    """A source that sources.yaml itself pauses stays paused."""
    get_redis(app).srem(_key(app), source_id)


def _text(id: str | bytes) -> str:
    return id.decode() if isinstance(id, bytes) else id


def _key(app: Celery) -> str:
    return f"{app.conf.redbeat_key_prefix}paused"
