"""A message header with the time at which its task was queued, to measure the age of a queue's oldest task."""

from __future__ import annotations

import json

HEADER = "sonde_queued"
"""Seconds since 1970 by the sender's clock."""


def queued_at(message: str | bytes) -> float | None:
    """When a message of the broker's list was queued; None if unknown."""
    try:
        found = json.loads(message)["headers"][HEADER]
    except (ValueError, KeyError, TypeError):
        return None
    return float(found) if isinstance(found, int | float) else None
