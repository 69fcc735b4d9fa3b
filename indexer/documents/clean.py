"""Cleans text: resolves ligatures, joins words hyphenated at line ends, normalises white space."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_DINGBATS = dict.fromkeys(range(0x2700, 0x27C0))
_SPACE = re.compile(r"\s+")
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_DROPPED = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_TABLE = {**_LIGATURES, **_DROPPED, **_DINGBATS, 0xA0: " ", 0x2028: " ", 0x2029: " "}
_ORNAMENTS = re.compile(r"([^\w\s.,;:=_*#~<>+\-–—|/\\'\"()\[\]{}])\1{2,}")  # wavy underlines that are drawn as letters
_BROKEN = re.compile(r"([^\W\d_]+)[-‐]$")
_FIRST = re.compile(r"^([^\W\d_]{1,80})")
_END = 80  # characters: longer than any word that a hyphen splits


def normalise_text(text: str) -> str:
    """One line of plain text; never raises."""
    if text.isascii() and text.isprintable():  # most of it, and much faster
        return _SPACE.sub(" ", _ORNAMENTS.sub("", text)).strip()
    shown = "".join(ch if unicodedata.category(ch) not in ("Cc", "Cs", "Co") else " " for ch in text.translate(_TABLE))
    return _SPACE.sub(" ", _ORNAMENTS.sub("", shown)).strip()


def letters(text: str) -> str:
    """Letters and digits alone, lower case: for comparing texts whose spaces, hyphens and quotation marks differ."""
    return "".join(character for character in text.casefold() if character.isalnum())


def join_lines(lines: Iterable[str], compounds: frozenset[str] = frozenset()) -> str:
    """Joins the lines of a paragraph into one; ``compounds`` come from ``compounds``."""
    joined = Joined(compounds)
    for line in lines:
        joined.add(normalise_text(line))
    return joined.text


class Joined:
    """A text to which lines are added, with a space, or into one word where a hyphen split it.

    An addition looks at the end of the text alone, so the time grows with the length of all lines, whatever their
    number.
    """

    def __init__(self, compounds: frozenset[str] = frozenset(), text: str = "") -> None:
        self._compounds = compounds
        self._parts = [text] if text else []
        self.length = len(text)
        self.end = text[-_END:]
        """The last characters; enough for every question about how the text ends."""

    @property
    def text(self) -> str:
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""

    def add(self, below: str) -> None:
        """Adds a line without white space around it; an empty one changes nothing."""
        if not below:
            return
        if self._parts:
            below = self._joint(below)
        self._parts.append(below)
        self.length += len(below)
        self.end = (self.end + below)[-_END:]

    def _joint(self, below: str) -> str:
        """The line with the space before it, if any; removes the hyphen of a split word."""
        broken, first = _BROKEN.search(self.end), _FIRST.match(below)
        if broken is None or first is None:
            glued = self.end.endswith(("-", "–", "/")) and not self.end.endswith((" -", " –"))
            return below if glued else f" {below}"
        if f"{broken[1]}-{first[1]}".lower() not in self._compounds and first[1][0].islower():
            self._parts[-1] = self._parts[-1][:-1]
            self.end = self.end[:-1]
            self.length -= 1
        return below
