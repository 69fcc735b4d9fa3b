"""Times of the Earth's history: ages ("760 ka", "66 Ma", "11700 cal yr BP") and named eras ("Late Jurassic").

The names and their years are those that questions are read with, so that a question about an era finds its records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.json_types import JsonMapping
from core.timespan import TimeSpan, instant_ms
from indexer.formats.json_documents.parsing import as_list, text_in
from indexer.formats.repair.dates import Position, repair_span
from reading.time_forms import period_words, year_span

_PRESENT = 1950
"""Year 0 before present."""
_YEARS = {"ga": 1e9, "gyr": 1e9, "ma": 1e6, "myr": 1e6, "mya": 1e6, "ka": 1e3, "kyr": 1e3, "kya": 1e3, "a": 1.0}
_AGE = re.compile(
    r"""^(?:ca?\.?\s*|~\s*)?(?P<number>\d[\d,]*(?:\.\d+)?|\.\d+)\s*
    (?P<unit>(?:billion|million|thousand)\s+years?|[gmk]a|[gmk]yrs?|[mk]ya|(?:cal\.?\s*)?(?:years?|yrs?|a)(?=\W*(?:cal\W*)?b))
    (?:\s*\(?(?:cal\.?\s*)?(?:b\.?\s?p\.?|before\s+(?:the\s+)?present|ago|old|b2k)\)?)?$""",
    re.IGNORECASE | re.VERBOSE,
)
_WORDS = {"billion": 1e9, "million": 1e6, "thousand": 1e3}
_RANK = re.compile(r"\s+(?:period|epoch|age|era|eon|stage|series|system)$")
_RADIOCARBON = re.compile(r"before present|\bb\.?p\b|radiocarbon", re.IGNORECASE)
_UNIT_IN_NAME = re.compile(
    r"(?<![A-Za-z])(Ga|Ma|ka|Gyr|Myr|kyr)(?![A-Za-z])|(million|thousand|billion)s?(?: of)? years", re.IGNORECASE
)
_BETWEEN = (
    re.compile(r"\s*(?:/(?!/)|\s(?:to|until|through)\s|\s[-–—]\s)\s*"),
    re.compile(r"(?<=\w)[–—](?=\w)|(?<=[a-z])-(?=[A-Z])"),
)
"""Separators between two ends. A hyphen between numbers may also be a minus sign."""
_NOW = {"present", "today", "now"}
_CALENDAR = ("inXSDDate", "inXSDDateTimeStamp", "inXSDDateTime", "inXSDgYear", "inXSDgYearMonth", "inDateTime")


@dataclass(frozen=True, slots=True)
class PeriodEnd:
    """One end of a period as it is written, and its years (None: not known). ``calendar``: it is a date."""

    words: str = ""
    span: TimeSpan | None = None
    calendar: bool = False


def parse_period_end(text: str, unit: str = "") -> PeriodEnd:
    """``unit``: of a bare number, an abbreviation or the name of a time scale."""
    words = " ".join(text.split())
    with_unit = f"{words} {unit}".strip() if unit and re.fullmatch(r"~?[\d.,]+", words) else words
    return PeriodEnd(with_unit, _age(with_unit) or _era(words))


def geologic_span(text: str) -> TimeSpan | None:
    """The years of one text: an age, an era, or two of them; None if it is something else."""
    single_span = None if text.strip().lower() in _NOW else parse_period_end(text).span
    parts = next(
        (two_parts for pattern in _BETWEEN if len(two_parts := [part for part in pattern.split(text) if part]) == 2),
        None,
    )
    if single_span is not None or parts is None:
        return single_span
    first, second = parts
    unit = re.sub(r"^[\d.,\s~]+", "", second)
    return join_spans(parse_period_end(first, unit).span, parse_period_end(second).span)


def span_between(begin: PeriodEnd, end: PeriodEnd) -> TimeSpan | None:
    """The period of two edges of which one is no date; a missing one is the same as the other."""
    first, second = (begin if begin.words else end), (end if end.words else begin)
    return join_spans(*(_calendar_span(edge) if edge.calendar else edge.span for edge in (first, second)))


def _calendar_span(edge: PeriodEnd) -> TimeSpan | None:
    return repair_span(Position(edge.words), Position(edge.words))[0]


def join_spans(first: TimeSpan | None, second: TimeSpan | None) -> TimeSpan | None:
    """From the older to the younger; None unless both are known."""
    if first is None or second is None:
        return None
    starts = [span.start_ms for span in (first, second) if span.start_ms is not None]
    ends = [span.end_ms for span in (first, second) if span.end_ms is not None]
    start = min(starts) if len(starts) == 2 else None
    end = max(ends) if len(ends) == 2 else None
    return None if start is None and end is None else TimeSpan(start, end)


def scale_unit(name: str) -> str:
    """The unit in the name of a time scale: ``Ma`` in "Geologic time (Ma)", ``yr BP`` in "radiocarbon years"."""
    name = split_name(name)
    unit = _UNIT_IN_NAME.search(name)
    if unit is not None:
        return unit[1] or f"{unit[2].lower()} years"
    return "yr BP" if _RADIOCARBON.search(name) else ""


def owl_time(value: JsonMapping) -> tuple[PeriodEnd, PeriodEnd, tuple[str, ...]] | None:
    """Begin and end of an interval or instant of OWL-Time, and words about it; None if it is none.

    A calendar date is an edge without a span. Names are read without their prefix.
    """
    members = _by_local_name(value)
    words = tuple(
        text for name in ("description", "name", "label", "prefLabel") if (text := text_in(members.get(name)))
    )
    begin, end = (next(iter(as_list(members.get(name))), None) for name in ("hasBeginning", "hasEnd"))
    if begin is None and end is None and not {"inTimePosition", *_CALENDAR} & members.keys():
        eras = [text for name in ("intervalStartedBy", "intervalFinishedBy", "hasTime", "intervalEquals")
                for text in _names(members.get(name))]  # fmt: skip
        return (parse_period_end(eras[0]), parse_period_end(eras[-1]), words) if eras else None
    if begin is None and end is None:
        begin = end = value
    return _instant(begin), _instant(end), words


def _instant(value: object) -> PeriodEnd:
    if not isinstance(value, Mapping):
        return parse_period_end(_last_part(text_in(value)))
    members = _by_local_name(value)
    for name in _CALENDAR:
        if text := text_in(members.get(name)):
            return PeriodEnd(text, calendar=True)
    position = next((item for item in as_list(members.get("inTimePosition")) if isinstance(item, Mapping)), None)
    if position is None:
        return parse_period_end(next(iter(_names(value)), ""))
    members_of_position = _by_local_name(position)
    system = _by_local_name(item) if isinstance(item := members_of_position.get("hasTRS"), Mapping) else {}
    scale = text_in(members_of_position.get("hasTRS")) or str(system.get("@id") or system.get("id") or "")
    unit = next(
        (
            text
            for item in (members_of_position, members)
            if (text := text_in(item.get("geologicTimeUnitAbbreviation")))
        ),
        "",
    )
    number = text_in(members_of_position.get("numericPosition"))
    if number:
        last = _last_part(scale)
        unit = unit or (last if last.lower() in _YEARS else "Ma" if last == "geologicage" else scale_unit(last))
        return parse_period_end(number, unit or scale)
    return parse_period_end(
        _last_part(text_in(members_of_position.get("nominalPosition") or members_of_position.get("NominalPosition")))
    )


def _names(value: object) -> Iterator[str]:
    for item in as_list(value):
        members = _by_local_name(item) if isinstance(item, Mapping) else {}
        text = (
            text_in(members.get("name") or members.get("prefLabel") or members.get("@id") or members.get("id"))
            if members
            else text_in(item)
        )
        if text:
            yield _last_part(text)


def _by_local_name(value: Mapping[str, object]) -> dict[str, object]:
    return {key if key.startswith("@") else re.split(r"[#/:]", key)[-1]: item for key, item in value.items()}


def _last_part(text: str) -> str:
    """``LateJurassic`` of ``http://resource.geosciml.org/classifier/ics/ischart/LateJurassic``, in words."""
    return split_name(text) if re.match(r"^(?:https?://|[a-z]+:)\S+$", text) else text


def split_name(name: str) -> str:
    """The last part of an address or of a prefixed name, in words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.split(r"[#/:]", name.rstrip("/"))[-1].replace("_", " "))


def _age(text: str) -> TimeSpan | None:
    if text.lower() in _NOW:
        return TimeSpan(instant_ms(str(_PRESENT)), None)
    match = _AGE.match(re.sub(r"(?<=\d)\s+(?=(?:cal\.?\s+)?b\.?p\.?$)", " yr ", text, flags=re.IGNORECASE))
    if match is None:
        return None
    unit = match["unit"].lower().rstrip("s")
    years = _YEARS.get(unit) or next((value for word, value in _WORDS.items() if word in unit), 1.0)
    year = round(_PRESENT - float(match["number"].replace(",", "")) * years)
    return year_span(year, year)


def _era(text: str) -> TimeSpan | None:
    words = period_words()
    name = _RANK.sub("", " ".join(text.lower().replace("-", " ").split()))
    period = words.meanings.get(name)
    if period is None or period.from_today is not None or period.source != "ICS":
        return None
    return year_span(period.first_year, period.last_year)
