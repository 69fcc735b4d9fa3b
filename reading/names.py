"""The parts of a question that may be names: ``MOD11_L2``, ``toga coare``, ``GPCP version 2.0``.

Which of them a catalogue bears, only its index knows (:mod:`search_api.search.retrieval.known_names`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from core.names import looks_like_name, name_key, without_version_words
from reading.small_words import SAYING_NOTHING
from reading.spans import Range

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
    """``keys``: how the text may stand in an index, most exact first. ``certain``: it looks like no ordinary word."""

    text: str
    start: int
    end: int
    keys: tuple[str, ...]
    certain: bool


def name_candidates(text: str, taken: Sequence[Range] = ()) -> list[NameCandidate]:
    """Longest first, then from left to right; at most ``MOST_NAMES``.

    ``taken``: ranges that mean something else, places and times.
    """
    said = (one for one in _words(text) if any(letter.isalnum() for letter in one.text))
    words = list(islice(said, _MOST_WORDS))
    telling = [one for one in words if one.text.lower() not in SAYING_NOTHING]
    short = len(telling) <= _SHORT
    found: dict[str, NameCandidate] = {}
    for run in _runs(words):
        candidate = _candidate(text, run, taken, short=short)
        if candidate is not None:
            found.setdefault(candidate.keys[0], candidate)
    longest = sorted(found.values(), key=lambda one: (one.start - one.end, one.start))
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


def _candidate(text: str, run: Sequence[_Word], taken: Sequence[Range], *, short: bool) -> NameCandidate | None:
    texts = [one.text for one in run]
    if any(edge.lower() in SAYING_NOTHING and not looks_like_name(edge) for edge in (texts[0], texts[-1])):
        return None
    certain = any(_is_telling(one) for one in texts)
    start, end = run[0].start, run[-1].end
    # A year within a word is part of a name: FLUXNET-2015.
    if not (certain or short) or any(first <= one.start and one.end <= last for one in run for first, last in taken):
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
    yield from dict.fromkeys(name_key("".join(one)) for one in (words, bare, unpadded))
