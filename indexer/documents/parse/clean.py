"""Cleans text: resolves ligatures, normalises white space, joins lines and the words split between them.

A compound keeps its hyphen at a line end: ``data-`` and ``driven``. First the document decides: it may write the word
elsewhere, with the hyphen or without. Else the usual parts of compounds decide, which no hyphenation leaves at a line
end by chance.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable
from itertools import pairwise

_COMPOUND = re.compile(r"\b[^\W\d_]{2,}-[^\W\d_]{2,}\b")
_WORD = re.compile(r"(?<![\w-])[^\W\d_]{4,}(?![\w-])")
_LINE_END = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,40})[-‐]$")
_LINE_BEGIN = re.compile(r"^([^\W\d_]{2,40})")
_LONG = 5  # letters: shorter words end others, as in "database"
_SECOND_PARTS = """
    adjusted averaged aware balanced based bearing born borne bound controlled corrected coupled covered day days
    dependent depleted derived dimensional dominated driven east enriched equipped fed filled forced free friendly
    funded generated grained hourly independent induced intensive known level like limited linear long made mean month
    off optimal order performance phase poor produced quality range ranging related resolution resolved rich risk
    running saturated scale scaled season sensitive series shaped sided sized southeast southwest specific stage
    standing state step stratified surface temperature term type up validated value varying volume weighted west width
    year years
"""
_SECOND_PARTS_SET = frozenset(_SECOND_PARTS.split())
"""Second parts that follow a hyphen in English compounds."""
_FIRST_PARTS = """
    all cross data east ever fine free full half high higher large long longer low lower medium mid multi near new north
    northeast northwest one open post present real self semi short shorter single small so south southeast southwest
    steady third three time two water well west year zero
"""
_FIRST_PARTS_SET = frozenset(_FIRST_PARTS.split())
"""First parts of such compounds."""
_PREFIXES = frozenset(("non", "pre", "re", "anti", "co", "de", "sub", "un", "under", "over", "inter", "intra", "trans"))


def hyphenated_words(texts: Iterable[str]) -> frozenset[str]:
    """The compounds that keep their hyphen at a line end: those written inside a line, and those that a line end
    splits. Lower case; ``texts`` are the lines in their order.
    """
    lines = list(texts)
    compounds_in_lines = {match[0].lower() for text in lines for match in _COMPOUND.finditer(text)}
    whole_words = {match[0].lower() for text in lines for match in _WORD.finditer(text)}
    for line, next_line in pairwise(lines):
        line_end, first = _LINE_END.search(line[-41:]), _LINE_BEGIN.match(next_line)
        if (
            line_end is not None
            and first is not None
            and _is_compound(line_end[1].lower(), first[1].lower(), whole_words)
        ):
            compounds_in_lines.add(f"{line_end[1]}-{first[1]}".lower())
    return frozenset(compounds_in_lines)


def _is_compound(line: str, next_line: str, whole_words: Container[str]) -> bool:
    """``whole_words``: the words that the document writes without a hyphen."""
    if line + next_line in whole_words or line in _PREFIXES:
        return False
    if line in _FIRST_PARTS_SET:
        return next_line in _SECOND_PARTS_SET or (len(next_line) >= _LONG and next_line in whole_words)
    return next_line in _SECOND_PARTS_SET and line in whole_words


_DINGBATS = dict.fromkeys(range(0x2700, 0x27C0))
_SPACE = re.compile(r"\s+")
_NO_TEXT = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]")
"""Control codes, halves of characters, and codes of private use."""
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_DROPPED_CHARACTERS = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_TABLE = {**_LIGATURES, **_DROPPED_CHARACTERS, **_DINGBATS, 0xA0: " ", 0x2028: " ", 0x2029: " "}
_ORNAMENTS = re.compile(r"([^\w\s.,;:=_*#~<>+\-–—|/\\'\"()\[\]{}])\1{2,}")  # wavy underlines that are drawn as letters
_HYPHENATED_END = re.compile(r"([^\W\d_]+)[-‐]$")
_FIRST = re.compile(r"^([^\W\d_]{1,80})")
_END = 80  # characters: longer than any word that a hyphen splits


def normalise_text(text: str) -> str:
    """One line of plain text; never raises."""
    if text.isascii() and text.isprintable():  # most of it, and much faster
        return _SPACE.sub(" ", _ORNAMENTS.sub("", text)).strip()
    return _SPACE.sub(" ", _ORNAMENTS.sub("", _NO_TEXT.sub(" ", text.translate(_TABLE)))).strip()


def letters(text: str) -> str:
    """Letters and digits alone, lower case: for comparing texts whose spaces, hyphens and quotation marks differ."""
    return "".join(character for character in text.casefold() if character.isalnum())


def join_lines(lines: Iterable[str], compounds: frozenset[str] = frozenset()) -> str:
    """Joins the lines of a paragraph into one; ``compounds`` come from ``compounds``."""
    joiner = LineJoiner(compounds)
    for line in lines:
        joiner.add(normalise_text(line))
    return joiner.text


class LineJoiner:
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

    def add(self, next_line: str) -> None:
        """Adds a line without white space around it; an empty one changes nothing."""
        if not next_line:
            return
        if self._parts:
            next_line = self._joint(next_line)
        self._parts.append(next_line)
        self.length += len(next_line)
        self.end = (self.end + next_line)[-_END:]

    def _joint(self, next_line: str) -> str:
        """The line with the space before it, if any; removes the hyphen of a split word."""
        line_end, first = _HYPHENATED_END.search(self.end), _FIRST.match(next_line)
        if line_end is None or first is None:
            needs_no_space = self.end.endswith(("-", "–", "/")) and not self.end.endswith((" -", " –"))
            return next_line if needs_no_space else f" {next_line}"
        if f"{line_end[1]}-{first[1]}".lower() not in self._compounds and first[1][0].islower():
            self._parts[-1] = self._parts[-1][:-1]
            self.end = self.end[:-1]
            self.length -= 1
        return next_line
