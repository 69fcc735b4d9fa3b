"""Says of each word of a text which kind of the gazetteer's names it is part of. A tagger reads these marks beside the
words, so that it learns how questions use names instead of learning the names by heart.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from core.geo import Place
from reading.gazetteer import Gazetteer, GazetteerName, fold

NO_MARK = "-"
_CITY_SIZES = ((0.45, "large"), (0.3, "medium"), (0.0, "small"))


class NameMarks:
    """Implements ``core.ports.NameLexicon``. The longest name wins, from left to right."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._gazetteer = gazetteer

    def marks(self, words: Sequence[str]) -> list[str]:
        """One mark for each word: ``-`` without a name, else its kind, whether the name begins here, what else the
        name can be, and whether the next name contains it ("Hobart Australia").
        """
        names = self._names(words)
        marks = [NO_MARK] * len(words)
        for number, (first, last, name) in enumerate(names):
            is_located = number + 1 < len(names) and _is_located_by(name, last, names[number + 1])
            mark = _kind(name) + ("+" if is_located else "")
            marks[first : last + 1] = [f"B {mark}", *[f"I {mark}"] * (last - first)]
        return marks

    def _names(self, words: Sequence[str]) -> list[tuple[int, int, GazetteerName]]:
        """First word, last word and name."""
        folded = [fold(word) for word in words]
        names, position = [], 0
        while position < len(words):
            length, name = self._longest(words, folded, position)
            if name is not None:
                names.append((position, position + length - 1, name))
            position += length
        return names

    def _longest(self, words: Sequence[str], folded: Sequence[str], first: int) -> tuple[int, GazetteerName | None]:
        most = self._gazetteer.longest(folded[first])
        keys = list(accumulate(folded[first : first + most], lambda start, word: f"{start} {word}"))
        for length in range(len(keys), 0, -1):
            name = self._gazetteer.named(keys[length - 1])
            if name is not None:
                return length, name
        return 1, self._gazetteer.abbreviation(words[first])


def _kind(name: GazetteerName) -> str:
    best = name.places[0]
    kind: str = best.kind
    if kind == "city":
        kind = next(size for least, size in _CITY_SIZES if best.importance >= least)
    flags = (("w", name.is_word), ("a", name.is_adjective), ("s", name.is_small))
    return kind + "".join(letter for letter, is_set in flags if is_set)


def _is_located_by(name: GazetteerName, last: int, following: tuple[int, int, GazetteerName]) -> bool:
    """Whether a country or region that contains it follows at once, or after one mark of punctuation."""
    first, _, outer_name = following
    if first - last > 2:
        return False
    return any(_holds(outer, inner) for outer in outer_name.places[:2] for inner in name.places[:6])


def _holds(outer: Place, inner: Place) -> bool:
    if outer.kind not in ("country", "region") or outer.country != inner.country or outer.bbox == inner.bbox:
        return False
    longitude, latitude = inner.bbox.centre
    box = outer.bbox
    return box.south <= latitude <= box.north and any(part.west <= longitude <= part.east for part in box.parts())
