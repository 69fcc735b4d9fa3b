"""The schedules of ``sources.yaml`` as RedBeat's entries in Redis: added, changed and removed as the file says."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC

import structlog
from celery import Celery
from redbeat import RedBeatSchedulerEntry
from redbeat.schedulers import get_redis

from workers.pausing import paused_sources
from workers.source_config import Schedule, SourceConfig

log = structlog.get_logger(__name__)

_NAME = "harvest:"
HARVEST_TASK = "sonde.harvest_source"


def sync_schedules(app: Celery, sources: Mapping[str, SourceConfig]) -> list[str]:
    """Makes Redis say what the file says; returns the ids of sources whose entry was written or removed.

    One entry per source, keyed by its id: an unchanged one is left alone, so that its last run is not forgotten.
    A new interval begins to count now; a new cron line fires at its next time. Sources that the file or a steward
    paused have none.
    """
    held = paused_sources(app)
    wanted = {
        _entry_name(id): _entry(app, id, each.schedule)
        for id, each in sources.items()
        if each.schedule and not each.paused and id not in held
    }
    changed = []
    for name in sorted(_installed(app) - set(wanted)):
        _remove(app, name)
        changed.append(name.removeprefix(_NAME))
    for name, entry in wanted.items():
        if not _is_stored(app, entry):
            entry.save()
            get_redis(app).sadd(_names_key(app), name)
            changed.append(name.removeprefix(_NAME))
    if changed:
        log.info("schedule.changed", sources=",".join(changed))
    return changed


def next_runs(app: Celery) -> dict[str, str]:
    """When each scheduled source is due, as ISO 8601 in UTC, by its id."""
    due = {}
    for name in _installed(app):
        try:
            moment = RedBeatSchedulerEntry.from_key(f"{app.conf.redbeat_key_prefix}{name}", app=app).due_at
        except KeyError:  # removed since the names were read
            continue
        if moment is not None:
            due[name.removeprefix(_NAME)] = moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return due


def _entry_name(source_id: str) -> str:
    return f"{_NAME}{source_id}"


def _entry(app: Celery, source_id: str, when: Schedule) -> RedBeatSchedulerEntry:
    args = [source_id, None]
    return RedBeatSchedulerEntry(_entry_name(source_id), HARVEST_TASK, when.for_celery(), args=args, app=app)


def _is_stored(app: Celery, entry: RedBeatSchedulerEntry) -> bool:
    try:
        stored = RedBeatSchedulerEntry.from_key(entry.key, app=app)
    except KeyError:
        return False
    return bool(stored.schedule == entry.schedule and stored.task == entry.task and list(stored.args) == entry.args)


def _remove(app: Celery, name: str) -> None:
    RedBeatSchedulerEntry(name, app=app).delete()
    get_redis(app).srem(_names_key(app), name)


def _installed(app: Celery) -> set[str]:
    return {name.decode() if isinstance(name, bytes) else name for name in get_redis(app).smembers(_names_key(app))}


def _names_key(app: Celery) -> str:
    return f"{app.conf.redbeat_key_prefix}sources"
