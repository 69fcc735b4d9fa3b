"""Finds single times in a text: dates, months, seasons, years, ages, named periods, times relative to today.

``times`` reads how they are connected ("between", "since"). Every pattern is bounded, so the time is linear in the
length of the text. Numbers that only look like years (heights, pressures, scales, versions, counts, product names) are
taken out first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from re import Match
from typing import Literal

from dateutil.relativedelta import relativedelta

from core.timespan import TimeSpan, enclosing_span, instant_ms
from reading.names import read_identifiers
from reading.sentences import Claims, Range, alternatives
from reading.time_forms import EARLIEST_YEAR, FORMS, ROMANS, Form, Reader, period_words, year_span
from reading.time_words import AND, BETWEEN, COUNTS, LAST, NEXT, OPENING, SCALES, TO, UNITS

RelativeForm = Literal["last", "calendar", "ago", "next", "this"]

_YEARS = {"years": 1, "decades": 10, "centuries": 100, "kyr": 1_000, "ka": 1_000, "myr": 1_000_000, "ma": 1_000_000}
_COUNT_OF_A_FEW = {"days": 5, "weeks": 5, "months": 5, "years": 5, "decades": 3, "centuries": 3}
_PLURALS = re.compile(
    r".*(?:s|jahren?|tagen?|wochen|monaten?|dekaden|jahrzehnten?|jahrhunderten?|anni|mesi|giorni|ni)$"
)
_SINGULAR_S = {"mois", "mes", "mês"}


_COUNT = (
    rf"(?<!\d[.,])(?P<count>\d{{1,3}}(?:[ ,.]\d{{3}}){{1,3}}|\d{{1,9}}(?:[.,]\d{{1,2}})?|{alternatives(set(COUNTS))})"
    rf"(?:[\s-](?P<scale>{alternatives(set(SCALES))}))?"
)
_TIME_UNIT = rf"(?P<unit>{alternatives(set(UNITS) | {'kyr', 'ka', 'myr', 'ma'})})(?!\w)"
_FEWS = r"(?:few|several|some|einigen?|mehreren?|wenigen|quelques|algunos|pocos|pochi|poucos)\s"

_FORMS: tuple[tuple[RelativeForm, re.Pattern[str]], ...] = (
    ("last", re.compile(rf"(?<!\w){_COUNT}\s(?:{LAST})\s{_TIME_UNIT}")),
    ("last", re.compile(rf"(?<!\w)(?:{LAST})[\s-](?:{_COUNT}[\s-]|{_FEWS})?{_TIME_UNIT}")),
    ("last", re.compile(rf"(?<!\w)(?:seit|depuis|desde hace|há)\s{_COUNT}\s{_TIME_UNIT}")),
    ("ago", re.compile(rf"(?<!\w){_COUNT}\s{_TIME_UNIT}\s(?:ago|fa|atrás)(?!\w)")),
    ("ago", re.compile(rf"(?<!\w)(?:vor|il y a|hace|há)\s{_COUNT}\s{_TIME_UNIT}")),
    ("next", re.compile(rf"(?<!\w){_COUNT}\s(?:{NEXT})\s{_TIME_UNIT}")),
    ("next", re.compile(rf"(?<!\w)(?:{NEXT})\s(?:{_COUNT}\s|{_FEWS})?{_TIME_UNIT}")),
    ("calendar", re.compile(rf"(?<!\w){_TIME_UNIT}\s(?:derni[eè]re?|pasad[oa]|scors[oa]|passad[oa])(?!\w)")),
    ("this", re.compile(rf"(?<!\w)(?:this|dieses|diesem|diesen|cette|ce|este|esta|quest['’]|questo)\s?{_TIME_UNIT}")),
)


def _relative_span(form: RelativeForm, match: Match[str], today: date) -> TimeSpan | None:
    word = match["unit"]
    unit = UNITS.get(word, word)
    groups = match.groupdict()
    count = _count(groups.get("count"), groups.get("scale"))
    plural = bool(_PLURALS.match(word)) and word not in _SINGULAR_S
    if (
        form == "this"
        or form == "calendar"
        or (form == "last" and count is None and not plural and "past" not in match[0])
    ):
        calendar = _calendar_unit(unit, today, 0 if form == "this" else -1)
        if calendar is not None or form != "last":
            return calendar
    number = count if count is not None else _COUNT_OF_A_FEW.get(unit, 1) if plural else 1
    now = instant_ms(today.isoformat(), at_end=True)
    if form == "next":
        end = _shift(today, number, unit)
        return None if end is None else TimeSpan(instant_ms(today.isoformat()), end)
    start = _shift(today, -number, unit)
    if start is None:
        return None
    return TimeSpan(start, now) if form == "last" else _span_around(today, number, unit, start)


_THOUSANDS = re.compile(r"[ ,.](?=\d{3}(?!\d))")


def _count(number_text: str | None, scale: str | None) -> float | None:
    if number_text is None:
        return None
    number = COUNTS.get(number_text) or float(_THOUSANDS.sub("", number_text).replace(",", "."))
    return number * SCALES.get(scale or "", 1)


def _calendar_unit(unit: str, today: date, step: int) -> TimeSpan | None:
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


def _shift(today: date, number: float, unit: str) -> int | None:
    """Today moved by a number of units, in ms; None if out of range."""
    if unit in _YEARS:
        return _shifted_years(today, round(number * _YEARS[unit]))
    if abs(number) > 30_000:
        return None
    step = relativedelta(**{unit: round(number)})  # type: ignore[arg-type]  # days, weeks or months
    try:
        new_date = today + step
    except (ValueError, OverflowError):  # before year 1 or after year 9999
        return None
    return instant_ms(new_date.isoformat(), at_end=number > 0)


def _shifted_years(today: date, years: int) -> int | None:
    year = today.year + years
    if not EARLIEST_YEAR <= year <= 9_999:
        return None
    if year >= 1:
        return instant_ms((today + relativedelta(years=years)).isoformat(), at_end=years > 0)
    return year_span(year, year).start_ms


def _span_around(today: date, number: float, unit: str, instant: int) -> TimeSpan:
    """ "10 years ago" is that calendar year, "3 weeks ago" that day; long ago, give or take a twentieth."""
    if unit not in _YEARS:
        return TimeSpan(instant, instant + 86_399_999)
    years = round(number * _YEARS[unit])
    slack = years // 20 if years >= 200 else 0
    return year_span(today.year - years - slack, today.year - years + slack)


_NUMBER = r"\d{1,9}(?:[.,   ]\d{3}){0,3}(?:[.,]\d{1,6})?"
_MEASURE_UNIT = (
    r"(?:[kcm]?m(?:\s?a\.?\s?s\.?\s?l|²|³|[23])?|µm|nm|hpa|kpa|pa|mbar|mb|dbar|°\s?[cfnsew]?|k(?:elvin)?|%|ft|feet|foot|miles?|nmi|"
    r"(?:kilo|centi|milli)?met(?:er|re)s?n?|mètres|metros|metri|metern|[mgk]?w(?:/m2?)?|[mgk]?hz|pp[mbt]v?|"
    r"mg|kg|tons?|tonnes?|psu|ha|hectares?|acres|arc-?sec(?:onds?)?|degrees?|grad|usd|eur|"
    r"hours?|hrs?|minutes|seconds|days|dpi|pixels?|bits?|[kmgt]b|"
    r"stations?|sites?|samples?|profiles?|species|files|points|pixels|cells|members|gauges|plots|buoys|floats|wells|"
    r"boreholes|people|inhabitants|households|stationen|messstellen|proben|estaciones|estações|stazioni|einwohner)"
)
_MEASURE = re.compile(rf"(?<![\w.]){_NUMBER}(?:\s?(?:-|–|to|and|bis|x|×)\s?{_NUMBER})?[\s-]?{_MEASURE_UNIT}(?!\w)")
_LABELLED_DATE = re.compile(
    r"(?<!\w)(?:#|pmid|pmc(?:id)?|doi|ids?|identifier|nr\.?|"
    r"versions?|ver\.?|v|release|epsg|iso|wgs|grs|nad|etrs|gda|resolution|auflösung|résolution|resolución|"
    r"risoluzione|resolução|scale|level|depths?|altitude|elevation|rcp|ssp|landsat|sentinel|pages?|pp\.?|nos?\.|number|"
    r"cruise|flight|orbit|profile)[\s:<>=≤≥-]{0,4}(?:of\s|von\s|de\s)?\d{1,9}(?:[.,]\d{1,6})*"
)
_RATIO = re.compile(r"(?<!\d)1\s?:\s?\d{1,3}(?:[.,   ]?\d{3}){0,3}")
_GRID = re.compile(r"(?<![\w.])\d{1,6}\s?[x×]\s?\d{1,6}(?!\w)")
_NEGATIVE = re.compile(r"(?:(?<=[^\d\s]\s)|(?<=\()|^)[-−]\d{1,9}(?:\.\d{1,6})?")

_SHAPES = (_MEASURE, _LABELLED_DATE, _RATIO, _GRID, _NEGATIVE)


def not_time_ranges(text: str, low: str) -> list[Range]:
    """The ranges of such numbers; ``low`` is the text in lower case with the same offsets."""
    ranges = [match.span() for shape in _SHAPES for match in shape.finditer(low)]
    return ranges + [(mention.start, mention.end) for mention in read_identifiers(text)]


TimeKind = Literal["explicit", "relative", "period", "future", "recent"]


@dataclass(frozen=True, slots=True)
class Moment:
    """A time as named, without the words around it. Offsets into the text, end exclusive."""

    start: int
    end: int
    span: TimeSpan
    kind: TimeKind
    confidence: float


def find_moments(text: str, low: str, today: date, language: str | None, *, in_south: bool = False) -> list[Moment]:
    """In text order, without overlaps. ``low`` is the text in lower case with the same offsets. ``in_south``: seasons
    are those of the southern hemisphere.

    A date that does not exist is skipped, with its parts. "Mars" is a planet in an English text.
    """
    claims = Claims(len(text))
    moments = [
        moment
        for moment in (*_relative(low, today), *_named_moments(low, today))
        if claims.claim((moment.start, moment.end))
    ]
    for place in not_time_ranges(text, low):
        claims.block(place)
    for place, possible in _calendar(text, low, language, in_south=in_south):
        if claims.claim(place) and possible is not None:
            moments.append(possible)
    return sorted(moments, key=lambda moment: moment.start)


def _relative(low: str, today: date) -> Iterator[Moment]:
    """Every time relative to today; forms can overlap, and the first one wins."""
    for form, pattern in _FORMS:
        for match in pattern.finditer(low):
            span = _relative_span(form, match, today)
            if span is not None:
                yield Moment(*match.span(), span, "future" if form == "next" else "relative", 0.9)


def _named_moments(low: str, today: date) -> Iterator[Moment]:
    words = period_words()
    for match in words.pattern.finditer(low):
        period = words.meaning(match[0])
        yield Moment(*match.span(), period.span(today), period.kind, period.confidence)


def _calendar(text: str, low: str, language: str | None, *, in_south: bool) -> Iterator[tuple[Range, Moment | None]]:
    for form in FORMS:
        for match in form.pattern.finditer(text if form.case_sensitive else low):
            if language == "en" and match[0].startswith("mars "):
                continue
            read = form.read_south if in_south and form.read_south is not None else form.read
            span = read(match)
            place = match.span()
            if span is not None and (joined := _with_first_number(low, match, span, form, read)) is not None:
                yield (joined.start, joined.end), joined
            yield place, None if span is None else Moment(*place, span, "explicit", form.confidence)
            if "season" in form.pattern.groupindex and match.end() == match.end("year"):
                yield from _further_years(low, match, form, read)


def _further_years(low: str, season: Match[str], form: Form, read: Reader) -> Iterator[tuple[Range, Moment]]:
    """Of "summers of 2003 and 2004" the summer of 2004."""
    end = season.end()
    while (further := _FURTHER_YEAR.match(low, end)) is not None:
        end, place = further.end(), further.span("year")
        match = form.pattern.fullmatch(low[season.start() : season.start("year")] + further["year"])
        span = read(match) if match is not None else None
        if span is not None:
            yield place, Moment(*place, span, "explicit", form.confidence)


_FURTHER_YEAR = re.compile(rf"(?:\s?,\s?(?:(?:{AND})\s)?|\s(?:{AND}|or|oder|ou|o)\s)(?P<year>(?:19|20)\d\d)(?![\w/–-])")
_LONGEST_FIRST = 40  # characters of "between the 18th and "
_FIRST_NUMBER = re.compile(
    rf"(?:(?<!\w)(?:(?P<between>{BETWEEN})|{OPENING})\s)?(?:(?:the|dem|le)\s)?"
    rf"(?<![\w.,:/-])(?P<number>\d{{1,4}}(?:[, ]\d{{3}}){{0,3}}(?:\.\d{{1,6}})?|{ROMANS})"
    r"(?P<ordinal>st|nd|rd|th|\.|e|è|ème|ième)?"
    rf"(?:\s?[-–—/]\s?|\s(?:{TO}|(?P<and>{AND}))\s(?:(?:the|dem|le)\s)?)$"
)
_WHOLE, _DECIMAL = re.compile(rf"\d+|{ROMANS}"), re.compile(r"\d+(?:[, ]\d{3})*(?:\.\d+)?")


def _with_first_number(low: str, last: Match[str], span: TimeSpan, form: Form, read: Reader) -> Moment | None:
    """The range whose two numbers share what follows: "500-300 BC", "15 to 20 May 2003", "between 10 and 5 ka".

    ``span``: of the ``last`` number.
    """
    first = _FIRST_NUMBER.search(low, max(0, last.start() - _LONGEST_FIRST), last.start())
    if first is None or (first["and"] and first["number"][0].isdigit() and not (first["between"] or first["ordinal"])):
        return None
    for pattern in (_DECIMAL, _WHOLE):
        number = pattern.match(last[0])
        match = form.pattern.fullmatch(first["number"] + last[0][number.end() :]) if number is not None else None
        both = enclosing_span([first_span, span]) if match and (first_span := read(match)) is not None else None
        if both is not None:
            return Moment(first.start(), last.end(), both, "explicit", form.confidence)
    return None
