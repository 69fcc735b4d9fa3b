"""The rule of the judged collection ``typed``: which record bears what was typed, and where.

Names are compared as their letters and digits alone, in small letters: MOD11_L2, mod11-l2 and "MOD 11 L2" are one. A
record bears a name where words that follow each other in one field spell it exactly.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field

from tests.quality.typed_bytes import Said, pieces

Kind = str
KINDS = ("exact", "beginning", "separators", "version", "sentence", "acronym", "words", "misspelt")
ACROSS = frozenset(("acronym", "words"))
"""Kinds whose question is reached by a record that bears the other form only."""

_TOKEN = re.compile(r"[^\W_]+")
_MOST_TOKENS = 14


@dataclass(frozen=True, slots=True)
class Typed:
    """One question. ``bears``: names, any of which makes a record right; ``begins``: or a word that begins so.

    ``version``: spellings of the version, of which a record of grade 2 bears one in its names. ``typed``: of the two
    forms of an acronym question, the one that stands in the text.
    """

    id: str
    text: str
    kind: Kind
    group: str
    bears: tuple[str, ...] = ()
    begins: str = ""
    version: tuple[str, ...] = ()
    typed: str = ""


@dataclass(slots=True)
class Borne:
    """What of the wanted names one record bears, in its name fields and elsewhere."""

    named: set[str] = field(default_factory=set)
    said: set[str] = field(default_factory=set)
    small: set[str] = field(default_factory=set)
    """Names that are somewhere written as one word in small letters."""


class Wanted:
    """Names and beginnings to look for, in a form that a scan can stop early with."""

    def __init__(self, names: Iterable[str], beginnings: Iterable[str] = ()) -> None:
        self.names = frozenset(names)
        self.beginnings = frozenset(beginnings)
        self._begun = frozenset(name[:end] for name in self.names for end in range(1, len(name) + 1))
        self._lengths = sorted({len(one) for one in self.beginnings})

    def borne_by(self, said: Said) -> Borne:
        """Beginnings are given back with a star behind them."""
        borne = Borne()
        for is_name, text in pieces(said):
            found = borne.named if is_name else borne.said
            written = tokens(text, fold=False)
            small = [one.lower() for one in written]
            for start, first in enumerate(small):
                if first in self._begun:
                    self._runs(small, start, found)
                    if first in self.names and first == written[start]:
                        borne.small.add(first)
                for length in self._lengths:
                    if first[:length] in self.beginnings:
                        found.add(f"{first[:length]}*")
        return borne

    def _runs(self, small: list[str], start: int, found: set[str]) -> None:
        run = ""
        for token in small[start : start + _MOST_TOKENS]:
            run += token
            if run not in self._begun:
                return
            if run in self.names:
                found.add(run)


def tokens(text: str, *, fold: bool = True) -> list[str]:
    """Runs of letters and digits without accents."""
    if not text.isascii():
        text = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return _TOKEN.findall(text.lower() if fold else text)


def compact(text: str) -> str:
    return "".join(tokens(text))


def wanted_of(questions: Iterable[Typed]) -> Wanted:
    asked = list(questions)
    names = {
        name
        for one in asked
        for name in (*one.bears, *one.version, *([one.typed, f"{one.typed}s"] if one.typed else ()))
    }
    return Wanted(names, {one.begins for one in asked if one.begins})


def grade(question: Typed, borne: Borne) -> int:
    """2: the record bears it in its title or another name (and the version, where one was typed); 1: elsewhere."""
    keys = (*question.bears, *([f"{question.begins}*"] if question.begins else ()))
    if any(key in borne.named for key in keys):
        has_version = not question.version or any(one in borne.named for one in question.version)
        return 2 if has_version else 1
    return 1 if any(key in borne.said for key in keys) else 0


def is_across(question: Typed, borne: Borne) -> bool:
    """Whether a right record bears only the form that was not typed."""
    return question.kind in ACROSS and not ({question.typed, f"{question.typed}s"} & (borne.named | borne.said))


def bearers_of(borne: Mapping[str, Borne]) -> dict[str, set[str]]:
    """Name (or beginning with its star) -> records that bear it anywhere."""
    found: dict[str, set[str]] = {}
    for record, one in borne.items():
        for key in one.named | one.said:
            found.setdefault(key, set()).add(record)
    return found


def grades_of(question: Typed, borne: Mapping[str, Borne], bearers: Mapping[str, Set[str]]) -> dict[str, int]:
    """Grade of every right record, best first, then by id."""
    keys = (*question.bears, f"{question.begins}*")
    records: set[str] = set().union(*(bearers.get(key, ()) for key in keys))
    graded = {record: grade(question, borne[record]) for record in records}
    return {record: graded[record] for record in sorted(graded, key=lambda record: (-graded[record], record))}


def judged(questions: Iterable[Typed], borne: Mapping[str, Borne]) -> Iterator[tuple[str, str, int, bool]]:
    """(question, record, grade, whether across) of every right record."""
    bearers = bearers_of(borne)
    for question in questions:
        for record, points in grades_of(question, borne, bearers).items():
            yield question.id, record, points, is_across(question, borne[record])
