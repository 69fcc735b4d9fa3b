"""The indivisible pieces of passages (sentences, lines of code, rows), and where their words are on the page.

A block keeps the box of each of its words and how many letters the word has. A passage repeats letters of its blocks in
their order, whatever happened to spaces and hyphens, so its place among these letters gives its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from core.document import WordBox, row_text
from core.names import letters_of
from indexer.documents.parse.model import Block, PlacedWord, Table
from reading.sentences import sentences

CountTokens = Callable[[Sequence[str]], list[int]]
SPECIAL_TOKENS = 2  # special tokens that an encoder adds to each text
_CHARACTERS_A_TOKEN = 16
_LONGEST_COUNTED = 512 * _CHARACTERS_A_TOKEN
_BATCH_CHARACTERS = 200_000
_LONGEST_GAP = 100  # characters between two sentences of a block


@dataclass(frozen=True, slots=True)
class Unit:
    """``tokens`` without special ones; ``opens``: starts a paragraph; ``cut``: part of a sentence that is too long;
    ``separator`` precedes it unless it is the first.
    """

    text: str
    tokens: int
    first_page: int | None
    last_page: int | None
    opens: bool = False
    cut: bool = False
    separator: str = " "


def bounded_count(count: CountTokens) -> CountTokens:
    """Counts a few texts at a time, and a token as at most 16 characters, so that no text of few tokens is endless (a
    word that the model does not know is one token). A text of more than a passage is not counted but estimated.
    """

    def counted(texts: Sequence[str]) -> list[int]:
        short = [text for text in texts if len(text) <= _LONGEST_COUNTED]
        known = iter([number for batch in _batches(short) for number in count(batch)])
        least = (len(text) // _CHARACTERS_A_TOKEN + SPECIAL_TOKENS for text in texts)
        return [
            max(at, next(known)) if len(text) <= _LONGEST_COUNTED else at for text, at in zip(texts, least, strict=True)
        ]

    return counted


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    left = _BATCH_CHARACTERS
    for text in texts:
        batch.append(text)
        left -= len(text) + 1
        if left <= 0:
            yield batch
            batch, left = [], _BATCH_CHARACTERS
    if batch:
        yield batch


def text_units(blocks: Sequence[Block], count: CountTokens, most: int) -> list[Unit]:
    """Sentences of text, lists and formulas, lines of code; none longer than ``most`` tokens."""
    drafts = [(text, block, place == 0, mark) for block in blocks for place, (text, mark) in enumerate(_pieces(block))]
    if not drafts:
        return []
    tokens = [max(1, number - SPECIAL_TOKENS) for number in count([text for text, *_ in drafts])]
    units: list[Unit] = []
    offsets: dict[int, int] = {}  # how much of each block's text is done
    for (text, block, opens, separator), number in zip(drafts, tokens, strict=True):
        offset = offsets.get(id(block), 0)
        start = max(block.text.find(text, offset, offset + len(text) + _LONGEST_GAP), offset)
        offsets[id(block)] = start + len(text)
        first, last = block.page_at(start), block.page_at(start + len(text) - 1)
        if number <= most:
            units.append(Unit(text, number, first, last, opens, False, separator))
            continue
        parts = split_long_text(text, count, most)
        units += [Unit(t, n, first, last, opens and i == 0, True, separator) for i, (t, n) in enumerate(parts)]
    return units


def _pieces(block: Block) -> list[tuple[str, str]]:
    if block.kind == "code":
        return [(line, "\n") for line in block.lines or block.text.splitlines() if line.strip()]
    return [
        (sentence, "\n" if block.kind == "list" and place == 0 else " ")
        for place, sentence in enumerate(sentences(block.text) if block.kind != "formula" else [block.text])
    ]


def split_long_text(text: str, count: CountTokens, most: int) -> list[tuple[str, int]]:
    """Splits a text longer than one passage between words into as few pieces as possible; with their tokens.

    A word as long as a passage (endless letters or digits) is split too.
    """
    words, lengths = _short_words(text.split(), count, most)
    out: list[list[str]] = []
    sums: list[int] = []
    for word, length in zip(words, lengths, strict=True):
        if out and sums[-1] + length <= most:
            out[-1].append(word)
            sums[-1] += length
        else:
            out.append([word])
            sums.append(length)
    return [(" ".join(own), length) for own, length in zip(out, sums, strict=True)]


def _short_words(words: Sequence[str], count: CountTokens, most: int) -> tuple[list[str], list[int]]:
    """The words with their tokens; a word of more than ``most`` tokens in halves, and so on."""
    out: list[str] = []
    lengths: list[int] = []
    for word, number in zip(words, count(words), strict=True):
        length = max(1, number - SPECIAL_TOKENS)
        if length <= most or len(word) == 1:
            out.append(word)
            lengths.append(min(length, most))
            continue
        size = (len(word) + 1) // 2 if len(word) <= _LONGEST_COUNTED else _LONGEST_COUNTED
        pieces, own = _short_words([word[at : at + size] for at in range(0, len(word), size)], count, most)
        out += pieces
        lengths += own
    return out, lengths


def table_texts(table: Table, count: CountTokens, most: int) -> list[tuple[str, bool]]:
    """Texts of at most ``most`` tokens, each with caption and header; True if a row had to be split."""
    header = [row_text(row) for row in table.rows[: table.header_rows]]
    rows = [text for row in table.rows[table.header_rows :] if (text := row_text(row))]
    opening = [line for line in (table.caption, *header) if line]
    tokens = [number - SPECIAL_TOKENS for number in count([*opening, *rows])]
    head_tokens = sum(tokens[: len(opening)])
    if head_tokens > most // 2:  # a caption as long as a passage becomes a separate passage
        flat = "\n".join([*opening, *rows])
        return [(text, True) for text, _ in split_long_text(flat, count, most)]
    out: list[tuple[list[str], int, bool]] = []
    for row, number in zip(rows, tokens[len(opening) :], strict=True):
        if out and out[-1][1] + number <= most and not out[-1][2]:
            out[-1][0].append(row)
            out[-1] = (out[-1][0], out[-1][1] + number, False)
        elif head_tokens + number <= most:
            out.append(([*opening, row], head_tokens + number, False))
        else:
            out += [([*opening, part], most, True) for part, _ in split_long_text(row, count, most - head_tokens)]
    return [("\n".join(lines), cut) for lines, _, cut in out] or [("\n".join(opening), False)]


_LONGEST_GAP_LETTERS = (
    1000  # letters between two passages: a text that is not near the one before it is not of these blocks
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
        start = self._letters.find(wanted, self._from, self._end + len(wanted) + _LONGEST_GAP_LETTERS) if wanted else -1
        if start < 0:
            return ()
        self._from, self._end = start + 1, start + len(wanted)
        words = self._words[start : start + len(wanted)]
        boxes = []
        for _, group in groupby(range(len(words)), key=lambda place: id(words[place])):
            places = list(group)
            word = words[places[0]]
            if word is not None:
                start, end = at[places[0]], at[places[-1]] + 1
                boxes.append(WordBox(start, end, word.page, word.left, word.top, word.right, word.bottom))
        return tuple(boxes)


def table_place(table: Table, text: str) -> tuple[WordBox, ...]:
    """The frame of the table as the place of a text of it; none without pages."""
    if table.box is None or table.page is None:
        return ()
    return (WordBox(0, len(text), table.page, *table.box),)
