"""Keys computed from a record, by which the index finds it: its series, the same data set in other catalogues or
formats, its names, and the acronyms that it mentions. Pure.

Schwartz and Hearst, A simple algorithm for identifying abbreviation definitions in biomedical text, PSB 2003: the
characters of the short form are looked for from its end in the words before it; the first one must begin a word.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from core.names import (
    bare_version,
    folded,
    folded_words,
    looks_like_code,
    looks_like_name,
    name_key,
    without_version_words,
)
from core.record import Record

_NUMBER = r"\d+(?:[._]\d+)*"
TITLE_VERSION = re.compile(
    rf"[\s,;:(\[-]*\b(?:(?:version|edition|release|vers|ver|v)\.?\s*(?P<number>{_NUMBER})"
    rf"|(?P<ordinal>\d+)(?:st|nd|rd|th)\s+(?:version|edition|release))\b[)\]]?"
)
"""In a folded title."""
_TITLE_FORMAT = re.compile(
    r"[\s,;:/(\[-]*\b(?:in )?(?:ascii|excel|xlsx?|spreadsheet|net-?cdf-?[34]?|csv|hdf-?(?:eos)?[45]?|grib-?[12]?|"
    r"(?:geo-?)?tiff?|shape-?files?|km[lz]|zarr|pdf|txt|(?:geo-?)?json|xml|html|gif|png|jpe?g|dorade|cf-?radial|bufr|"
    r"icartt|matlab|tdf|binary)\b(?:[\s-]?(?:formatted|format|files?))?[)\]]?"
)
TITLE_STATE = re.compile(r"[\s,;:(\[-]*\b(?:preliminary|provisional|draft|final)\b[)\]]?")
_DAY_MS = 86_400_000
_LEAST_TITLE_WORDS = 2  # "Bathymetry" alone does not identify a data set
_MONTHS = (
    r"jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|fevrier|mar(?:ch|s)?|marz|apr(?:il)?|avril|may|mai|june?|juni|juin|july?|"
    r"juli|juillet|aug(?:ust)?|aout|sept?(?:ember)?|septembre|oct(?:ober)?|oktober|octobre|nov(?:ember)?|novembre|"
    r"de[cz](?:ember)?|decembre"
)
_DIGITS = re.compile(r"\d+")
_DATE_WORD = re.compile(rf"(?:{_MONTHS}|#(?:st|nd|rd|th)?)")
MOST_KEYS = 64
LONGEST_KEY = 96  # characters; the longest short names of NASA's have 85
_SHORTEST_KEY = 2
_ACRONYM_AT_END = re.compile(r"(?:\(([A-Z][\w/-]{1,14})\)|\s-\s([A-Z][A-Z0-9/-]{1,14}))\s*$")
_LAST_PART = re.compile(r"[^:/]+$")
MOST_MENTIONED = 256
MOST_ACRONYMS = 24
LONGEST_MENTIONED = 40  # characters of a key
_LONGEST_PHRASE = 4  # words
_LONGEST_KEYWORD = 8  # words; a longer one is a sentence
_SHORTEST_MENTIONED = 3
_TOKEN = re.compile(r"[^\s,;()\[\]{}<>\"'|]+")
_PART = re.compile(r"[^\W_]+")


def series_of(record: Record) -> str | None:
    """Equal for records of one source whose titles differ only in numbers and dates; None for a short title.

    "SST May 2003" and "SST June 2004" are siblings, "CO2 flux" and "N2O flux" are not: letters around a number inside a
    word still count.
    """
    words = [_DIGITS.sub("#", word) for word in folded_words(record.title)]
    stem = [word for word in words if not _DATE_WORD.fullmatch(word)]
    if len(stem) < _LEAST_TITLE_WORDS:
        return None
    return _digest(record.source, *stem)


def signature_of(record: Record) -> str | None:
    """Equal for records with the same title, provider, extent (to .1 degree) and period (to the day).

    None if the title is short, there is no organisation, or neither extent nor period is known: too little evidence for
    one data set.
    """
    title = folded_words(record.title)
    provider = next((contact.organisation for contact in record.contacts if contact.organisation), None)
    if len(title) < _LEAST_TITLE_WORDS or provider is None or not (record.extents or record.times):
        return None
    boxes = sorted(",".join(f"{edge:.1f}" for edge in box.as_list()) for box in record.extents)
    spans = sorted(f"{_day(span.start_ms)}/{_day(span.end_ms)}" for span in record.times)
    return _digest(" ".join(title), " ".join(folded_words(provider)), *boxes, *spans)


def title_stem(title: str) -> tuple[str, ...]:
    """The words of the title without "Version 3", "(ASCII)" or "final"; () if too few are left."""
    return _stem_and_marks(title)[0]


@dataclass(frozen=True, slots=True)
class TwinKey:
    """``data_set`` is equal for versions and formats of one data set; these differ in ``marks``: "ascii", "v2".

    ``title``: equal if only the title without its marks is the same. ``data_set``: None if no box and no start of a
    period is known: equal titles are no twins, catalogues hold many "Flight tracks".
    """

    data_set: str | None
    marks: str
    title: str


@lru_cache(maxsize=16_384)
def twin_key(source: str, title: str, boxes: tuple[str, ...], start: str | None) -> TwinKey | None:
    """Of a record with these boxes whose period has this start; None with a short title.

    A newer version may end later. Kept, because a search computes it for hundreds of records that it does not rank.
    """
    stem, marks = _stem_and_marks(title)
    if not stem:
        return None
    title_digest = _digest(source, *stem)
    data_set = _digest(title_digest, *sorted(boxes), "", start or "") if boxes or start else None
    return TwinKey(data_set, marks, title_digest)


@lru_cache(maxsize=1_024)
def _stem_and_marks(title: str) -> tuple[tuple[str, ...], str]:
    text, marks = folded(title), []
    for pattern in (TITLE_VERSION, _TITLE_FORMAT, TITLE_STATE):
        marks += [" ".join(folded_words(match[0])) for match in pattern.finditer(text)]
        text = pattern.sub(" ", text)
    words = tuple(folded_words(text))
    return (words if len(words) >= _LEAST_TITLE_WORDS else ()), " ".join(marks)


def _day(instant_ms: int | None) -> str:
    return "" if instant_ms is None else str(instant_ms // _DAY_MS)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def keys_of(record: Record) -> tuple[str, ...]:
    """Each key once, the product's own first: short names, with the version after them, then alternate titles,
    identifiers, platforms, instruments and projects. At most ``MOST_KEYS`` of at most ``LONGEST_KEY`` characters.
    """
    keys = dict.fromkeys(name_key(text) for text in _texts(record))
    return tuple(key for key in keys if _SHORTEST_KEY <= len(key) <= LONGEST_KEY)[:MOST_KEYS]


def _texts(record: Record) -> Iterator[str]:
    names = record.names
    yield from names.short_names
    for short_name in names.short_names:
        yield from (f"{short_name}{version}" for version in _versions(record.edition))
    yield from filter(looks_like_code, record.alternate_titles)
    for identifier in filter(None, (record.identifier, record.doi)):
        yield identifier
        last = _LAST_PART.search(identifier)
        if last is not None and looks_like_code(last[0]):
            yield last[0]
    for name in (*names.platforms, *names.instruments, *names.projects, *names.written):
        yield name
        acronym = _ACRONYM_AT_END.search(name)
        if acronym is not None:
            yield acronym[1] or acronym[2]


def _versions(edition: str | None) -> tuple[str, ...]:
    """``V006`` as ``006`` and ``6``."""
    edition_version = bare_version(edition or "")
    if not edition_version or len(edition_version.split()) != 1:
        return ()
    return tuple(dict.fromkeys((edition_version, edition_version.lstrip("0."))))


def mentioned_keys(record: Record) -> tuple[str, ...]:
    """Each key once: up to four words that follow each other in titles and keywords (``TOGA COARE``: ``togacoare``),
    and single words of the abstract that look like names. At most ``MOST_MENTIONED``.
    """
    keys = dict.fromkeys(key for key in _mention_texts(record) if _SHORTEST_MENTIONED <= len(key) <= LONGEST_MENTIONED)
    return tuple(keys)[:MOST_MENTIONED]


def acronyms_of(record: Record) -> tuple[str, ...]:
    """The acronyms that the record defines, both ways: ``lst=land surface temperature`` and the reverse."""
    pairs = dict.fromkeys((acronym_key(pair.short), words_key(pair.long)) for pair in _acronym_pairs(record))
    directions = (text for short_form, long in pairs for text in (f"{short_form}={long}", f"{long}={short_form}"))
    return tuple(directions)[: 2 * MOST_ACRONYMS]


def acronym_key(acronym: str) -> str:
    """SSM/I, ssm-i and SSMI are one."""
    return "".join(folded_words(acronym)) + ("+" if acronym.endswith("+") else "")


def words_key(words: str) -> str:
    """Words in small letters without accents, the last one without its plural s."""
    words_folded = folded_words(words)
    if (
        words_folded
        and len(words_folded[-1]) > 3
        and words_folded[-1].endswith("s")
        and not words_folded[-1].endswith(("ss", "us", "is"))
    ):
        words_folded[-1] = words_folded[-1][:-1]
    return " ".join(words_folded)


def _mention_texts(record: Record) -> Iterator[str]:
    for title in (record.title, *record.alternate_titles):
        yield from _phrase_keys(title)
    for keyword in record.keywords:
        if len(keyword.term.split()) <= _LONGEST_KEYWORD:
            yield from _phrase_keys(keyword.term)
    tokens = [token[0].strip(".:!?") for token in _TOKEN.finditer(record.abstract or "")]
    name_like = [looks_like_name(token) for token in tokens]
    for index, token in enumerate(tokens):
        if name_like[index]:
            yield name_key(token)
            if index + 1 < len(tokens) and (name_like[index + 1] or tokens[index + 1].isdigit()):
                yield name_key(token + tokens[index + 1])


@lru_cache(maxsize=8_192)
def _phrase_keys(text: str) -> tuple[str, ...]:
    """Kept, because the records of a catalogue share their keywords."""
    return tuple(_each_phrase_key(text))


def _each_phrase_key(text: str) -> Iterator[str]:
    words = _PART.findall(text)
    versions = _PART.findall(" ".join(without_version_words(text.split())))
    for sequence in (words, versions) if versions != words else (words,):
        for start in range(len(sequence)):
            for end in range(start + 1, min(start + _LONGEST_PHRASE, len(sequence)) + 1):
                phrase = sequence[start:end]
                if not (_is_small(phrase[0]) or _is_small(phrase[-1])) and (len(phrase) > 1 or not phrase[0].isdigit()):
                    yield name_key("".join(phrase))


def _is_small(word: str) -> bool:
    """ "of", "and": no name begins or ends with it."""
    return len(word) < 4 and word.isalpha() and word.islower()


def _acronym_pairs(record: Record) -> Iterable[DefinedAcronym]:
    for text in (record.title, record.abstract or ""):
        yield from defined_acronyms(text)
    for keyword in record.keywords:
        pair = of_keyword(keyword.term)
        if pair is not None:
            yield pair


_PARENTHESES = re.compile(r"[(\[]([^()\[\]]{2,200})[)\]]")
_TO_LAST_END = re.compile(r".*(?:[.!?;:]\s|[()\[\]\n])", re.DOTALL)
_INNER_END = re.compile(r"[,;=]")
_KEYWORD = re.compile(r"\s*([^<>]{2,20}?)\s*>\s*([^<>]{4,200}?)\s*")
_LAST_WORD = re.compile(r"(?:^|[\s\"'(])([^\s\"'(]+)\s*$")
_SHORTEST, _LONGEST = 2, 10  # characters of a short form
_LOOK_BACK = 600  # characters; a long form of 15 words is far shorter


@dataclass(frozen=True, slots=True)
class DefinedAcronym:
    """``long`` as it is written in the text, white space as single blanks."""

    short: str
    long: str


def defined_acronyms(text: str) -> list[DefinedAcronym]:
    """Each pair once, in the order of the text."""
    return list(dict.fromkeys(_pairs(text)))


def of_keyword(term: str) -> DefinedAcronym | None:
    """The pair of a keyword in GCMD's form, "DART > Data Assimilation Research Testbed"; None for any other keyword."""
    parts = _KEYWORD.fullmatch(term)
    if parts is None or not _is_short_form(parts[1]):
        return None
    return _pair(parts[1], parts[2], is_whole=True)


def _pairs(text: str) -> Iterator[DefinedAcronym]:
    for match in _PARENTHESES.finditer(text):
        inner_text = match[1].strip()
        clause_before = _clause(text[max(0, match.start() - _LOOK_BACK) : match.start()])
        short_form = _INNER_END.split(inner_text, maxsplit=1)[0].strip().strip("\"'")
        acronym = _pair(short_form, clause_before) if _is_short_form(short_form) else None
        acronym = acronym or _short_before(clause_before, inner_text)
        if acronym is not None:
            yield acronym


def _short_before(clause_before: str, inner_text: str) -> DefinedAcronym | None:
    """ "LST (land surface temperature)": the last word before the parentheses is the short form."""
    last = _LAST_WORD.search(clause_before)
    if last is None or not _is_short_form(last[1]) or len(inner_text.split()) < 2:
        return None
    return _pair(last[1], _INNER_END.split(inner_text, maxsplit=1)[0], is_whole=True) or _pair(
        last[1], inner_text, is_whole=True
    )


def _clause(text: str) -> str:
    """The end of the text, from the last sentence's end or other parentheses on."""
    sentence_end = _TO_LAST_END.match(text)
    return text if sentence_end is None else text[sentence_end.end() :]


def _is_short_form(text: str) -> bool:
    """Two words at most, 2 to 10 characters, a capital among them, a letter or a digit first."""
    return (
        _SHORTEST <= len(text) <= _LONGEST
        and len(text.split()) <= 2
        and text[0].isalnum()
        and any(char.isupper() for char in text)
    )


def _pair(short_form: str, candidate: str, *, is_whole: bool = False) -> DefinedAcronym | None:
    """``is_whole``: the long form must be all of the candidate, else its end."""
    words = candidate.split()
    most_words = min(len(short_form) + 5, len(short_form) * 2)
    if is_whole and len(words) > most_words:
        return None
    long = _best_long_form(short_form, " ".join(words[-most_words:]))
    if long is None or (is_whole and len(long.split()) != len(words)):
        return None
    tokens = [token.strip("\"',.") for token in long.split()]
    if len(long) <= len(short_form) or short_form in tokens or len(tokens) < 2:
        return None
    return DefinedAcronym(short_form, long.strip("\"',"))


def _best_long_form(short_form: str, candidate: str) -> str | None:
    """The shortest end of the candidate that has the short form's letters and digits in their order."""
    position = len(candidate)
    characters = [char for char in short_form.lower() if char.isalnum()]
    low = candidate.lower()
    if len(low) != len(candidate):  # a letter that is two in small letters would shift all positions
        return None
    for index in range(len(characters) - 1, -1, -1):
        position -= 1
        while position >= 0 and not (
            low[position] == characters[index] and (index > 0 or position == 0 or not low[position - 1].isalnum())
        ):
            position -= 1
        if position < 0:
            return None
    return candidate[candidate.rfind(" ", 0, position) + 1 :]
