"""Measures how much of a page's text is kept, and adds the rest as plain text where too little is.

A word counts as kept if it is in a passage or a table, or marked as furniture (heads, feet, page and line numbers,
watermarks), contents, a reference or a note. The rest are labels of drawings, or text mistaken for such labels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from indexer.documents.page import Line, Region, Word, around
from indexer.documents.regions import LaidOut
from indexer.documents.rows import rows

LEAST = 0.98
_WORD = re.compile(r"[^\W\d_]{3,}")  # axis numbers are not words


@dataclass(frozen=True, slots=True)
class Coverage:
    """For one page: its number of words, and how many of them layout kept."""

    page: int
    words: int
    kept: int

    @property
    def share(self) -> float:
        """0..1; 1 for a page without words."""
        return self.kept / self.words if self.words else 1.0

    @property
    def is_low(self) -> bool:
        return self.share < LEAST

    @property
    def warning(self) -> str:
        lost = self.words - self.kept
        return (
            f"Page {self.page}: {lost} of {self.words} words could not be placed (in drawings, or not in lines); "
            "they are kept as plain text."
        )


def with_everything(laid: LaidOut) -> tuple[LaidOut, Coverage]:
    """The page; if too few of its words were kept, the others are appended as plain text."""
    lost = _lost(laid)
    words = sum(map(_is_word, laid.page.words))
    found = Coverage(laid.page.number, words, words - sum(map(_is_word, lost)))
    if not found.is_low:
        return laid, found
    lines = _plain_lines(lost)
    plain = Region("caption", tuple(lines), around(line.box for line in lines), laid.page.number)
    return replace(laid, regions=(*laid.regions, plain)), found


def share_of(pages: Sequence[Coverage]) -> float:
    """The share for a whole document."""
    words = sum(page.words for page in pages)
    return sum(page.kept for page in pages) / words if words else 1.0


def _is_word(word: Word) -> bool:
    return _WORD.search(word.text) is not None


def _lost(laid: LaidOut) -> list[Word]:
    kept = {id(w) for region in laid.regions if region.kind != "figure" for line in region.lines for w in line.words}
    kept |= {id(word) for table in laid.tables.values() for word in table.words}
    return [word for word in laid.page.words if id(word) not in kept]


def _plain_lines(words: Sequence[Word]) -> list[Line]:
    """From the top; then text written sideways, each line read upwards."""
    turned = sorted((w for w in words if w.turned), key=lambda w: (round(w.box.middle_x / 4.0), -w.box.top))
    upright = rows(words)
    aside = [tuple(group) for _, group in groupby(turned, key=lambda w: round(w.box.middle_x / 4.0))]
    return [*upright, *(Line(group, around(word.box for word in group)) for group in aside)]
