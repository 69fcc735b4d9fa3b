"""Waits until something holds, and asks whether a service is well."""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx

_LOOK_S = 0.5
_PROBE_TIMEOUT_S = 3.0


def wait_until(holds: Callable[[], bool], timeout_s: float, goal: str) -> float:
    """Seconds until the condition was met. Raises TimeoutError if it never did."""
    seconds = seconds_until(holds, time.monotonic(), timeout_s)
    if seconds is None:
        raise TimeoutError(f"not within {timeout_s:.0f} s: {goal}")
    return seconds


def seconds_until(holds: Callable[[], bool], since: float, timeout_s: float) -> float | None:
    """From ``since``; None if the condition is not met within ``timeout_s`` from now."""
    ends = time.monotonic() + timeout_s
    while not holds():
        if time.monotonic() > ends:
            return None
        time.sleep(_LOOK_S)
    return time.monotonic() - since


def trouble(address: str) -> str | None:
    """What is wrong with a probe's answer; None if it is 200 within three seconds."""
    try:
        status = httpx.get(address, timeout=_PROBE_TIMEOUT_S).status_code
    except httpx.HTTPError as error:
        return type(error).__name__
    return None if status == httpx.codes.OK else str(status)
