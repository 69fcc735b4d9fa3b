"""Schedules in a real Redis: each source's own delay, and runs that were missed while beat was down."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from celery import Celery
from pydantic import ValidationError
from redbeat import RedBeatScheduler, RedBeatSchedulerEntry
from redbeat.schedulers import get_redis

from workers.app import create_celery
from workers.config import HARVEST_TASK, WorkerConfig
from workers.schedule import next_runs, sync_schedules
from workers.source_config import Schedule, SourceConfig


@pytest.fixture
def app(broker_url: str) -> Celery:
    config = WorkerConfig(broker_url, f"sonde-test-{uuid.uuid4().hex[:12]}", Path("no-such-file.yaml"))
    return create_celery(config, lambda: pytest.fail("no worker runs"))


def source(id: str, **schedule: str) -> dict[str, SourceConfig]:
    return {id: SourceConfig(id=id, type="folder", path=Path(id), schedule=Schedule(**schedule))}


def test_a_delay_is_the_sources_own_and_stays_within_the_jitter() -> None:
    when = Schedule(interval="6h", jitter="10m")
    delays = [when.delay_s(f"source-{n}") for n in range(200)]
    assert delays == [when.delay_s(f"source-{n}") for n in range(200)]
    assert 0 <= min(delays) < 60
    assert 540 < max(delays) <= 600
    assert Schedule(interval="6h").delay_s("source-1") == 0
    with pytest.raises(ValidationError, match="at most 10m"):
        Schedule(interval="6h", jitter="11m")


@pytest.mark.broker
def test_beat_is_told_of_the_delay_and_of_its_change(app: Celery) -> None:
    late = source("a", interval="6h", jitter="10m")
    assert sync_schedules(app, late) == ["a"]
    assert sync_schedules(app, late) == []
    entry = RedBeatSchedulerEntry.from_key(f"{app.conf.redbeat_key_prefix}harvest:a", app=app)
    assert entry.options == {"countdown": Schedule(interval="6h", jitter="10m").delay_s("a")}
    assert sync_schedules(app, source("a", interval="6h")) == ["a"]


@pytest.mark.broker
def test_runs_that_were_missed_are_caught_up_once(app: Celery) -> None:
    sync_schedules(app, source("a", cron="0 3 * * *"))
    entry = RedBeatSchedulerEntry.from_key(f"{app.conf.redbeat_key_prefix}harvest:a", app=app)
    entry.reschedule(last_run_at=datetime.now(UTC) - timedelta(days=5))
    scheduler = RedBeatScheduler(app=app, lazy=True)
    scheduler.lock_key = None

    for _ in range(3):
        scheduler.tick()

    prefix = app.conf.broker_transport_options["global_keyprefix"]
    (message,) = get_redis(app).lrange(f"{prefix}harvest", 0, -1)
    assert json.loads(message)["headers"]["task"] == HARVEST_TASK


@pytest.mark.broker
def test_a_new_source_with_an_interval_is_due_at_once_and_a_new_interval_is_not(app: Celery) -> None:
    assert sync_schedules(app, source("a", interval="6h")) == ["a"]
    assert _next_run(app, "a") <= datetime.now(UTC)
    RedBeatSchedulerEntry.from_key(f"{app.conf.redbeat_key_prefix}harvest:a", app=app).reschedule()
    assert sync_schedules(app, source("a", interval="8h")) == ["a"]
    assert _next_run(app, "a") > datetime.now(UTC) + timedelta(hours=7)


@pytest.mark.broker
def test_a_new_source_with_a_cron_line_waits_for_its_time(app: Celery) -> None:
    far = datetime.now(UTC) + timedelta(hours=12)
    assert sync_schedules(app, source("a", cron=f"0 {far.hour} * * *")) == ["a"]
    assert _next_run(app, "a") > datetime.now(UTC) + timedelta(hours=10)


def _next_run(app: Celery, source_id: str) -> datetime:
    return datetime.fromisoformat(next_runs(app)[source_id])
