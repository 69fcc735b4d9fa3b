"""When a task was put in its queue: a header of its message, so that the oldest of a queue can be asked its age."""

from __future__ import annotations

import json

HEADER = "sonde_queued"
"""Seconds since 1970 by the clock of whoever queued it."""


def queued_at(message: str | bytes) -> float | None:
    """When a message, as it lies in the broker's list, was queued; None for one that does not say so."""
    try:
        found = json.loads(message)["headers"][HEADER]
    except (ValueError, KeyError, TypeError):
        return None
    return float(found) if isinstance(found, int | float) else None
