"""Makes examples with hard negatives from questions and answers: by words, by meaning, by both, by place and time; of
these the useful ones, which score about as high as the answer, not far above it.

Negatives with the same topic but the wrong place or period come from the records' own extents; neither paper has them.
Only a question with a place has a wrong place, and only one with a period has a wrong period: for "snow depth" any
record of snow depth is right, wherever it is.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.geo import BBox
from core.ports import Embedder, Vectors
from core.timespan import TimeSpan
from reading.gazetteer import Gazetteer
from reading.places import PlaceReader
from reading.times import TimeReader
from training.corpora import CorpusDocument, PseudoQuestion
from training.examples import CandidateText, Example

_WORD = re.compile(r"\w+")
K1, B = 1.2, 0.75


class Bm25Index:
    """Robertson's weights as in Lucene: idf = ln(1 + (n - df + .5) / (df + .5))."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(words(text)) for text in texts]
        length = np.array([sum(count.values()) for count in counts], dtype=np.float64)
        self._norm = K1 * (1.0 - B + B * length / max(1.0, length.mean() if len(length) else 1.0))
        postings: dict[str, tuple[list[int], list[int]]] = {}
        for row, count in enumerate(counts):
            for word, times in count.items():
                rows, word_counts = postings.setdefault(word, ([], []))
                rows.append(row)
                word_counts.append(times)
        self._postings = {
            word: (np.array(rows, dtype=np.int32), np.array(word_counts, dtype=np.float32))
            for word, (rows, word_counts) in postings.items()
        }

    def scores(self, question: str) -> NDArray[np.float64]:
        """(n,) of every text; 0 without a shared word."""
        total = np.zeros(len(self._norm))
        for word in sorted(set(words(question)) & self._postings.keys()):
            rows, counts = self._postings[word]
            idf = math.log1p((len(total) - len(rows) + 0.5) / (len(rows) + 0.5))
            total[rows] += idf * counts * (K1 + 1.0) / (counts + self._norm[rows])
        return total

    def best(self, question: str, count: int) -> list[int]:
        """Texts that share a word, best first, ties by position."""
        scores = self.scores(question)
        order = np.argsort(-scores, kind="stable")[:count]
        return [int(row) for row in order if scores[row] > 0.0]


def words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


_RRF = 60


@dataclass(frozen=True, slots=True)
class PlaceAndTime:
    """The place and time of a question; empty if it has none."""

    boxes: tuple[BBox, ...] = ()
    times: tuple[TimeSpan, ...] = ()


def place_and_time_of(question: str) -> PlaceAndTime:
    """As a search interprets the question, but only with the gazetteer and the words of time."""
    places, times = _readers()
    return PlaceAndTime(
        tuple(mention.place.bbox for mention in places.read(question)),
        tuple(mention.span for mention in times.read(question)),
    )


def elsewhere(
    document: CorpusDocument, question: PlaceAndTime, candidates: Iterable[CorpusDocument], count: int
) -> list[tuple[CorpusDocument, str]]:
    """The first ``count`` of ``candidates`` that share a keyword but are disjoint both from the document and from the
    question's place or time, with ``place`` or ``time`` as the reason.

    A record without a place or time is never a negative.
    """
    topics = {term.casefold() for term in document.keywords}
    negatives: list[tuple[CorpusDocument, str]] = []
    for candidate in candidates:
        if len(negatives) == count:
            break
        if topics.isdisjoint(term.casefold() for term in candidate.keywords):
            continue
        if disjoint(document.boxes, candidate.boxes) and disjoint(question.boxes, candidate.boxes):
            negatives.append((candidate, "place"))
        elif never_overlapping(document.times, candidate.times) and never_overlapping(question.times, candidate.times):
            negatives.append((candidate, "time"))
    return negatives


@cache
def _readers() -> tuple[PlaceReader, TimeReader]:
    return PlaceReader(Gazetteer()), TimeReader()


def disjoint(boxes: Sequence[BBox], candidates: Sequence[BBox]) -> bool:
    """Whether both have boxes, and no box of the one touches a box of the other."""
    return bool(boxes and candidates) and not any(_touch(a, b) for a in boxes for b in candidates)


def never_overlapping(spans: Sequence[TimeSpan], candidates: Sequence[TimeSpan]) -> bool:
    """Whether both have spans, and no span of the one overlaps a span of the other."""
    return bool(spans and candidates) and not any(_overlap(a, b) for a in spans for b in candidates)


def _touch(a: BBox, b: BBox) -> bool:
    return any(
        part.west <= other_part.east
        and other_part.west <= part.east
        and part.south <= other_part.north
        and other_part.south <= part.north
        for part in a.parts()
        for other_part in b.parts()
    )


def _overlap(a: TimeSpan, b: TimeSpan) -> bool:
    return _before(a.start_ms, b.end_ms) and _before(b.start_ms, a.end_ms)


def _before(start: int | None, end: int | None) -> bool:
    """An open end is unlimited."""
    return start is None or end is None or start <= end


@dataclass(frozen=True, slots=True)
class SimAns:
    """SimANS (Zhou et al., EMNLP 2022): p ~ exp(-a (s(negative) - s(positive) - b)^2), ``a`` > 0 the sharpness.

    ``margin``: a candidate above s(positive) - margin probably answers too and is dropped (Moreira et al. 2024).
    Scores are cosines, so margin and b are in -2..2.
    """

    a: float = 20.0
    b: float = -0.1
    margin: float = 0.0

    def __post_init__(self) -> None:
        if self.a <= 0 or not -2.0 <= self.b <= 2.0 or not -2.0 <= self.margin <= 2.0:
            raise ValueError(f"SimANS with a={self.a}, b={self.b}, margin={self.margin}: a > 0, the others in -2..2")


def probabilities(scores: Sequence[float], positive: float, settings: SimAns) -> NDArray[np.float64]:
    """(n,) with sum 1; 0 for candidates that the margin drops; all 0 if it drops everything."""
    values = np.asarray(scores, dtype=np.float64)
    possible = values <= positive - settings.margin
    if not possible.any():
        return np.zeros(len(values))
    exponent = np.where(possible, -settings.a * (values - positive - settings.b) ** 2, -np.inf)
    weight = np.exp(exponent - exponent.max())
    probability: NDArray[np.float64] = weight / weight.sum()
    return probability


def sample(probability: NDArray[np.float64], count: int, chance: np.random.Generator) -> list[int]:
    """Up to ``count`` different indexes, drawn by their probabilities, most likely first."""
    possible = np.flatnonzero(probability > 0.0)
    if len(possible) == 0:
        return []
    # Gumbel's trick: the largest of log p + noise is a draw without replacement.
    keys = np.log(probability[possible]) + chance.gumbel(size=len(possible))
    indices = possible[np.argsort(-keys, kind="stable")[:count]]
    return sorted((int(row) for row in indices), key=lambda row: (-probability[row], row))


@dataclass(frozen=True, slots=True)
class Mining:
    """``depth``: candidates of each arm; ``count``: negatives of a question; up to ``elsewhere`` of these have the same
    topic and another place or time than the question, if it names one.
    """

    count: int = 16
    depth: int = 50
    elsewhere: int = 2
    simans: SimAns = field(default_factory=SimAns)
    seed: int = 0


def mine_negatives(
    questions: Sequence[PseudoQuestion],
    documents: Sequence[CorpusDocument],
    embedder: Embedder,
    settings: Mining,
) -> list[Example]:
    """One example for each question, in order; ``documents`` is the pool of negatives.

    Texts equal to the answer, documents with the same title as the question's, and documents with the question as a
    label are never negatives. A question shared by many documents gets none: the batch has enough, and keywords are
    often missing where they belong.
    """
    pool = _Pool(documents, embedder)
    single_questions = [question for question in questions if not question.shared]
    vectors = zip(
        embedder.embed([question.question for question in single_questions], "query"),
        embedder.embed([question.answer for question in single_questions], "document"),
        strict=True,
    )
    examples = []
    for number, question in enumerate(questions):
        negatives: tuple[CandidateText, ...] = ()
        if not question.shared:
            vector, answer = next(vectors)
            chance = np.random.default_rng([settings.seed, number])
            negatives = pool.negatives(question, vector, float(vector @ answer), settings, chance)
        document, origin = question.document, question.origin
        positive = CandidateText(document.id, question.answer, grade=1, labels=document.labels)
        name = f"{document.id}#{origin}-{number}"
        examples.append(Example(name, question.question, positive, negatives, origin, document.corpus, document.group))
    return examples


class _Pool:
    """The documents, indexed by words and by meaning."""

    def __init__(self, documents: Sequence[CorpusDocument], embedder: Embedder) -> None:
        self._documents = documents
        self._labels = [frozenset(document.labels) for document in documents]
        self._words = Bm25Index([document.title_and_text for document in documents])
        self._of_topic: dict[str, list[int]] = {}
        for row, document in enumerate(documents):
            for term in {keyword.casefold() for keyword in document.keywords}:
                self._of_topic.setdefault(term, []).append(row)
        self._vectors: Vectors = embedder.embed([document.title_and_text for document in documents], "document")

    def negatives(
        self, question: PseudoQuestion, vector: Vectors, positive: float, settings: Mining, chance: np.random.Generator
    ) -> tuple[CandidateText, ...]:
        cosines = self._vectors @ vector
        nearest = [int(row) for row in np.argsort(-cosines, kind="stable")[: settings.depth]]
        arms = self._arms(question, self._words.best(question.question, settings.depth), nearest)
        place_and_time = place_and_time_of(question.question) if settings.elsewhere else PlaceAndTime()
        topical = self._topical(question, arms, cosines, settings.depth) if place_and_time != PlaceAndTime() else []
        places = elsewhere(question.document, place_and_time, topical, settings.elsewhere)
        ids = {document.id for document, _ in places}
        other_rows = [row for row in arms if self._documents[row].id not in ids]
        probability = probabilities(cosines[other_rows].tolist(), positive, settings.simans)
        rows = [other_rows[row] for row in sample(probability, settings.count - len(ids), chance)]
        return (
            *(_candidate(document, why) for document, why in places),
            *(_candidate(self._documents[row], arms[row]) for row in rows),
        )

    def _topical(
        self, question: PseudoQuestion, first: Iterable[int], cosines: Vectors, depth: int
    ) -> list[CorpusDocument]:
        """``first``, then documents with a shared keyword, nearest first: the arms find few on the right topic in the
        wrong place, because they read the place too.
        """
        rows = {row for term in question.document.keywords for row in self._of_topic.get(term.casefold(), ())}
        places = np.array(sorted(rows), dtype=np.intp)
        nearest = places[np.argsort(-cosines[places], kind="stable")[:depth]]
        order = dict.fromkeys([*first, *(int(row) for row in nearest)])
        return [self._documents[row] for row in order if not _is_same_document(question.document, self._documents[row])]

    def _arms(self, question: PseudoQuestion, by_words: Sequence[int], nearest: Sequence[int]) -> dict[int, str]:
        """Position -> the arm that found it, best fused rank first; ``fused`` if both did."""
        ranks: dict[int, float] = {}
        for positions in (by_words, nearest):
            for rank, row in enumerate(positions, 1):
                ranks[row] = ranks.get(row, 0.0) + 1.0 / (_RRF + rank)
        in_words, in_meaning, topic = set(by_words), set(nearest), question.question.casefold()
        order = sorted(ranks, key=lambda row: (-ranks[row], row))
        return {
            row: "fused" if row in in_words and row in in_meaning else "bm25" if row in in_words else "dense"
            for row in order
            if not _is_same_document(question.document, self._documents[row]) and topic not in self._labels[row]
        }


def _candidate(document: CorpusDocument, why: str) -> CandidateText:
    return CandidateText(document.id, document.title_and_text, why=why, labels=document.labels)


def _is_same_document(document: CorpusDocument, candidate: CorpusDocument) -> bool:
    same_title = bool(document.title) and document.title.casefold() == candidate.title.casefold()
    return document.id == candidate.id or same_title or document.text == candidate.text
