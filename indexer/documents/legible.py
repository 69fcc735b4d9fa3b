"""Tells whether a text layer can be read: some fonts give codes instead of letters, or each letter for itself."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from indexer.documents.page import Word
from indexer.documents.symbols import UNKNOWN

_FEWEST = 60  # characters: fewer tell nothing
_UNKNOWN_SHARE = 0.2  # of the characters
_SYMBOL_SHARE = 0.5
_WITHOUT_VOWEL = 0.6  # of the words
_FEWEST_WORDS = 20
_SINGLE = 0.6  # of the pieces with letters
_FEWEST_SINGLE = 40
_VOWEL = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüýÿıāēīōūăąęěőűůά-ώаеёиоуыэюяіїєў]", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W\d_]{4,}")
_SPELT = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u052f]")  # scripts that write vowels

UNNAMED = "its font does not say which characters it holds"
SYMBOLS = "its text layer has symbols instead of letters"
WITHOUT_MEANING = (UNNAMED, SYMBOLS)
"""Such text is left out even where OCR gives no other."""


def illegible(words: Sequence[Word]) -> str:
    """What is wrong with these words, as the end of a sentence; empty if they can be read."""
    own = [word for word in words if not word.maths and not word.turned]
    characters = "".join(word.text for word in own)
    if len(characters) < _FEWEST:
        return ""
    if characters.count(UNKNOWN) > _UNKNOWN_SHARE * len(characters):
        return UNNAMED
    if sum(map(_is_symbol, characters)) > _SYMBOL_SHARE * len(characters):
        return SYMBOLS
    tokens = [token for word in own for token in _TOKEN.findall(word.text) if _SPELT.match(token)]
    mute = sum(_VOWEL.search(token) is None for token in tokens)
    if len(tokens) >= _FEWEST_WORDS and mute > _WITHOUT_VOWEL * len(tokens):
        return "its text layer has letters that form no words"
    pieces = [word.text for word in own if word.text[:1].isalpha() and _SPELT.match(word.text)]
    single = sum(len(piece) == 1 for piece in pieces)
    if single >= _FEWEST_SINGLE and single > _SINGLE * len(pieces):
        return "its letters stand apart and form no words"
    return ""


def _is_symbol(character: str) -> bool:
    if character.isalnum() or character in ".,-–−()":
        return False
    return unicodedata.category(character)[0] not in ("M", "Z")
