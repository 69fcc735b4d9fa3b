"""How complete one record is; the wiring measures it as the quality report of a source does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RecordQuality:
    """``completeness``: 0..1. ``missing`` and ``repaired`` as in the quality report of a source."""

    completeness: float
    missing: tuple[str, ...]
    repaired: tuple[str, ...]


QualityOf = Callable[[str], RecordQuality]
"""Of a record's id. Raises NotFound, also for one that the caller may not see."""
