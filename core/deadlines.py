"""The deadline of a request: every call inside gets the remaining time. A request may also be marked as hurried."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_UNTIL: ContextVar[float | None] = ContextVar("sonde_deadline", default=None)
_HURRIED: ContextVar[bool] = ContextVar("sonde_hurried", default=False)

LEAST_S = 0.05
"""With less time than this, a call is not started, because it could not finish."""


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
