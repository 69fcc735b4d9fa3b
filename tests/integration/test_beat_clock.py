"""Beat on a clock that was set back, and before its broker is there: schedules go on at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
import redis
from celery import Celery
from redbeat import RedBeatSchedulerEntry
from structlog.testing import capture_logs

from tests.tcp_proxy import Door
from workers.schedule import RetryingScheduler

pytestmark = pytest.mark.broker
_EVERY_S = 600.0


@pytest.fixture
def app(broker_url: str, prefix: str) -> Iterator[Celery]:
    made = Celery("beat", broker=broker_url)
    made.conf.update(
        redbeat_redis_url=broker_url,
        redbeat_redis_options={},
        redbeat_key_prefix=f"{prefix}:redbeat:",
        beat_schedule={"often": {"task": "nothing", "schedule": _EVERY_S}},
        beat_max_loop_interval=1,
        timezone="UTC",
    )
    yield made
    with redis.Redis.from_url(broker_url) as client:
        for key in client.scan_iter(f"{prefix}:*"):
            client.delete(key)


def last_run(app: Celery) -> RedBeatSchedulerEntry:
    return RedBeatSchedulerEntry.from_key(f"{app.conf.redbeat_key_prefix}often", app=app)


def test_what_was_sent_ahead_of_time_counts_as_sent_now(app: Celery) -> None:
    beat = RetryingScheduler(app=app)
    beat.tick()
    last_run(app).reschedule(app.now() + timedelta(hours=2))  # it was sent while the clock was two hours ahead
    beat._ahead_s = time.time() - time.monotonic() + 7200.0  # as it was then
    before = app.now()
    beat.tick()
    assert before <= last_run(app).last_run_at <= app.now()
    assert last_run(app).score - before.timestamp() < _EVERY_S + 60  # due after one interval, not in two hours


def test_a_beat_that_begins_after_the_clock_was_set_back_sees_it_too(app: Celery) -> None:
    RetryingScheduler(app=app).tick()
    last_run(app).reschedule(app.now() + timedelta(hours=2))
    RetryingScheduler(app=app).tick()
    assert last_run(app).last_run_at <= app.now()


def test_a_steady_clock_leaves_schedules_alone(app: Celery) -> None:
    beat = RetryingScheduler(app=app)
    beat.tick()
    sent_at = last_run(app).last_run_at
    beat.tick()
    assert last_run(app).last_run_at == sent_at


def test_a_beat_that_begins_before_its_broker_waits_for_it(app: Celery, broker_url: str) -> None:
    door = Door(broker_url)
    door.open()
    door.close()  # its port is known, and nothing answers there
    app.conf.redbeat_redis_url = f"{door.url.replace('http', 'redis')}/0"
    made: list[RetryingScheduler] = []
    with capture_logs() as logs:
        starting = threading.Thread(target=lambda: made.append(RetryingScheduler(app=app)), daemon=True)
        starting.start()
        while not any(entry["event"] == "beat.without_broker" for entry in logs):
            starting.join(0.05)
        door.open()
        starting.join(30)
    door.close()
    assert made, "it did not begin when the broker came"
    own = {entry["event"] for entry in logs if entry["event"].startswith("beat.")}
    assert own == {"beat.without_broker"}
