"""Which words look like names of products, and how a version is written behind a name. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BETWEEN_WORDS = re.compile(r"[-/]")
_SAYS_VERSION = r"(?:version|ver|v|collection|release)"
_VERSION_WORD = re.compile(_SAYS_VERSION, re.IGNORECASE)
_VERSION_BEFORE = re.compile(rf"^{_SAYS_VERSION}[\s._-]*(?=\d)", re.IGNORECASE)
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
    kept = [word for word, after in zip(words, [*words[1:], ""], strict=False) if not _only_says(word, after)]
    return [_V_NUMBER.sub(r"\1", word) if _V_NUMBER.fullmatch(word) else word for word in kept]


def _only_says(word: str, after: str) -> bool:
    return bool(_VERSION_WORD.fullmatch(word.rstrip("."))) and after[:1].isdigit()
