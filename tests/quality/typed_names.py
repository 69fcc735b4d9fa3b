"""The names that records give themselves, and acronyms with their words, found in raw bytes for ``typed``."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tests.quality.typed_bytes import Role, Said
from tests.quality.typed_rule import compact

FEWEST, MOST = 4, 24  # letters and digits of a name
MOST_WORDS = 3

_IN_TITLE = re.compile(r"(?<![\w/-])[A-Za-z][A-Za-z0-9]*(?:[-_./][A-Za-z0-9]+)*(?![\w/])")
_ACRONYM_IN_PARENTHESES = re.compile(r"\(([A-Z][A-Za-z0-9/-]{1,9})\)")
_BEFORE = 120  # characters in front of the parentheses
_KEYWORD = re.compile(r"([A-Z][A-Za-z0-9/-]{1,9}) > (.{8,90})")
_VERSION = re.compile(r"(?<![\w.])(?:v|version|ver\.?) ?(\d{1,3}(?:\.\d{1,2}){0,2})(?![\w.]*\d)", re.IGNORECASE)
_CHAMBER = "ICARUS Chamber Experiment"  # 1,212 titles made of chemicals and dates
_SMALL_WORDS = frozenset(("and", "for", "from", "in", "of", "on", "the", "to", "with", "de", "des", "la"))
_BAD = re.compile(r"https?:|www\.|doi|@|\.(?:html?|xml|json|pdf|kml|txt|csv|tif|nc)$|^\d+(?:\.\d+)?$", re.IGNORECASE)


@dataclass(slots=True)
class Name:
    """``written``: its forms with how often each stands; ``sources``: the sources of the records that give it."""

    written: Counter[str] = field(default_factory=Counter)
    roles: Counter[Role] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)

    @property
    def form(self) -> str:
        """The commonest form, the first by letter among equals."""
        return min(self.written, key=lambda form: (-self.written[form], form))


def names_of(catalogue: Mapping[str, Said]) -> dict[str, Name]:
    """By letters and digits alone: identifiers, campaigns, platforms, instruments, and capitals in titles."""
    found: dict[str, Name] = defaultdict(Name)
    for record, said in catalogue.items():
        for role, form in _given(said):
            key = compact(form)
            if FEWEST <= len(key) <= MOST and len(form.split()) <= MOST_WORDS and not _BAD.search(form):
                name = found[key]
                name.written[form] += 1
                name.roles[role] += 1
                name.sources[record.partition(":")[0]] += 1
    return dict(found)


def _given(said: Said) -> Iterator[tuple[Role, str]]:
    for role, text in said.names:
        if role == "title":
            yield from ((role, form) for form in _names_in(text))
        else:
            yield from ((role, form) for form in _parts(text) if _is_name(form) or role == "identifier")


def _names_in(title: str) -> Iterator[str]:
    """What is written in capitals or with digits in a title that is not all in capitals."""
    if (any(char.islower() for char in title) or " " not in title) and not title.startswith(_CHAMBER):
        yield from (form for form in _IN_TITLE.findall(title) if _is_name(form))


def _parts(text: str) -> Iterator[str]:
    """ "edu.ucar.gdex::d010103" is d010103, "DART > Data ..." is DART, "USCGC Healy - HLY" is both of its sides."""
    last = text.rpartition("::")[2] if "::" in text else text
    yield from (part.strip() for part in re.split(r" > .*| - |: | \(.*", last) if part.strip())


def _is_name(form: str) -> bool:
    """Two capitals in one part (SuperDARN, but not Half-Monthly), or letters with digits."""
    parts = re.split(r"[-_/. ]", form)
    capitals = max(sum(char.isupper() for char in part) for part in parts)
    return capitals >= 2 or (any(char.isdigit() for char in form) and any(char.isalpha() for char in form))


def pairs_of(catalogue: Mapping[str, Said]) -> dict[tuple[str, str], Counter[str]]:
    """(acronym, words) as written -> ids of records that state it; the words' first letters spell the acronym."""
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for record, said in catalogue.items():
        for text in (*(text for _, text in said.names), *said.texts):
            for short, long in _stated(text):
                found[short, long][record] += 1
    return dict(found)


def _stated(text: str) -> Iterator[tuple[str, str]]:
    keyword = _KEYWORD.fullmatch(text)
    if keyword is not None:
        yield from _spelt(keyword[1], keyword[2].split())
    for match in _ACRONYM_IN_PARENTHESES.finditer(text):
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        clause = re.split(r"[^\w ,'/-]", before)[-1]
        yield from _spelt(match[1], clause.split()[-9:])


def _spelt(short: str, words: list[str]) -> Iterator[tuple[str, str]]:
    """The last words whose first letters are the acronym's letters, small words passed over where need be."""
    letters = compact(short)
    for start in range(len(words) - 1, -1, -1):
        parts = [part for word in words[start:] for part in re.split(r"[-/]", word.strip(",'")) if part]
        heads = "".join(part[0].lower() for part in parts)
        strict = "".join(part[0].lower() for part in parts if part.lower() not in _SMALL_WORDS)
        if letters in (heads, strict) and len(letters) >= 3 and words[start].lower() not in _SMALL_WORDS:
            yield short, " ".join(words[start:]).strip(",' ")
            return


def versions_of(catalogue: Mapping[str, Said]) -> dict[tuple[str, str], set[str]]:
    """(first name of the title, version of the title or edition) -> ids of the records; 1 and 1.0 say nothing."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for record, said in catalogue.items():
        names = [form for title in said.titles for form in _names_in(title) if FEWEST <= len(compact(form)) <= MOST]
        versions = {match[1] for title in said.titles for match in _VERSION.finditer(title)} - {"1", "1.0"}
        for version in sorted(versions) if names and not _VERSION.search(names[0]) else ():
            found[names[0], version].add(record)
    return dict(found)


def words_of(catalogue: Mapping[str, Said]) -> dict[str, set[str]]:
    """Ordinary long words of titles, in small letters -> ids of the records whose title has them."""
    found: dict[str, set[str]] = defaultdict(set)
    for record, said in catalogue.items():
        for title in (title for title in said.titles if not title.startswith(_CHAMBER)):
            for word in re.findall(r"(?<![\w-])[A-Z]?[a-z]{4,}(?![\w-])", title):
                found[word.lower()].add(record)
    return dict(found)
