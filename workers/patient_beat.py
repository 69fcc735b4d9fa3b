"""Beat that outlives its broker: RedBeat's own ends with the first connection that fails."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import redis
import structlog
from redbeat.schedulers import RedBeatScheduler, acquire_distributed_beat_lock

log = structlog.get_logger(__name__)

_PAUSE_S = 2.0
_AWAY = (redis.ConnectionError, redis.TimeoutError)


class PatientScheduler(RedBeatScheduler):  # type: ignore[misc]
    """Waits while the broker is away, and takes the lock of the schedules again where it was lost meanwhile.

    While another beat holds the lock, this one waits for it, as at its start.
    """

    lock: Any

    def tick(self, *arguments: Any, **options: Any) -> float:
        """Sends what is due; seconds until the next look."""
        try:
            if self.lock_key and self.lock is None:
                self._take_the_lock()
            return float(super().tick(*arguments, **options))
        except _AWAY as error:
            log.warning("beat.without_broker", reason=type(error).__name__)
        except redis.exceptions.LockError:
            log.warning("beat.lock_lost")
            self.lock = None
        return _PAUSE_S

    def close(self) -> None:
        try:
            super().close()
        except (*_AWAY, redis.exceptions.LockError):
            log.warning("beat.lock_not_released")  # it lapses by itself

    def _take_the_lock(self) -> None:
        acquire_distributed_beat_lock(sender=SimpleNamespace(scheduler=self))
