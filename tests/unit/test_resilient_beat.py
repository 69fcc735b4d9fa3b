"""Beat while its broker is away: it waits, and goes on."""

from __future__ import annotations

import pytest
import redis
from celery import Celery
from redbeat import RedBeatScheduler

from workers.schedule import RetryingScheduler


@pytest.fixture
def scheduler() -> RetryingScheduler:
    app = Celery("beat", broker="redis://127.0.0.1:1/0")
    app.conf.update(redbeat_redis_url="redis://127.0.0.1:1/0", redbeat_redis_options={})
    return RetryingScheduler(app=app, lazy=True)


def test_a_broker_that_is_away_is_waited_for(scheduler: RetryingScheduler) -> None:
    with pytest.raises(redis.ConnectionError):
        RedBeatScheduler.tick(_locked(scheduler))
    assert _locked(scheduler).tick() == 2.0
    scheduler.close()  # nor does its end fail


def test_a_lock_that_was_lost_is_taken_again(scheduler: RetryingScheduler) -> None:
    class Lost:
        def extend(self, _seconds: int) -> None:
            raise redis.exceptions.LockNotOwnedError("another beat has it")

    scheduler.lock = Lost()
    assert scheduler.tick() == 2.0
    assert scheduler.lock is None
    assert scheduler.tick() == 2.0  # it asks for the lock, and the broker is away


def _locked(scheduler: RetryingScheduler) -> RetryingScheduler:
    client = redis.Redis.from_url("redis://127.0.0.1:1/0")
    scheduler.lock = client.lock("lock", timeout=30)
    scheduler.lock.local.token = b"ours"
    return scheduler
