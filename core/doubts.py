"""Finds implausible times in a record. They are shown with the record, never changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.record import Record

_FIRST_USUAL_YEAR, _MODERN_YEAR, _LAST_USUAL_YEAR = 1000, 1500, 2100
_AHEAD = frozenset(("projection", "simulation"))


@dataclass(frozen=True, slots=True)
class Doubt:
    """``code`` identifies the rule, ``text`` explains it in English."""

    code: str
    text: str


def doubts(record: Record) -> tuple[Doubt, ...]:
    """Each rule at most once.

    - A period from a year between 1 and 999 to one after 1500 ("42 to 4000"): truncated years, or other numbers. A
      period that starts before the year 1 is probably geological.
    - A period that ends after 2100 in a record that is neither a projection nor a simulation.
    """
    by_code: dict[str, Doubt] = {}
    for span in record.times:
        start, end = _year(span.start_ms), _year(span.end_ms)
        if start is not None and 0 < start < _FIRST_USUAL_YEAR and (end is None or end > _MODERN_YEAR):
            by_code.setdefault(
                "starts_before_1000", Doubt("starts_before_1000", f"the period starts in the year {start}")
            )
        if end is not None and end > _LAST_USUAL_YEAR and record.provenance.kind not in _AHEAD:
            sentence = f"the period ends in the year {end}, and nothing says that these are projections"
            by_code.setdefault("ends_after_2100", Doubt("ends_after_2100", sentence))
    return tuple(by_code.values())


def _year(instant_ms: int | None) -> int | None:
    """The astronomical year of an instant; None for an open end."""
    if instant_ms is None:
        return None
    return 1970 + int(np.datetime64(instant_ms, "ms").astype("datetime64[Y]").astype(np.int64))
