"""Splits a document into passages.

Recursive, as in GeoGPT-RAG (doi:10.48550/arXiv.2509.09686): text that is too long is split at its weakest joint, then
each half again, until all pieces fit the embedder. Which joint is weak is a port (``Coherence``): a trained segmenter
decides, else all are alike, so that paragraphs stay whole and the halves are even. Splitting by meaning does not find
the right passages more often (docs/adr/0052-no-segmenter-ships.md).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from core.document import Passage, PassageKind
from core.ports import Embedder
from indexer.documents.parse.model import Block, ReadDocument, Table
from indexer.documents.parse.sections import Section, sections, strip_number
from indexer.documents.segment.short_pieces import Piece, join_short
from indexer.documents.segment.units import (
    SPECIAL_TOKENS,
    CountTokens,
    TextPlaces,
    Unit,
    bounded_count,
    table_place,
    table_texts,
    text_units,
)

_AT_ONCE = 1000  # joints

Coherence = Callable[[Sequence[str]], list[float]]
"""Maps n texts in order to n - 1 numbers: how well each continues the one before; higher is better."""


def uniform_coherence(texts: Sequence[str]) -> list[float]:
    """All joints as weak as each other."""
    return [0.0] * (len(texts) - 1)


def embedding_coherence(embedder: Embedder) -> Coherence:
    """Cosine of the two sentences before a joint and the two after it.

    Each sentence is read once, and two of them are the sum of their vectors: to read each pair as a text takes four
    times as long, and finds the right passages no more often.
    """

    def coherence(texts: Sequence[str]) -> list[float]:
        out: list[float] = []
        for start in range(0, len(texts) - 1, _AT_ONCE):  # each with the neighbours that its joints need
            before, behind = max(0, start - 1), start + _AT_ONCE + 2
            cosines = _cosines(embedder.embed(list(texts[before:behind]), "document").astype(np.float64))
            out += cosines[start - before : start - before + _AT_ONCE]
        return out

    return coherence


def _cosines(vectors: NDArray[np.float64]) -> list[float]:
    """For each joint between neighbours (n - 1), from (n, dims) vectors."""
    pairs = vectors.copy()
    pairs[1:] += vectors[:-1]  # a text and the one before it
    pairs /= np.maximum(np.linalg.norm(pairs, axis=1, keepdims=True), 1e-9)
    before = pairs[:-1].copy()
    before[0] = vectors[0]
    after = np.vstack([pairs[2:], vectors[-1:]])
    return [float(value) for value in np.sum(before * after, axis=1)]


MOST_TOKENS = 512
_HEADER_TOKENS = 48  # maximum for title and section, which the embedder reads before the text
_SMALLEST_SHARE = 0.25  # of a full passage: a joint nearer to an end is chosen only if there is no other
_SETTING = "SONDE_DOCUMENTS__MAX_PASSAGES"
_LONG = 4000  # sentences: a longer text is halved at a joint of its middle half, so that each half is much shorter
_PARAGRAPH_BONUS = 0.1  # of cosine: a joint between paragraphs counts as weaker than its value


@dataclass(frozen=True, slots=True)
class SegmentOptions:
    """``most_tokens``: the limit of a passage with its header, lowered to the embedder's; ``overlap``: sentences that a
    passage repeats from the one before it; ``most_passages``: of one document.
    """

    most_tokens: int = MOST_TOKENS
    overlap: int = 0
    most_passages: int = 10_000


@dataclass(frozen=True, slots=True)
class Segmentation:
    """``cut`` counts the sentences and rows longer than a passage, which were split between words; ``left_out`` the
    passages beyond as many as a document may have.
    """

    passages: tuple[Passage, ...]
    cut: int = 0
    left_out: int = 0

    @property
    def warnings(self) -> tuple[str, ...]:
        if not self.left_out:
            return ()
        kept = len(self.passages)
        return (f"Only the first {kept:,} passages are kept; {self.left_out:,} are left out ({_SETTING}).",)


class _TableNumbers:
    """Numbers the tables of a document from 1, in the order in which their pieces come."""

    def __init__(self) -> None:
        self._last: Table | None = None
        self._count = 0

    def of(self, table: Table | None) -> int | None:
        if table is None:
            return None
        self._count += table is not self._last
        self._last = table
        return self._count


def header_of(title: str, path: Sequence[str]) -> str:
    """The text that the embedder reads before a passage: the document's title and the nearest heading."""
    heading = strip_number(path[-1]) if path else ""
    return ". ".join(text for text in (title, heading if heading != title else "") if text)


def segment(
    document: ReadDocument,
    id: str,
    embedder: Embedder,
    options: SegmentOptions,
    coherence: Coherence = uniform_coherence,
) -> Segmentation:
    """Passages in the order of the document; their ids are ``{id}#{ordinal}``."""
    most = min(options.most_tokens, MOST_TOKENS, embedder.card.max_tokens) - SPECIAL_TOKENS
    count = bounded_count(embedder.count_tokens)
    pieces: list[Piece] = []
    cut = 0
    for section in sections(document.blocks):
        header = header_of(document.front.title, section.path)
        room = most - min(_HEADER_TOKENS, count([header])[0] - SPECIAL_TOKENS if header else 0)
        own, cuts = _pieces(section, count, coherence, room, options.overlap)
        pieces += own
        cut += cuts
    numbers = _TableNumbers()
    whole = join_short([piece for piece in pieces if _says_something(piece)], count)
    fitting = whole[: options.most_passages]
    passages = tuple(_passage(piece, id, number, numbers) for number, piece in enumerate(fitting))
    return Segmentation(passages, cut, len(whole) - len(fitting))


def _says_something(piece: Piece) -> bool:
    """Whether it has a letter or a digit: the borders of empty cells are no passage."""
    return any(character.isalnum() for character in piece.text)


def _passage(piece: Piece, document: str, number: int, tables: _TableNumbers) -> Passage:
    return Passage(
        id=f"{document}#{number}",
        document=document,
        ordinal=number,
        text=piece.text,
        kind=piece.kind,
        section_path=piece.path,
        section_role=piece.role,
        first_page=piece.first_page,
        last_page=piece.last_page,
        table=tables.of(piece.table),
        words=piece.words,
    )


def embedding_text(passage: Passage, title: str, embedder: Embedder, most: int) -> str:
    """Header and text; the header is shortened, never the text."""
    header = header_of(title, passage.section_path)
    words = header.split()
    fitting = bisect_right(
        range(1, len(words) + 1),
        _HEADER_TOKENS + SPECIAL_TOKENS,
        key=lambda number: embedder.count_tokens([" ".join(words[:number])])[0],
    )
    whole = f"{' '.join(words[:fitting])}\n{passage.text}" if fitting else passage.text
    return whole if embedder.count_tokens([whole])[0] <= most else passage.text


def _pieces(
    section: Section, count: CountTokens, coherence: Coherence, room: int, overlap: int
) -> tuple[list[Piece], int]:
    """The section's passages: running text, then captions and tables in their places; and the number of cuts."""
    cut = 0
    running: list[Block] = []
    aside: list[Piece] = []
    of = _OfSection(section, room)
    for block in section.blocks:
        if block.table is not None:
            for text, is_cut in table_texts(block.table, count, room):
                cut += is_cut
                words = table_place(block.table, text)
                pages = (block.first_page, block.last_page)
                aside.append(Piece(text, "table", section.path, section.role, room, *pages, words, block.table))
        elif block.kind == "caption":
            places = TextPlaces([block])
            for unit in _groups(text_units([block], count, room), coherence, room):
                aside.append(of.piece(unit, "caption", places))
        else:
            running.append(block)
    units = text_units(running, count, room)
    cut += sum(unit.cut for unit in units)
    groups = add_overlap(_groups(units, coherence, room), room, overlap)
    places = TextPlaces(running)
    return [*(of.piece(group, "text", places) for group in groups), *aside], cut


@dataclass(frozen=True, slots=True)
class _OfSection:
    section: Section
    room: int

    def piece(self, group: Sequence[Unit], kind: PassageKind, places: TextPlaces) -> Piece:
        text = "".join((unit.separator if place else "") + unit.text for place, unit in enumerate(group))
        pages = [page for unit in group for page in (unit.first_page, unit.last_page) if page is not None]
        first, last = min(pages, default=None), max(pages, default=None)
        of = self.section
        return Piece(text, kind, of.path, of.role, self.room, first, last, places.find(text))


def _groups(units: list[Unit], coherence: Coherence, room: int) -> list[list[Unit]]:
    if not units:
        return []
    if sum(unit.tokens for unit in units) <= room:
        return [units]
    scores = coherence([unit.text for unit in units])
    weakened = [score - (_PARAGRAPH_BONUS if units[i + 1].opens else 0.0) for i, score in enumerate(scores)]
    return split_at_weakest(units, weakened, room)


def split_at_weakest(units: list[Unit], coherences: Sequence[float], room: int) -> list[list[Unit]]:
    """Groups of at most ``room`` tokens, split recursively at the weakest of the joints (``len(units) - 1`` numbers);
    between equally weak joints, the one with the more even halves. A very long text is split near its middle first.
    """
    sums = [0, *accumulate(unit.tokens for unit in units)]
    out: list[list[Unit]] = []
    waiting = [(0, len(units))]
    while waiting:
        start, end = waiting.pop()
        if sums[end] - sums[start] <= room or end - start == 1:
            out.append(units[start:end])
            continue
        at = _weakest(sums, coherences, (start, end), room)
        waiting += [(at, end), (start, at)]
    return out


def _weakest(sums: Sequence[int], coherences: Sequence[float], between: tuple[int, int], room: int) -> int:
    start, end = between
    total = sums[end] - sums[start]

    def key(place: int) -> tuple[bool, float, float]:
        before = sums[place] - sums[start]
        small = min(before, total - before) < _SMALLEST_SHARE * min(room, total)
        return small, coherences[place - 1], abs(total / 2.0 - before)

    off = (end - start) // 4 if end - start > _LONG else 0
    return min(range(start + 1 + off, end - off), key=key)


def add_overlap(groups: list[list[Unit]], room: int, overlap: int) -> list[list[Unit]]:
    """Each group with the last ``overlap`` units of the one before it, as many as fit."""
    out: list[list[Unit]] = []
    for index, group in enumerate(groups):
        repeated: list[Unit] = []
        free = room - sum(unit.tokens for unit in group)
        for unit in reversed(groups[index - 1][-overlap:] if overlap and index else []):
            if unit.tokens > free:
                break
            repeated.insert(0, unit)
            free -= unit.tokens
        out.append([*repeated, *group])
    return out
