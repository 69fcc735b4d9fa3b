"""The written forms of dates, seasons, decades, centuries and ages, and the named periods, each with its meaning.

Named periods of the calendar, the climate and the Earth are facts of the project in ``periods.json``, with sources.
"""

from __future__ import annotations

import calendar
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from importlib.resources import files
from re import Match
from typing import Literal

from core.json_types import Json
from core.timespan import FARTHEST_YEAR, TimeSpan, enclosing_span, instant_ms
from reading import time_words as words
from reading.sentences import alternatives
from reading.time_words import DECADES, MONTHS, MONTHS_OF_SEASONS, ORDINALS, SEASONS, YEARLY_SEASONS

PeriodKind = Literal["period", "future", "recent"]

EARLIEST_YEAR = -FARTHEST_YEAR
"""About the oldest year in 64-bit milliseconds; an older end is cut to it, an older start is left open."""


@dataclass(frozen=True, slots=True)
class Period:
    """A named period. ``first_year`` and ``last_year`` are both included, None is an open end.

    Astronomical years (0 is 1 BC). ``from_today`` counts years from today instead and leaves the others None.
    """

    first_year: int | None
    last_year: int | None
    from_today: tuple[int, int | None] | None
    kind: PeriodKind
    confidence: float
    source: str

    def span(self, today: date) -> TimeSpan:
        if self.from_today is None:
            return year_span(self.first_year, self.last_year)
        years_back, years_ahead = self.from_today
        start = today.replace(year=today.year + years_back, day=min(today.day, 28) if today.month == 2 else today.day)
        return TimeSpan.from_iso(start.isoformat(), None if years_ahead is None else today.isoformat())


def year_span(first: int | None, last: int | None) -> TimeSpan:
    """From the first moment of one year to the last of another; limited to 64 bits (see EARLIEST_YEAR)."""
    start = None if first is None or first < EARLIEST_YEAR else instant_ms(_year_text(first))
    return TimeSpan(start, None if last is None else instant_ms(_year_text(max(last, EARLIEST_YEAR)), at_end=True))


def _year_text(year: int) -> str:
    return f"{'-' if year < 0 else ''}{abs(year):04d}"


@dataclass(frozen=True, slots=True)
class PeriodWords:
    """One pattern for every name, and the meaning of each name."""

    pattern: re.Pattern[str]
    meanings: dict[str, Period]

    def meaning(self, words: str) -> Period:
        return self.meanings[_plain_text(words)]


@cache
def period_words() -> PeriodWords:
    """All names in all languages; read once. The words of a name are separated by spaces or hyphens."""
    entries = json.loads((files("reading") / "periods.json").read_text(encoding="utf-8"))["periods"]
    meanings = {_plain_text(word): _period(entry) for entry in entries for word in entry["words"]}
    names = alternatives(map(re.escape, meanings)).replace(r"\ ", r"[\s-]{1,3}")
    return PeriodWords(re.compile(rf"(?<!\w)(?:{names})(?!\w)"), meanings)


def _plain_text(words: str) -> str:
    return " ".join(words.replace("-", " ").split())


def _period(entry: Json) -> Period:
    first, last = entry.get("years", (None, None))
    if "before_2000" in entry:
        older, younger = entry["before_2000"]
        first, last = 2000 - older, None if younger is None else 2000 - younger
    return Period(
        first_year=first,
        last_year=last,
        from_today=tuple(entry["today"]) if "today" in entry else None,
        kind=entry.get("kind", "period"),
        confidence=entry.get("confidence", 0.9),
        source=entry["source"],
    )


Reader = Callable[[Match[str]], TimeSpan | None]


@dataclass(frozen=True, slots=True)
class Form:
    """A written form of a time. ``read`` returns None for a time that does not exist (month 13).

    ``case_sensitive`` forms match the text as written (``Ma`` is an age, ``mA`` a current), others match lower case.
    ``read_south``: the meaning in the southern hemisphere, if it is another one.
    """

    pattern: re.Pattern[str]
    read: Reader
    confidence: float
    case_sensitive: bool = False
    read_south: Reader | None = None


_YEAR = r"(?:1[5-9]\d\d|2[01]\d\d)"
_MONTH = rf"(?:{alternatives(MONTHS)})"
_OF = r"(?:of\s|de\s|del\s|d['’]|dell['’])?"
_ROMAN = {"xv": 15, "xvi": 16, "xvii": 17, "xviii": 18, "xix": 19, "xx": 20, "xxi": 21}
ROMANS = rf"(?:{alternatives(_ROMAN)})"
_GERMAN_DECADES = [name for name in DECADES if name.endswith("ger")]
MONTH_OR_SEASON = alternatives([*MONTHS, *SEASONS])
_SEASON = rf"(?P<season>{alternatives(SEASONS)})(?:(?<=[tm]er)s|(?<=autumn)s)?"
_NAMED_YEAR = rf"(?P<year>{_YEAR})(?P<next>[/–-](?:{_YEAR}|\d\d)|(?:\s?[–—-]\s?|\s(?:{words.TO})\s){_YEAR}(?![–/-]\d))?"
_NO_RANGE = rf"(?!\.?\s?(?:[–—/,-]|\d{{1,2}}(?!\d)|(?:{words.TO}|{words.AND})\s))"
_EAST_ASIAN_MONTH = r"\s?(?P<month>\d{1,2})[月월](?:\s?(?P<day>\d{1,2})[日일])?+"
_NTH = r"(?:st|nd|rd|th)?"
_THE = r"(?:(?:the|dem|den|le|el|il)\s)?"
_DAY_RANGE = (
    rf"(?<!\w)(?:(?:{words.OPENING})\s{_THE})?(?<![\w.])"
    rf"(?:(?P<day1>\d{{1,2}})(?:{_NTH}|er|º|°|\.)\s{_OF}(?P<month1>{_MONTH})\.?|(?P<name1>{_MONTH})\.?\s(?P<number1>\d{{1,2}}){_NTH})"
    rf"(?:\s{{0,3}}[–—-]\s{{0,3}}|\s(?:{words.TO}|{words.AND})\s{_THE})"
    rf"(?:(?P<day2>\d{{1,2}})(?:{_NTH}|er|º|°|\.)\s{_OF}(?P<month2>{_MONTH})\.?|(?:(?P<name2>{_MONTH})\.?\s)?(?P<number2>\d{{1,2}}){_NTH})"
    rf",?\s{_OF}(?P<year>{_YEAR})(?!\w)"
)
_NAMED_MONTH = rf"(?P<month>{_MONTH})"
_DATES = (
    (
        rf"(?<![\w.])(?P<day>\d{{1,2}})(?:{_NTH}|er|º|°|\.)[\s-]{_OF}{_NAMED_MONTH}\.?,?[\s-]{_OF}(?P<year>{_YEAR})(?!\w)",
        0.98,
    ),
    (rf"(?<!\w){_NAMED_MONTH}\.?\s(?P<day>\d{{1,2}}){_NTH},?\s(?P<year>{_YEAR})(?!\w)", 0.98),
    (rf"(?<!\w){_NAMED_MONTH}\.?,?[\s-]{_OF}(?P<year>{_YEAR})(?!\w)", 0.95),
    (rf"(?<!\w)(?P<year>{_YEAR})[\s-]{_NAMED_MONTH}\.?[\s-](?P<day>\d{{1,2}}){_NTH}(?!\w|\.\d){_NO_RANGE}", 0.9),
    (rf"(?<!\w)(?P<year>{_YEAR})[\s-](?!may|mars){_NAMED_MONTH}(?!\w){_NO_RANGE}", 0.9),
    (rf"(?<![\w./-])(?P<month>0[1-9]|1[0-2]|[1-9](?=/))[./](?P<year>{_YEAR})(?![\w/])(?![.-]\d)", 0.8),
    (
        r"(?<![\w./])(?<![a-z]-)(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>[0-2]\d|3[01])(?![\w./]|-[a-z])",
        0.9,
    ),
    (rf"(?<!\d)(?P<year>{_YEAR})[年년](?:(?P<decade>[代대])|{_EAST_ASIAN_MONTH})?+(?!\s?[前间間전간])", 0.95),
)
"""One day, month, decade or year: its pattern and how sure it is."""
_AGE = r"\d{1,4}(?:[, ]\d{3}){0,3}(?:\.\d{1,6})?"


def month_span(first: tuple[int, int], last: tuple[int, int]) -> TimeSpan:
    """From the first day of one (year, month) to the last of another."""
    return TimeSpan.from_iso("{:04d}-{:02d}".format(*first), "{:04d}-{:02d}".format(*last))


def _day(year: str, month: int, day: str) -> TimeSpan | None:
    """The whole month if it has no such day (31 February)."""
    if not 1 <= month <= 12 or not 1 <= int(day) <= 31:
        return None
    if int(day) > calendar.monthrange(int(year), month)[1]:
        return month_span((int(year), month), (int(year), month))
    date = f"{year}-{month:02d}-{int(day):02d}"
    return TimeSpan.from_iso(date, date)


def _iso(match: Match[str]) -> TimeSpan | None:
    date_text = match[0].replace("/", "-").upper()
    try:
        return TimeSpan.from_iso(date_text, date_text)
    except ValueError:  # a day or hour that does not exist
        year, month, day = date_text[:10].split("-")
        return _day(year, int(month), day)


def _numbers(match: Match[str]) -> TimeSpan | None:
    """Day first, as in most of the world; month first if only that is possible (``05/23/2003``)."""
    first, second, year = match[1], match[3], match[4]
    return _day(year, int(second), first) or _day(year, int(first), second)


def _date(match: Match[str]) -> TimeSpan | None:
    """The day, the month, the decade or the year that the groups name."""
    groups = match.groupdict()
    year, month, day = match["year"], groups.get("month"), groups.get("day")
    if month is None:
        return year_span(int(year), int(year) + (9 if groups.get("decade") else 0))
    number = MONTHS.get(month) or int(month)
    if day is not None:
        return _day(year, number, day)
    return month_span((int(year), number), (int(year), number)) if 1 <= number <= 12 else None


def _days(match: Match[str]) -> TimeSpan | None:
    """Two days with one year, and perhaps one month; of "20 December to 5 January 2015" the first is in 2014."""
    (first_day, first_name), (last_day, last_name) = (
        (match[f"day{n}"] or match[f"number{n}"], match[f"month{n}"] or match[f"name{n}"]) for n in (1, 2)
    )
    first_month, last_month = MONTHS[first_name], MONTHS[last_name or first_name]
    first = _day(str(int(match["year"]) - (first_month > last_month)), first_month, first_day)
    last = _day(match["year"], last_month, last_day)
    return None if first is None or last is None else enclosing_span((first, last))


def first_month(name: str, *, south: bool) -> int:
    """Of a month or a season; seasons are half a year later in the south, except those by the letters of months."""
    is_turned = south and name in SEASONS and name not in MONTHS_OF_SEASONS
    return (SEASONS[name] + 5) % 12 + 1 if is_turned else MONTHS.get(name) or SEASONS[name]


def _months(*, south: bool = False) -> Reader:
    """From one month or season to another of a year; the first is in the year before if it is later in the year."""

    def read(match: Match[str]) -> TimeSpan:
        first, last = (first_month(match[n], south=south) for n in (1, 2))
        year, end = int(match[3]), last + (2 if match[2] in SEASONS else 0)
        return month_span((year - (first > last), first), (year + (end > 12), (end - 1) % 12 + 1))

    return read


def _yearly(match: Match[str], first_month: int, months: int) -> TimeSpan:
    """The season of a year, or of the years from one to another ("summer 2003-2005").

    One across the new year has the name of the year it ends in, or of both: ``winter 2003`` ends in February 2003,
    ``winter 2003/04`` in 2004.
    """
    first = int(match["year"])
    last = max(first, _last_year(first, re.sub(r"\D", "", match["next"] or match["year"])))
    end = first_month + months - 1
    if end > 12 and last == first + 1:
        last = first
    elif end > 12:
        first, last = first - 1, last - 1
    return month_span((first, first_month), (last + (end - 1) // 12, (end - 1) % 12 + 1))


def _last_year(year: int, digits: str) -> int:
    """Of ``1990-95`` and ``1999/00``; written out, it is that year."""
    if len(digits) > 2:
        return int(digits)
    return year + 1 if (year + 1) % 100 == int(digits) else year - year % 100 + int(digits)


def _season(*, south: bool = False) -> Reader:
    return lambda match: _yearly(match, first_month(match["season"], south=south), 3)


def _preceded_by(phrases: str) -> str:
    """The place behind one of the words, or the beginning of a word; a look behind has a fixed length."""
    return "|".join(f"(?<={word})" for word in phrases.split("|") if word) or r"(?<!\w)"


def _short_end(match: Match[str]) -> TimeSpan | None:
    """``2003-05`` is May 2003, ``1990-95`` and ``1998/99`` are years."""
    year, mark, short = int(match[1]), match[2], int(match[3])
    if mark == "-" and 1 <= short <= 12:
        return month_span((year, short), (year, short))
    last = _last_year(year, match[3])
    return year_span(year, last) if last > year else None


def _short_years(match: Match[str]) -> TimeSpan | None:
    """``'95-'05``: years from 1930 to 2029."""
    first, last = (year + (1900 if year >= 30 else 2000) for year in (int(match[1]), int(match[2])))
    return year_span(first, last) if first <= last else None


def _quarter(match: Match[str]) -> TimeSpan:
    """``2015-Q3`` is July to September."""
    year, last_month = int(match["year"]), 3 * int(match["quarter"])
    return month_span((year, last_month - 2), (year, last_month))


def _decade(match: Match[str]) -> TimeSpan:
    """``90s`` are the 1990s; ``1800s`` the whole century, ``2000s`` ten years."""
    first = int(match[1])
    first += 1900 if first < 100 else 0
    return year_span(first, first + (99 if first % 100 == 0 and first < 2000 else 9))


def _decade_word(match: Match[str]) -> TimeSpan:
    first = 1900 + DECADES[match[1] or match[2] or match[3]]
    return year_span(first, first + 9)


def _century(match: Match[str]) -> TimeSpan | None:
    """The 19th century is 1801 to 1900, the 5th before Christ 500 to 401; of "siglos XVI y XX" the first."""
    century_text = next(group for group in match.groups() if group)
    texts = (century_text, match["last"] or century_text)
    number, last = (ORDINALS.get(text) or _ROMAN.get(text) or int(text) for text in texts)
    if match["bc"]:
        return year_span(1 - 100 * number, 100 - 100 * min(last, number)) if number else None
    if last < number or (match["and"] and last > number + 1):
        last = number
    return year_span(100 * number - 99, 100 * last) if 1 <= number <= last <= 22 else None


def _age(match: Match[str]) -> TimeSpan | None:
    """``21 ka``, ``55 Ma``, ``6000 years BP``: that age before 1950, plus or minus a twentieth."""
    unit = match["unit"] or ""
    factor = 1 if not unit else 1_000 if unit[0] == "k" else 1_000_000
    age = float(re.sub(r"[, ]", "", match["age"])) * factor
    return year_span(round(1950 - age * 1.05), round(1950 - age * 0.95)) if 100 <= age <= 4.6e9 else None


def _era(match: Match[str]) -> TimeSpan | None:
    """``500 BC`` is the astronomical year -499; ``AD 1000-1200`` are 201 years."""
    year = 1 - int(match[1]) if match[1] else int(match[2] or match[3])
    last = max(year, int(match[4] or year))
    return year_span(year, last) if last <= 2199 else None


_PLURAL_YEARS = r"années|années|años|anni|anos|décennie|década d[eo]|década de los|decennio|decade"

FORMS: tuple[Form, ...] = (
    Form(
        re.compile(
            rf"(?<!\w){_YEAR}(?:-\d\d-\d\d(?:t\d\d:\d\d(?::\d\d(?:\.\d{{1,9}})?)?(?:z|[+-]\d\d:?\d\d)?)?|/\d\d/\d\d)(?!\w)"
        ),
        _iso,
        1.0,
    ),
    Form(re.compile(_DAY_RANGE), _days, 0.95),
    Form(
        re.compile(rf"(?<!\w)(?:(?<!\d[./-])|(?<=\d{{4}}-))(\d{{1,2}})([./-])(\d{{1,2}})\2({_YEAR})(?!\w)"),
        _numbers,
        0.8,
    ),
    Form(
        re.compile(
            rf"(?<!\w)(?:(?:{words.FROM})\s{_THE})?({MONTH_OR_SEASON})\.?\s?(?:-|–|/|to|through|and|bis|und|à|et|a|y|al|e)\s?({MONTH_OR_SEASON})\.?,?\s{_OF}({_YEAR})(?!\w)",
        ),
        _months(),
        0.9,
        read_south=_months(south=True),
    ),
    *(Form(re.compile(pattern), _date, confidence) for pattern, confidence in _DATES),
    *(
        Form(re.compile(pattern), partial(_yearly, first_month=first, months=months), 0.9)
        for lead, names, first, months in YEARLY_SEASONS
        for pattern in (
            rf"(?:{_preceded_by(lead)})(?:{names})(?:\s|(?<=wy)){_OF}{_NAMED_YEAR}(?!\w)",
            rf"(?<!\w){_NAMED_YEAR}(?=\s(?:[a-z]+\s)?(?:{lead})(?:{names})(?!\w))",
        )
    ),
    Form(re.compile(rf"(?<!\w){_SEASON}\s{_OF}{_NAMED_YEAR}(?!\w)"), _season(), 0.85, read_south=_season(south=True)),
    Form(re.compile(rf"(?<!\w){_NAMED_YEAR}\s{_SEASON}(?!\w)"), _season(), 0.8, read_south=_season(south=True)),
    Form(re.compile(rf"(?<!\w)(?P<year>{_YEAR})[\s/-]?q(?P<quarter>[1-4])(?!\w|\s?[-–/]\s?q|\s\w+\sq)"), _quarter, 0.9),
    Form(re.compile(rf"(?<![\w/–-])({_YEAR})([-/–])(\d\d)(?![\w/–-])"), _short_end, 0.85),
    Form(re.compile(r"(?<![\w°'’])['’](\d\d)(?:\s?[-/–]\s?|\s(?:to|and)\s)['’](\d\d)(?!\w)"), _short_years, 0.85),
    Form(re.compile(r"(?<!\w)(1[5-9]\d0|2[01]\d0)(?:['’]?s|er(?:[\s-]?jahren?)?)(?!\w)"), _decade, 0.95),
    Form(re.compile(r"(?<!\w)(?:['’]|(?<=the\s))([2-9]0)['’]?s(?!\w)"), _decade, 0.85),
    Form(re.compile(r"(?<![\w.])([789]0)(?:['’]?s|er(?:[\s-]?jahren?)?)(?!\w)"), _decade, 0.75),
    Form(re.compile(r"(?<!\w)([2-6]0)er[\s-]?jahren?(?!\w)"), _decade, 0.85),
    Form(
        re.compile(rf"(?<!\d\s)(?<!\w)(?:{_PLURAL_YEARS})\s['’]?(\d{{3}}0|[2-9]0)(?!\w)(?!\s?[-–/]\s?\d)"),
        _decade,
        0.9,
    ),
    Form(
        re.compile(
            r"(?<!\w)(?:(?<=the\s)|(?<=early\s)|(?<=late\s)|(?<=mid-))((?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)ies)(?!\w)"
            rf"|(?<!\w)({alternatives(_GERMAN_DECADES)})[\s-]?jahren?(?!\w)"
            rf"|(?<!\d\s)(?<!\w)(?:années|años|anni|anos)\s({alternatives(DECADES)})(?!\w)"
        ),
        _decade_word,
        0.9,
    ),
    Form(
        re.compile(
            rf"(?<!\w)(?:(\d{{1,2}})(?:st|nd|rd|th)[\s-]centur(?:y|ies)|({alternatives(ORDINALS)})[\s-](?:century|jahrhunderts?)"
            rf"|(\d{{1,2}})\.\s?(?:jahrhunderts?|jhd?t?s?\.?)|(\d{{1,2}}|{ROMANS})\s?(?:e|è|ème|ième)\s?siècles?"
            rf"|(?:siglos?|séculos?|secol[oi])\s(\d{{1,2}}|{ROMANS})|({ROMANS})\s(?:secol[oi]|century|jahrhunderts?))"
            rf"(?P<bc>\s(?:bce?|b\.c\.|v\.\s?chr\.))?(?!\w)"
            rf"(?:(?:\s?[–—-]\s?|\s(?:{words.TO}|(?P<and>y|e))\s{_THE})"
            rf"(?P<last>{ROMANS}(?!\w)|\d{{1,2}}(?=st|nd|rd|th))(?:st|nd|rd|th)?(?!\w|\s(?:cent|sec|siè)))?"
        ),
        _century,
        0.9,
    ),
    Form(
        re.compile(
            rf"(?<![\w.,])(?P<age>{_AGE})\s?(?:(?P<unit>ka|kyr|kya|Ma|Myr|Mya)(?:\s?(?:cal\s)?(?:BP|ago|b2k))?"
            rf"|(?:cal\.?\s)?(?:years?\s|yrs?\s|a\s)?BP|years before present)(?!\w)"
        ),
        _age,
        0.8,
        case_sensitive=True,
    ),
    Form(
        re.compile(
            r"(?<![\w.,])(?:(\d{1,5})\s(?:BCE?|B\.C\.|v\.\s?Chr\.)|(\d{1,4})\s(?:AD|CE|n\.\s?Chr\.)"
            r"|(?:AD|A\.D\.)\s(\d{1,4})(?:[-–](\d{1,4}))?)(?!\w)"
        ),
        _era,
        0.9,
        case_sensitive=True,
    ),
    Form(re.compile(rf"(?<!\w)(?<!\d[.:])(?P<year>{_YEAR})(?![\w°%])(?![.:]\d)(?!,\d{{1,3}}(?!\d))"), _date, 0.8),
)
