"""What a title page prints below its title: people, their affiliations, and dates in ISO 8601."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from datetime import date

from indexer.documents.parse.clean import normalise_text
from indexer.documents.parse.model import Block, PrintedLine
from reading.time_words import MONTHS

AFFILIATION = re.compile(
    r"\b(?:universi\w*|i?n?stitut\w*|depart\w*|dipartimento|laborat\w*|observat\w*|survey|agenc\w*|agentur|agence|"
    r"cent(?:er|re|ro)|zentrum|school|escola|escuela|école|college|hochschule|academy|akademie|facult\w*|fakultät|museum|"
    r"company|gmbh|inc\.|ltd|organi[sz]ation|ministry|ministerium|bureau|\w*amt|landesanstalt|council|conseil|"
    r"foundation|commission|authority)\b",
    re.IGNORECASE,
)
_OF_AN_OFFICE = re.compile(
    r"^(?:U\. ?S\.|national|federal|commonwealth|technical|technische|geological|geologische[rs]?|environmental|"
    r"scientific|royal|research|working|open-file|paper|report|series|department|secretary|director|united|european|"
    r"international|access|articles?|notes?|points|contents|information|data|water|weather|climate|ocean|sea|press|"
    r"street|road|avenue|islands?)$",
    re.IGNORECASE,
)
_BEGINS_A_PLACE = frozenset(("New", "North", "South", "East", "West", "Northern", "Southern", "Eastern", "Western"))
_END_OF_BYLINE = re.compile(
    r"^(?:abstract|a b s t r a c t|summary|zusammenfassung|résumé|resumen|(?:(?:1|I)\.? )?introduction|key ?words|"
    r"plain language|table of contents|contents|inhalt|sommaire)\b",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s*(?:[;,·•|&]|\b(?:and|und|et|AND|UND|ET)\b)\s*")
_OPEN_END = re.compile(r"(?:[;,·•|&]|\b(?:and|und|et|AND|UND|ET)\b)\s*$")
_OPEN_BEGIN = re.compile(r"^(?:[;·•|&]|(?:and|und|et|AND|UND|ET)\b)")
_NO_NAME = frozenset(["of", "for", "the", "in", "from", "with", "on", "at", "by", "to", "using"])
_PLACE = re.compile(r"^[^\W\d_]+(?: [^\W\d_]+){0,2}$")
_END_OF_NAMES = re.compile(r"[.,;:(·|]\s*$")
_INITIAL_AT_END = re.compile(r"\b[^\W\d_]\.?$")
_SAME_SIZE = 0.4  # points
_FARTHEST = 8  # lines of offices between two names
_MOST_LINES = 80
_LABEL = re.compile(
    r"(?:^|[·|•]\s*)(?:authors?|autor(?:en|es|in|innen)?|auteurs?|autori|verfasser(?:in|innen)?|bearbeit(?:er|et von)|"
    r"elaborado por|elaborazione|rédigé par|prepared by|written by|from)\s*(?P<colon>:)?\s*(?P<names>(?<=[:\s]).+)?$",
    re.IGNORECASE,
)
_SPANISH_AND = re.compile(r"\s+[ye]\s+(?=[^\W\d_]+ [^\W\d_])")
_PARTICLE_WORDS = "al ben bin d da das de del dei della den der di do dos du e el la le les ten ter van von y zu zur"
_PARTICLES = frozenset(_PARTICLE_WORDS.split())
_BEGIN_SENTENCES = frozenset(("The", "This", "These", "In", "Our"))
_NAME = re.compile(
    r"^(?:[^\W\d_](?:\.|[^\W\d_]*)[ .-]*){1,3}(?:d[aeiou]s?|van|von|der|de|la|le|Jr\.?|[^\W\d_][^\W\d_'’-]+)"
    r"(?:[ -](?:[^\W\d_][\w'’.-]*|Jr\.?)){0,3}$"
)
_MARKS = re.compile(r"\(\d[\d,\s]*\)|[\d*†‡§¶∗,\s]+$|^[\d*†‡§¶∗\s]+")
_CORRESPONDENCE = re.compile(r"\b(?:Correspondence|E-?mail)\b")
_LONGEST = 4000  # characters of a line of authors

_MONTH_NAME = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY_FIRST = re.compile(
    rf"\b(\d{{1,2}})\.?(?:st|nd|rd|th)?\s+(?:de\s+)?({_MONTH_NAME})\.?,?\s+(?:del?\s+)?((?:1[6-9]|20)\d\d)\b",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"\b({_MONTH_NAME})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,\s*((?:1[6-9]|20)\d\d)\b", re.IGNORECASE
)
_MONTH = re.compile(rf"\b({_MONTH_NAME})\.?,?\s+(?:del?\s+)?((?:1[6-9]|20)\d\d)\b", re.IGNORECASE)
_ISO = re.compile(r"\b((?:1[6-9]|20)\d\d)-(\d\d)-(\d\d)\b")
_GERMAN = re.compile(r"\b(\d{1,2})\.\s?(\d{1,2})\.\s?((?:1[6-9]|20)\d\d)\b")
_FULL_DATE = re.compile(r"^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?!\d)")


def authors_in(blocks: Sequence[Block]) -> list[str]:
    for block in blocks[:5]:
        text = _CORRESPONDENCE.split(block.text)[0]
        affiliation_match = AFFILIATION.search(text)
        names = split_names(_without_office(text[: affiliation_match.start()]) if affiliation_match else text)
        if names:
            return names
    return []


def labelled_names(lines: Sequence[PrintedLine]) -> list[str]:
    """The names behind ``Authors:`` or "Prepared by:", or beside such a label in a list."""
    for place, line in enumerate(lines):
        match, next_line = _LABEL.search(line.text), lines[place + 1] if place + 1 < len(lines) else None
        if match is None:
            continue
        text = match["names"]
        if not text and next_line is not None and abs(next_line.baseline - line.baseline) < 1.0:
            text = next_line.text
        elif not (text and match["colon"]):
            continue
        names = split_names(_SPANISH_AND.sub(", ", text))
        if names:
            return names
    return []


def names_below(lines: Sequence[PrintedLine]) -> list[str]:
    """The authors in the lines below a title: all names in the type of the first, with offices between them."""
    names: list[str] = []
    style: tuple[float, bool] | None = None
    distance = 0
    end = min((line.baseline for line in lines if _END_OF_BYLINE.match(line.text)), default=math.inf)
    for size, text in _entries([line for line in lines[:_MOST_LINES] if line.baseline < end]):
        if distance > _FARTHEST:
            break
        entry_names = _names_of_entry(text)
        entry_style = (size, text.isupper())
        if entry_names and (style is None or (abs(style[0] - size) <= _SAME_SIZE and style[1] == text.isupper())):
            names += [name for name in entry_names if name not in names]
            style, distance = entry_style, 0
        else:
            distance += 1
    return names


def _entries(lines: Sequence[PrintedLine]) -> Iterator[tuple[float, str]]:
    """The size and text of each line, joined with those that continue its list of names."""
    size, text = 0.0, ""
    for line in lines:
        if text and abs(line.size - size) <= _SAME_SIZE and _is_continued(text, line.text):
            text = f"{text} {line.text}"
            continue
        if text:
            yield size, text
        size, text = line.size, line.text
    if text:
        yield size, text


def _is_continued(text: str, next_text: str) -> bool:
    """Whether a list of names ends with a separator or inside a name, or the next line begins with "and"."""
    if AFFILIATION.search(text):
        return False
    if _OPEN_BEGIN.match(next_text) or _OPEN_END.search(text):
        return bool(split_names(text))
    parts = [part for part in _SEPARATOR.split(text) if part]
    if len(parts) < 2 or not split_names(text):
        return False
    last_part = _MARKS.sub("", parts[-1]).strip(" ,")
    return _INITIAL_AT_END.search(last_part) is not None or not _is_name(last_part.strip(" ."))


def _names_of_entry(text: str) -> list[str]:
    """Its names, before an office; none of a place ("Silver Spring, Maryland")."""
    text = _CORRESPONDENCE.split(text)[0]
    affiliation_match = AFFILIATION.search(text)
    if affiliation_match:
        words_before = text[: affiliation_match.start()]
        text = _without_office(words_before)
        if text == " ".join(words_before.split()) and not _END_OF_NAMES.search(text):
            return []
    names = split_names(text)
    parts = [part for part in _SEPARATOR.split(text) if part]
    is_place = len(names) == 1 and len(parts) == 2 and _PLACE.match(parts[1]) is not None and not parts[1].isupper()
    return [] if is_place else names


def _without_office(text: str) -> str:
    """Before "Survey" in "Edward R. Banta U.S. Geological Survey", without the words of that name."""
    words = text.split()
    while words and _OF_AN_OFFICE.match(words[-1]):
        words.pop()
    return " ".join(words)


def split_names(text: str) -> list[str]:
    """Names of people in a line of authors; the list ends at the first text that does not look like a name."""
    names: list[str] = []
    text = re.sub(r"^(?:By|Authors?:|Autor(?:en)?:|Auteurs?:|von|par|por)\s+(?=[^\W\d_])", "", text)
    with_commas = re.sub(r"\(\d[\d,\s]*\)", " , ", normalise_text(text[:_LONGEST]))
    for part in _SEPARATOR.split(with_commas):
        name = _MARKS.sub("", re.sub(r"(?<=[^\W\d_])\d+(?:\s*\d+)*", "", part)).strip(" .∗†")
        if not name or name.isdigit():
            continue
        if name in ("Jr", "Jr.", "PhD", "Dr") or not _is_name(name):
            if names:
                break
            return []
        names.append(name)
    return names


def _is_name(text: str) -> bool:
    parts = text.split()
    if (
        not 2 <= len(parts) <= 6
        or AFFILIATION.search(text)
        or len(text) > 60
        or parts[0] in _BEGIN_SENTENCES | _BEGINS_A_PLACE
    ):
        return False
    if any(part.lower() in _NO_NAME or _OF_AN_OFFICE.match(part) for part in parts):
        return False
    if len(parts[0]) > 2 and parts[0].isupper() and not text.isupper():
        return False  # "ENTREPRISE Injectobohr": the label of a form
    if any(p.islower() and p not in _PARTICLES for p in parts):
        return False
    capitals = sum(part[:1].isupper() for part in parts)
    return capitals >= 2 and not any(ch.isdigit() for ch in text) and _NAME.match(text) is not None


def affiliations_in(blocks: Sequence[Block]) -> list[str]:
    affiliations: list[str] = []
    for block in blocks[:6]:
        if not AFFILIATION.search(block.text) or len(block.text) > 900:
            continue
        text = _CORRESPONDENCE.split(block.text)[0]
        for part in re.split(r"(?:(?<=\s)|^)\(?(?:\d{1,2}|[∗*†‡§¶])\)?\s?(?=[A-Z])", text):
            clean = part.strip(" ,;.")
            if AFFILIATION.search(clean) and 8 < len(clean) < 200 and "=" not in clean:
                affiliations.append(clean)
    return affiliations


_ANY_DATE = "|".join(f"(?:{pattern.pattern})" for pattern in (_ISO, _GERMAN, _DAY_FIRST, _MONTH_FIRST, _MONTH))
_HISTORY = re.compile(
    r"\b(?:received|submitted|revised|accepted|final form|discussion started|accessed|retrieved|eingegangen|"
    rf"angenommen|reçu|accepté|recibido|aceptado)\b(?:(?!\bpublished\b|\bonline\b)[^/|;–—])*?(?:{_ANY_DATE})",
    re.IGNORECASE,
)


def without_history(text: str) -> str:
    """The text without the dates on which a manuscript was received, revised or accepted."""
    return _HISTORY.sub(" ", text)


def last_of_history(text: str) -> str | None:
    """The latest of those dates."""
    return max((day for match in _HISTORY.finditer(text) if (day := date_in(match[0]))), default=None)


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
    month_match = _MONTH.search(text)
    return f"{month_match[2]}-{MONTHS[month_match[1].lower()]:02d}" if month_match else None


def _day(year: str, month: str, day: str) -> str | None:
    number = MONTHS[month.lower()]
    return f"{year}-{number:02d}-{int(day):02d}" if _exists(year, number, int(day)) else None


def _exists(year: str, month: int, day: int) -> bool:
    try:
        date(int(year), month, day)
    except ValueError:
        return False
    return True


def whole_date(text: str) -> str | None:
    """``2017``, ``2017-07`` or ``2017-07-26`` at the beginning of the text; shorter if the day does not exist."""
    match = _FULL_DATE.match(text)
    if match is None:
        return None
    year, month, day = match.groups()
    if not 1600 <= int(year) <= 2100 or (month is not None and not 1 <= int(month) <= 12):
        return None
    if day is not None and not _exists(year, int(month), int(day)):
        return None
    return "-".join(part for part in match.groups() if part)
