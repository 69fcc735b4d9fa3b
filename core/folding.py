"""Texts without case and accents, for keys that compare what people write differently. Pure."""

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


def folded_words(text: str) -> list[str]:
    """Runs of letters and digits of the folded text."""
    return _WORD.findall(folded(text))
