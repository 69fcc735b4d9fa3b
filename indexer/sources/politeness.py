"""How Sonde limits its requests to a catalogue: turns per host, growing pauses, and a rest after repeated failures.

These limits apply within one process. Several processes share a host's turns through ``SharedHostLimits``.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Protocol

from core.deadlines import Breaker, BreakerPolicy, CircuitOpen, circuit_open
from core.errors import Unavailable


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """At most ``per_second`` requests begin at a host and ``concurrency`` are open; ``attempts`` for each request.

    Pauses between attempts are random between 0 and a bound that doubles from ``first_pause_s`` to
    ``longest_pause_s``; a longer Retry-After ends the attempts. After ``breaker_failures`` failed requests in a row the
    source rests for ``breaker_rest_s``. ``robots``: obey robots.txt when following links.
    """

    per_second: float = 5.0
    concurrency: int = 2
    attempts: int = 6
    first_pause_s: float = 1.0
    longest_pause_s: float = 120.0
    breaker_failures: int = 5
    breaker_rest_s: float = 300.0
    robots: bool = True

    def __post_init__(self) -> None:
        """Raises ValueError for a number that would stop all requests, or none."""
        if self.per_second <= 0 or self.concurrency < 1 or self.attempts < 1:
            raise ValueError("per_second must be above 0, concurrency and attempts at least 1")


@dataclass(slots=True)
class HostLimiter:
    """The turns of one host."""

    slots: threading.Semaphore
    lock: threading.Lock = field(default_factory=threading.Lock)
    free_at: float = 0.0  # time.monotonic()

    def wait(self, interval_s: float) -> None:
        """Waits for the caller's turn. The next turn is ``interval_s`` later."""
        with self.lock:
            turn_s = max(self.free_at, time.monotonic())
            self.free_at = turn_s + interval_s
        time.sleep(max(0.0, turn_s - time.monotonic()))

    def hold(self, seconds: float) -> None:
        """No turn for ``seconds``, because the host asked for a pause."""
        with self.lock:
            self.free_at = max(self.free_at, time.monotonic() + seconds)


class SharedHostLimits(Protocol):
    """The turns of hosts that several processes share. If the store does not answer, no process waits."""

    def take(self, host: str, interval_s: float) -> float:
        """Seconds until the caller's turn. The next turn is ``interval_s`` later."""

    def hold(self, host: str, seconds: float) -> None:
        """No turn for ``seconds``."""

    def slot(self, host: str, limit: int) -> AbstractContextManager[None]:
        """Holds one of ``limit`` open requests."""

    def pause(self, source: str, seconds: float) -> None:
        """The source is not asked for ``seconds``."""

    def pause_left_s(self, source: str) -> float:
        """Seconds until the source may be asked again; 0 if it may be asked now."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Permission to make one request now."""

    host: str
    own_limiter: HostLimiter
    shared: SharedHostLimits | None

    def hold(self, seconds: float) -> None:
        """No turn at this host for ``seconds``, here and in the other processes."""
        if seconds > 0:
            self.own_limiter.hold(seconds)
            if self.shared is not None:
                self.shared.hold(self.host, seconds)


class SourceBreaker:
    """The circuit breaker of one source. ``shared`` tells other processes that the source rests.

    After a rest all may ask again: requests of one source run beside each other, and one of them that is refused would
    end the harvest.
    """

    def __init__(self, source: str, policy: RequestPolicy, shared_limits: SharedHostLimits | None = None) -> None:
        rules = BreakerPolicy(policy.breaker_failures, policy.breaker_rest_s, one_tries=False)
        self._breaker = Breaker(f"The source {source!r}", rules)
        self._source, self._policy, self._shared = source, policy, shared_limits

    @contextmanager
    def guarding(self) -> Iterator[None]:
        """Around one request with all its attempts; Unavailable is a failure. Raises CircuitOpen while it rests."""
        left_s = self._shared.pause_left_s(self._source) if self._shared is not None else 0.0
        if left_s > 0:
            raise circuit_open(f"The source {self._source!r}", self._policy.breaker_failures, left_s)
        try:
            with self._breaker.guarding(Unavailable):
                yield
        except CircuitOpen:
            raise
        except Unavailable:
            if self._breaker.is_open and self._shared is not None:
                self._shared.pause(self._source, self._policy.breaker_rest_s)
            raise


@dataclass(slots=True)
class HostLimits:
    """The limiters and breakers of this process, for all its sources; ``shared``: the limits of all processes.

    A process keeps its own turns beside the shared ones, so that limits apply even if the shared store fails.
    """

    shared: SharedHostLimits | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _limiters: dict[str, HostLimiter] = field(default_factory=dict)
    _breakers: dict[str, SourceBreaker] = field(default_factory=dict)

    @contextmanager
    def turn(self, host: str, policy: RequestPolicy, delay_s: float = 0.0) -> Iterator[Turn]:
        """Holds one of the host's open requests. ``delay_s`` is the Crawl-delay of robots.txt."""
        turnstile = self._limiter(host, policy)
        interval_s = max(1.0 / policy.per_second, delay_s)
        shared_limits = self.shared
        with (
            turnstile.slots,
            shared_limits.slot(host, policy.concurrency) if shared_limits is not None else nullcontext(),
        ):
            if shared_limits is not None:
                time.sleep(shared_limits.take(host, interval_s))
            turnstile.wait(interval_s)
            yield Turn(host, turnstile, shared_limits)

    def breaker(self, source: str, policy: RequestPolicy) -> SourceBreaker:
        with self._lock:
            return self._breakers.setdefault(source, SourceBreaker(source, policy, self.shared))

    def _limiter(self, host: str, policy: RequestPolicy) -> HostLimiter:
        with self._lock:
            return self._limiters.setdefault(host, HostLimiter(threading.Semaphore(policy.concurrency)))


def retry_after_s(value: str | None, now: datetime | None = None) -> float | None:
    """A Retry-After header (seconds or an HTTP date) in seconds, at least 0; None if missing or unreadable."""
    if not value:
        return None
    if value.strip().isdigit():
        return float(value.strip())
    moment = http_moment(value)
    return None if moment is None else max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def http_moment(text: str | None) -> datetime | None:
    """The moment of an HTTP date, in UTC where it names no zone; None if missing or unreadable."""
    try:
        moment = parsedate_to_datetime(text) if text else None
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment
