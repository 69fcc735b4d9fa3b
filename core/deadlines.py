"""One request has one deadline, and every call inside gets what is left of it. A request may be in a hurry too."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_UNTIL: ContextVar[float | None] = ContextVar("sonde_deadline", default=None)
_HURRIED: ContextVar[bool] = ContextVar("sonde_hurried", default=False)

LEAST_S = 0.05
"""With less than this left a call is not begun: it could only be given up."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What is called inside has to be done in ``seconds``; an earlier deadline further out stays."""
    now = time.monotonic()
    outer = _UNTIL.get()
    token = _UNTIL.set(now + seconds if outer is None else min(outer, now + seconds))
    try:
        yield
    finally:
        _UNTIL.reset(token)


@contextmanager
def without_deadline() -> Iterator[None]:
    """What is called inside is given the time that it needs."""
    token = _UNTIL.set(None)
    try:
        yield
    finally:
        _UNTIL.reset(token)


def remaining_s() -> float | None:
    """Seconds until the deadline of this request, below 0 when it has passed; None where there is none."""
    until = _UNTIL.get()
    return None if until is None else until - time.monotonic()


@contextmanager
def in_a_hurry() -> Iterator[None]:
    """Others wait: what is called inside leaves out what it can do without."""
    token = _HURRIED.set(True)
    try:
        yield
    finally:
        _HURRIED.reset(token)


def hurried() -> bool:
    """Whether this request is in a hurry."""
    return _HURRIED.get()
