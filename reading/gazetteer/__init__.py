"""The embedded gazetteer: names of the world's places with their boxes, read from one file in the package.

The file (``places.tsv.gz``) has three blocks separated by empty lines: places (name, kind, box, country, importance,
estimated, source), names (folded name, flags, numbers of places, best first) and abbreviations (exact spelling,
number), including region codes (``US-CO``). Rows are parsed on first use, so loading is fast and needs little memory.
"""

from __future__ import annotations

import gzip
import re
import unicodedata
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import cast

from core.geo import BBox, Place, PlaceKind

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
    text_decomposed = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join([letter for letter in text_decomposed if not unicodedata.combining(letter)])


def words(text: str) -> list[NameWord]:
    """The words of a text in order; hyphens, apostrophes and dots separate words."""
    if text.isascii():  # as most questions are: then ``fold`` only lowers
        return [NameWord(match[0], match[0].lower(), *match.span()) for match in _WORD.finditer(text)]
    return [NameWord(match[0], fold(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]


def name_key(name: str) -> str:
    """The common form of a name's spellings: folded words with single spaces, without a leading ``the``."""
    parts = [fold(word) for word in _WORD.findall(name)]
    return " ".join(parts[1:] if len(parts) > 1 and parts[0] == "the" else parts)


_FILE = Path(__file__).with_name("places.tsv.gz")


@dataclass(frozen=True, slots=True)
class GazetteerName:
    """The places of a name, best first.

    ``is_word`` marks a name that is also an ordinary word (Nice, Reading, Orange), ``needs_capital_only`` one of these
    that a lone capital makes a place (Bergen), ``is_adjective`` one that is only an adjective or a people (Italian),
    ``is_small`` one that its language writes in lower case (italien, tedeschi).
    """

    places: tuple[Place, ...]
    is_word: bool = False
    needs_capital_only: bool = False
    is_adjective: bool = False
    is_small: bool = False


@dataclass(frozen=True, slots=True)
class _Rows:
    """The lines of a text, as bytes: a string each would take twice the memory."""

    lines: bytes
    ends: array[int]

    @classmethod
    def of(cls, lines: bytes) -> _Rows:
        ends = array("I", [match.start() for match in re.finditer(rb"\n|\Z", lines)])
        return cls(lines, ends)

    def __getitem__(self, number: int) -> str:
        start = self.ends[number - 1] + 1 if number else 0
        return self.lines[start : self.ends[number]].decode("utf-8")


@dataclass(frozen=True, slots=True)
class _Tables:
    rows: _Rows
    names: dict[str, str]
    abbreviations: dict[str, str]
    longest: dict[str, int]  # first word of names of several words -> words of the longest one


class Gazetteer:
    """Implements the port ``Geocoder``. The file is read on first use (``preload`` reads it at once)."""

    def __init__(self, path: Path = _FILE) -> None:
        self._path = path
        self._name_by_key: dict[str, GazetteerName] = {}

    def preload(self) -> Gazetteer:
        """Reads the file now instead of at the first question."""
        _ = self._tables
        return self

    def snapshot(self) -> Gazetteer:
        """The gazetteer as it is now, to read one text: others change while a service runs."""
        return self

    def lookup(self, name: str) -> list[Place]:
        """The places with that name (ignoring case and accents), most important first; empty if unknown."""
        gazetteer_name = self.abbreviation(name.strip()) or self.named(name_key(name))
        return list(gazetteer_name.places) if gazetteer_name else []

    def named(self, key: str) -> GazetteerName | None:
        """The meaning of a folded name (``names.name_key``); each row is parsed once."""
        row = self._tables.names.get(key)
        if row is None:
            return None
        gazetteer_name = self._name_by_key.get(key)
        if gazetteer_name is None:
            flags, _, numbers = row.partition("\t")
            places = tuple(self._place(int(number)) for number in numbers.split())
            gazetteer_name = self._name_by_key[key] = GazetteerName(places, *(flag in flags for flag in "wcas"))
        return gazetteer_name

    def abbreviation(self, text: str) -> GazetteerName | None:
        """The meaning of an abbreviation in exactly this spelling (``US``, never ``us``)."""
        number = self._tables.abbreviations.get(text)
        return None if number is None else GazetteerName((self._place(int(number)),))

    def longest(self, first: str) -> int:
        """The number of words in the longest name that starts with this folded word; 0 if there is none."""
        return self._tables.longest.get(first) or int(first in self._tables.names)

    def keys(self) -> list[str]:
        """All folded names, sorted; for completion and spelling."""
        return list(self._tables.names)

    @cached_property
    def _tables(self) -> _Tables:
        return _read_tables(self._path)

    def _place(self, number: int) -> Place:
        name, kind, box, country, importance, is_estimated, source = self._tables.rows[number].split("\t")
        west, south, east, north = map(float, box.split())
        return Place(
            name=name,
            kind=cast(PlaceKind, kind),
            bbox=BBox(west, south, east, north),
            country=country or None,
            importance=float(importance),
            estimated=is_estimated == "1",
            source=source,
        )


@lru_cache(maxsize=1)
def _read_tables(path: Path) -> _Tables:
    """All gazetteers of a process share the embedded file."""
    places, *others = gzip.decompress(path.read_bytes()).split(b"\n\n")
    names, abbreviations = (_pairs(block.decode("utf-8")) for block in others)
    longest = {first: count for first, count in longest_names(names).items() if count > 1}
    return _Tables(_Rows.of(places), names, abbreviations, longest)


def longest_names(keys: Iterable[str]) -> dict[str, int]:
    """By the first word of a key, the words of the longest one."""
    longest_by_word: dict[str, int] = {}
    for key in keys:
        first, _, other_words = key.partition(" ")
        length = 2 + other_words.count(" ") if other_words else 1
        if length > longest_by_word.get(first, 0):
            longest_by_word[first] = length
    return longest_by_word


def _pairs(block: str) -> dict[str, str]:
    """``first column -> the rest`` of each line."""
    return dict(line.split("\t", 1) for line in block.split("\n"))
