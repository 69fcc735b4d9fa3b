"""Named periods of the calendar, the climate and the Earth: project facts in ``periods.json``, with their sources."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Literal

from core.json_types import Json
from core.timespan import TimeSpan, instant_ms

PeriodKind = Literal["period", "future", "recent"]

EARLIEST_YEAR = -290_000_000
"""About the oldest year in 64-bit milliseconds; an older end is cut to it, an older start is left open."""


@dataclass(frozen=True, slots=True)
class Period:
    """A named period. ``first_year`` and ``last_year`` are both included, None is an open end.

    Astronomical years (0 is 1 BC). ``from_today`` counts years from today instead and leaves the others None.
    """

    name: str
    first_year: int | None
    last_year: int | None
    from_today: tuple[int, int | None] | None
    kind: PeriodKind
    confidence: float
    source: str

    def span(self, today: date) -> TimeSpan:
        if self.from_today is None:
            return year_span(self.first_year, self.last_year)
        back, ahead = self.from_today
        start = today.replace(year=today.year + back, day=min(today.day, 28) if today.month == 2 else today.day)
        return TimeSpan.from_iso(start.isoformat(), None if ahead is None else today.isoformat())


def year_span(first: int | None, last: int | None) -> TimeSpan:
    """From the first moment of one year to the last of another; limited to 64 bits (see EARLIEST_YEAR)."""
    start = None if first is None or first < EARLIEST_YEAR else instant_ms(_written(first))
    return TimeSpan(start, None if last is None else instant_ms(_written(max(last, EARLIEST_YEAR)), at_end=True))


def _written(year: int) -> str:
    return f"{'-' if year < 0 else ''}{abs(year):04d}"


@dataclass(frozen=True, slots=True)
class PeriodWords:
    """One pattern for every name, and the meaning of each name."""

    pattern: re.Pattern[str]
    meanings: dict[str, Period]

    def meaning(self, words: str) -> Period:
        return self.meanings[_plain(words)]


@cache
def period_words() -> PeriodWords:
    """All names in all languages; read once. The words of a name are separated by spaces or hyphens."""
    entries = json.loads((files("reading") / "periods.json").read_text(encoding="utf-8"))["periods"]
    meanings = {_plain(word): _period(entry) for entry in entries for word in entry["words"]}
    longest_first = sorted(meanings, key=len, reverse=True)
    alternatives = "|".join(re.escape(word).replace(r"\ ", r"[\s-]{1,3}") for word in longest_first)
    return PeriodWords(re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)"), meanings)


def _plain(words: str) -> str:
    return " ".join(words.replace("-", " ").split())


def _period(entry: Json) -> Period:
    first, last = entry.get("years", (None, None))
    if "before_2000" in entry:
        older, younger = entry["before_2000"]
        first, last = 2000 - older, None if younger is None else 2000 - younger
    return Period(
        name=entry["name"],
        first_year=first,
        last_year=last,
        from_today=tuple(entry["today"]) if "today" in entry else None,
        kind=entry.get("kind", "period"),
        confidence=entry.get("confidence", 0.9),
        source=entry["source"],
    )
