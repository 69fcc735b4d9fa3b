"""A beat that survives a broker that is down and a clock that is set back.

RedBeat's own scheduler ends with the first failed connection, and waits until the clock has caught up.
"""

from __future__ import annotations

import time
from types import SimpleNamespace

import redis
import structlog
from redbeat.schedulers import RedBeatScheduler, RedBeatSchedulerEntry, acquire_distributed_beat_lock, get_redis

log = structlog.get_logger(__name__)

_PAUSE_S = 2.0
_REDIS_UNREACHABLE = (redis.ConnectionError, redis.TimeoutError)
_SET_BACK_S = 2.0
"""A wall clock this far behind the monotonic clock was set back; less is normal clock adjustment."""


class PatientScheduler(RedBeatScheduler):  # type: ignore[misc]
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
