"""Makes examples with hard negatives from questions and answers: by words, by meaning, by both, by place and time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.ports import Embedder, Vectors
from training.corpora import Document
from training.examples import Candidate, Example
from training.negatives.bm25 import Bm25
from training.negatives.elsewhere import Said, elsewhere, said
from training.negatives.simans import SimAns, probabilities, sample
from training.questions.asked import Asked

_RRF = 60


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


def mine(
    asked: Sequence[Asked],
    documents: Sequence[Document],
    embedder: Embedder,
    mining: Mining,
    told: Callable[[int, int], None] = lambda _done, _all: None,
) -> list[Example]:
    """One example for each question, in order; ``documents`` is the pool of negatives.

    Texts equal to the answer, documents with the same title as the question's, and documents with the question as a
    label are never negatives. A question shared by many documents gets none: the batch has enough, and keywords are
    often missing where they belong.
    """
    pool = _Pool(documents, embedder)
    own = [one for one in asked if not one.shared]
    questions = iter(embedder.embed([one.question for one in own], "query"))
    answers = iter(embedder.embed([one.answer for one in own], "document"))
    examples = []
    for at, one in enumerate(asked):
        negatives: tuple[Candidate, ...] = ()
        if not one.shared:
            question, answer = next(questions), next(answers)
            chance = np.random.default_rng([mining.seed, at])
            negatives = pool.negatives(one, question, float(question @ answer), mining, chance)
        name = f"{one.document.id}#{one.origin}-{at}"
        positive = Candidate(one.document.id, one.answer, grade=1, labels=one.document.labels)
        examples.append(
            Example(name, one.question, positive, negatives, one.origin, one.document.corpus, one.document.group)
        )
        told(at + 1, len(asked))
    return examples


class _Pool:
    """The documents, indexed by words and by meaning."""

    def __init__(self, documents: Sequence[Document], embedder: Embedder) -> None:
        self._documents = documents
        self._labels = [frozenset(document.labels) for document in documents]
        self._words = Bm25([document.whole for document in documents])
        self._of_topic: dict[str, list[int]] = {}
        for at, document in enumerate(documents):
            for term in {keyword.casefold() for keyword in document.keywords}:
                self._of_topic.setdefault(term, []).append(at)
        self._vectors: Vectors = embedder.embed([document.whole for document in documents], "document")

    def negatives(
        self, asked: Asked, question: Vectors, positive: float, mining: Mining, chance: np.random.Generator
    ) -> tuple[Candidate, ...]:
        cosines = self._vectors @ question
        near = [int(at) for at in np.argsort(-cosines, kind="stable")[: mining.depth]]
        worded = self._words.best(asked.question, mining.depth)
        found = self._named(asked, worded, near)
        where_and_when = said(asked.question) if mining.elsewhere else Said()
        topical = self._topical(asked, found, cosines, mining.depth) if where_and_when != Said() else []
        places = elsewhere(asked.document, where_and_when, topical, mining.elsewhere)
        chosen = {document.id: why for document, why in places}
        rest = [at for at in found if self._documents[at].id not in chosen]
        probability = probabilities(cosines[rest].tolist(), positive, mining.simans)
        drawn = [rest[at] for at in sample(probability, mining.count - len(chosen), chance)]
        hard = [_candidate(document, why) for document, why in places]
        return (
            *hard,
            *(_candidate(self._documents[at], found[at]) for at in drawn),
        )

    def _topical(self, asked: Asked, found: Iterable[int], cosines: Vectors, depth: int) -> list[Document]:
        """What the arms found, then documents with a shared keyword, nearest first: the arms find few on the right
        topic in the wrong place, because they read the place too.
        """
        sharing = {at for term in asked.document.keywords for at in self._of_topic.get(term.casefold(), ())}
        held = np.array(sorted(sharing), dtype=np.intp)
        nearest = held[np.argsort(-cosines[held], kind="stable")[:depth]]
        order = dict.fromkeys([*found, *(int(at) for at in nearest)])
        return [self._documents[at] for at in order if not _same(asked.document, self._documents[at])]

    def _named(self, asked: Asked, worded: Sequence[int], near: Sequence[int]) -> dict[int, str]:
        """Position -> the arm that found it, best fused rank first; ``fused`` if both did."""
        ranks: dict[int, float] = {}
        for found in (worded, near):
            for rank, at in enumerate(found, 1):
                ranks[at] = ranks.get(at, 0.0) + 1.0 / (_RRF + rank)
        in_words, in_meaning, topic = set(worded), set(near), asked.question.casefold()
        order = sorted(ranks, key=lambda at: (-ranks[at], at))
        return {
            at: "fused" if at in in_words and at in in_meaning else "bm25" if at in in_words else "dense"
            for at in order
            if not _same(asked.document, self._documents[at]) and topic not in self._labels[at]
        }


def _candidate(document: Document, why: str) -> Candidate:
    return Candidate(document.id, document.whole, why=why, labels=document.labels)


def _same(one: Document, other: Document) -> bool:
    same_title = bool(one.title) and one.title.casefold() == other.title.casefold()
    return one.id == other.id or same_title or one.text == other.text
