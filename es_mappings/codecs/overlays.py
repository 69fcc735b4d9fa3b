"""Reads the overlay of a record as the curation index keeps it."""

from __future__ import annotations

from core.extent import BBox
from core.json_types import JsonMapping
from core.overlay import Overlay
from core.timespan import TimeSpan


def from_content(content: JsonMapping) -> Overlay:
    """Raises ValueError for a box or period that does not exist."""
    start, end, box = content.get("start"), content.get("end"), content.get("bbox")
    span = TimeSpan.from_iso(start, end) if start or end else None
    return Overlay(
        content.get("title"), tuple(content.get("keywords") or ()), None if box is None else BBox(*box), span
    )
