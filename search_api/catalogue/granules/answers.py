"""What a granule search answers, in one form for STAC and CMR; nothing of another host is passed on unread."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from core.extent import BBox
from core.json_types import Json
from core.timespan import instant_ms, iso

Interval = Literal["year", "month", "day"]

LONGEST_TEXT = 300
_DIGITS: dict[Interval, int] = {"year": 4, "month": 7, "day": 10}
_MOST_PERIODS = 60


@dataclass(frozen=True, slots=True)
class Granule:
    """``start``, ``end``: RFC 3339 in UTC; empty if not said. ``href``: where it is described, else its data."""

    id: str
    title: str = ""
    start: str = ""
    end: str = ""
    box: BBox | None = None
    href: str = ""


@dataclass(frozen=True, slots=True)
class TimeLine:
    """Granules by the year, month or day in which they begin, oldest first. ``of_all``: else of the read ones only."""

    interval: Interval
    counts: tuple[tuple[str, int], ...]
    of_all: bool


@dataclass(frozen=True, slots=True)
class Granules:
    """``matched``: how many there are in all; None if the other side does not say."""

    first: tuple[Granule, ...]
    matched: int | None
    line: TimeLine | None


def counted_by_time(starts: Iterable[str]) -> TimeLine | None:
    """By day if these are few, else by month or year; None without any moment."""
    known = [one for one in starts if one]
    intervals: Sequence[Interval] = ("day", "month", "year")
    for interval in intervals:
        counts = Counter(one[: _DIGITS[interval]] for one in known)
        if counts and (len(counts) <= _MOST_PERIODS or interval == "year"):
            return TimeLine(interval, tuple(sorted(counts.items())), of_all=False)
    return None


def moment(value: object) -> str:
    """RFC 3339 in UTC; empty if it is no moment."""
    try:
        return iso(instant_ms(value)) if isinstance(value, str) else ""
    except ValueError:
        return ""


def text(value: object) -> str:
    """One line; empty if it is no text."""
    return " ".join(value.split())[:LONGEST_TEXT] if isinstance(value, str) else ""


def web_address(value: object) -> str:
    """An absolute address of the web; empty for anything else."""
    try:
        return value if isinstance(value, str) and urlsplit(value).scheme in ("http", "https") else ""
    except ValueError:
        return ""


def box(numbers: object) -> BBox | None:
    """``[w, s, e, n]`` or with heights; None if it is no box."""
    if not isinstance(numbers, list) or len(numbers) not in (4, 6):
        return None
    edges = numbers if len(numbers) == 4 else [numbers[0], numbers[1], numbers[3], numbers[4]]
    if not all(isinstance(one, int | float) and not isinstance(one, bool) and math.isfinite(one) for one in edges):
        return None
    try:
        return BBox(*(float(one) for one in edges))
    except ValueError:
        return None


def listed(document: object, name: str) -> list[Json]:
    """The objects of a list; empty if there is none."""
    found = document.get(name) if isinstance(document, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
