"""Cleans text: resolves ligatures, joins words hyphenated at line ends, normalises white space."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_DINGBATS = dict.fromkeys(range(0x2700, 0x27C0))
_SPACE = re.compile(r"\s+")
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_DROPPED = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_TABLE = {**_LIGATURES, **_DROPPED, **_DINGBATS, 0xA0: " ", 0x2028: " ", 0x2029: " "}
_ORNAMENTS = re.compile(r"([^\w\s.,;:=_*#~<>+\-–—|/\\'\"()\[\]{}])\1{2,}")  # wavy underlines that are drawn as letters
_BROKEN = re.compile(r"([^\W\d_]+)[-‐]$")
_FIRST = re.compile(r"^([^\W\d_]+)")


def normalise_text(text: str) -> str:
    """One line of plain text; never raises."""
    shown = "".join(ch if unicodedata.category(ch) not in ("Cc", "Cs", "Co") else " " for ch in text.translate(_TABLE))
    return _SPACE.sub(" ", _ORNAMENTS.sub("", shown)).strip()


def letters(text: str) -> str:
    """Letters and digits alone, lower case: for comparing texts whose spaces, hyphens and quotation marks differ."""
    return "".join(character for character in text.casefold() if character.isalnum())


def join_lines(lines: Sequence[str], compounds: frozenset[str] = frozenset()) -> str:
    """Joins the lines of a paragraph into one; ``compounds`` come from ``compounds``."""
    joined = ""
    for line in lines:
        joined = join_two(joined, normalise_text(line), compounds)
    return joined


def join_two(above: str, below: str, compounds: frozenset[str] = frozenset()) -> str:
    """Joins ``above`` and ``below`` with a space, or into one word where a hyphen split it."""
    if not above or not below:
        return above or below
    broken, first = _BROKEN.search(above), _FIRST.match(below)
    if broken is None or first is None:
        return (
            above + below
            if above.endswith(("-", "–", "/")) and not above.endswith((" -", " –"))
            else f"{above} {below}"
        )
    compound = f"{broken[1]}-{first[1]}".lower()
    if compound in compounds or not first[1][0].islower():
        return above + below
    return above[:-1] + below
