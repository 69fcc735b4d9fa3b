"""Boundaries between sentences: examples to learn from, and how well coherence finds the ends of sections. Pure."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from encoders.segmenter import windows
from indexer.documents.parse.model import Block, ReadDocument
from indexer.documents.parse.sections import sections
from indexer.documents.segment.passages import Coherence
from reading.sentences import sentences
from training.calibration import area_under_curve
from training.corpora import CorpusDocument
from training.examples import TrainingError

_LEAST_WORDS = 3  # a shorter "sentence" is a number or an initial


@dataclass(frozen=True, slots=True)
class RunningText:
    """Consecutive sentences: of one section of ``document``, or of one abstract."""

    document: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SentencePair:
    """``label`` is BERT's: 1 means that ``after`` does not follow ``before``."""

    document: str
    before: str
    after: str
    label: int


def running_of_documents(documents: Iterable[CorpusDocument]) -> list[RunningText]:
    """Descriptions of records, each a separate text; boundaries are inside the description."""
    return _running_texts((document.group, document.text) for document in documents)


def running_of_read(document: ReadDocument, name: str) -> list[RunningText]:
    """The running text of each section."""
    return _running_texts((name, _text(section.blocks)) for section in sections(document.blocks))


def _running_texts(texts: Iterable[tuple[str, str]]) -> list[RunningText]:
    split = ((document, _sentences(text)) for document, text in texts)
    return [RunningText(document, sentences) for document, sentences in split if len(sentences) > 1]


def _text(blocks: Iterable[Block]) -> str:
    return " ".join(block.text for block in blocks if block.kind == "text" and block.table is None)


def _sentences(text: str) -> tuple[str, ...]:
    return tuple(sentence for sentence in sentences(text) if len(sentence.split()) >= _LEAST_WORDS)


def sentence_pairs_of(texts: Sequence[RunningText], window: int, seed: int) -> list[SentencePair]:
    """Every boundary of every text, and a false one for each: half of them continue elsewhere in the same document,
    half in another one. If a document has no other place, another document is used.

    Raises TrainingError for a single document.
    """
    documents = {text.document for text in texts}
    if len(documents) < 2:
        raise TrainingError(
            f"A segmenter learns from two documents or more on each side of the split, not {len(documents)}."
        )
    chance = random.Random(seed)  # noqa: S311 # nosec B311
    places = _Places(texts, window)
    pairs: list[SentencePair] = []
    for number, text in enumerate(texts):
        before, after = windows(text.sentences, window)
        for position, (first, second) in enumerate(zip(before, after, strict=True)):
            pairs.append(SentencePair(text.document, first, second, 0))
            pairs.append(SentencePair(text.document, first, places.elsewhere(number, position, chance), 1))
    return pairs


class _Places:
    """The places from which a false continuation can come."""

    def __init__(self, texts: Sequence[RunningText], window: int) -> None:
        self._texts, self._window = texts, window
        self._of: dict[str, list[int]] = {}
        for number, text in enumerate(texts):
            self._of.setdefault(text.document, []).append(number)

    def elsewhere(self, number: int, position: int, chance: random.Random) -> str:
        document = self._texts[number].document
        if chance.random() < 0.5 and (place := self._in_document(number, position, chance)) is not None:
            return place
        while True:
            row = chance.randrange(len(self._texts))
            if self._texts[row].document != document:
                return self._sentence(row, chance.randrange(len(self._texts[row].sentences)))

    def _in_document(self, number: int, position: int, chance: random.Random) -> str | None:
        """Not the sentences around the boundary: neither the next ones nor the previous ones."""
        nearby = {position + 1 + step for step in range(-self._window, self._window + 1)}
        fit = [
            (row, place)
            for row in self._of[self._texts[number].document]
            for place in range(len(self._texts[row].sentences))
            if row != number or place not in nearby
        ]
        return self._sentence(*chance.choice(fit)) if fit else None

    def _sentence(self, number: int, place: int) -> str:
        return " ".join(self._texts[number].sentences[place : place + self._window])


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Sentences of a whole document; ``ends``: boundaries (from 0) at which a section ends."""

    sentences: tuple[str, ...]
    ends: frozenset[int]


@dataclass(frozen=True, slots=True)
class SectionEndScores:
    """``auc``: the probability that a boundary inside a section coheres more than one between sections (.5 by chance);
    ``hits``: of the weakest boundaries, as many as there are ends, the share at or next to an end.
    """

    auc: float
    hits: float
    ends: int
    boundaries: int


def boundaries_of(document: ReadDocument) -> Boundaries:
    """Only running text, without headings, because they would reveal the ends."""
    sentences: list[str] = []
    ends: set[int] = set()
    for section in sections(document.blocks):
        section_sentences = _sentences(_text(section.blocks))
        if section_sentences and sentences:
            ends.add(len(sentences) - 1)
        sentences.extend(section_sentences)
    return Boundaries(tuple(sentences), frozenset(ends))


def section_end_scores(boundaries: Boundaries, coherence: Coherence) -> SectionEndScores | None:
    """None if there is no end to find, or only ends."""
    ends = boundaries.ends
    if not ends or len(ends) >= len(boundaries.sentences) - 1:
        return None
    scores = np.array(coherence(boundaries.sentences), dtype=np.float64)
    is_end = np.zeros(len(scores), dtype=bool)
    is_end[sorted(ends)] = True
    weakest = np.argsort(scores, kind="stable")[: len(ends)]
    near_ends = ends | {end - 1 for end in ends} | {end + 1 for end in ends}
    hits = sum(int(position) in near_ends for position in weakest) / len(ends)
    return SectionEndScores(area_under_curve(scores, ~is_end), hits, len(ends), len(scores))
