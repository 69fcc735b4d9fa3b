"""Limits of waiting: the deadline of a request, and circuit breakers, which stop calls to a service that is down.

Also whether the caller of a request is still there, and how a request frees its slot while it waits for a service.
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
_IS_HURRIED: ContextVar[bool] = ContextVar("sonde_is_hurried", default=False)
_HAS_HUNG_UP: ContextVar[Callable[[], bool] | None] = ContextVar("sonde_has_hung_up", default=None)
_RELEASE_SLOT: ContextVar[Callable[[], AbstractContextManager[None]]] = ContextVar(
    "sonde_release_slot", default=nullcontext
)

LEAST_S = 0.05
"""With less time than this, a call is not started, because it could not finish."""


class CallerGone(Exception):
    """The caller hung up, so nobody waits for the answer. No part catches it, because it is not a SondeError."""


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
    token = _IS_HURRIED.set(True)
    try:
        yield
    finally:
        _IS_HURRIED.reset(token)


def is_hurried() -> bool:
    return _IS_HURRIED.get()


@contextmanager
def watching_caller(has_hung_up: Callable[[], bool]) -> Iterator[None]:
    """Inside, ``raise_if_caller_gone`` ends the work of a request whose caller hung up."""
    token = _HAS_HUNG_UP.set(has_hung_up)
    try:
        yield
    finally:
        _HAS_HUNG_UP.reset(token)


def caller_is_watched() -> bool:
    """Whether ``raise_if_caller_gone`` can notice that the caller hung up."""
    return _HAS_HUNG_UP.get() is not None


def raise_if_caller_gone() -> None:
    """Raises CallerGone if the caller of this request hung up."""
    has_hung_up = _HAS_HUNG_UP.get()
    if has_hung_up is not None and has_hung_up():
        raise CallerGone


@contextmanager
def releasing_slot(release: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    """Inside, ``slot_released`` frees the slot of the request with ``release``."""
    token = _RELEASE_SLOT.set(release)
    try:
        yield
    finally:
        _RELEASE_SLOT.reset(token)


def slot_released() -> AbstractContextManager[None]:
    """Inside, the request's slot for computing is free: for example while it waits for a language model elsewhere.

    Raises core.errors.Unavailable if too many requests wait already.
    """
    return _RELEASE_SLOT.get()()


@dataclass(frozen=True, slots=True)
class BreakerPolicy:
    """``failures`` in a row open the circuit for ``pause_s``; an answer after more than ``slow_s`` is a failure too.

    ``one_tries``: after the pause one caller tries again, and the others get CircuitOpen; else all callers try again.
    In both cases the next failure begins another pause.
    """

    failures: int = 3
    pause_s: float = 5.0
    slow_s: float | None = None
    one_tries: bool = True


class CircuitOpen(Unavailable):
    """The service failed recently and is not called now."""


def circuit_open(name: str, failures: int, left_s: float) -> CircuitOpen:
    """The error for a service that is not called for another ``left_s`` seconds, after ``failures`` failures."""
    failed = f"failed {failures} times in a row" if failures > 1 else "failed"
    return CircuitOpen(f"{name} {failed} and is left alone for {max(left_s, 0.0):.0f} s.")


class Breaker:
    """Counts the failures of one part; safe to share between threads."""

    def __init__(self, name: str, policy: BreakerPolicy, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._policy = policy
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._opened_at: float | None = None
        self._is_trying = False

    @property
    def is_open(self) -> bool:
        """Whether the service is not called now, or one caller is trying it again."""
        return self._opened_at is not None

    @contextmanager
    def guarding(self, *errors: type[BaseException]) -> Iterator[None]:
        """Wraps one call of the service; ``errors`` mean that it is down, other errors do not count.

        Raises CircuitOpen immediately while the circuit is open.
        """
        self._enter()
        started_at = self._clock()
        try:
            yield
        except errors:
            self._failure()
            raise
        except BaseException:
            self._stop_trying()
            raise
        slow_s = self._policy.slow_s
        if slow_s is not None and self._clock() - started_at > slow_s:
            self._failure()
        else:
            self._success()

    def _enter(self) -> None:
        with self._lock:
            if self._opened_at is None:
                return
            left_s = self._policy.pause_s - (self._clock() - self._opened_at)
            if self._is_trying or left_s > 0.0:
                raise circuit_open(self._name, self._failures, left_s)
            self._is_trying = self._policy.one_tries

    def _failure(self) -> None:
        with self._lock:
            self._failures += 1
            self._is_trying = False
            if self._failures >= self._policy.failures:
                self._opened_at = self._clock()

    def _success(self) -> None:
        with self._lock:
            self._failures, self._is_trying, self._opened_at = 0, False, None

    def _stop_trying(self) -> None:
        with self._lock:
            self._is_trying = False
