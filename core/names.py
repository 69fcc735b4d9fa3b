"""Texts and names, folded to compare what people write differently. Pure.

Also which words look like such a name, and how a version is written behind one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")


def folded(text: str) -> str:
    """Small letters without accents; compatibility forms as their usual characters."""
    if text.isascii():  # most words, and a tenth of the time
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).casefold()


def folded_phrase(text: str) -> str:
    """The folded text with single spaces between its words and none around them."""
    return " ".join(folded(text).split())


def folded_words(text: str) -> list[str]:
    """Runs of letters and digits of the folded text."""
    return _WORD.findall(folded(text))


def letters_of(text: str) -> tuple[str, list[int]]:
    """The letters and digits in lower case, and for each the position of its character in the text."""
    letters: list[str] = []
    positions: list[int] = []
    for position, character in enumerate(text):
        for letter in character.casefold():
            if letter.isalnum():
                letters.append(letter)
                positions.append(position)
    return "".join(letters), positions


def position_of(part: str, text: str) -> tuple[int, int] | None:
    """Start and end of the first position in ``text`` with the letters of ``part``; None if there is none."""
    part_letters, _ = letters_of(part)
    letters, positions = letters_of(text)
    start = letters.find(part_letters) if part_letters else -1
    return None if start < 0 else (positions[start], positions[start + len(part_letters) - 1] + 1)


_BETWEEN_WORDS = re.compile(r"[-/]")
_VERSION_WORDS = r"(?:version|ver|v|collection|release)"
_VERSION_WORD = re.compile(_VERSION_WORDS, re.IGNORECASE)
_VERSION_BEFORE = re.compile(rf"^{_VERSION_WORDS}[\s._-]*(?=\d)", re.IGNORECASE)
_V_NUMBER = re.compile(r"v(\d[\d.]*)", re.IGNORECASE)


def looks_like_name(word: str) -> bool:
    """A word of a text: letters with a digit among them or a capital after the first letter: ``MOD11_L2``, ``TOGA``."""
    if word.isalpha():  # most words of a text
        return not word[1:].islower() and any(map(str.isupper, word[1:]))
    if not any(letter.isalpha() for letter in word):
        return False
    parts = _BETWEEN_WORDS.split(word)  # in June-July, the second capital begins a word
    return any(letter.isdigit() for letter in word) or any(letter.isupper() for part in parts for letter in part[1:])


def looks_like_code(text: str) -> bool:
    """A title or an identifier: one word with a digit in it, or all in capitals: ``82.061``, ``SST``; not ``Radar``."""
    return len(text.split()) == 1 and (any(letter.isdigit() for letter in text) or text.isupper())


def bare_version(text: str) -> str:
    """``Version 6``, ``V006`` and ``collection-2`` as ``6``, ``006`` and ``2``."""
    return _VERSION_BEFORE.sub("", text.strip())


def without_version_words(words: Sequence[str]) -> list[str]:
    """``GPCP Version 2.0`` and ``GPCP V2.0`` as ``GPCP 2.0``."""
    words_left = [
        word
        for word, next_word in zip(words, [*words[1:], ""], strict=False)
        if not (next_word[:1].isdigit() and _VERSION_WORD.fullmatch(word.rstrip(".")))
    ]
    return [_V_NUMBER.sub(r"\1", word) if _V_NUMBER.fullmatch(word) else word for word in words_left]


@dataclass(frozen=True, slots=True)
class Variable:
    """A quantity that the data hold; ``standard_name`` is CF's, ``unit`` as written (``K``, ``kg m-2 s-1``)."""

    name: str
    standard_name: str | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """Empty where the metadata do not say. ``short_names`` are those of the product: ``MOD11_L2``, ``ERA5``.

    ``projects`` holds campaigns as well, ``platforms`` missions. ``processing_level`` is ``L2A`` where it is a level of
    the usual scale, else as written. ``written``: names as the record writes them, where an operator's list of names
    replaced them by other names of the same things.
    """

    short_names: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    instruments: tuple[str, ...] = ()
    variables: tuple[Variable, ...] = ()
    projects: tuple[str, ...] = ()
    processing_level: str | None = None
    written: tuple[str, ...] = ()


def name_key(text: str) -> str:
    """Letters and digits alone, lower case without accents: ``MOD11_L2`` is ``mod11l2``."""
    return "".join(folded_words(text))


def names_once(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once, whatever its case, as first written."""
    name_by_key: dict[str, str] = {}
    for name in names:
        name_by_key.setdefault(name.casefold(), name)
    return tuple(name_by_key.values())


def variables_once(variables: Iterable[Variable]) -> tuple[Variable, ...]:
    """Each name once; what one says and another does not (standard name, unit) is brought together."""
    by_name: dict[str, Variable] = {}
    for variable in variables:
        earlier_variable = by_name.setdefault(variable.name.casefold(), variable)
        by_name[variable.name.casefold()] = Variable(
            earlier_variable.name,
            earlier_variable.standard_name or variable.standard_name,
            earlier_variable.unit or variable.unit,
        )
    return tuple(by_name.values())
