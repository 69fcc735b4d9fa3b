"""Acronyms that a text defines itself: "Land Surface Temperature (LST)", "LST (Land Surface Temperature)".

Schwartz and Hearst, A simple algorithm for identifying abbreviation definitions in biomedical text, PSB 2003: the
characters of the short form are looked for from its end in the words before it; the first one must begin a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_PARENTHESES = re.compile(r"[(\[]([^()\[\]]{2,200})[)\]]")
_TO_LAST_END = re.compile(r".*(?:[.!?;:]\s|[()\[\]\n])", re.DOTALL)
_INNER_END = re.compile(r"[,;=]")
_KEYWORD = re.compile(r"\s*([^<>]{2,20}?)\s*>\s*([^<>]{4,200}?)\s*")
_LAST_WORD = re.compile(r"(?:^|[\s\"'(])([^\s\"'(]+)\s*$")
_SHORTEST, _LONGEST = 2, 10  # characters of a short form
_LOOK_BACK = 600  # characters; a long form of 15 words is far shorter


@dataclass(frozen=True, slots=True)
class DefinedAcronym:
    """``long`` as it is written in the text, white space as single blanks."""

    short: str
    long: str


def defined_acronyms(text: str) -> list[DefinedAcronym]:
    """Each pair once, in the order of the text."""
    return list(dict.fromkeys(_pairs(text)))


def of_keyword(term: str) -> DefinedAcronym | None:
    """The pair of a keyword in GCMD's form, "DART > Data Assimilation Research Testbed"; None for any other keyword."""
    parts = _KEYWORD.fullmatch(term)
    if parts is None or not _is_short_form(parts[1]):
        return None
    return _checked(parts[1], parts[2], whole=True)


def _pairs(text: str) -> Iterator[DefinedAcronym]:
    for match in _PARENTHESES.finditer(text):
        inner = match[1].strip()
        before = _clause(text[max(0, match.start() - _LOOK_BACK) : match.start()])
        short = _INNER_END.split(inner, maxsplit=1)[0].strip().strip("\"'")
        pair = _checked(short, before) if _is_short_form(short) else None
        pair = pair or _short_before(before, inner)
        if pair is not None:
            yield pair


def _short_before(before: str, inner: str) -> DefinedAcronym | None:
    """ "LST (land surface temperature)": the last word before the parentheses is the short form."""
    last = _LAST_WORD.search(before)
    if last is None or not _is_short_form(last[1]) or len(inner.split()) < 2:
        return None
    return _checked(last[1], _INNER_END.split(inner, maxsplit=1)[0], whole=True) or _checked(last[1], inner, whole=True)


def _clause(text: str) -> str:
    """The end of the text, from the last sentence's end or other parentheses on."""
    ended = _TO_LAST_END.match(text)
    return text if ended is None else text[ended.end() :]


def _is_short_form(text: str) -> bool:
    """Two words at most, 2 to 10 characters, a capital among them, a letter or a digit first."""
    return (
        _SHORTEST <= len(text) <= _LONGEST
        and len(text.split()) <= 2
        and text[0].isalnum()
        and any(char.isupper() for char in text)
    )


def _checked(short: str, candidate: str, *, whole: bool = False) -> DefinedAcronym | None:
    """``whole``: the long form must be all of the candidate, else its end."""
    words = candidate.split()
    most = min(len(short) + 5, len(short) * 2)
    if whole and len(words) > most:
        return None
    long = _best_long_form(short, " ".join(words[-most:]))
    if long is None or (whole and len(long.split()) != len(words)):
        return None
    tokens = [token.strip("\"',.") for token in long.split()]
    if len(long) <= len(short) or short in tokens or len(tokens) < 2:
        return None
    return DefinedAcronym(short, long.strip("\"',"))


def _best_long_form(short: str, candidate: str) -> str | None:
    """The shortest end of the candidate in which the short form's letters and digits stand in their order."""
    position = len(candidate)
    characters = [char for char in short.lower() if char.isalnum()]
    low = candidate.lower()
    if len(low) != len(candidate):  # a letter that is two in small letters would shift all positions
        return None
    for index in range(len(characters) - 1, -1, -1):
        position -= 1
        while position >= 0 and not (
            low[position] == characters[index] and (index > 0 or position == 0 or not low[position - 1].isalnum())
        ):
            position -= 1
        if position < 0:
            return None
    return candidate[candidate.rfind(" ", 0, position) + 1 :]
