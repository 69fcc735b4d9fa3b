"""The indivisible pieces of passages (sentences, lines of code, rows), and where their words are on the page. Pure.

A block keeps the box of each of its words and how many letters the word has. A passage repeats letters of its blocks in
their order, whatever happened to spaces and hyphens, so its place among these letters gives its words.

Pieces that are too short to say anything alone are joined with the text beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from core.document import PassageKind, PassageSection, WordBox, row_text, section_at
from core.names import letters_of
from indexer.documents.parse.model import Block, PlacedWord, Table
from indexer.documents.parse.sections import strip_number
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

    def count_tokens(texts: Sequence[str]) -> list[int]:
        short_texts = [text for text in texts if len(text) <= _LONGEST_COUNTED]
        counts = iter([number for batch in _batches(short_texts) for number in count(batch)])
        least_counts = (len(text) // _CHARACTERS_A_TOKEN + SPECIAL_TOKENS for text in texts)
        return [
            max(least_count, next(counts)) if len(text) <= _LONGEST_COUNTED else least_count
            for text, least_count in zip(texts, least_counts, strict=True)
        ]

    return count_tokens


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    characters_left = _BATCH_CHARACTERS
    for text in texts:
        batch.append(text)
        characters_left -= len(text) + 1
        if characters_left <= 0:
            yield batch
            batch, characters_left = [], _BATCH_CHARACTERS
    if batch:
        yield batch


def text_units(blocks: Sequence[Block], count: CountTokens, max_tokens: int) -> list[Unit]:
    """Sentences of text, lists and formulas, lines of code; none longer than ``max_tokens`` tokens."""
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
        if number <= max_tokens:
            units.append(Unit(text, number, first, last, opens, False, separator))
            continue
        parts = split_long_text(text, count, max_tokens)
        units += [Unit(t, n, first, last, opens and i == 0, True, separator) for i, (t, n) in enumerate(parts)]
    return units


def _pieces(block: Block) -> list[tuple[str, str]]:
    if block.kind == "code":
        return [(line, "\n") for line in block.lines or block.text.splitlines() if line.strip()]
    return [
        (sentence, "\n" if block.kind == "list" and place == 0 else " ")
        for place, sentence in enumerate(sentences(block.text) if block.kind != "formula" else [block.text])
    ]


def split_long_text(text: str, count: CountTokens, max_tokens: int) -> list[tuple[str, int]]:
    """Splits a text longer than one passage between words into as few pieces as possible; with their tokens.

    A word as long as a passage (endless letters or digits) is split too.
    """
    words, lengths = _short_words(text.split(), count, max_tokens)
    groups: list[list[str]] = []
    sums: list[int] = []
    for word, length in zip(words, lengths, strict=True):
        if groups and sums[-1] + length <= max_tokens:
            groups[-1].append(word)
            sums[-1] += length
        else:
            groups.append([word])
            sums.append(length)
    return [(" ".join(group), length) for group, length in zip(groups, sums, strict=True)]


def _short_words(words: Sequence[str], count: CountTokens, max_tokens: int) -> tuple[list[str], list[int]]:
    """The words with their tokens; a word of more than ``max_tokens`` tokens in halves, and so on."""
    short_words: list[str] = []
    lengths: list[int] = []
    for word, number in zip(words, count(words), strict=True):
        length = max(1, number - SPECIAL_TOKENS)
        if length <= max_tokens or len(word) == 1:
            short_words.append(word)
            lengths.append(min(length, max_tokens))
            continue
        size = (len(word) + 1) // 2 if len(word) <= _LONGEST_COUNTED else _LONGEST_COUNTED
        pieces, own = _short_words(
            [word[position : position + size] for position in range(0, len(word), size)], count, max_tokens
        )
        short_words += pieces
        lengths += own
    return short_words, lengths


def table_texts(table: Table, count: CountTokens, max_tokens: int) -> list[tuple[str, bool]]:
    """Texts of at most ``max_tokens`` tokens, each with caption and header; True if a row had to be split."""
    header = [row_text(row) for row in table.rows[: table.header_rows]]
    rows = [text for row in table.rows[table.header_rows :] if (text := row_text(row))]
    opening_lines = [line for line in (table.caption, *header) if line]
    tokens = [number - SPECIAL_TOKENS for number in count([*opening_lines, *rows])]
    head_tokens = sum(tokens[: len(opening_lines)])
    if head_tokens > max_tokens // 2:  # a caption as long as a passage becomes a separate passage
        flat = "\n".join([*opening_lines, *rows])
        return [(text, True) for text, _ in split_long_text(flat, count, max_tokens)]
    texts: list[tuple[list[str], int, bool]] = []
    for row, number in zip(rows, tokens[len(opening_lines) :], strict=True):
        if texts and texts[-1][1] + number <= max_tokens and not texts[-1][2]:
            texts[-1][0].append(row)
            texts[-1] = (texts[-1][0], texts[-1][1] + number, False)
        elif head_tokens + number <= max_tokens:
            texts.append(([*opening_lines, row], head_tokens + number, False))
        else:
            texts += [
                ([*opening_lines, part], max_tokens, True)
                for part, _ in split_long_text(row, count, max_tokens - head_tokens)
            ]
    return [("\n".join(lines), is_cut) for lines, _, is_cut in texts] or [("\n".join(opening_lines), False)]


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
            block_letters, _ = letters_of(block.text)
            letters.append(block_letters)
            is_spelt = sum(word.letters for word in block.words) == len(block_letters)
            self._words += (
                (word for word in block.words for _ in range(word.letters)) if is_spelt else [None] * len(block_letters)
            )
        self._letters = "".join(letters)
        self._from = self._end = 0

    def find(self, text: str) -> tuple[WordBox, ...]:
        """The words of the text; none if it is not found."""
        if not self._letters:
            return ()
        text_letters, position = letters_of(text)
        start = (
            self._letters.find(text_letters, self._from, self._end + len(text_letters) + _LONGEST_GAP_LETTERS)
            if text_letters
            else -1
        )
        if start < 0:
            return ()
        self._from, self._end = start + 1, start + len(text_letters)
        words = self._words[start : start + len(text_letters)]
        boxes = []
        for _, group in groupby(range(len(words)), key=lambda place: id(words[place])):
            places = list(group)
            word = words[places[0]]
            if word is not None:
                start, end = position[places[0]], position[places[-1]] + 1
                boxes.append(WordBox(start, end, word.page, word.left, word.top, word.right, word.bottom))
        return tuple(boxes)


def table_place(table: Table, text: str) -> tuple[WordBox, ...]:
    """The frame of the table as the place of a text of it; none without pages."""
    if table.box is None or table.page is None:
        return ()
    return (WordBox(0, len(text), table.page, *table.box),)


LEAST_WORDS = 15
_FARTHEST_PAGES = 1
_BETWEEN = "\n"


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage before it has a number. ``max_tokens``: the tokens that fit into a passage of its section."""

    text: str
    kind: PassageKind
    path: tuple[str, ...]
    role: str | None
    max_tokens: int
    first_page: int | None
    last_page: int | None
    words: tuple[WordBox, ...] = ()
    table: Table | None = None
    sections: tuple[PassageSection, ...] = ()

    @property
    def all_sections(self) -> tuple[PassageSection, ...]:
        return self.sections or (PassageSection(0, self.path, self.role),)

    @property
    def length(self) -> int:
        """In words."""
        return len(self.text.split())

    @property
    def is_short(self) -> bool:
        """Text alone: captions and tables say something in few words."""
        return self.kind == "text" and self.length < LEAST_WORDS


def join_short(pieces: Sequence[Piece], count: CountTokens) -> list[Piece]:
    """The pieces in order, short ones joined with their neighbour: of their own section if possible, else of the next
    or of the one before, under their heading. Where a neighbour is full, it gives up its nearest sentences.

    A short piece stays where no text is on its page or the next.
    """
    chain = _Chain(pieces)
    number = chain.first
    while number is not None:
        number_before = chain.number_before(number)
        if chain.pieces[number].is_short and (removed_number := _join_with_neighbour(chain, number, count)) is not None:
            number = number if removed_number < number else number_before if number_before is not None else chain.first
        else:
            number = chain.number_after(number)
    return chain.remaining_pieces()


class _Chain:
    """Pieces in order, from which some are removed; each knows the next remaining piece and the next text."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = list(pieces)
        self._removed_numbers: set[int] = set()
        self._all = _links(list(range(len(pieces))))
        self._texts = _links([place for place, piece in enumerate(pieces) if piece.kind == "text"])

    @property
    def first(self) -> int | None:
        return next((place for place in range(len(self.pieces)) if place not in self._removed_numbers), None)

    def number_before(self, number: int) -> int | None:
        return self._all[number][0]

    def number_after(self, number: int) -> int | None:
        return self._all[number][1]

    def neighbours(self, number: int) -> Iterator[int]:
        """The text before and behind a text, the own section's first."""
        pieces = self.pieces
        near_numbers = [
            place for place in self._texts[number] if place is not None and _are_near(pieces[place], pieces[number])
        ]
        section_numbers = [place for place in near_numbers if pieces[place].path == pieces[number].path]
        yield from [*section_numbers, *(place for place in reversed(near_numbers) if place not in section_numbers)]

    def take(self, number: int) -> None:
        self._removed_numbers.add(number)
        for links in (self._all, self._texts):
            number_before, number_after = links.pop(number)
            if number_before is not None:
                links[number_before] = (links[number_before][0], number_after)
            if number_after is not None:
                links[number_after] = (number_before, links[number_after][1])

    def remaining_pieces(self) -> list[Piece]:
        return [piece for place, piece in enumerate(self.pieces) if place not in self._removed_numbers]


def _links(places: Sequence[int]) -> dict[int, tuple[int | None, int | None]]:
    """For each place the one before it and the one behind it."""
    return {
        place: (places[number - 1] if number else None, places[number + 1] if number + 1 < len(places) else None)
        for number, place in enumerate(places)
    }


def _join_with_neighbour(chain: _Chain, number: int, count: CountTokens) -> int | None:
    """The place whose piece is gone (one behind the last where sentences moved only); None: nothing was joined."""
    pieces, neighbours = chain.pieces, list(chain.neighbours(number))
    for neighbour in neighbours:
        merged_piece = _merge(pieces[min(number, neighbour)], pieces[max(number, neighbour)])
        if _fits(merged_piece, count):
            longer, shorter = (
                (number, neighbour) if pieces[number].length > pieces[neighbour].length else (neighbour, number)
            )
            pieces[longer] = merged_piece
            chain.take(shorter)
            return shorter
    for neighbour in neighbours:
        parts = _give_sentences(pieces[neighbour], LEAST_WORDS - pieces[number].length, from_end=neighbour < number)
        if parts is None:
            continue
        first, second = (parts[1], pieces[number]) if neighbour < number else (pieces[number], parts[0])
        merged_piece = _merge(first, second)
        if _fits(merged_piece, count):
            pieces[neighbour], pieces[number] = (parts[0] if neighbour < number else parts[1]), merged_piece
            return len(pieces)
    return None


def _are_near(piece: Piece, other_piece: Piece) -> bool:
    first, second = sorted((piece, other_piece), key=lambda piece: piece.first_page or 0)
    return (second.first_page or 0) - (first.last_page or 0) <= _FARTHEST_PAGES


def _merge(first: Piece, second: Piece) -> Piece:
    """Both as one piece of the longer one's section; the shorter one keeps its heading as a line."""
    longer, shorter = (first, second) if first.length >= second.length else (second, first)
    heading = strip_number(shorter.path[-1]) if shorter.path and shorter.path != longer.path else ""
    lead = f"{heading}{_BETWEEN}" if heading else ""
    head, tail_text = (lead, "") if shorter is first else ("", lead)
    start = len(head) + len(first.text) + len(_BETWEEN) + len(tail_text)
    pages = [page for piece in (first, second) for page in (piece.first_page, piece.last_page) if page is not None]
    merged_piece = replace(
        longer,
        text=f"{head}{first.text}{_BETWEEN}{tail_text}{second.text}",
        first_page=min(pages, default=None),
        last_page=max(pages, default=None),
        words=(*_move(first.words, len(head)), *_move(second.words, start)),
    )
    sections = [*_move_sections(first, len(head), 0), *_move_sections(second, start, start - len(tail_text))]
    return _with_sections(merged_piece, sections)


def _move_sections(piece: Piece, by: int, first_start: int) -> list[PassageSection]:
    """Moved; the first section starts at ``first_start``, so that it has the heading in front of its text."""
    return [
        replace(section, start=section.start + by if number else first_start)
        for number, section in enumerate(piece.all_sections)
    ]


def _with_sections(piece: Piece, sections: Sequence[PassageSection]) -> Piece:
    """Neighbours of one path are one section; a single one is the piece's own."""
    distinct = [next(group) for _, group in groupby(sections, key=lambda section: section.path)]
    if len(distinct) > 1:
        return replace(piece, sections=tuple(distinct))
    return replace(piece, path=distinct[0].path, role=distinct[0].role, sections=())


def _give_sentences(piece: Piece, least_words: int, *, from_end: bool) -> tuple[Piece, Piece] | None:
    """The piece in two: at its end (or start) the fewest whole sentences with ``least_words`` words. None if too little
    would remain.
    """
    parts = sentences(piece.text) if "\n" not in piece.text else piece.text.split("\n")
    taken_words = 0
    for number, text in enumerate(reversed(parts) if from_end else parts, 1):
        taken_words += len(text.split())
        if piece.length - taken_words < LEAST_WORDS:
            return None
        if taken_words >= least_words:
            head = parts[:-number] if from_end else parts[:number]
            return _split(piece, head)
    return None


def _split(piece: Piece, head: Sequence[str]) -> tuple[Piece, Piece] | None:
    """Behind these sentences; None if their text is not the beginning of the piece."""
    end = 0
    for text in head:
        end = piece.text.find(text, end)
        if end < 0:
            return None
        end += len(text)
    start = end + len(piece.text[end:]) - len(piece.text[end:].lstrip())
    before = [section for section in piece.all_sections if section.start < end]
    behind = [section for section in piece.all_sections if section.start > start]
    opening = section_at(piece.all_sections, start) or piece.all_sections[0]
    first = [word for word in piece.words if word.end <= end]
    second = [word for word in piece.words if word.start >= start]
    return (
        _with_sections(_on_pages(replace(piece, text=piece.text[:end], words=tuple(first))), before),
        _with_sections(
            _on_pages(replace(piece, text=piece.text[start:], words=_move(second, -start))),
            [replace(section, start=max(0, section.start - start)) for section in (opening, *behind)],
        ),
    )


def _on_pages(piece: Piece) -> Piece:
    pages = [word.page for word in piece.words]
    return replace(piece, first_page=min(pages), last_page=max(pages)) if pages else piece


def _move(words: Sequence[WordBox], by: int) -> tuple[WordBox, ...]:
    return tuple(replace(word, start=word.start + by, end=word.end + by) for word in words)


def _fits(piece: Piece, count: CountTokens) -> bool:
    return count([piece.text])[0] - SPECIAL_TOKENS <= piece.max_tokens
