"""The time of day, as a default that a test replaces, and as it is stored."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> datetime:
    return datetime.now(UTC)


def now_iso() -> str:
    """ISO 8601 in UTC to the millisecond, ``2026-10-01T09:00:00.000Z``: the form of every stored time."""
    return utc_now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
