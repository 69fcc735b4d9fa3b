"""Place names inside German words: Norditalien, Süddeutschlands, Nordseeküste, Alpenraum, italienischen, Berliner.

German joins words that other languages separate, and inflects names. The results are only candidates: the gazetteer
decides whether such a place exists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reading.gazetteer.names import Word, fold

_SHORTEST = 4  # letters of a name inside a word; "Ostern" is not an eastern "ern"
_PART = re.compile(r"(?:nordost|nordwest|südost|südwest|nord|süd|ost|west|zentral|mittel)-?", re.IGNORECASE)
_COAST = re.compile(r"küsten?$")
_AROUND = re.compile(r"(?:einzugsgebiete?|gebiete?|raum|region|becken|anrainer)s?$")
_ADJECTIVE = re.compile(r"(?:(?<=isch)|(?<=utsch))e[snrm]?$")


@dataclass(frozen=True, slots=True)
class InnerName:
    """A folded name and its characters in the text (end exclusive).

    ``bent`` marks a name whose ending in the text was removed ("Berlins", "Berliner"): used for large places only.
    """

    key: str
    start: int
    end: int
    bent: bool


def inner_names(word: Word) -> Iterator[InnerName]:
    """Candidates, most likely first; none for a word that is too short or has other characters than letters."""
    if len(word.text) < _SHORTEST or not word.text.isalpha():
        return
    yield from _endings(word.text, word.start, word.end, whole=False)
    part = _PART.match(word.text)
    if part is not None:
        yield from _endings(word.text[part.end() :], word.start + part.end(), word.end, whole=True)


def _endings(text: str, start: int, end: int, *, whole: bool) -> Iterator[InnerName]:
    """``whole``: the rest of a compound, a complete name; else a word, whose capital shows that it is a noun."""
    if len(text) < _SHORTEST:
        return
    if whole:
        yield InnerName(fold(text), start, end, bent=False)
    coast, around = _COAST.search(text), _AROUND.search(text)
    if coast is not None and coast.start() >= _SHORTEST:
        yield InnerName(fold(text[: coast.start()]), start, start + coast.start(), bent=False)
    if around is not None and around.start() >= _SHORTEST:
        yield InnerName(fold(text[: around.start()]), start, end, bent=False)
    adjective = _ADJECTIVE.search(text)
    if adjective is not None:
        yield InnerName(fold(text[: adjective.start()]), start, end, bent=False)
    for ending in ("s", "er"):
        stem = text.removesuffix(ending)
        if (whole or text[0].isupper()) and _SHORTEST <= len(stem) < len(text):
            yield InnerName(fold(stem), start, end, bent=True)
