"""A header of a message says when its task was queued, so that the age of a queue's oldest task can be measured."""

from __future__ import annotations

import json

HEADER = "sonde_queued"
"""Seconds since 1970 by the clock of whoever queued it."""


def queued_at(message: str | bytes) -> float | None:
    """When a message of the broker's list was queued; None if it does not say."""
    try:
        found = json.loads(message)["headers"][HEADER]
    except (ValueError, KeyError, TypeError):
        return None
    return float(found) if isinstance(found, int | float) else None
