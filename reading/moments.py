"""Finds single times in a text: dates, months, seasons, years, decades, centuries, ages, named periods.

``times`` reads how they are connected ("between", "since"). Every pattern is bounded, so the time is linear in the
length of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from core.timespan import TimeSpan
from reading.calendar_forms import FORMS
from reading.not_times import not_time_ranges
from reading.periods import period_words
from reading.relative_times import relative_times
from reading.spans import Claims, Range

TimeKind = Literal["explicit", "relative", "period", "future", "recent"]


@dataclass(frozen=True, slots=True)
class Moment:
    """A time as named, without the words around it. Offsets into the text, end exclusive."""

    start: int
    end: int
    span: TimeSpan
    kind: TimeKind
    confidence: float


def find_moments(text: str, low: str, today: date, language: str | None) -> list[Moment]:
    """In text order, without overlaps. ``low`` is the text in lower case with the same offsets.

    A date that does not exist is skipped, with its parts. "Mars" is a planet in an English text.
    """
    claims = Claims(len(text))
    found = [
        moment for moment in (*_relative(low, today), *_named(low, today)) if claims.claim((moment.start, moment.end))
    ]
    for place in not_time_ranges(text, low):
        claims.block(place)
    for place, possible in _calendar(text, low, language):
        if claims.claim(place) and possible is not None:
            found.append(possible)
    return sorted(found, key=lambda moment: moment.start)


def _relative(low: str, today: date) -> Iterator[Moment]:
    for time in relative_times(low, today):
        yield Moment(*time.place, time.span, "future" if time.ahead else "relative", 0.9)


def _named(low: str, today: date) -> Iterator[Moment]:
    words = period_words()
    for match in words.pattern.finditer(low):
        period = words.meaning(match[0])
        yield Moment(*match.span(), period.span(today), period.kind, period.confidence)


def _calendar(text: str, low: str, language: str | None) -> Iterator[tuple[Range, Moment | None]]:
    for form in FORMS:
        for match in form.pattern.finditer(text if form.cased else low):
            if language == "en" and match[0].startswith("mars "):
                continue
            span = form.read(match)
            place = match.span()
            yield place, None if span is None else Moment(*place, span, "explicit", form.confidence)
