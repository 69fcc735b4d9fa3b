"""Reads the times in a text: "since 1990", "between May 2003 and 2005", "the last 30 years", "Holocene".

Two steps: ``moments`` finds single times, and this module reads the words before, between and after them.
Spans are UTC and both ends are included. Conventions for ambiguous words:

- since X begins with X, after X when X is over; until X ends with X, before X when X begins; "by 2050" runs from today.
- around X adds five years on both sides; early, mid and late are the first, second and last third of X.
- a range written backwards ("2010-1990") is reversed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from typing import Literal

import numpy as np

from core.timespan import TimeSpan, enclosing_span, instant_ms
from reading import time_words as words
from reading.moments import Moment, TimeKind, find_moments
from reading.sentences import JOINING_WORDS, Claims, Range, lower_case
from reading.time_forms import MONTH_OR_SEASON, first_month, year_span

_LONGEST_LEAD = 48  # characters before a moment, or between two, that can belong to them
_ARTICLES = rf"(?:(?:{words.ARTICLES})(?:\s{{1,3}}|(?<=l)['’])){{0,2}}"


def _text_ending_with(phrases: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{phrases})(?:\s{{1,3}}|['’]\s?|-|(?<=[<>≤≥=])){_ARTICLES}$")


_SINCE, _FROM, _UNTIL, _BY = map(_text_ending_with, (words.SINCE, words.FROM, words.UNTIL, words.BY))
_BEFORE, _AFTER, _AROUND = map(_text_ending_with, (words.BEFORE, words.AFTER, words.AROUND))
_BETWEEN, _DURING = map(_text_ending_with, (words.BETWEEN, words.DURING))
_OPENING = _text_ending_with(rf"{words.OPENING}|{words.DURING}")
_PARTS = tuple(
    (_text_ending_with(phrases), part, len(parts))
    for parts in ((words.FIRST_HALF, words.SECOND_HALF), words.QUARTERS, (words.EARLY, words.MID, words.LATE))
    for part, phrases in enumerate(parts)
)
_LONGEST_YEAR_MS = 366 * 86_400_000
_UNITS: tuple[Literal["Y", "M", "D", "h"], ...] = ("Y", "M", "D", "h")
_OPEN_START = re.compile(r"\.\.\s?/\s?$")
_DASH = r"(?:\s{0,3}(?:-|–|—|−|/|--|~|～|〜|至|到|から)\s{0,3}|\.{2,3}|…)"
_TO = re.compile(rf"{_DASH}|\s{{1,3}}(?:{words.TO})\s{{1,3}}{_ARTICLES}")
_AND = re.compile(rf"\s{{1,3}}(?:{words.AND})\s{{1,3}}{_ARTICLES}")
_TO_PRESENT = re.compile(
    rf"(?:{_DASH}|\s{{1,3}}(?:(?:and|und|et|y|e)\s)?(?:{words.TO})\s{{1,3}}{_ARTICLES})(?:{words.PRESENT})(?!\w)"
)
_AND_PRESENT = re.compile(rf"\s{{1,3}}(?:{words.AND})\s{{1,3}}{_ARTICLES}(?:{words.PRESENT})(?!\w)")
_AND_EARLIER = re.compile(rf"\s(?:{words.EARLIER})(?!\w)|まで|以前")
_ONWARDS = re.compile(rf"\s{{1,3}}(?:{words.ONWARDS})(?!\w)|\s?[-–](?=\s{{0,3}}(?:$|[,;)]))|\+(?!\w)|から|以降|以来")


@dataclass(frozen=True, slots=True)
class TimeMention:
    """A part of the text that means a time.

    ``start``, ``end``: character offsets, end exclusive, including the words that shape the time. ``kind``:
    ``explicit`` by numbers, ``relative`` to today, ``period`` by name, ``future`` after today, ``recent`` asks for the
    newest. ``confidence``: 0..1.
    """

    text: str
    start: int
    end: int
    span: TimeSpan
    kind: TimeKind
    confidence: float


class TimeReader:
    """Reads times; calls ``today`` each time, so that a process that runs for months stays correct."""

    def __init__(self, today: Callable[[], date] = date.today) -> None:
        self._today = today

    def read(
        self, text: str, language: str | None = None, max_mentions: int | None = None, *, in_south: bool = False
    ) -> list[TimeMention]:
        """Every time in the text, in order, without overlaps; a date that does not exist is ignored.

        Only the first ``max_mentions`` if given. ``language`` (ISO 639-1, None if unknown) decides words that languages
        share; all six are always read. ``in_south``: seasons are those of the southern hemisphere.
        """
        today, low = self._today(), lower_case(text)
        moments = find_moments(text, low, today, language, in_south=in_south)
        return [
            TimeMention(text[moment.start : moment.end], moment.start, moment.end, moment.span, moment.kind, confidence)
            for moment in _join_ranges(low, moments, today, max_mentions)
            for confidence in (round(moment.confidence, 2),)
        ]


def _join_ranges(low: str, moments: list[Moment], today: date, max_moments: int | None) -> list[Moment]:
    results: list[Moment] = []
    pending = list(reversed(moments))
    while pending and (max_moments is None or len(results) < max_moments):
        end_before = results[-1].end if results else 0
        first = _narrow(low, end_before, pending.pop())
        second = _narrow(low, first.end, pending[-1]) if pending else None
        joined_pair = None if second is None else _range(low, end_before, first, second)
        if joined_pair is not None:
            pending.pop()
        complete = joined_pair or _open_ended(low, end_before, first) or _apply_direction(low, end_before, first, today)
        results.append(_mark_future(complete, today))
    return results


def _text_before(low: str, end_before: int, moment: Moment) -> str:
    return low[max(end_before, moment.start - _LONGEST_LEAD) : moment.start]


def _extend(moment: Moment, lead: str, match: re.Match[str] | None) -> Moment:
    """The moment, extended to include the words that lead to it."""
    return moment if match is None else replace(moment, start=moment.start - len(lead) + match.start())


def _narrow(low: str, end_before: int, moment: Moment) -> Moment:
    """ "early 1990s", "late 19th century": a third of the span; "first half of 2015"."""
    start_ms, end_ms = moment.span.start_ms, moment.span.end_ms
    if moment.kind not in ("explicit", "period") or start_ms is None or end_ms is None:
        return moment
    lead = _text_before(low, end_before, moment)
    for pattern, part, parts in _PARTS:
        match = pattern.search(lead)
        if match is not None:
            span = _part(start_ms, end_ms, part, parts)
            if span is None:
                return moment
            return replace(_extend(moment, lead, match), span=span, confidence=moment.confidence * 0.9)
    return moment


def _part(start_ms: int, end_ms: int, part: int, parts: int) -> TimeSpan | None:
    """One of the ``parts`` (from 0) in whole units of the calendar; the first is longest. None for an instant.

    The unit is the largest of which the span has as many: years, months, days, hours. The 1990s: 1990 to 1993, 1994 to
    1996, 1997 to 1999; July: the 1st to the 11th, the 12th to the 21st, the 22nd to the 31st.
    """
    start, end = np.datetime64(start_ms, "ms"), np.datetime64(end_ms + 1, "ms")
    for unit in _UNITS:
        first = int(start.astype(f"datetime64[{unit}]").astype(np.int64))
        count = int(end.astype(f"datetime64[{unit}]").astype(np.int64)) - first
        if count >= parts:
            begins, ends = (np.datetime64(first - (-k * count // parts), unit) for k in (part, part + 1))
            return TimeSpan(_ms(begins), _ms(ends) - 1)
    return None


def _ms(instant: np.datetime64) -> int:
    return int(instant.astype("datetime64[ms]").astype(np.int64))


def _range(low: str, end_before: int, first: Moment, second: Moment) -> Moment | None:
    gap = low[first.end : second.start]
    if len(gap) > _LONGEST_LEAD:
        return None
    lead = _text_before(low, end_before, first)
    between_match = _BETWEEN.search(lead)
    if not (_TO.fullmatch(gap) or (between_match and _AND.fullmatch(gap))):
        return None
    earlier, later = sorted(
        (first.span, second.span), key=lambda span: -1e30 if span.start_ms is None else span.start_ms
    )
    kind = first.kind if first.kind == second.kind or second.kind == "explicit" else second.kind
    confidence = 0.95 if kind == "explicit" else min(first.confidence, second.confidence)
    complete = Moment(first.start, second.end, _join_spans(earlier, later), kind, confidence)
    return _extend(complete, lead, between_match or _OPENING.search(lead))


def _join_spans(earlier: TimeSpan, later: TimeSpan) -> TimeSpan:
    ends = (earlier.end_ms, later.end_ms)
    return TimeSpan(earlier.start_ms, None if None in ends else max(end for end in ends if end is not None))


def _open_ended(low: str, end_before: int, moment: Moment) -> Moment | None:
    """ "1990 to present", "1990 onwards", "2010/..", and "1990 or earlier"."""
    lead, earlier = _text_before(low, end_before, moment), _AND_EARLIER.match(low, moment.end)
    match = earlier or _TO_PRESENT.match(low, moment.end) or _ONWARDS.match(low, moment.end)
    match = match or (_AND_PRESENT.match(low, moment.end) if _BETWEEN.search(lead) else None)
    if match is None or moment.kind not in ("explicit", "period"):
        return None
    span = TimeSpan(moment.span.start_ms, None) if earlier is None else TimeSpan(None, moment.span.end_ms)
    open_moment = replace(moment, end=match.end(), span=span, confidence=0.95)
    return _extend(open_moment, lead, _SINCE.search(lead) or _OPENING.search(lead) or _BETWEEN.search(lead))


def _apply_direction(low: str, end_before: int, moment: Moment, today: date) -> Moment:
    """The span after the word before it; a moment without such a word is unchanged."""
    lead = _text_before(low, end_before, moment)
    for pattern, shape in _DIRECTIONS:
        match = pattern.search(lead)
        span = shape(moment, today) if match is not None else None
        if span is not None:
            confidence = min(moment.confidence + 0.1, 0.95) if pattern is not _FROM else moment.confidence
            return replace(_extend(moment, lead, match), span=span, confidence=confidence)
    return moment


def _since(moment: Moment, _: date) -> TimeSpan | None:
    return TimeSpan(moment.span.start_ms, None) if moment.kind in ("explicit", "period", "relative") else None


def _from(moment: Moment, _: date) -> TimeSpan | None:
    """ "from 1990" is open-ended; "from the Holocene", "from the 1960s" or "from 1990-95" means inside it."""
    start, end = moment.span.start_ms, moment.span.end_ms
    if moment.kind != "explicit":
        return None
    is_long = start is not None and end is not None and end - start > _LONGEST_YEAR_MS
    return moment.span if is_long else TimeSpan(start, None)


def _span_until(moment: Moment, today: date) -> TimeSpan | None:
    """ "by 2050": from today to its end; None if that is in the past."""
    now = instant_ms(today.isoformat())
    end = moment.span.end_ms
    return TimeSpan(now, end) if end is not None and end > now and moment.kind != "recent" else None


def _until(moment: Moment, _: date) -> TimeSpan | None:
    return TimeSpan(None, moment.span.end_ms) if moment.kind in ("explicit", "period") else None


def _earlier(moment: Moment, _: date) -> TimeSpan | None:
    start = moment.span.start_ms
    return TimeSpan(None, start - 1) if start is not None and moment.kind in ("explicit", "period") else None


def _span_after(moment: Moment, _: date) -> TimeSpan | None:
    end = moment.span.end_ms
    return TimeSpan(end + 1, None) if end is not None and moment.kind in ("explicit", "period") else None


def _around(moment: Moment, _: date) -> TimeSpan | None:
    start, end = moment.span.start_ms, moment.span.end_ms
    if start is None or end is None or moment.kind != "explicit":
        return None
    years = [
        1970 + int(np.datetime64(instant, "ms").astype("datetime64[Y]").astype(np.int64)) for instant in (start, end)
    ]
    return year_span(years[0] - 5, years[1] + 5)


_DIRECTIONS: tuple[tuple[re.Pattern[str], Callable[[Moment, date], TimeSpan | None]], ...] = (
    (_SINCE, _since),
    (_BEFORE, _earlier),
    (_AFTER, _span_after),
    (_BY, _span_until),
    (_UNTIL, _span_until),
    (_UNTIL, _until),
    (_OPEN_START, _until),
    (_BY, _until),
    (_AROUND, _around),
    (_FROM, _from),
    (_DURING, lambda moment, _: moment.span),
)


def _mark_future(moment: Moment, today: date) -> Moment:
    """A time that begins after today is future, in whatever form."""
    start = moment.span.start_ms
    is_future = start is not None and start >= instant_ms(today.isoformat()) and moment.kind in ("explicit", "period")
    return replace(moment, kind="future") if is_future else moment


_LISTED = re.compile(rf"\s*(?:,|;|/|&|,?\s(?:{words.AND}|or|oder|ou|o)\s)\s*(?:(?:{words.ARTICLES})\s)*")


def asked_spans(text: str, times: Sequence[TimeMention]) -> tuple[TimeSpan, ...]:
    """The asked periods: of a list each member ("1998 and 2010"), members that meet as one ("1970s and 1980s"); else
    the first time, or a part of it that another one names ("the 2000s, July 2004").
    """
    spans = [time.span for time in times[:1]]
    for time, after in pairwise(times):
        both = enclosing_span((spans[-1], after.span))
        if both in (spans[-1], after.span):
            spans[-1] = after.span if both == spans[-1] else spans[-1]
        elif not (_LISTED.fullmatch(text[time.end : after.start].lower()) and after.kind == time.kind != "future"):
            continue
        elif both is not None and _meet(spans[-1], after.span):
            spans[-1] = both
        else:
            spans.append(after.span)
    return tuple(dict.fromkeys(spans))


def _meet(first: TimeSpan, second: TimeSpan) -> bool:
    """Whether nothing is between them."""
    edges = (first.end_ms, second.start_ms), (second.end_ms, first.start_ms)
    return all(end is None or start is None or start <= end + 1 for end, start in edges)


@dataclass(frozen=True, slots=True)
class MonthsMention:
    """Months of any year: "in winter", "October rainfall". ``months``: 1 to 12, in their order through the year.

    ``is_attached``: the next word belongs to it ("summer monsoon"), so the topic keeps it. Offsets, end exclusive.
    """

    text: str
    start: int
    end: int
    months: tuple[int, ...]
    is_attached: bool


_MONTHS_OF_YEAR = {**words.MONTHS, **words.SEASONS}
_MONTH_RANGE = re.compile(r"\s?[-–]\s?|\s(?:to|through|until|bis|à|au|al?)\s")
_MONTHS = re.compile(
    r"(?<![\w'’-])(?P<lead>(?:(?:in|during|throughout|im|während|en|au|pendant|durant|durante|nel|em|no)\s|nell['’])"
    r"(?:(?:the|den|dem|der|des|le|les|el|los|il|o|os|early|mid|late)\s|l['’])*)?"
    rf"(?P<names>(?:{MONTH_OR_SEASON})(?:(?:s|time)(?!\w))?(?:(?:{_MONTH_RANGE.pattern}|/|,\s|\s(?:and|or|und|oder|et|ou|y|o|e)\s)"
    rf"(?:{MONTH_OR_SEASON})s?(?!\w)){{0,3}})(?![\w'’-])"
)
_BEFORE_NOUN = re.compile(
    r"(?:summer|winter|autumn)(?:s|time)?|january|february|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber"
)
_SHORT_NAME = 3  # letters of an abbreviation: "Jan", but "set" is a word
_FOREIGN_NAMES = re.compile(
    r"(?:frühling|frühjahr|printemps|primavera|sommer|verano|estate|verão|herbst|automne|otoño|autunno|outono|"
    r"winter|hiver|invierno|inverno|"
    rf"{'|'.join(sorted(name for name in words.MONTHS if len(name) > _SHORT_NAME and name not in ('mars', 'sept')))})"
)
"""Of other languages than English: those that mean nothing else."""
_ORDINARY = frozenset(["spring", "springs", "fall", "falls", "may", "march", "mars"])
_OTHER_HEAD = re.compile(
    r"\s(?:wheat|barley|rye|oats?|oilseed|rape|crops?|cereals?|school|camp|games|olympics|solstice|of)(?!\w)"
)
_SEASONS_BY_LETTERS = re.compile(r"DJF|MAM|JJA|SON")
_NEXT_WORD = re.compile(r"\s(\w+)")
_JOINT = re.compile(r"(?:,|\s?[-–]|\s(?:and|or|to|und|bis|et|y|e|o|of))?\s?")
_LAST_WORD = re.compile(r"(\w+) $")


def read_months(
    text: str, places: Sequence[Range], times: Sequence[Range], language: str | None, *, in_south: bool = False
) -> list[MonthsMention]:
    """Months and seasons without a year: after a preposition in six languages, plain names also beside a noun."""
    reader = _MonthsReader(text, lower_case(text), Claims(len(text)), frozenset(start for start, _ in times), language)
    for mention in (*places, *times):
        reader.claims.block(mention)
    return [
        MonthsMention(text[match.start() : match.end()], *match.span(), months, reader.is_attached(match))
        for match in _MONTHS.finditer(reader.low)
        if reader.means_months(match)
        for months in (_months_of(match["names"], in_south=in_south),)
    ]


@dataclass(frozen=True, slots=True)
class _MonthsReader:
    text: str
    low: str
    claims: Claims
    time_starts: frozenset[int]
    language: str | None

    def means_months(self, match: re.Match[str]) -> bool:
        first = re.split(r"\W", match["names"])[0]
        written = self.text[match.start("names") : match.start("names") + len(first)]
        joint = _JOINT.match(self.low, match.end())
        if not self.claims.is_free(match.span()) or (joint is not None and joint.end() in self.time_starts):
            return False  # "June and July 1998" has a year
        if _OTHER_HEAD.match(self.low, match.end()) or (first == "mars" and self.language != "fr"):
            return False
        is_short = first in words.MONTHS and len(first) <= _SHORT_NAME and first not in ("may", "mai")
        if is_short and not written[0].isupper():
            return False
        if match["lead"]:
            return not (first in _ORDINARY and first not in ("may", "march") and self.is_attached(match))
        return bool(_SEASONS_BY_LETTERS.fullmatch(written)) or self._is_before_noun(match, first, written)

    def _is_before_noun(self, match: re.Match[str], first: str, written: str) -> bool:
        """Whether a name needs no preposition: "October rainfall", "pluie juillet", but not "Winter Park" and "Robert
        May".
        """
        if self.language not in (None, "en") and _FOREIGN_NAMES.fullmatch(first):
            return self.language == "de" or written.islower()
        before, after = _LAST_WORD.search(self.text, 0, match.start()), _NEXT_WORD.match(self.text, match.end())
        beside = [word for word in (before, after) if word is not None and self.claims.is_free(word.span(1))]
        if not _BEFORE_NOUN.fullmatch(first) or (written[0].isupper() and any(w[1].istitle() for w in beside)):
            return False
        return first not in _ORDINARY or (written.istitle() and self.is_attached(match))

    def is_attached(self, match: re.Match[str]) -> bool:
        """Whether a word of the topic follows directly."""
        after = _NEXT_WORD.match(self.low, match.end())
        return after is not None and after[1] not in JOINING_WORDS and self.claims.is_free(after.span(1))


def _months_of(names: str, *, in_south: bool) -> tuple[int, ...]:
    """Of "winter", "June and July", "November to March": 1 to 12, each once, in the order of the text."""
    parts = [part for part in re.split(rf"({MONTH_OR_SEASON})(?:s|time)?(?!\w)", names) if part]
    months: list[int] = []
    for number, name in enumerate(parts):
        if name not in _MONTHS_OF_YEAR:
            continue
        first, count = first_month(name, south=in_south), 3 if name in words.SEASONS else 1
        if months and number and _MONTH_RANGE.fullmatch(parts[number - 1]):
            count += (first - months[-1] - 1) % 12
            first = months[-1] + 1
        months += [(month - 1) % 12 + 1 for month in range(first, first + count)]
    return tuple(dict.fromkeys(months))
