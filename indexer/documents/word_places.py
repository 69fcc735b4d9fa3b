"""Finds where the words of a passage stand on their pages.

A block keeps the box of each of its words and how many letters the word has. A passage repeats letters of its blocks in
their order, whatever happened to spaces and hyphens, so its place among these letters gives its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from core.folding import letters_of
from core.passage import WordBox
from indexer.documents.clean import normalise_text
from indexer.documents.model import Block, PlacedWord, Table
from indexer.documents.page import Line

_LONGEST_GAP = 1000  # letters between two passages: a text that is not near the one before it is not of these blocks


def placed_words(lines: Iterable[Line], page: int) -> tuple[PlacedWord, ...]:
    """The words of these lines in reading order; words without a letter have no place in a text."""
    return tuple(_placed(lines, page))


def _placed(lines: Iterable[Line], page: int) -> Iterator[PlacedWord]:
    for line in lines:
        for word in line.words:
            count = len(letters_of(normalise_text(word.text))[0])
            if count:
                box = word.box
                yield PlacedWord(
                    page, count, round(box.left, 1), round(box.top, 1), round(box.right, 1), round(box.bottom, 1)
                )


class TextPlaces:
    """The letters of some blocks in order; finds texts made of them, each after the start of the one before."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        letters: list[str] = []
        self._words: list[PlacedWord | None] = []
        """For each letter the word that it belongs to; None where a block's words do not spell its text."""
        for block in blocks if any(block.words for block in blocks) else ():  # else nothing has a place
            own, _ = letters_of(block.text)
            letters.append(own)
            is_spelt = sum(word.letters for word in block.words) == len(own)
            self._words += (
                (word for word in block.words for _ in range(word.letters)) if is_spelt else [None] * len(own)
            )
        self._letters = "".join(letters)
        self._from = self._end = 0

    def find(self, text: str) -> tuple[WordBox, ...]:
        """The words of the text; none if it is not found."""
        if not self._letters:
            return ()
        wanted, at = letters_of(text)
        start = self._letters.find(wanted, self._from, self._end + len(wanted) + _LONGEST_GAP) if wanted else -1
        if start < 0:
            return ()
        self._from, self._end = start + 1, start + len(wanted)
        words = self._words[start : start + len(wanted)]
        found = []
        for _, group in groupby(range(len(words)), key=lambda place: id(words[place])):
            places = list(group)
            word = words[places[0]]
            if word is not None:
                found.append(_box(word, at[places[0]], at[places[-1]] + 1))
        return tuple(found)


def _box(word: PlacedWord, start: int, end: int) -> WordBox:
    return WordBox(start, end, word.page, word.left, word.top, word.right, word.bottom)


def whole_table(table: Table, text: str) -> tuple[WordBox, ...]:
    """The frame of the table as the place of a text of it; none without pages."""
    if table.box is None or table.page is None:
        return ()
    return (WordBox(0, len(text), table.page, *table.box),)
