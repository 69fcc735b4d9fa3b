"""Normalises names for comparison: words, without case and accents."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"})


@dataclass(frozen=True, slots=True)
class NameWord:
    """One word of a text: as written, folded, and its position (character offsets, end exclusive)."""

    text: str
    folded: str
    start: int
    end: int


def fold(text: str) -> str:
    """Lower case without accents: ``Côte`` is ``cote``, ``Straße`` is ``strasse``."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def words(text: str) -> list[NameWord]:
    """The words of a text in order; hyphens, apostrophes and dots separate words."""
    return [NameWord(match[0], fold(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]


def name_key(name: str) -> str:
    """The common form of a name's spellings: folded words with single spaces, without a leading ``the``."""
    parts = [fold(word) for word in _WORD.findall(name)]
    return " ".join(parts[1:] if len(parts) > 1 and parts[0] == "the" else parts)
