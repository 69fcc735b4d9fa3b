"""Joins pieces of text that are too short to say anything alone with the text beside them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.document import PassageKind, WordBox
from indexer.documents.parse.model import Table
from indexer.documents.parse.sections import strip_number
from indexer.documents.segment.units import SPECIAL_TOKENS, CountTokens
from reading.sentences import sentences

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
    return replace(
        longer,
        text=f"{head}{first.text}{_BETWEEN}{tail_text}{second.text}",
        first_page=min(pages, default=None),
        last_page=max(pages, default=None),
        words=(*_move(first.words, len(head)), *_move(second.words, start)),
    )


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
    first = [word for word in piece.words if word.end <= end]
    second = [word for word in piece.words if word.start >= start]
    return (
        _on_pages(replace(piece, text=piece.text[:end], words=tuple(first))),
        _on_pages(replace(piece, text=piece.text[start:], words=_move(second, -start))),
    )


def _on_pages(piece: Piece) -> Piece:
    pages = [word.page for word in piece.words]
    return replace(piece, first_page=min(pages), last_page=max(pages)) if pages else piece


def _move(words: Sequence[WordBox], by: int) -> tuple[WordBox, ...]:
    return tuple(replace(word, start=word.start + by, end=word.end + by) for word in words)


def _fits(piece: Piece, count: CountTokens) -> bool:
    return count([piece.text])[0] - SPECIAL_TOKENS <= piece.max_tokens
