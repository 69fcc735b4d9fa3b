"""Publication dates as documents print them, converted to ISO 8601 in the precision given."""

from __future__ import annotations

import re
from datetime import date

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january janvier januar enero gennaio janeiro jan",
            "february février februar febrero febbraio fevereiro feb",
            "march mars märz marzo março mar",
            "april avril abril aprile apr",
            "may mai mayo maggio maio",
            "june juin juni junio giugno junho jun",
            "july juillet juli julio luglio julho jul",
            "august août agosto aug",
            "september septembre septiembre settembre setembro sep sept",
            "october octobre oktober octubre ottobre outubro oct",
            "november novembre noviembre nov",
            "december décembre dezember diciembre dicembre dezembro dec",
        ),
        1,
    )
    for name in names.split()
}
_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})\.?(?:st|nd|rd|th)?\s+({_NAME})\.?,?\s+((?:1[6-9]|20)\d\d)\b", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"\b({_NAME})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,\s*((?:1[6-9]|20)\d\d)\b", re.IGNORECASE)
_MONTH = re.compile(rf"\b({_NAME})\.?,?\s+((?:1[6-9]|20)\d\d)\b", re.IGNORECASE)
_ISO = re.compile(r"\b((?:1[6-9]|20)\d\d)-(\d\d)-(\d\d)\b")
_GERMAN = re.compile(r"\b(\d{1,2})\.\s?(\d{1,2})\.\s?((?:1[6-9]|20)\d\d)\b")
_WHOLE = re.compile(r"^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?!\d)")


def date_in(text: str) -> str | None:
    """The first full date, else the first month with its year: ``2017-07-26``, ``2012-11``; None without one."""
    iso = _ISO.search(text)
    if iso:
        return iso[0] if _exists(iso[1], int(iso[2]), int(iso[3])) else None
    german = _GERMAN.search(text)
    if german and _exists(german[3], int(german[2]), int(german[1])):
        return f"{german[3]}-{int(german[2]):02d}-{int(german[1]):02d}"
    day = _DAY_FIRST.search(text)
    if day:
        return _day(day[3], day[2], day[1])
    month = _MONTH_FIRST.search(text)
    if month:
        return _day(month[3], month[1], month[2])
    only = _MONTH.search(text)
    return f"{only[2]}-{_MONTHS[only[1].lower()]:02d}" if only else None


def _day(year: str, month: str, day: str) -> str | None:
    number = _MONTHS[month.lower()]
    return f"{year}-{number:02d}-{int(day):02d}" if _exists(year, number, int(day)) else None


def _exists(year: str, month: int, day: int) -> bool:
    try:
        date(int(year), month, day)
    except ValueError:
        return False
    return True


def whole_date(text: str) -> str | None:
    """``2017``, ``2017-07`` or ``2017-07-26`` at the beginning of the text; shorter if the day does not exist."""
    match = _WHOLE.match(text)
    if match is None:
        return None
    year, month, day = match.groups()
    if not 1600 <= int(year) <= 2100 or (month is not None and not 1 <= int(month) <= 12):
        return None
    if day is not None and not _exists(year, int(month), int(day)):
        return None
    return "-".join(part for part in match.groups() if part)
