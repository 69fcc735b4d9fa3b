"""Periods written as one text: intervals of ISO 8601, two years, DCMI periods."""

from __future__ import annotations

import re
from dataclasses import dataclass

from indexer.formats.repair_time import Position
from indexer.formats.written_dates import written_span

_YEARS = re.compile(r"^(?P<begin>\d{4})\s*(?:-|–|—|to|until)\s*(?P<end>\d{4}|present|now|ongoing)$", re.IGNORECASE)
_TO = re.compile(r"^(?P<begin>\d{4}-\d{2}(?:-\d{2})?\S*)\s+(?:to|until|-|–)\s+(?P<end>\S+)$", re.IGNORECASE)
_SOLR = re.compile(r"^\[?\s*(?P<begin>[\d*-]+\S*)\s+TO\s+(?P<end>[\d*]+[^\s\]]*)\s*\]?$", re.IGNORECASE)
_DCMI = re.compile(r"(start|end)\s*=\s*([^;]*)", re.IGNORECASE)
_LOOKS_LIKE_A_DATE = re.compile(r"^[-+]?\d{4}(?:\D|$)|^\d{8}(?:$|T|Z)|^\d{14}")
_MONTH = re.compile(r"^\d{1,2}$")  # 03/2008
_NO_END = frozenset({"", "..", "*", "-", "none", "null"})


@dataclass(frozen=True, slots=True)
class Interval:
    begin: Position
    end: Position
    duration: str = ""
    doubtful: bool = False
    in_words: bool = False  # the text is no ISO 8601


def interval_in(text: str) -> Interval | None:
    """The period in a text; a single date is a period of its own precision. None where there is none."""
    written = " ".join(text.split())
    if "start=" in written.replace(" ", "").lower() or "end=" in written.replace(" ", "").lower():
        return _dcmi(written)
    if "/" in written and (found := _iso(written)) is not None:
        return found
    for pattern in (_YEARS, _TO, _SOLR):
        if match := pattern.match(written):
            return Interval(_end(match["begin"]), _end(match["end"]))
    if _LOOKS_LIKE_A_DATE.match(written) and _is_date(written):
        return Interval(Position(written), Position(written))
    return _in_words(written)


def _in_words(written: str) -> Interval | None:
    found = written_span(written)
    if found is None:
        return None
    return Interval(Position(found.begin), Position(found.end), doubtful=found.doubtful, in_words=True)


def _iso(written: str) -> Interval | None:
    parts = [part.strip() for part in written.split("/")]
    if parts[0].upper().startswith("R") and len(parts) > 1:  # a repeating interval: R/2000-01-01/P1M
        parts = parts[1:]
    if len(parts) != 2 or not any(_LOOKS_LIKE_A_DATE.match(part) for part in parts) or _MONTH.match(parts[0]):
        return None
    begin, end = parts
    if len(begin) == 4 and begin.isdigit() and end.isdigit() and len(end) <= 2:  # 1990/05 is a month
        return Interval(Position(written), Position(written))
    if end.upper().startswith("P") and not end.lower().startswith("present"):
        return Interval(_end(begin), Position(), end)
    return Interval(_end(begin), _end(end))


def _is_date(written: str) -> bool:
    """Whether the text has the numeric form of a date. Impossible dates count too, so that a warning names them."""
    return written_span(written) is None or re.fullmatch(r"\d{4}", written) is not None


def _dcmi(written: str) -> Interval:
    found = {name.lower(): value.strip() for name, value in _DCMI.findall(written)}
    return Interval(_end(found.get("start", "")), _end(found.get("end", "")))


def _end(text: str) -> Position:
    return Position("" if text.lower() in _NO_END else text)
