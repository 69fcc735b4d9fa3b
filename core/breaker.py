"""A circuit breaker: a service that fails or is slow several times in a row is not called for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from core.errors import Unavailable


@dataclass(frozen=True, slots=True)
class BreakerPolicy:
    """``failures`` in a row open the circuit for ``pause_s``; an answer after more than ``slow_s`` is a failure too.

    ``one_tries``: after the pause one caller tries and the others go on without; else all may try again. Either way
    one more failure begins the next pause.
    """

    failures: int = 3
    pause_s: float = 5.0
    slow_s: float | None = None
    one_tries: bool = True


class CircuitOpen(Unavailable):
    """The service failed recently and is not called now."""


def resting(name: str, failed: int, left_s: float) -> CircuitOpen:
    """The error while a part is left alone."""
    often = f"failed {failed} times in a row" if failed > 1 else "failed"
    return CircuitOpen(f"{name} {often} and is left alone for {max(left_s, 0.0):.0f} s.")


class Breaker:
    """Counts the failures of one part; safe to share between threads."""

    def __init__(self, name: str, policy: BreakerPolicy, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._policy = policy
        self._clock = clock
        self._lock = threading.Lock()
        self._failed = 0
        self._opened_at: float | None = None
        self._trying = False

    @property
    def is_open(self) -> bool:
        """Whether the service is not called now (or one caller is trying it)."""
        return self._opened_at is not None

    @contextmanager
    def guarding(self, *errors: type[BaseException]) -> Iterator[None]:
        """Wraps one call of the service; ``errors`` mean that it is down, other errors do not count.

        Raises CircuitOpen immediately while the circuit is open.
        """
        self._enter()
        begun = self._clock()
        try:
            yield
        except errors:
            self._failure()
            raise
        except BaseException:
            self._stop_trying()
            raise
        slow = self._policy.slow_s
        if slow is not None and self._clock() - begun > slow:
            self._failure()
        else:
            self._success()

    def _enter(self) -> None:
        with self._lock:
            if self._opened_at is None:
                return
            left = self._policy.pause_s - (self._clock() - self._opened_at)
            if self._trying or left > 0.0:
                raise resting(self._name, self._failed, left)
            self._trying = self._policy.one_tries

    def _failure(self) -> None:
        with self._lock:
            self._failed += 1
            self._trying = False
            if self._failed >= self._policy.failures:
                self._opened_at = self._clock()

    def _success(self) -> None:
        with self._lock:
            self._failed, self._trying, self._opened_at = 0, False, None

    def _stop_trying(self) -> None:
        with self._lock:
            self._trying = False
