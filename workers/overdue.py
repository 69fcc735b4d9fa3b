"""How long ago a source should have been harvested, from its schedule and the start of its last run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from workers.source_entry import ScheduleEntry, interval_seconds


def overdue_s(source: str, when: ScheduleEntry, began: datetime, now: datetime) -> float:
    """Seconds since the first time after ``began`` at which the schedule wanted a run; 0 before that time."""
    due = _due(when, began) + timedelta(seconds=when.delay_s(source))
    return max(0.0, (now - due).total_seconds())


def _due(when: ScheduleEntry, began: datetime) -> datetime:
    if when.cron is None:
        return began + timedelta(seconds=interval_seconds(str(when.interval)))
    from celery.schedules import crontab  # Celery is not for every process of the API

    line = crontab.from_string(when.cron)
    line.nowfunc = lambda: began
    last, wait, _ = line.remaining_delta(began, tz=UTC)
    due: datetime = last + wait
    return due
