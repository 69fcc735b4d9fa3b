"""Times relative to today: "last 30 years", "letztes Jahrzehnt", "10 years ago", "next decade"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from re import Match
from typing import Literal

from dateutil.relativedelta import relativedelta

from core.timespan import TimeSpan, instant_ms
from reading.periods import EARLIEST_YEAR, year_span
from reading.spans import Range
from reading.time_words import COUNTS, LAST, NEXT, UNITS

Way = Literal["last", "calendar", "ago", "next", "this"]

_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "tausend": 1_000, "millionen": 1_000_000}
_YEARS = {"years": 1, "decades": 10, "centuries": 100, "kyr": 1_000, "ka": 1_000, "myr": 1_000_000, "ma": 1_000_000}
_FEW = {"days": 5, "weeks": 5, "months": 5, "years": 5, "decades": 3, "centuries": 3}
_PLURALS = re.compile(
    r".*(?:s|jahren?|tagen?|wochen|monaten?|dekaden|jahrzehnten?|jahrhunderten?|anni|mesi|giorni|ni)$"
)
_SINGULAR_S = {"mois", "mes", "mês"}


def _alternatives(words: set[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_COUNT = (
    rf"(?P<count>\d{{1,3}}(?:[ ,.]\d{{3}}){{1,3}}|\d{{1,9}}|{_alternatives(set(COUNTS))})"
    rf"(?:[\s-](?P<scale>{_alternatives(set(_SCALES))}))?"
)
_UNIT = rf"(?P<unit>{_alternatives(set(UNITS) | {'kyr', 'ka', 'myr', 'ma'})})(?!\w)"
_FEWS = r"(?:few|several|some|einigen?|mehreren?|wenigen|quelques|algunos|pocos|pochi|poucos)\s"

_FORMS: tuple[tuple[Way, re.Pattern[str]], ...] = (
    ("last", re.compile(rf"(?<!\w){_COUNT}\s(?:{LAST})\s{_UNIT}")),
    ("last", re.compile(rf"(?<!\w)(?:{LAST})[\s-](?:{_COUNT}[\s-]|{_FEWS})?{_UNIT}")),
    ("last", re.compile(rf"(?<!\w)(?:seit|depuis|desde hace|há)\s{_COUNT}\s{_UNIT}")),
    ("ago", re.compile(rf"(?<!\w){_COUNT}\s{_UNIT}\s(?:ago|fa|atrás)(?!\w)")),
    ("ago", re.compile(rf"(?<!\w)(?:vor|il y a|hace|há)\s{_COUNT}\s{_UNIT}")),
    ("next", re.compile(rf"(?<!\w){_COUNT}\s(?:{NEXT})\s{_UNIT}")),
    ("next", re.compile(rf"(?<!\w)(?:{NEXT})\s(?:{_COUNT}\s|{_FEWS})?{_UNIT}")),
    ("calendar", re.compile(rf"(?<!\w){_UNIT}\s(?:derni[eè]re?|pasad[oa]|scors[oa]|passad[oa])(?!\w)")),
    ("this", re.compile(rf"(?<!\w)(?:this|dieses|diesem|diesen|cette|ce|este|esta|quest['’]|questo)\s?{_UNIT}")),
)


@dataclass(frozen=True, slots=True)
class RelativeTime:
    """The position in the text, and the meaning on the day of the question."""

    place: Range
    span: TimeSpan
    ahead: bool


def relative_times(low: str, today: date) -> Iterator[RelativeTime]:
    """Every relative time of a text in lower case; forms can overlap, and the first one wins."""
    for way, pattern in _FORMS:
        for match in pattern.finditer(low):
            span = _span(way, match, today)
            if span is not None:
                yield RelativeTime(match.span(), span, ahead=way == "next")


def _span(way: Way, match: Match[str], today: date) -> TimeSpan | None:
    word = match["unit"]
    unit = UNITS.get(word, word)
    groups = match.groupdict()
    count = _count(groups.get("count"), groups.get("scale"))
    plural = bool(_PLURALS.match(word)) and word not in _SINGULAR_S
    if (
        way == "this"
        or way == "calendar"
        or (way == "last" and count is None and not plural and "past" not in match[0])
    ):
        calendar = _calendar(unit, today, 0 if way == "this" else -1)
        if calendar is not None or way != "last":
            return calendar
    number = count if count is not None else _FEW.get(unit, 1) if plural else 1
    now = instant_ms(today.isoformat(), at_end=True)
    if way == "next":
        end = _moved(today, number, unit)
        return None if end is None else TimeSpan(instant_ms(today.isoformat()), end)
    start = _moved(today, -number, unit)
    if start is None:
        return None
    return TimeSpan(start, now) if way == "last" else _around(today, number, unit, start)


def _count(written: str | None, scale: str | None) -> int | None:
    if written is None:
        return None
    number = COUNTS.get(written) or int(re.sub(r"[ ,.]", "", written))
    return number * _SCALES.get(scale or "", 1)


def _calendar(unit: str, today: date, step: int) -> TimeSpan | None:
    """This (0) or the last (-1) whole year, month or week; None for other units, which count back from today."""
    if unit == "years":
        return year_span(today.year + step, today.year + step)
    if unit == "months":
        month = (today + relativedelta(months=step)).isoformat()[:7]
        return TimeSpan.from_iso(month, month)
    if unit == "weeks":
        monday = today + timedelta(days=7 * step - today.weekday())
        return TimeSpan.from_iso(monday.isoformat(), (monday + timedelta(days=6)).isoformat())
    return None


def _moved(today: date, number: int, unit: str) -> int | None:
    """Today moved by a number of units, in ms; None if out of range."""
    if unit in _YEARS:
        return _moved_years(today, number * _YEARS[unit])
    if abs(number) > 30_000:
        return None
    step = relativedelta(**{unit: number})  # type: ignore[arg-type]  # days, weeks or months
    try:
        moved = today + step
    except (ValueError, OverflowError):  # before year 1 or after year 9999
        return None
    return instant_ms(moved.isoformat(), at_end=number > 0)


def _moved_years(today: date, years: int) -> int | None:
    year = today.year + years
    if not EARLIEST_YEAR <= year <= 9_999:
        return None
    if year >= 1:
        return instant_ms((today + relativedelta(years=years)).isoformat(), at_end=years > 0)
    return year_span(year, year).start_ms


def _around(today: date, number: int, unit: str, instant: int) -> TimeSpan:
    """ "10 years ago" is that calendar year, "3 weeks ago" that day; long ago, give or take a twentieth."""
    if unit not in _YEARS:
        return TimeSpan(instant, instant + 86_399_999)
    years = number * _YEARS[unit]
    slack = years // 20 if years >= 200 else 0
    return year_span(today.year - years - slack, today.year - years + slack)
