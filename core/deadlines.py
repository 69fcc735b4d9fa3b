"""Limits of waiting: the deadline of a request, and breakers that stop asking what is down.

It also knows whether its caller is still there, and gives its slot to others while it waits for another service.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass

from core.errors import Unavailable

_UNTIL: ContextVar[float | None] = ContextVar("sonde_deadline", default=None)
_HURRIED: ContextVar[bool] = ContextVar("sonde_hurried", default=False)
_GONE: ContextVar[Callable[[], bool] | None] = ContextVar("sonde_gone", default=None)
_OUTSIDE: ContextVar[Callable[[], AbstractContextManager[None]]] = ContextVar("sonde_outside", default=nullcontext)

LEAST_S = 0.05
"""With less time than this, a call is not started, because it could not finish."""


class CallerGone(Exception):
    """The caller hung up, so nobody waits for the answer. No SondeError: no part may do without it and continue."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Calls inside must finish within ``seconds``; an earlier outer deadline still applies."""
    now = time.monotonic()
    outer = _UNTIL.get()
    token = _UNTIL.set(now + seconds if outer is None else min(outer, now + seconds))
    try:
        yield
    finally:
        _UNTIL.reset(token)


@contextmanager
def without_deadline() -> Iterator[None]:
    """Calls inside have no deadline."""
    token = _UNTIL.set(None)
    try:
        yield
    finally:
        _UNTIL.reset(token)


def remaining_s() -> float | None:
    """Seconds until the deadline of this request, below 0 after it; None without a deadline."""
    until = _UNTIL.get()
    return None if until is None else until - time.monotonic()


@contextmanager
def in_a_hurry() -> Iterator[None]:
    """Other requests wait: calls inside skip optional work."""
    token = _HURRIED.set(True)
    try:
        yield
    finally:
        _HURRIED.reset(token)


def hurried() -> bool:
    """Whether this request is hurried."""
    return _HURRIED.get()


@contextmanager
def abandoned_when(gone: Callable[[], bool]) -> Iterator[None]:
    """Work inside ends where it asks ``leave_if_gone`` after the caller hung up."""
    token = _GONE.set(gone)
    try:
        yield
    finally:
        _GONE.reset(token)


def may_be_abandoned() -> bool:
    """Whether somebody can tell if the caller is still there."""
    return _GONE.get() is not None


def leave_if_gone() -> None:
    """Raises CallerGone if the caller of this request hung up."""
    gone = _GONE.get()
    if gone is not None and gone():
        raise CallerGone


@contextmanager
def giving_way(outside: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    """While work inside waits for another service, it does so within ``outside()``, which frees its slot."""
    token = _OUTSIDE.set(outside)
    try:
        yield
    finally:
        _OUTSIDE.reset(token)


def waiting_elsewhere() -> AbstractContextManager[None]:
    """While this request waits for a slow service of others, its slot for computing is free.

    Raises core.errors.Unavailable if too many wait already.
    """
    return _OUTSIDE.get()()


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


def circuit_open(name: str, failed: int, left_s: float) -> CircuitOpen:
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
        started = self._clock()
        try:
            yield
        except errors:
            self._failure()
            raise
        except BaseException:
            self._stop_trying()
            raise
        slow = self._policy.slow_s
        if slow is not None and self._clock() - started > slow:
            self._failure()
        else:
            self._success()

    def _enter(self) -> None:
        with self._lock:
            if self._opened_at is None:
                return
            left = self._policy.pause_s - (self._clock() - self._opened_at)
            if self._trying or left > 0.0:
                raise circuit_open(self._name, self._failed, left)
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
