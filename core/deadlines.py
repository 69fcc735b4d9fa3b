"""The deadline of a request: every call inside gets the remaining time. A request may also be marked as hurried.

It also knows whether its caller is still there, and gives its slot to others while it waits for another service.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

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
    """Work inside is in ``outside()`` while it waits for another service."""
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
