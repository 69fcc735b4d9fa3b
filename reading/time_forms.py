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
from functools import cache
from importlib.resources import files
from re import Match
from typing import Literal

from core.json_types import Json
from core.timespan import FARTHEST_YEAR, TimeSpan, instant_ms
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
        name=entry["name"],
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
_ROMANS = rf"(?:{alternatives(_ROMAN)})"
_GERMAN_DECADES = [name for name in DECADES if name.endswith("ger")]
_SEASON = rf"(?P<season>{alternatives(SEASONS)})"
_NAMED_YEAR = rf"(?P<year>{_YEAR})(?P<next>[/–-](?:{_YEAR}|\d\d))?"
_LAST_DAY = 31
_AGE = r"\d{1,4}(?:[, ]\d{3}){0,3}(?:\.\d{1,6})?"


def month_span(first: tuple[int, int], last: tuple[int, int]) -> TimeSpan:
    """From the first day of one (year, month) to the last of another."""
    return TimeSpan.from_iso("{:04d}-{:02d}".format(*first), "{:04d}-{:02d}".format(*last))


def _day(year: str, month: int, day: str) -> TimeSpan | None:
    """The whole month if it has no such day (31 February)."""
    if not 1 <= month <= 12 or not 1 <= int(day) <= _LAST_DAY:
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


def _months(match: Match[str]) -> TimeSpan:
    first, last, year = MONTHS[match[1]], MONTHS[match[2]], int(match[3])
    return month_span((year if first <= last else year - 1, first), (year, last))


def _month(match: Match[str]) -> TimeSpan:
    return month_span((int(match[2]), MONTHS[match[1]]), (int(match[2]), MONTHS[match[1]]))


def _season_span(name: str, year: int, *, into_next: bool, south: bool) -> TimeSpan:
    """Meteorological: from December on, it ends in February of ``year``, or of the next year (``into_next``)."""
    month = SEASONS[name]
    if south and name not in MONTHS_OF_SEASONS:
        month = (month + 6 - 1) % 12 + 1
    if month != 12:
        return month_span((year, month), (year, month + 2))
    begins = year if into_next else year - 1
    return month_span((begins, 12), (begins + 1, 2))


def _season(*, south: bool = False) -> Reader:
    """``winter 2003`` ends in February 2003 and ``winter 2003/04`` in 2004; in the south it is June to August 2003."""
    return lambda match: _season_span(
        match["season"], int(match["year"]), into_next=bool(match.groupdict().get("next")), south=south
    )


def _preceded_by(words: str) -> str:
    """The place behind one of the words, or the beginning of a word; a look behind has a fixed length."""
    return "|".join(f"(?<={word})" for word in words.split("|") if word) or r"(?<!\w)"


def _yearly(first_month: int, months: int) -> Reader:
    """A season of each year that begins in ``first_month``; one that ends in the next year takes its name from it."""

    def read(match: Match[str]) -> TimeSpan:
        year = int(match["year"])
        last = first_month + months - 1
        begins = year if last <= 12 or match["next"] else year - 1
        return month_span((begins, first_month), (begins + (last - 1) // 12, (last - 1) % 12 + 1))

    return read


def _short_end(match: Match[str]) -> TimeSpan | None:
    """``2003-05`` is May 2003, ``1990-95`` and ``1998/99`` are years."""
    year, mark, short = int(match[1]), match[2], int(match[3])
    if mark == "-" and 1 <= short <= 12:
        return month_span((year, short), (year, short))
    last = year - year % 100 + short
    if (year + 1) % 100 == short:
        last = year + 1
    return year_span(year, last) if last > year else None


def _decade(match: Match[str]) -> TimeSpan:
    """``90s`` are the 1990s; ``1800s`` the whole century, ``2000s`` ten years."""
    first = int(match[1])
    first += 1900 if first < 100 else 0
    return year_span(first, first + (99 if first % 100 == 0 and first < 2000 else 9))


def _decade_word(match: Match[str]) -> TimeSpan:
    first = 1900 + DECADES[match[1] or match[2] or match[3]]
    return year_span(first, first + 9)


def _century(match: Match[str]) -> TimeSpan | None:
    """The 19th century is 1801 to 1900, the 5th before Christ 500 to 401."""
    century_text = next(group for group in match.groups() if group)
    number = (
        ORDINALS.get(century_text) or _ROMAN.get(century_text) or (int(century_text) if century_text.isdigit() else 0)
    )
    if match["bc"]:
        return year_span(1 - 100 * number, 100 - 100 * number) if number else None
    return year_span(100 * number - 99, 100 * number) if 1 <= number <= 22 else None


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


def _year(match: Match[str]) -> TimeSpan:
    return year_span(int(match[0]), int(match[0]))


_PLURAL_YEARS = r"années|années|años|anni|anos|décennie|década d[eo]|década de los|decennio|decade"

FORMS: tuple[Form, ...] = (
    Form(
        re.compile(
            rf"(?<!\w){_YEAR}(?:-\d\d-\d\d(?:t\d\d:\d\d(?::\d\d(?:\.\d{{1,9}})?)?(?:z|[+-]\d\d:?\d\d)?)?|/\d\d/\d\d)(?!\w)"
        ),
        _iso,
        1.0,
    ),
    Form(re.compile(rf"(?<!\w)(?<!\d[./-])(\d{{1,2}})([./-])(\d{{1,2}})\2({_YEAR})(?!\w)"), _numbers, 0.8),
    Form(
        re.compile(
            rf"(?<![\w.])(\d{{1,2}})(?:st|nd|rd|th|er|º|°|\.)?\s{_OF}({_MONTH})\.?,?\s{_OF}({_YEAR})(?!\w)",
        ),
        lambda match: _day(match[3], MONTHS[match[2]], match[1]),
        0.98,
    ),
    Form(
        re.compile(rf"(?<!\w)({_MONTH})\.?\s(\d{{1,2}})(?:st|nd|rd|th)?,?\s({_YEAR})(?!\w)"),
        lambda match: _day(match[3], MONTHS[match[1]], match[2]),
        0.98,
    ),
    Form(
        re.compile(
            rf"(?<!\w)({_MONTH})\.?\s?(?:-|–|/|to|through|and|bis|und|à|et|a|y|al|e)\s?({_MONTH})\.?,?\s{_OF}({_YEAR})(?!\w)",
        ),
        _months,
        0.9,
    ),
    Form(re.compile(rf"(?<!\w)({_MONTH})\.?,?\s{_OF}({_YEAR})(?!\w)"), _month, 0.95),
    *(
        Form(re.compile(pattern), _yearly(first, months), 0.9)
        for lead, words, first, months in YEARLY_SEASONS
        for pattern in (
            rf"(?:{_preceded_by(lead)})(?:{words})(?:\s|(?<=wy)){_OF}{_NAMED_YEAR}(?!\w)",
            rf"(?<!\w){_NAMED_YEAR}(?=\s(?:[a-z]+\s)?(?:{lead})(?:{words})(?!\w))",
        )
    ),
    Form(re.compile(rf"(?<!\w){_SEASON}\s{_OF}{_NAMED_YEAR}(?!\w)"), _season(), 0.85, read_south=_season(south=True)),
    Form(re.compile(rf"(?<!\w){_NAMED_YEAR}\s{_SEASON}(?!\w)"), _season(), 0.8, read_south=_season(south=True)),
    Form(re.compile(rf"(?<![\w/–-])({_YEAR})([-/–])(\d\d)(?![\w/–-])"), _short_end, 0.85),
    Form(
        re.compile(rf"(?<![\w./-])(0[1-9]|1[0-2]|[1-9](?=/))[./]({_YEAR})(?![\w/])(?![.-]\d)"),
        lambda match: month_span((int(match[2]), int(match[1])), (int(match[2]), int(match[1]))),
        0.8,
    ),
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
            rf"|(\d{{1,2}})\.\s?jahrhunderts?|(\d{{1,2}}|{_ROMANS})\s?(?:e|è|ème|ième)\s?siècle"
            rf"|(?:siglo|século|secolo)\s(\d{{1,2}}|{_ROMANS})|({_ROMANS})\ssecolo)(?P<bc>\s(?:bce?|b\.c\.|v\.\s?chr\.))?(?!\w)"
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
    Form(re.compile(rf"(?<!\w)(?<!\d[.:]){_YEAR}(?![\w°%])(?![.:]\d)(?!,\d{{1,3}}(?!\d))"), _year, 0.8),
)
