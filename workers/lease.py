"""A lease in Redis lets one worker work on a source. Its owner renews it; it lapses when the owner dies."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import redis
import structlog
from redis.exceptions import LockError
from redis.lock import Lock

from indexer.parts import RunTaken
from workers.broker import broker_errors

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Leases:
    """Leases of one prefix. A lease lasts ``lease_s`` without renewal; ``heartbeat_s``: how often it is renewed.

    Methods raise core.errors.Unavailable if Redis does not answer.
    """

    client: redis.Redis
    prefix: str
    lease_s: float
    heartbeat_s: float

    @classmethod
    def connect(cls, broker_url: str, prefix: str, lease_s: float = 15.0, heartbeat_s: float = 5.0) -> Leases:
        """Opens no connection yet."""
        client = redis.Redis.from_url(broker_url, socket_timeout=5, socket_connect_timeout=5)
        return cls(client, prefix, lease_s, heartbeat_s)

    @contextmanager
    def hold(self, name: str) -> Iterator[Lease | None]:
        """The lease, which a thread renews until the block ends; None if another process holds it."""
        key = self._key(name)
        # The thread that renews is another than the one that took the lock, and both must know its token.
        lease = Lease(self, key, self.client.lock(key, timeout=self.lease_s, blocking=False, thread_local=False))
        if not lease.take():
            yield None
            return
        lease.start_renewal()
        try:
            yield lease
        finally:
            lease.release()

    def is_held(self, name: str) -> bool:
        with broker_errors():
            return bool(self.client.exists(self._key(name)))

    def mark_requeued(self, run_id: str, for_s: float) -> bool:
        """Whether this caller is the first to queue the lapsed run again."""
        with broker_errors():
            return bool(self.client.set(self._mark(run_id), "1", nx=True, px=round(1000 * for_s)))

    def clear_requeued(self, run_id: str) -> None:
        """A worker continues the run. If it lapses again, it may be queued again at once."""
        with broker_errors():
            self.client.delete(self._mark(run_id))

    def _key(self, name: str) -> str:
        return f"{self.prefix}:lease:{name}"

    def _mark(self, run_id: str) -> str:
        return f"{self.prefix}:requeued:{run_id}"


@dataclass(slots=True)
class Lease:
    """A lock of redis-py, with a thread that renews it and with ``guard``, which a harvest calls before it writes.

    ``guard`` reads this process's clock, so it does not count on a lock that Redis cannot confirm.
    """

    leases: Leases
    key: str
    lock: Lock
    _renewed_s: float = 0.0  # time.monotonic(), taken before the request, so never later than Redis thinks
    _lost: bool = False
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def take(self) -> bool:
        started_s = time.monotonic()
        with broker_errors():
            is_taken: bool = self.lock.acquire()
        self._renewed_s = started_s
        return is_taken

    def start_renewal(self) -> None:
        self._thread = threading.Thread(target=self._keep_alive, name=f"lease {self.key}", daemon=True)
        self._thread.start()

    def guard(self) -> None:
        """Raises RunTaken if this process may no longer hold the lease."""
        if self._lost or time.monotonic() - self._renewed_s >= self.leases.lease_s:
            raise RunTaken(f"The lease {self.key} was lost; its new owner continues.")

    def release(self) -> None:
        """Gives the lease back if this process still holds it. If Redis does not answer, the lease lapses by itself."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        try:
            self.lock.release()
        except LockError:
            pass  # it was lost, which is in the log already
        except redis.RedisError as error:
            log.warning("lease.not_released", key=self.key, reason=str(error))

    def _keep_alive(self) -> None:
        while not self._stop.wait(self.leases.heartbeat_s):
            started_s = time.monotonic()
            try:
                self.lock.reacquire()
            except LockError:
                self._lost = True
                log.error("lease.lost", key=self.key)
                return
            except redis.RedisError as error:
                log.warning("lease.not_renewed", key=self.key, reason=str(error))
                continue
            self._renewed_s = started_s
