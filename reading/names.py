"""The parts of a question that may be names: of things (``MOD11_L2``, ``toga coare``), people and organisations.

Which of them a catalogue bears, only its index knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from core.names import looks_like_name, name_key, without_version_words
from reading.language import EMPTY_WORDS
from reading.sentences import Range

MOST_NAMES = 16  # candidates of a question
_MOST_WORDS = 16  # of a question that are looked at
_SHORT = 3  # words: in a question as short as this every word may be a name
_LONGEST_RUN = 4  # words of a name
_LEAST, _LONGEST = 2, 60  # characters of a key
_WORD = re.compile(r"\S+")
_AROUND = ".,;:!?()[]{}\"'“”„«»‘’…"
_COUNTED = re.compile(r"\d+(?:s|st|nd|rd|th)", re.IGNORECASE)
_ELEMENTS = r"(?:Cl|Br|Si|Na|Mg|Ca|Fe|[HCNOSPFK])[2-6]?"
_FORMULA = re.compile(rf"[ONH][23]|(?=.*\d)(?:{_ELEMENTS}){{2,4}}[+-]?")
_ZEROS = re.compile(r"^[0.]+(?=\d)")


@dataclass(frozen=True, slots=True)
class NameCandidate:
    """``keys``: possible spellings in an index, most exact first. ``certain``: it looks unlike an ordinary word."""

    text: str
    start: int
    end: int
    keys: tuple[str, ...]
    certain: bool


def name_candidates(text: str, occupied: Sequence[Range] = ()) -> list[NameCandidate]:
    """Longest first, then from left to right; at most ``MOST_NAMES``.

    ``occupied``: ranges that mean something else, places and times.
    """
    tokens = (word for word in _words(text) if any(letter.isalnum() for letter in word.text))
    words = list(islice(tokens, _MOST_WORDS))
    meaningful = [word for word in words if word.text.lower() not in EMPTY_WORDS]
    short = len(meaningful) <= _SHORT
    candidates: dict[str, NameCandidate] = {}
    for run in _runs(words):
        candidate = _candidate(text, run, occupied, short=short)
        if candidate is not None:
            candidates.setdefault(candidate.keys[0], candidate)
    longest = sorted(candidates.values(), key=lambda word: (word.start - word.end, word.start))
    return longest[:MOST_NAMES]


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int


def _words(text: str) -> Iterator[_Word]:
    for match in _WORD.finditer(text):
        bare = match[0].strip(_AROUND)
        start = match.start() + match[0].find(bare) if bare else match.start()
        yield _Word(bare, start, start + len(bare))


def _runs(words: Sequence[_Word]) -> Iterator[Sequence[_Word]]:
    for start in range(len(words)):
        for end in range(start + 1, min(start + _LONGEST_RUN, len(words)) + 1):
            yield words[start:end]


def _candidate(text: str, run: Sequence[_Word], occupied: Sequence[Range], *, short: bool) -> NameCandidate | None:
    texts = [word.text for word in run]
    if any(edge.lower() in EMPTY_WORDS and not looks_like_name(edge) for edge in (texts[0], texts[-1])):
        return None
    certain = any(_is_telling(word) for word in texts)
    start, end = run[0].start, run[-1].end
    # A year within a word is part of a name: FLUXNET-2015.
    if not (certain or short) or any(s <= word.start and word.end <= e for word in run for s, e in occupied):
        return None
    keys = tuple(key for key in _keys(texts) if _LEAST <= len(key) <= _LONGEST and not key.isdigit())
    return NameCandidate(text[start:end], start, end, keys, certain) if keys else None


def _is_telling(word: str) -> bool:
    """Looks like a name, and is neither a number in words (20th, 1990s) nor a substance (CO2)."""
    return looks_like_name(word) and not (_COUNTED.fullmatch(word) or _FORMULA.fullmatch(word))


def _keys(words: Sequence[str]) -> Iterator[str]:
    """As typed, then without words such as "version", then without the zeros of a version behind."""
    bare = without_version_words(words)
    unpadded = [*bare[:-1], _ZEROS.sub("", bare[-1])] if len(bare) > 1 else bare
    yield from dict.fromkeys(name_key("".join(variant)) for variant in (words, bare, unpadded))


_MOST_CONTACT_WORDS = 10  # of a question that are looked at
_LONGEST_CONTACT = 5  # words of a name within a question
_MOST_CONTACTS = 24  # candidates of a question
_CONTACT_WORD = re.compile(r"[^\W\d_][\w.'’&-]*")


@dataclass(frozen=True, slots=True)
class ContactCandidate:
    """``is_whole``: the question is only this name."""

    text: str
    start: int
    end: int
    is_whole: bool


def contact_candidates(text: str, occupied: Sequence[Range] = ()) -> list[ContactCandidate]:
    """Longest first, at most ``_MOST``. ``occupied``: places and times, which an organisation's name may hold but which
    are none alone.
    """
    words = [(match.start(), match.end()) for match in _CONTACT_WORD.finditer(text)]
    if not words or len(words) > _MOST_CONTACT_WORDS:
        words = words[:_MOST_CONTACT_WORDS]
    runs = [
        words[start:end]
        for start in range(len(words))
        for end in range(start + 2, min(start + _LONGEST_CONTACT, len(words)) + 1)
    ]
    candidates = [ContactCandidate(text[run[0][0] : run[-1][1]], run[0][0], run[-1][1], False) for run in runs]
    candidates = [contact for contact in candidates if _may_be_contact(contact, occupied)]
    stripped = text.strip(" .,;:?!")
    start = text.find(stripped)
    if words and not any(letter.isdigit() for letter in stripped):
        whole = ContactCandidate(stripped, start, start + len(stripped), True)
        candidates = [whole, *(contact for contact in candidates if contact.text != stripped)]
    return sorted(candidates, key=lambda contact: (contact.start - contact.end, contact.start))[:_MOST_CONTACTS]


def _may_be_contact(candidate: ContactCandidate, occupied: Sequence[Range]) -> bool:
    edges = (candidate.text.split()[0], candidate.text.split()[-1])
    if any(edge.lower().strip(".,") in EMPTY_WORDS for edge in edges):
        return False
    return not any(start <= candidate.start and candidate.end <= end for start, end in occupied)
