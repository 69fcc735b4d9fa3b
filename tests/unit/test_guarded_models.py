"""A question is read once, and a text once for each question; documents are not remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from core.errors import Unavailable
from core.ports import CrossEncoderCard, EmbedderCard, Encoded, TextKind, Vectors
from search_api.search import caches
from search_api.search.caches import CachingCrossEncoder, CachingEmbedder


@dataclass
class Counting:
    """Gives each text a vector of its own, and notes what it read."""

    card: EmbedderCard = field(default_factory=lambda: EmbedderCard("counting", 2, 512, 0.0))
    read: list[tuple[str, ...]] = field(default_factory=list)

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        return self.encode(texts, kind).vectors

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:  # noqa: ARG002 - the port's signature
        self.read.append(tuple(texts))
        vectors = np.array([[len(text), len(self.read)] for text in texts], dtype=np.float32)
        return Encoded(vectors, [np.ones((3, 4), dtype=np.float32) for _ in texts])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def test_the_same_question_is_read_once_and_shared_read_only() -> None:
    model = Counting()
    embedder = CachingEmbedder(model)
    first, again = (embedder.encode(["sea ice in 2010", "sea ice"], "query") for _ in range(2))
    assert model.read == [("sea ice in 2010", "sea ice")]
    assert again is first
    with pytest.raises(ValueError, match="read-only"):
        first.vectors += 1.0
    assert embedder.encode(["sea ice"], "query").vectors.tolist() == [[7.0, 2.0]]


def test_documents_are_read_each_time() -> None:
    model = Counting()
    embedder = CachingEmbedder(model)
    for _ in range(2):
        embedder.encode(["sea ice"], "document").vectors[:] = 0.0
    assert len(model.read) == 2


def test_the_longest_unasked_question_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "MOST_BYTES", 1_200)  # one takes 556
    model = Counting()
    embedder = CachingEmbedder(model)
    for text in ("a", "bb", "a", "ccc", "a", "bb"):
        embedder.encode([text], "query")
    assert model.read == [("a",), ("bb",), ("ccc",), ("bb",)]


def test_a_question_larger_than_the_memory_is_answered_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "MOST_BYTES", 100)
    model = Counting()
    embedder = CachingEmbedder(model)
    for _ in range(2):
        assert embedder.encode(["sea ice"], "query").vectors.shape == (1, 2)
    assert len(model.read) == 2


@dataclass
class Reader:
    """Scores a text by its length, and notes what it read."""

    card: CrossEncoderCard = field(default_factory=lambda: CrossEncoderCard("reader", 512))
    read: list[tuple[str, ...]] = field(default_factory=list)
    away: bool = False

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        if self.away:
            raise Unavailable(question)
        self.read.append(tuple(texts))
        return np.array([float(len(text)) for text in texts])


def test_the_next_page_of_an_answer_reads_nothing_again() -> None:
    reader = Reader()
    model = CachingCrossEncoder(reader)
    assert [model.score("ice", ["a", "bb", "a"]).tolist() for _ in range(2)] == [[1.0, 2.0, 1.0]] * 2
    assert reader.read == [("a", "bb")]
    assert model.score("ice", []).shape == (0,)


def test_a_changed_text_or_question_is_read() -> None:
    reader = Reader()
    model = CachingCrossEncoder(reader)
    model.score("ice", ["a", "bb"])
    assert model.score("ice", ["bb", "bb changed"]).tolist() == [2.0, 10.0]
    model.score("ice a", ["bb"])
    model.score("ice ", ["abb"])
    assert reader.read == [("a", "bb"), ("bb changed",), ("bb",), ("abb",)]


def test_scores_that_depend_on_the_other_texts_are_read_together() -> None:
    reader = Reader()
    model = CachingCrossEncoder(reader, scores_all=True)
    for texts in (["a", "bb"], ["bb", "a"], ["bb", "ccc"]):
        model.score("ice", texts)
    assert reader.read == [("a", "bb"), ("bb", "ccc")]


def test_the_scores_not_asked_for_longest_are_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "MOST_SCORES", 2)
    reader = Reader()
    model = CachingCrossEncoder(reader)
    for text in ("a", "bb", "a", "ccc", "a", "bb"):
        model.score("ice", [text])
    assert reader.read == [("a",), ("bb",), ("ccc",), ("bb",)]
    assert model.score("ice", ["a", "bb", "ccc", "dddd"]).tolist() == [1.0, 2.0, 3.0, 4.0]


def test_what_is_remembered_is_said_also_while_the_model_is_away() -> None:
    reader = Reader()
    model = CachingCrossEncoder(reader)
    model.score("ice", ["a"])
    reader.away = True
    assert model.score("ice", ["a"]).tolist() == [1.0]
    with pytest.raises(Unavailable):
        model.score("ice", ["a", "bb"])
