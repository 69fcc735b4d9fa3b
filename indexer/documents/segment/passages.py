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
from indexer.documents.segment.units import (
    SPECIAL_TOKENS,
    CountTokens,
    Piece,
    TextPlaces,
    Unit,
    bounded_count,
    join_short,
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
        coherences: list[float] = []
        for start in range(0, len(texts) - 1, _AT_ONCE):  # each with the neighbours that its joints need
            first_sentence, end_sentence = max(0, start - 1), start + _AT_ONCE + 2
            cosines = _cosines(embedder.embed(list(texts[first_sentence:end_sentence]), "document").astype(np.float64))
            coherences += cosines[start - first_sentence : start - first_sentence + _AT_ONCE]
        return coherences

    return coherence


def _cosines(vectors: NDArray[np.float64]) -> list[float]:
    """For each joint between neighbours (n - 1), from (n, dims) vectors."""
    pairs = vectors.copy()
    pairs[1:] += vectors[:-1]  # a text and the one before it
    pairs /= np.maximum(np.linalg.norm(pairs, axis=1, keepdims=True), 1e-9)
    pairs_before = pairs[:-1].copy()
    pairs_before[0] = vectors[0]
    pairs_after = np.vstack([pairs[2:], vectors[-1:]])
    return [float(value) for value in np.sum(pairs_before * pairs_after, axis=1)]


MOST_TOKENS = 512
_HEADER_TOKENS = 48  # maximum for title and section, which the embedder reads before the text
_SMALLEST_SHARE = 0.25  # of a full passage: a joint nearer to an end is chosen only if there is no other
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
        kept_count = len(self.passages)
        return (f"Only the first {kept_count:,} passages are kept; {self.left_out:,} are left out.",)


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
    max_tokens = min(options.most_tokens, MOST_TOKENS, embedder.card.max_tokens) - SPECIAL_TOKENS
    count = bounded_count(embedder.count_tokens)
    pieces: list[Piece] = []
    cut_count = 0
    for section in sections(document.blocks):
        header = header_of(document.front.title, section.path)
        text_tokens = max_tokens - min(_HEADER_TOKENS, count([header])[0] - SPECIAL_TOKENS if header else 0)
        section_pieces, cuts = _pieces(section, count, coherence, text_tokens, options.overlap)
        pieces += section_pieces
        cut_count += cuts
    numbers = _TableNumbers()
    joined_pieces = join_short([piece for piece in pieces if _has_text(piece)], count)
    kept_pieces = joined_pieces[: options.most_passages]
    passages = tuple(_passage(piece, id, number, numbers) for number, piece in enumerate(kept_pieces))
    return Segmentation(passages, cut_count, len(joined_pieces) - len(kept_pieces))


def _has_text(piece: Piece) -> bool:
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
        sections=piece.sections,
    )


def embedding_text(passage: Passage, title: str, embedder: Embedder, max_tokens: int) -> str:
    """Header and text; the header is shortened, never the text."""
    header = header_of(title, passage.section_path)
    words = header.split()
    fitting_words = bisect_right(
        range(1, len(words) + 1),
        _HEADER_TOKENS + SPECIAL_TOKENS,
        key=lambda number: embedder.count_tokens([" ".join(words[:number])])[0],
    )
    full_text = f"{' '.join(words[:fitting_words])}\n{passage.text}" if fitting_words else passage.text
    return full_text if embedder.count_tokens([full_text])[0] <= max_tokens else passage.text


def _pieces(
    section: Section, count: CountTokens, coherence: Coherence, max_tokens: int, overlap: int
) -> tuple[list[Piece], int]:
    """The section's passages: running text, then captions and tables in their places; and the number of cuts."""
    cut_count = 0
    running_blocks: list[Block] = []
    aside_pieces: list[Piece] = []
    section_parts = _SectionPieces(section, max_tokens)
    for block in section.blocks:
        if block.table is not None:
            for text, is_cut in table_texts(block.table, count, max_tokens):
                cut_count += is_cut
                words = table_place(block.table, text)
                pages = (block.first_page, block.last_page)
                aside_pieces.append(
                    Piece(text, "table", section.path, section.role, max_tokens, *pages, words, block.table)
                )
        elif block.kind == "caption":
            places = TextPlaces([block])
            for unit in _groups(text_units([block], count, max_tokens), coherence, max_tokens):
                aside_pieces.append(section_parts.piece(unit, "caption", places))
        else:
            running_blocks.append(block)
    units = text_units(running_blocks, count, max_tokens)
    cut_count += sum(unit.cut for unit in units)
    groups = add_overlap(_groups(units, coherence, max_tokens), max_tokens, overlap)
    places = TextPlaces(running_blocks)
    return [*(section_parts.piece(group, "text", places) for group in groups), *aside_pieces], cut_count


@dataclass(frozen=True, slots=True)
class _SectionPieces:
    section: Section
    max_tokens: int

    def piece(self, group: Sequence[Unit], kind: PassageKind, places: TextPlaces) -> Piece:
        text = "".join((unit.separator if place else "") + unit.text for place, unit in enumerate(group))
        pages = [page for unit in group for page in (unit.first_page, unit.last_page) if page is not None]
        first, last = min(pages, default=None), max(pages, default=None)
        current_section = self.section
        return Piece(
            text, kind, current_section.path, current_section.role, self.max_tokens, first, last, places.find(text)
        )


def _groups(units: list[Unit], coherence: Coherence, max_tokens: int) -> list[list[Unit]]:
    if not units:
        return []
    if sum(unit.tokens for unit in units) <= max_tokens:
        return [units]
    scores = coherence([unit.text for unit in units])
    weakened_scores = [score - (_PARAGRAPH_BONUS if units[i + 1].opens else 0.0) for i, score in enumerate(scores)]
    return split_at_weakest(units, weakened_scores, max_tokens)


def split_at_weakest(units: list[Unit], coherences: Sequence[float], max_tokens: int) -> list[list[Unit]]:
    """Groups of at most ``max_tokens``, split recursively at the weakest of the joints (``len(units) - 1`` numbers);
    between equally weak joints, the one with the more even halves. A very long text is split near its middle first.
    """
    sums = [0, *accumulate(unit.tokens for unit in units)]
    groups: list[list[Unit]] = []
    pending = [(0, len(units))]
    while pending:
        start, end = pending.pop()
        if sums[end] - sums[start] <= max_tokens or end - start == 1:
            groups.append(units[start:end])
            continue
        joint = _weakest(sums, coherences, (start, end), max_tokens)
        pending += [(joint, end), (start, joint)]
    return groups


def _weakest(sums: Sequence[int], coherences: Sequence[float], bounds: tuple[int, int], max_tokens: int) -> int:
    start, end = bounds
    total = sums[end] - sums[start]

    def key(place: int) -> tuple[bool, float, float]:
        tokens_before = sums[place] - sums[start]
        is_small = min(tokens_before, total - tokens_before) < _SMALLEST_SHARE * min(max_tokens, total)
        return is_small, coherences[place - 1], abs(total / 2.0 - tokens_before)

    margin = (end - start) // 4 if end - start > _LONG else 0
    return min(range(start + 1 + margin, end - margin), key=key)


def add_overlap(groups: list[list[Unit]], max_tokens: int, overlap: int) -> list[list[Unit]]:
    """Each group with the last ``overlap`` units of the one before it, as many as fit."""
    overlapped_groups: list[list[Unit]] = []
    for index, group in enumerate(groups):
        repeated_units: list[Unit] = []
        free_tokens = max_tokens - sum(unit.tokens for unit in group)
        for unit in reversed(groups[index - 1][-overlap:] if overlap and index else []):
            if unit.tokens > free_tokens:
                break
            repeated_units.insert(0, unit)
            free_tokens -= unit.tokens
        overlapped_groups.append([*repeated_units, *group])
    return overlapped_groups
