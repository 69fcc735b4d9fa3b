"""Answers as pages show them, compared with what the service prints.

A shown answer is shortened: members and entries may be left out, numbers rounded, and long texts end with "…".
"""

from __future__ import annotations

from typing import Any


def difference(shown: Any, printed: Any, where: str = "") -> str | None:
    """The first thing that is shown and was not printed."""
    if isinstance(shown, dict):
        if not isinstance(printed, dict):
            return f"{where}: {printed!r}"
        parts = ((f"{where}.{name}", value, printed.get(name, "missing")) for name, value in shown.items())
        return next((wrong for name, value, own in parts if (wrong := difference(value, own, name))), None)
    if isinstance(shown, list):
        rest = iter(printed) if isinstance(printed, list) else iter(())
        missing = (one for one in shown if not any(difference(one, own) is None for own in rest))
        return next((f"{where}: {one!r} is not in the answer, or not there" for one in missing), None)
    if _is_number(shown) and _is_number(printed):  # near: the graph of vectors is not the same in each index
        return None if abs(shown - printed) <= 0.05 * max(1.0, abs(shown)) else f"{where}: {printed}"
    if isinstance(shown, str) and shown.endswith("…"):
        return None if str(printed).startswith(shown[:-1]) else f"{where}: {printed!r}"
    return None if shown == printed else f"{where}: {printed!r}"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
