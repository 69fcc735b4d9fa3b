"""What a record only mentions: words that follow each other, as keys, and the acronyms that it defines. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from core.defined_acronyms import DefinedAcronym, defined_acronyms, of_keyword
from core.folding import folded_words
from core.name_words import looks_like_name, without_version_words
from core.names import name_key
from core.record import Record

MOST_MENTIONED = 256
MOST_ACRONYMS = 24
LONGEST_MENTIONED = 40  # characters of a key
_LONGEST_RUN = 4  # words
_LONGEST_KEYWORD = 8  # words; a longer one is a sentence
_LEAST = 3

_TOKEN = re.compile(r"[^\s,;()\[\]{}<>\"'|]+")
_PART = re.compile(r"[^\W_]+")


def mentioned_keys(record: Record) -> tuple[str, ...]:
    """Each key once: up to four words that follow each other in titles and keywords (``TOGA COARE``: ``togacoare``),
    and single words of the abstract that look like names. At most ``MOST_MENTIONED``.
    """
    keys = dict.fromkeys(key for key in _keys(record) if _LEAST <= len(key) <= LONGEST_MENTIONED)
    return tuple(keys)[:MOST_MENTIONED]


def acronyms_of(record: Record) -> tuple[str, ...]:
    """The acronyms that the record defines, both ways: ``lst=land surface temperature`` and the reverse."""
    pairs = dict.fromkeys((acronym_key(pair.short), words_key(pair.long)) for pair in _defined(record))
    both = (text for short, long in pairs for text in (f"{short}={long}", f"{long}={short}"))
    return tuple(both)[: 2 * MOST_ACRONYMS]


def acronym_key(acronym: str) -> str:
    """SSM/I, ssm-i and SSMI are one."""
    return "".join(folded_words(acronym)) + ("+" if acronym.endswith("+") else "")


def words_key(words: str) -> str:
    """Words in small letters without accents, the last one without its plural s."""
    found = folded_words(words)
    if found and len(found[-1]) > 3 and found[-1].endswith("s") and not found[-1].endswith(("ss", "us", "is")):
        found[-1] = found[-1][:-1]
    return " ".join(found)


def _keys(record: Record) -> Iterator[str]:
    for title in (record.title, *record.alternate_titles):
        yield from _runs(title)
    for keyword in record.keywords:
        if len(keyword.term.split()) <= _LONGEST_KEYWORD:
            yield from _runs(keyword.term)
    tokens = [token[0].strip(".:!?") for token in _TOKEN.finditer(record.abstract or "")]
    likely = [looks_like_name(token) for token in tokens]
    for place, token in enumerate(tokens):
        if likely[place]:
            yield name_key(token)
            if place + 1 < len(tokens) and (likely[place + 1] or tokens[place + 1].isdigit()):
                yield name_key(token + tokens[place + 1])


@lru_cache(maxsize=8_192)
def _runs(text: str) -> tuple[str, ...]:
    """Kept, because the records of a catalogue share their keywords."""
    return tuple(_runs_of(text))


def _runs_of(text: str) -> Iterator[str]:
    words = _PART.findall(text)
    versions = _PART.findall(" ".join(without_version_words(text.split())))
    for sequence in (words, versions) if versions != words else (words,):
        for start in range(len(sequence)):
            for end in range(start + 1, min(start + _LONGEST_RUN, len(sequence)) + 1):
                run = sequence[start:end]
                if not (_is_small(run[0]) or _is_small(run[-1])) and (len(run) > 1 or not run[0].isdigit()):
                    yield name_key("".join(run))


def _is_small(word: str) -> bool:
    """ "of", "and": no name begins or ends with it."""
    return len(word) < 4 and word.isalpha() and word.islower()


def _defined(record: Record) -> Iterable[DefinedAcronym]:
    for text in (record.title, record.abstract or ""):
        yield from defined_acronyms(text)
    for keyword in record.keywords:
        pair = of_keyword(keyword.term)
        if pair is not None:
            yield pair
