"""Groups words into rows by baseline, and splits rows into segments at wide gaps."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence
from itertools import islice, takewhile
from math import ceil, log2

from indexer.documents.page import Line, Word

_SAME_BASELINE = 0.45  # of the size: sub- and superscripts belong to their line
_BESIDE = 0.8  # of the size: how far a sub- or superscript is from its word
_GAP = 0.9  # of the size: wider than the widest gap of justified text, narrower than a gutter
_SMALLEST_GAP = 7.0  # points
_LARGEST = 1e6  # points
_LEAST_CLASS = -10  # of words without a size
_MOST_LOOKED_AT = 400  # words of a row


def rows(words: Iterable[Word]) -> list[Line]:
    """One line per baseline, across columns; from top to bottom of the page."""
    found = _Rows()
    for word in sorted((w for w in words if not w.turned), key=lambda w: (-w.size, w.baseline)):
        home = found.of(word)
        if home is None:
            found.open(word)
        else:
            home.append(word)
    return sorted((Line.of(row) for row in found.all), key=lambda line: (line.baseline, line.box.left))


class _Rows:
    """Rows by the size and baseline of their first word, so that a word is compared with rows near it only.

    Rows of one class (a power of two of the size) are a share of their size apart, so few of them are near.
    """

    def __init__(self) -> None:
        self.all: list[list[Word]] = []
        self._classes: dict[int, list[tuple[float, int]]] = {}
        """For each class the baselines of its rows in order, with their places in ``all``."""

    def open(self, word: Word) -> None:
        insort(self._classes.setdefault(_class(word), []), (word.baseline, len(self.all)))
        self.all.append([word])

    def of(self, word: Word) -> list[Word] | None:
        """The nearest row whose first word is at least as large; the earlier one of two.

        A smaller word farther from the baseline than its size allows belongs to the row only beside a larger word, as
        an index does: small print in the next column has its own lines.
        """
        best: tuple[float, int] | None = None
        for size_class, known in self._classes.items():
            reach = _SAME_BASELINE * 2.0**size_class
            first, last = (
                bisect_left(known, (word.baseline - reach, -1)),
                bisect_right(known, (word.baseline + reach, len(self.all))),
            )
            for baseline, place in known[first:last]:
                off = abs(baseline - word.baseline)
                row = self.all[place]
                near = off <= _SAME_BASELINE * row[0].size and (best is None or (off, place) < best)
                if near and (off <= _SAME_BASELINE * word.size or _is_beside(word, row)):
                    best = (off, place)
        return None if best is None else self.all[best[1]]


def _class(word: Word) -> int:
    """The power of two that is at least the word's size."""
    return ceil(log2(min(word.size, _LARGEST))) if word.size > 0 else _LEAST_CLASS


def _is_beside(word: Word, row: Sequence[Word]) -> bool:
    """Whether a larger word of the row is near; of a row with very many words the largest are looked at."""
    reach = _BESIDE * row[0].size
    larger = takewhile(lambda other: other.size > 1.1 * word.size, islice(row, _MOST_LOOKED_AT))
    return any(one.box.left - reach <= word.box.right and word.box.left <= one.box.right + reach for one in larger)


def segments(row: Line) -> list[Line]:
    """The row split at its wide gaps, left to right."""
    parts: list[list[Word]] = []
    for word in row.words:
        limit = max(_SMALLEST_GAP, _GAP * max(word.size, parts[-1][-1].size if parts else 0.0))
        if parts and word.box.left - parts[-1][-1].box.right <= limit:
            parts[-1].append(word)
        else:
            parts.append([word])
    return [Line.of(part) for part in parts]


def without(lines: Iterable[Line], gone: Iterable[Word]) -> list[Line]:
    """The lines without these words; a line without any words left is dropped."""
    ids = {id(word) for word in gone}
    kept = ([word for word in line.words if id(word) not in ids] for line in lines)
    return [Line.of(words) for words in kept if words]


def same_row(a: Line, b: Line) -> bool:
    """Whether both have the same baseline."""
    return abs(a.baseline - b.baseline) < 0.45 * max(a.size, b.size)


def merged(segments: Sequence[Line]) -> list[Line]:
    """Joins the segments of each row into one line again, from the top."""
    out: list[list[Line]] = []
    for segment in sorted(segments, key=lambda s: (s.baseline, s.box.left)):
        if out and same_row(out[-1][0], segment):
            out[-1].append(segment)
        else:
            out.append([segment])
    return [Line.of([word for part in row for word in part.words]) for row in out]
