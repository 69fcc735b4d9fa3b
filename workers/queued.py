"""When a task was put in its queue: a header of its message, so that the oldest of a queue can be asked its age."""

from __future__ import annotations

import json
import time
from typing import Any

from celery.signals import before_task_publish

HEADER = "sonde_queued"
"""Seconds since 1970 by the clock of whoever queued it."""


def stamp_tasks() -> None:
    """From now on every task that this process queues says when; to be called as often as one likes."""
    before_task_publish.connect(_stamp, weak=False, dispatch_uid="sonde-queued")


def queued_at(message: str | bytes) -> float | None:
    """When a message, as it lies in the broker's list, was queued; None for one that does not say so."""
    try:
        found = json.loads(message)["headers"][HEADER]
    except (ValueError, KeyError, TypeError):
        return None
    return float(found) if isinstance(found, int | float) else None


def _stamp(headers: dict[str, Any] | None = None, **_: object) -> None:
    if headers is not None:
        headers[HEADER] = time.time()
