"""Keeps RedBeat's entries in Redis equal to ``sources.yaml``, without the sources that a steward paused.

RedBeat's own scheduler ends with the first failed connection, and waits until a clock that was set back has caught up:
``RetryingScheduler`` does neither.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import redis
import structlog
from celery import Celery
from celery.schedules import crontab
from redbeat.schedulers import RedBeatScheduler, RedBeatSchedulerEntry, acquire_distributed_beat_lock, get_redis

from workers.config import HARVEST_TASK
from workers.source_config import Schedule, SourceConfig

log = structlog.get_logger(__name__)

_PAUSE_S = 2.0
_REDIS_UNREACHABLE = (redis.ConnectionError, redis.TimeoutError)
_SET_BACK_S = 2.0
"""A wall clock this far behind the monotonic clock was set back; less is normal clock adjustment."""


class RetryingScheduler(RedBeatScheduler):  # type: ignore[misc]
    """Waits while the broker is down, then takes the lock of the schedules again if it was lost.

    While another beat holds the lock, this one waits for it, as at its start.
    """

    lock: object
    _ahead_s: float | None = None  # wall clock minus monotonic clock, at the last check

    def setup_schedule(self) -> None:
        """Reads the schedules, and waits for the broker if it does not answer yet."""
        while True:
            try:
                super().setup_schedule()
                return
            except _REDIS_UNREACHABLE as error:
                log.warning("beat.without_broker", reason=type(error).__name__)
            time.sleep(_PAUSE_S)

    def tick(self, *arguments: object, **options: object) -> float:
        """Sends the tasks that are due. Seconds until the next call."""
        try:
            if self.lock_key and self.lock is None:
                acquire_distributed_beat_lock(sender=SimpleNamespace(scheduler=self))
            pause_s = float(super().tick(*arguments, **options))
            self._follow_the_clock()
            return pause_s
        except _REDIS_UNREACHABLE as error:
            log.warning("beat.without_broker", reason=type(error).__name__)
        except redis.exceptions.LockError:
            log.warning("beat.lock_lost")
            self.lock = None
        return _PAUSE_S

    def close(self) -> None:
        try:
            super().close()
        except (*_REDIS_UNREACHABLE, redis.exceptions.LockError):
            log.warning("beat.lock_not_released")  # it lapses anyway

    def _follow_the_clock(self) -> None:
        """Runs at the first tick, because the clock may have changed while no beat ran, and after each step back."""
        ahead_s = time.time() - time.monotonic()
        if self._ahead_s is None or ahead_s < self._ahead_s - _SET_BACK_S:
            self._forget_the_future()
        self._ahead_s = ahead_s

    def _forget_the_future(self) -> None:
        """A task that was last sent at a future time counts as sent now. Otherwise it would wait until then."""
        now = self.app.now()
        for key in get_redis(self.app).zrange(self.app.redbeat_conf.schedule_key, 0, -1):
            try:
                entry = RedBeatSchedulerEntry.from_key(key, app=self.app)
            except KeyError:  # removed since the keys were read
                continue
            if entry.last_run_at is not None and entry.last_run_at > now:
                log.warning("beat.clock_set_back", entry=entry.name, last_run_at=entry.last_run_at.isoformat())
                entry.reschedule(now)


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
