"""Texts without case and accents, and their letters alone, to compare what people write differently. Pure."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")


def folded(text: str) -> str:
    """Small letters without accents; compatibility forms as their usual characters."""
    if text.isascii():  # most words, and a tenth of the time
        return text.lower()
    plain = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in plain if not unicodedata.combining(letter)).casefold()


def folded_phrase(text: str) -> str:
    """The folded text with single spaces between its words and none around them."""
    return " ".join(folded(text).split())


def folded_words(text: str) -> list[str]:
    """Runs of letters and digits of the folded text."""
    return _WORD.findall(folded(text))


def letters_of(text: str) -> tuple[str, list[int]]:
    """The letters and digits in lower case, and for each the position of its character in the text."""
    letters: list[str] = []
    at: list[int] = []
    for position, character in enumerate(text):
        for letter in character.casefold():
            if letter.isalnum():
                letters.append(letter)
                at.append(position)
    return "".join(letters), at


def place_of(part: str, text: str) -> tuple[int, int] | None:
    """Start and end of the first place in ``text`` with the letters of ``part``; None if there is none."""
    wanted, _ = letters_of(part)
    letters, at = letters_of(text)
    start = letters.find(wanted) if wanted else -1
    return None if start < 0 else (at[start], at[start + len(wanted) - 1] + 1)
