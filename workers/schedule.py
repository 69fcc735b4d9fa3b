"""Keeps RedBeat's schedule entries in Redis equal to ``sources.yaml``, without the sources that a steward paused."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import structlog
from celery import Celery
from celery.schedules import crontab
from redbeat import RedBeatSchedulerEntry
from redbeat.schedulers import get_redis

from workers.config import HARVEST_TASK
from workers.source_config import Schedule, SourceConfig

log = structlog.get_logger(__name__)
_NAME = "harvest:"


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


def sync_schedules(app: Celery, sources: Mapping[str, SourceConfig]) -> list[str]:
    """Updates Redis from the file; returns the ids of sources whose entry was written or removed.

    One entry per source, keyed by its id: an unchanged one is not written, so that its last run is kept. A source that
    comes to have an interval is due at once, another interval of the same source starts now; a new cron line fires at
    its next time. Sources that the file or a steward paused have none.
    """
    paused_ids = paused_sources(app)
    entries = {
        _entry_name(id): _entry(app, id, source.schedule)
        for id, source in sources.items()
        if source.schedule and not source.paused and id not in paused_ids
    }
    changed_ids = []
    installed_ids = _installed_ids(app)
    for name in sorted(installed_ids - set(entries)):
        _remove(app, name)
        changed_ids.append(name.removeprefix(_NAME))
    for name, entry in entries.items():
        if not _is_stored(app, entry):
            if name not in installed_ids and not isinstance(entry.schedule, crontab):
                entry.last_run_at = None  # never: due now
            entry.save()
            get_redis(app).sadd(_names_key(app), name)
            changed_ids.append(name.removeprefix(_NAME))
    if changed_ids:
        log.info("schedule.changed", sources=",".join(changed_ids))
    return changed_ids


def next_runs(app: Celery) -> dict[str, str]:
    """When each scheduled source is due, as ISO 8601 in UTC, by its id."""
    due_at = {}
    for name in _installed_ids(app):
        try:
            entry = RedBeatSchedulerEntry.from_key(f"{app.conf.redbeat_key_prefix}{name}", app=app)
        except KeyError:  # removed since the names were read
            continue
        due_at[name.removeprefix(_NAME)] = _due(app, entry).isoformat(timespec="seconds").replace("+00:00", "Z")
    return due_at


def _due(app: Celery, entry: RedBeatSchedulerEntry) -> datetime:
    """Not the entry's ``due_at``, which adds the remaining time to the last run; it must be added to now."""
    now = app.now().astimezone(UTC)
    if entry.last_run_at is None:
        return now
    remaining_time: timedelta = entry.schedule.remaining_estimate(entry.last_run_at)
    return max(now, now + remaining_time)


def _entry_name(source_id: str) -> str:
    return f"{_NAME}{source_id}"


def _entry(app: Celery, source_id: str, schedule: Schedule) -> RedBeatSchedulerEntry:
    delay_s = schedule.delay_s(source_id)
    options = {"countdown": delay_s} if delay_s else {}
    name, args = _entry_name(source_id), [source_id, None]
    return RedBeatSchedulerEntry(name, HARVEST_TASK, schedule.for_celery(), args=args, options=options, app=app)


def _is_stored(app: Celery, entry: RedBeatSchedulerEntry) -> bool:
    try:
        stored_entry = RedBeatSchedulerEntry.from_key(entry.key, app=app)
    except KeyError:
        return False
    same_call = (
        stored_entry.task == entry.task
        and list(stored_entry.args) == entry.args
        and stored_entry.options == entry.options
    )
    return bool(same_call and stored_entry.schedule == entry.schedule)


def _remove(app: Celery, name: str) -> None:
    RedBeatSchedulerEntry(name, app=app).delete()
    get_redis(app).srem(_names_key(app), name)


def _installed_ids(app: Celery) -> set[str]:
    return {name.decode() if isinstance(name, bytes) else name for name in get_redis(app).smembers(_names_key(app))}


def _names_key(app: Celery) -> str:
    return f"{app.conf.redbeat_key_prefix}sources"
