"""Joins pieces of text that are too short to say anything alone with the text beside them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.passage import PassageKind
from core.word_boxes import WordBox
from indexer.documents.model import Table
from indexer.documents.sections import without_number
from indexer.documents.units import SPECIAL_TOKENS, CountTokens
from reading.sentences import sentences

LEAST_WORDS = 15
_FARTHEST_PAGES = 1
_BETWEEN = "\n"


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage before it has a number. ``room``: the tokens that fit into a passage of its section."""

    text: str
    kind: PassageKind
    path: tuple[str, ...]
    role: str | None
    room: int
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


def without_short(pieces: Sequence[Piece], count: CountTokens) -> list[Piece]:
    """The pieces in order, short ones joined with their neighbour: of their own section if possible, else of the next
    or of the one before, under their heading. Where a neighbour is full, it gives up its nearest sentences.

    A short piece stays where no text is on its page or the next.
    """
    out = list(pieces)
    at = 0
    while at < len(out):
        if out[at].is_short and _joined(out, at, count):
            at = max(at - 1, 0)
        else:
            at += 1
    return out


def _joined(out: list[Piece], at: int, count: CountTokens) -> bool:
    """Whether the short piece was joined, in place."""
    neighbours = list(_neighbours(out, at))
    for other in neighbours:
        whole = _whole(out[min(at, other)], out[max(at, other)])
        if _fits(whole, count):
            longer, shorter = (at, other) if out[at].length > out[other].length else (other, at)
            out[longer] = whole
            del out[shorter]
            return True
    for other in neighbours:
        parts = _given_up(out[other], LEAST_WORDS - out[at].length, from_end=other < at)
        if parts is None:
            continue
        first, second = (parts[1], out[at]) if other < at else (out[at], parts[0])
        whole = _whole(first, second)
        if _fits(whole, count):
            out[other], out[at] = (parts[0] if other < at else parts[1]), whole
            return True
    return False


def _neighbours(out: Sequence[Piece], at: int) -> Iterator[int]:
    """The text before and behind, the own section's first."""
    before = next((place for place in range(at - 1, -1, -1) if out[place].kind == "text"), None)
    behind = next((place for place in range(at + 1, len(out)) if out[place].kind == "text"), None)
    near = [place for place in (before, behind) if place is not None and _are_near(out[place], out[at])]
    own = [place for place in near if out[place].path == out[at].path]
    yield from [*own, *(place for place in reversed(near) if place not in own)]


def _are_near(one: Piece, other: Piece) -> bool:
    first, second = sorted((one, other), key=lambda piece: piece.first_page or 0)
    return (second.first_page or 0) - (first.last_page or 0) <= _FARTHEST_PAGES


def _whole(first: Piece, second: Piece) -> Piece:
    """Both as one piece of the longer one's section; the shorter one keeps its heading as a line."""
    longer, shorter = (first, second) if first.length >= second.length else (second, first)
    heading = without_number(shorter.path[-1]) if shorter.path and shorter.path != longer.path else ""
    lead = f"{heading}{_BETWEEN}" if heading else ""
    head, tail = (lead, "") if shorter is first else ("", lead)
    start = len(head) + len(first.text) + len(_BETWEEN) + len(tail)
    pages = [page for one in (first, second) for page in (one.first_page, one.last_page) if page is not None]
    return replace(
        longer,
        text=f"{head}{first.text}{_BETWEEN}{tail}{second.text}",
        first_page=min(pages, default=None),
        last_page=max(pages, default=None),
        words=(*_moved(first.words, len(head)), *_moved(second.words, start)),
    )


def _given_up(piece: Piece, least: int, *, from_end: bool) -> tuple[Piece, Piece] | None:
    """The piece in two: at its end (or start) the fewest whole sentences with ``least`` words. None if too little
    would remain.
    """
    parts = sentences(piece.text) if "\n" not in piece.text else piece.text.split("\n")
    taken = 0
    for number, text in enumerate(reversed(parts) if from_end else parts, 1):
        taken += len(text.split())
        if piece.length - taken < LEAST_WORDS:
            return None
        if taken >= least:
            kept = parts[:-number] if from_end else parts[:number]
            return _split(piece, kept)
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
        _on_pages(replace(piece, text=piece.text[start:], words=_moved(second, -start))),
    )


def _on_pages(piece: Piece) -> Piece:
    pages = [word.page for word in piece.words]
    return replace(piece, first_page=min(pages), last_page=max(pages)) if pages else piece


def _moved(words: Sequence[WordBox], by: int) -> tuple[WordBox, ...]:
    return tuple(replace(word, start=word.start + by, end=word.end + by) for word in words)


def _fits(piece: Piece, count: CountTokens) -> bool:
    return count([piece.text])[0] - SPECIAL_TOKENS <= piece.room
