"""Repairs dates and periods to ISO 8601 and TimeSpan where only one reading is right."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from dateutil.relativedelta import relativedelta

from core.timespan import TimeSpan, duration_parts, instant_ms
from indexer.formats.repair.resolution import step_in
from indexer.formats.repair.written_dates import parse_written_dates, says_no_date

_NOW = frozenset(
    {"now", "present", "to present", "ongoing", "on-going", "on going", "current", "currently", "today", "continuing",
     "continuous", "open"}
)  # fmt: skip
_NO_VALUE = frozenset(
    {"", "unknown", "none", "n/a", "na", "null", "nan", "nil", "tbd", "tba", "-", "?", "missing", "not available",
     "inapplicable", "unspecified", "not specified", "nat", "none given", "unavailable", ".."}
)  # fmt: skip
_FAR_FUTURE = re.compile(r"^\+?9999")
_FAR_PAST = re.compile(r"^(?:0000|0001)(?:-01(?:-01)?|-00(?:-00)?)?(?:$|T)")
_LOOSE = re.compile(
    r"^(?P<year>-?\d{4,6})(?:(?P<sep>[-/.])(?P<month>\d{1,2})(?:(?P=sep)(?P<day>\d{1,2}))?)?"
    r"(?:(?:[T ]\s*)(?P<hour>\d{1,2})(?::?(?P<minute>\d{2})(?::?(?P<second>\d{2})(?P<fraction>[.,]\d+)?)?)?)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$",
    re.IGNORECASE,
)
_COMPACT = re.compile(r"^((?:1[5-9]|20)\d{2})(0[1-9]|1[0-2])(?:(0[1-9]|[12]\d|3[01])(?=$|T|Z|[+-]\d\d:?\d\d$)|$)")
_STAMP = re.compile(r"^((?:1[5-9]|20)\d{6})(\d{2})(\d{2})(\d{2})?(?=$|[.Z+-])")
_STRICT = re.compile(
    r"^-?\d{4,9}(?:-\d{2}(?:-\d{2}(?:T\d{2}(?::\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?(?:Z|[+-]\d{2}:\d{2})?)?)?)?$"
)
_DURATION = re.compile(r"^P[T\d]", re.IGNORECASE)
_YEARS = re.compile(r"^(?P<begin>\d{4})\s*(?:-|–|—|to|until)\s*(?P<end>\d{4}|present|now|ongoing)$", re.IGNORECASE)
_TO = re.compile(
    r"^(?P<begin>\d{4}-\d{2}(?:-\d{2}(?: \d{2}:)?)?\S*)\s+(?:to|until|-|–)\s+(?P<end>\S+(?: \d{2}:\S+)?)$",
    re.IGNORECASE,
)
_SOLR = re.compile(r"^\[?\s*(?P<begin>[\d*-]+\S*)\s+TO\s+(?P<end>[\d*]+[^\s\]]*)\s*\]?$", re.IGNORECASE)
_DCMI = re.compile(r"(start|end)\s*=\s*([^;]*)", re.IGNORECASE)
_LOOKS_LIKE_A_DATE = re.compile(r"^[-+]?\d{4}(?:\D|$)|^\d{8}(?:$|T|Z)|^\d{14}")
_MONTH = re.compile(r"^\d{1,2}$")  # 03/2008
_SECOND = timedelta(seconds=1)
_LONGEST = 500  # characters: no form of a date or period has so many
_UNKNOWN = ("", "unknown")
_NO_END = frozenset({"", "..", "*", "-", "none", "null"})


@dataclass(frozen=True, slots=True)
class Position:
    """One end of a period as written; ``indeterminate`` is GML's now | before | after | unknown."""

    text: str = ""
    indeterminate: str = ""


def read_date(text: str, warnings: list[str]) -> str:
    """ISO 8601 in the precision given, as core.timespan reads it, with a warning where it was a period or a guess.

    Accepts unambiguous forms: ``1990-1-5``, ``1990/01/05``, ``19900105``, ``1979-01-01T0000+00``, a zone after
    a date, month or day 00, hour 24 and second 60, and dates in words (the first of them).
    Otherwise raises ValueError, which quotes the text.
    """
    first, last, doubtful = _bounds(text)
    if doubtful or first != last:
        warnings.append(f"dates: {text.strip()[:40]} read as {first}" + (", which is doubtful" if doubtful else ""))
    return first


def _bounds(text: str) -> tuple[str, str, bool]:
    """First and last date that a text can mean, and whether its writer only guessed it."""
    if len(text) > _LONGEST:
        raise ValueError(f"{text[:60]!r} is not a date")
    try:
        iso = _numeric_date(text)
    except ValueError:
        span = parse_written_dates(text)
        if span is None or not all(_exists(end) for end in (span.begin, span.end) if end):
            raise
        return span.begin or span.end, span.end or span.begin, span.doubtful
    return iso, iso, False


def _numeric_date(text: str) -> str:
    date_text = " ".join(text.split())
    date_text = _STAMP.sub(
        lambda match: "T".join([match[1], ":".join(part for part in match.groups()[1:] if part)]), date_text
    )
    compact = _COMPACT.match(date_text)  # without this, 19900105 would be a year
    if compact is not None:
        date_text = "-".join(part for part in compact.groups() if part) + date_text[compact.end() :]
    if _STRICT.match(date_text) and _exists(date_text):
        return date_text
    match = _LOOSE.match(date_text)
    if match is None:
        raise ValueError(f"{date_text[:60]!r} is not a date")
    iso = _date(match) + _clock(match)
    if not _exists(iso):
        raise ValueError(f"{date_text[:60]!r} does not exist")
    return iso


def _exists(iso: str) -> bool:
    try:
        instant_ms(iso)
    except ValueError:
        return False
    return True


def _date(match: re.Match[str]) -> str:
    parts = [match["year"]]
    for name in ("month", "day"):
        if not match[name] or int(match[name]) == 0:
            return "-".join(parts)
        parts.append(match[name].zfill(2))
    return "-".join(parts)


def _clock(match: re.Match[str]) -> str:
    if not match["hour"] or not match["day"] or int(match["day"]) == 0:
        return ""
    hour, minute, second = int(match["hour"]), match["minute"] or "00", match["second"]
    if hour == 24 and int(minute) == 0:  # midnight at the end of the day
        return "T23:59:59" + _zone(match["zone"])
    if second == "60":
        second = "59"
    fraction = (match["fraction"] or "").replace(",", ".")[:10]
    return f"T{hour:02d}:{minute}" + (f":{second}{fraction}" if second else "") + _zone(match["zone"])


def _zone(zone: str | None) -> str:
    if zone is None or zone.upper() in ("Z", "UTC", "GMT"):
        return "Z"
    digits = zone[1:].replace(":", "").ljust(4, "0")
    return f"{zone[0]}{digits[:2]}:{digits[2:]}"


def repair_span(begin: Position, end: Position, duration: str = "") -> tuple[TimeSpan | None, list[str]]:
    """A period and the repairs; None where neither end is known or it had to be left out.

    ``duration`` gives the end that is not known: of ``2010/P1Y`` the last one, of ``P1Y/2010`` the first one.
    """
    warnings: list[str] = []
    try:
        start = _start(begin, warnings)
        stop = _stop(end, warnings)
        if stop is None and start is not None and duration and end.indeterminate in _UNKNOWN:
            stop = _other_end(start, duration, 1)
        elif start is None and stop is not None and duration and begin.indeterminate in _UNKNOWN:
            start = _other_end(stop, duration, -1)
        if start is None and stop is None:
            return None, warnings
        return _ordered_span(start, stop, warnings), warnings
    except ValueError as error:
        return None, [f"time: period left out: {error}"]


def _start(begin: Position, warnings: list[str]) -> str | None:
    begin_text = begin.text.strip()
    if begin_text.lower() in _NO_VALUE or begin.indeterminate in ("unknown", "before"):
        return None
    if _FAR_PAST.match(begin_text):
        warnings.append(f"time: begin {begin_text} read as open")
        return None
    return _repair_end(begin_text, warnings, 0)


def _stop(end: Position, warnings: list[str]) -> str | None:
    end_text = end.text.strip()
    if end_text.lower() in _NO_VALUE | _NOW or end.indeterminate in ("unknown", "now", "after"):
        return None
    if _FAR_FUTURE.match(end_text):
        warnings.append(f"time: end {end_text[:4]} read as open")
        return None
    return _repair_end(end_text, warnings, 1)


def _repair_end(text: str, warnings: list[str], end: int) -> str | None:
    """``end``: 0 for the first possible date, 1 for the last; None where the text says that there is no date."""
    if says_no_date(text):
        return None
    first, last, doubtful = _bounds(text)
    iso = (first, last)[end]
    if iso != text:
        warnings.append(reading_warning(text, first if first == last else f"{first}/{last}", doubtful=doubtful))
    return iso


def reading_warning(text: str, iso: str, *, doubtful: bool = False) -> str:
    """The warning that a date or a period was read differently from what is written."""
    return f"time: {text[:40]} read as {iso}" + (", which is doubtful" if doubtful else "")


def _ordered_span(start: str | None, stop: str | None, warnings: list[str]) -> TimeSpan:
    if start is not None and stop is not None and instant_ms(start) > instant_ms(stop, at_end=True):
        warnings.append("time: begin and end were swapped")
        start, stop = stop, start
    return TimeSpan.from_iso(start, stop)


def _other_end(known_end: str, duration: str, direction: int) -> str | None:
    """The last day of a period that begins at ``known_end`` (``direction`` 1), or the first of one that ends there.

    None where the duration is neither ISO 8601 nor "30 days".
    """
    parts = duration_parts(step_in(duration) or "")
    if not parts:
        return None
    months = round(12 * parts.pop("years", 0.0) + parts.pop("months", 0.0))
    known_ms = instant_ms(known_end, at_end=direction < 0)
    try:
        step = relativedelta(months=months) + timedelta(**parts)
        moment = datetime(1970, 1, 1) + timedelta(milliseconds=known_ms)
        other = moment + step - _SECOND if direction > 0 else moment + _SECOND - step
        return other.date().isoformat()
    except (ValueError, OverflowError) as error:
        relation = "from {} does not end" if direction > 0 else "up to {} does not begin"
        raise ValueError(f"{duration[:60]!r} {relation.format(known_end)} in the calendar") from error


@dataclass(frozen=True, slots=True)
class Interval:
    begin: Position
    end: Position
    duration: str = ""
    doubtful: bool = False
    in_words: bool = False  # the text is no ISO 8601


def interval_in(text: str) -> Interval | None:
    """The period in a text; a single date is a period of its own precision. None where there is none."""
    period_text = " ".join(text.split())
    if len(period_text) > _LONGEST:
        return None
    if "start=" in period_text.replace(" ", "").lower() or "end=" in period_text.replace(" ", "").lower():
        return _dcmi(period_text)
    if "/" in period_text and (interval := _iso(period_text)) is not None:
        return interval
    for pattern in (_YEARS, _TO, _SOLR):
        if match := pattern.match(period_text):
            return Interval(_end(match["begin"]), _end(match["end"]))
    if _LOOKS_LIKE_A_DATE.match(period_text) and _is_date(period_text):
        return Interval(Position(period_text), Position(period_text))
    return _interval_in_words(period_text)


def _interval_in_words(text: str) -> Interval | None:
    span = parse_written_dates(text)
    if span is None:
        return None
    return Interval(Position(span.begin), Position(span.end), doubtful=span.doubtful, in_words=True)


def _iso(text: str) -> Interval | None:
    parts = [part.strip() for part in text.split("/")]
    if parts[0].upper().startswith("R") and len(parts) > 1:  # a repeating interval: R/2000-01-01/P1M
        parts = parts[1:]
    if len(parts) == 3 and _DURATION.match(parts[2]):  # begin, end and the step between: 2000-01-01/2010-12-31/P1D
        parts.pop()
    if len(parts) != 2 or not any(_LOOKS_LIKE_A_DATE.match(part) for part in parts) or _MONTH.match(parts[0]):
        return None
    begin, end = parts
    if len(begin) == 4 and begin.isdigit() and end.isdigit() and len(end) <= 2:  # 1990/05 is a month
        return Interval(Position(text), Position(text))
    if _DURATION.match(end):
        return Interval(_end(begin), Position(), end)
    if _DURATION.match(begin):
        return Interval(Position(), _end(end), begin)
    return Interval(_end(begin), _end(end))


def _is_date(text: str) -> bool:
    """Whether the text has the numeric form of a date. Impossible dates count too, so that a warning names them."""
    return parse_written_dates(text) is None or re.fullmatch(r"\d{4}", text) is not None


def _dcmi(text: str) -> Interval:
    components = {name.lower(): value.strip() for name, value in _DCMI.findall(text)}
    return Interval(_end(components.get("start", "")), _end(components.get("end", "")))


def _end(text: str) -> Position:
    return Position("" if text.lower() in _NO_END else text)
