"""Dates in the notation of librarians and people: "1918?", "[ca. 1850]", "1920 - 1929?", "March 2008", "19th century".

``parse_written_dates`` gives the first and the last day, month or year that a text can mean. A guess by the writer (a
question mark, "ca.", a copyright date) is read as its year and marked as doubtful.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reading.time_words import MONTHS, SEASONS

_NO_DATE = re.compile(
    r"^(?:n\.? ?d\.?|s\.? ?[da]\.?|o\.? ?j\.?|no date|not dated|undated|date unknown|date not (?:known|given)"
    r"|sans date|sine anno|sin fecha|senza data|sem data|ohne jahr|unknown date|various|varies|various dates)$"
)
_BRACKETS = re.compile(r"[\[\](){}<>|\"“”]")
_CORRECTED_YEAR = re.compile(r"\d{4}\??,? [\[(]?i\.? ?e\.?,? ?(\d{4})[\])]?")
_DOUBT = re.compile(
    r"\?|~|\b(?:c|ca|circa|cca|approx|approximately|about|around|probably|possibly|perhaps|presumably|um|etwa|vers|env|environ"
    r"|hacia|circa|verso|cerca de)\b\.?",
)
_CIRCA_YEAR = re.compile(r"^(?:c|ca|©|cop|copyright|p|℗)\.? ?(?=\d{4}\b)")
_FURTHER = re.compile(
    r"[,;]? (?:c|©|cop\.?|copyright|p|℗|printed|reprinted|reissued|i\. ?e\.?) ?\d{4}$|[,;] (?:c|©|cop|p)\.?\d{4}$"
)
_FILLER = re.compile(r"\b(?:the|of|de|del|do|da|year|years|anno|ad|a\.d\.|ce|dated|data from|de l'année|im|in|en)\b\.?")
_YEAR = r"(?:1\d|20|0[5-9])\d\d"
_TO = r"\s*(?:-{1,2}|–|—|/|\b(?:to|through|thru|until|till|and|or|bis|und|à|et|a|al|y|e)\b)\s*"  # in six languages
_MONTH = rf"(?P<month>{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b\.?"
_NUMERALS = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx xxi"
_ROMAN = {name: number for number, name in enumerate(_NUMERALS.split(), start=1)}
_PARTS = {
    "early": (1, 33),
    "first half": (1, 50),
    "mid": (34, 67),
    "middle": (34, 67),
    "late": (67, 100),
    "second half": (51, 100),
}


@dataclass(frozen=True, slots=True)
class WrittenDates:
    """First and last day, month or year in ISO 8601, either may be empty (open); whether the text expresses doubt."""

    begin: str
    end: str
    doubtful: bool = False


def says_no_date(text: str) -> bool:
    """Whether a text says that there is no date: "n.d.", "[s.d.]", "undated"."""
    return _NO_DATE.match(_BRACKETS.sub(" ", text.casefold()).strip(" .,;?")) is not None


def parse_written_dates(text: str) -> WrittenDates | None:
    """What a text can mean; None where it is not a date. An ambiguous order of day and month is never guessed."""
    text = _CORRECTED_YEAR.sub(r"\1", text.casefold())
    plain_text = " ".join(_BRACKETS.sub(" ", text.replace("'s", "s")).split()).strip(" .,;:")
    plain_text = re.sub(r"\b(\d\d\d)\?", r"\1-", _FURTHER.sub("", plain_text))  # 192? is a decade
    text_without_doubt = _CIRCA_YEAR.sub("", " ".join(_DOUBT.sub(" ", plain_text).split()).strip(" .,;:"))
    doubtful = text_without_doubt != plain_text
    text_without_doubt = " ".join(_FILLER.sub(" ", text_without_doubt).split()).strip(" .,;")
    for form in _FORMS:
        span = form(text_without_doubt)
        if span is not None:
            return WrittenDates(span.begin, span.end, doubtful or span.doubtful)
    return None


def _one_year(text: str) -> WrittenDates | None:
    return WrittenDates(text, text) if re.fullmatch(_YEAR, text) else None


def _open_range(text: str) -> WrittenDates | None:
    if match := re.fullmatch(
        rf"(?:since|after|from|not before|ab|seit|depuis|desde|post)[ -]?({_YEAR})|({_YEAR}) ?[-–—]", text
    ):
        return WrittenDates(match[1] or match[2], "")
    if match := re.fullmatch(rf"(?:before|until|up to|not after|vor|bis|avant|pre)[ -]?({_YEAR})", text):
        return WrittenDates("", match[1])
    return None


def _two_years(text: str) -> WrittenDates | None:
    match = re.fullmatch(rf"(?:between |from |zwischen |entre |von |tra )?({_YEAR}){_TO}({_YEAR}|\d\d?)", text)
    if match is None:
        return None
    begin, end = match[1], match[1][: -len(match[2])] + match[2] if len(match[2]) < 4 else match[2]
    return WrittenDates(begin, end) if begin <= end else None


def _decade(text: str) -> WrittenDates | None:
    """185-, 185-?, 1850s, 185X, 18--, 18uu."""
    if match := re.fullmatch(r"(\d\d\d)[-–_xu]|(\d\d\d)0s", text):
        decade = match[1] or match[2]
        return WrittenDates(f"{decade}0", f"{decade}9") if "050" <= decade <= "210" else None
    if match := re.fullmatch(r"(\d\d)(?:--|–|__|xx|uu)", text):
        return WrittenDates(f"{match[1]}00", f"{match[1]}99")
    return None


def _two_decades(text: str) -> WrittenDates | None:
    """1920s-1930s, 1840-1849 written with decades."""
    match = re.fullmatch(rf"(\d{{3}})0s{_TO}(?:(\d{{3}})|(\d))0s", text)
    if match is None:
        return None
    last = match[2] or match[1][:2] + match[3]
    return WrittenDates(f"{match[1]}0", f"{last}9") if match[1] <= last else None


def _century(text: str) -> WrittenDates | None:
    match = re.fullmatch(
        r"(?:(early|mid|middle|late|first half|second half)[ -]*)?"
        r"(?:(\d\d?)(?:st|nd|rd|th|\.|e|ème|o|º)?|([ivx]+)(?:e|ème|\.)?)[ -]*"
        r"(?:century|cent\.?|c\.|jahrhundert|jh\.?|siècle|s\.|siglo|secolo|século)"
        r"|(?:siglo|secolo|século|sec\.|s\.) ?([ivx]+)",
        text,
    )
    if match is None:
        return None
    roman = match[3] or match[4]
    number = _ROMAN.get(roman, 0) if roman else int(match[2])
    if not 6 <= number <= 21:
        return None
    first, last = _PARTS.get(match[1] or "", (1, 100))
    start = (number - 1) * 100
    return WrittenDates(str(start + first).zfill(4), str(start + last).zfill(4), doubtful=match[1] is not None)


def _month(text: str) -> WrittenDates | None:
    """March 2008, 5 March 2008, March 5th, 2008, 2008 March 5, 5-Mar-2008, IV.1998, 5.IV.1998, 25/12/1999.

    A time after the day is dropped.
    """
    day, sep = r"(?P<day>\d\d?)(?:st|nd|rd|th|\.|º|er)?", r"[\s,./-]+"
    for pattern in (
        rf"(?:\w+day,? )?{_MONTH}{sep}{day},?\s+(?P<year>{_YEAR})",
        rf"(?:\w+day,? |\w{{3}},? )?(?:{day}{sep})?{_MONTH}[\s,./-]*(?P<year>{_YEAR})",
        rf"(?P<year>{_YEAR}){sep}{_MONTH}(?:{sep}{day})?",
        rf"(?:{day}[\s./-]+)?(?P<month>[ivx]+)[\s./-]+(?P<year>{_YEAR})",
        rf"(?P<day>\d\d?)\.\s?(?P<month>\d\d?)\.\s?(?P<year>{_YEAR})",
        rf"(?P<month>0?[1-9]|1[0-2])/(?P<year>{_YEAR})",
        rf"(?P<day>1[3-9]|2\d|3[01])[/-](?P<month>0?[1-9]|1[0-2])[/-](?P<year>{_YEAR})",
        rf"(?P<month>0?[1-9]|1[0-2])[/-](?P<day>1[3-9]|2\d|3[01])[/-](?P<year>{_YEAR})",
    ):
        match = re.fullmatch(pattern + r"(?:[\st,]+\d\d?:\d\d.*)?", text)
        if match is not None and (number := _number_of(match["month"])):
            iso = f"{match['year']}-{number:02d}"
            day_text = match.groupdict().get("day")
            iso += f"-{int(day_text):02d}" if day_text else ""
            return WrittenDates(iso, iso)
    return None


def _number_of(month: str) -> int:
    if month.isdigit():
        return int(month) if 1 <= int(month) <= 12 else 0
    roman = _ROMAN.get(month, 0)
    return MONTHS.get(month, 0) or (roman if roman <= 12 else 0)


def _two_months(text: str) -> WrittenDates | None:
    """March - May 2008, March 2008 to May 2009."""
    for separator in re.finditer(_TO, text):
        left, right = text[: separator.start()], text[separator.end() :]
        end = _month(right) or _one_year(right)
        if end is None:
            continue
        begin = _month(left) or _one_year(left) or _month(f"{left} {end.end[:4]}")
        if begin is not None and begin.begin <= end.end:
            return WrittenDates(begin.begin, end.end)
    return None


def _season(text: str) -> WrittenDates | None:
    """Spring 2008 (of the northern half), winter 2008-2009, Q1 2008."""
    if match := re.fullmatch(
        rf"(?:q([1-4])|([1-4])(?:st|nd|rd|th) quarter)[ ,/-]*({_YEAR})|({_YEAR})[ -]?q([1-4])", text
    ):
        quarter, year = int(match[1] or match[2] or match[5]), match[3] or match[4]
        return WrittenDates(f"{year}-{3 * quarter - 2:02d}", f"{year}-{3 * quarter:02d}")
    match = re.fullmatch(rf"([^\W\d]+),? ({_YEAR})(?:[-–/](\d\d|{_YEAR}))?|({_YEAR}),? ([^\W\d]+)", text)
    first = SEASONS.get((match[1] or match[5]) if match else "")
    if match is None or first is None:
        return None
    year = int(match[2] or match[4])
    if first == 12:  # winter 2008 begins in the preceding December, winter 2008-2009 in December 2008
        year += 1 if match[3] else 0
        return WrittenDates(f"{year - 1}-12", f"{year}-02", doubtful=True)
    return WrittenDates(f"{year}-{first:02d}", f"{year}-{first + 2:02d}", doubtful=True)


_FORMS = (_one_year, _two_years, _open_range, _decade, _two_decades, _century, _month, _season, _two_months)
