"""The ports to models and services. Scores are in input order; sorting belongs to ranking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.geo import Entity, Place

TextKind = Literal["query", "document"]
Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TokenCard:
    """How an embedder makes token vectors: ``code`` names the way, so that only vectors made alike are compared."""

    code: str
    dims: int


Cosines = TypeVar("Cosines", float, NDArray[np.float64])


@dataclass(frozen=True, slots=True)
class CosineScale:
    """How an embedder's cosines are read.

    ``floor`` is the lowest one for fusion: models such as E5 put all texts close together, and with -1 their
    differences would not count. ``unlike`` and ``like`` are those that relevance reads as 0 and 1; None: from ``floor``
    on, at least 0.
    """

    floor: float = -1.0
    unlike: float | None = None
    like: float = 1.0

    def likeness(self, cosines: Cosines) -> Cosines:
        """0 for unlike texts, 1 for like ones; not limited."""
        unlike = max(self.floor, 0.0) if self.unlike is None else self.unlike
        return (cosines - unlike) / (self.like - unlike)


PLAIN_COSINES = CosineScale()
"""From -1 to 1, and 0 for unlike texts."""


@dataclass(frozen=True, slots=True)
class EmbedderCard:
    """What an index must store about the model that filled it.

    ``max_tokens`` is the model's real limit; a longer text is parted. ``min_score`` is the minimum cosine of a hit. If
    the best hit is below ``answer_score``, the question is about something else, unless a record contains its words (0:
    no such limit).
    ``instruction`` precedes a question, ``document_instruction`` a document. ``languages`` (ISO
    639-1): what the model reads, and a question in another language is searched by words only; empty: not known.
    ``tokens``: None for a model that gives no token vectors.
    """

    model: str
    dims: int
    max_tokens: int
    min_score: float
    instruction: str = ""
    runtime: str = ""  # "onnx-int4", "onnx-int8", "onnx-fp32", "torch", "remote"
    answer_score: float = 0.0
    cosines: CosineScale = PLAIN_COSINES
    document_instruction: str = ""
    languages: tuple[str, ...] = ()
    tokens: TokenCard | None = None

    def reads(self, language: str | None) -> bool:
        """Whether the model understands that language (ISO 639-1; None: unknown)."""
        return not self.languages or language is None or language in self.languages


@dataclass(frozen=True, slots=True)
class CrossEncoderCard:
    """``calibrated = sigmoid(logit / temperature + offset)``.

    ``weight``: the share of its score in the final one, 0..1, if tuned for this model; None: the ranking's. ``judges``:
    whether it may decide alone how well a passage answers, and whether it supports a sentence. A small model that was
    tuned as a share of the order may not.
    """

    model: str
    max_tokens: int
    temperature: float = 1.0
    offset: float = 0.0
    weight: float | None = None
    judges: bool = True


@dataclass(frozen=True, slots=True)
class Encoded:
    """One reading of texts. ``vectors``: (n, dims), unit norm. ``tokens``: of each text (its tokens, dims of
    ``card.tokens``), unit norm; None if the model gives none.
    """

    vectors: Vectors
    tokens: Sequence[Vectors] | None = None


class Embedder(Protocol):
    """Converts texts to unit vectors."""

    @property
    def card(self) -> EmbedderCard: ...

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """vectors: (n, dims) float32, unit norm, in the order of ``texts``; a long text is parted, not cut."""
        ...

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        """The same vectors, with the token vectors of the same reading."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each whole text, special tokens included."""
        ...


class CrossEncoder(Protocol):
    """Scores a question together with each candidate."""

    @property
    def card(self) -> CrossEncoderCard: ...

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """logits: (n,), higher is better, in the order of ``texts``."""
        ...


class EntityRecogniser(Protocol):
    """Finds named entities in a text; one call per text."""

    def entities(self, text: str) -> list[Entity]: ...


class NameLexicon(Protocol):
    """Says what is known of the names that words are part of: one mark for each word."""

    def marks(self, words: Sequence[str]) -> list[str]: ...


class PlaceTagger(Protocol):
    """Judges from the words around a name whether it is a place."""

    def place_certainty(self, text: str, start: int, end: int) -> float:
        """0..1, that these characters (end exclusive) are a place or a part of one."""
        ...


class Geocoder(Protocol):
    """Maps a name to places, best first; an unknown name gives none."""

    def lookup(self, name: str) -> list[Place]: ...


class LanguageModel(Protocol):
    """An OpenAI-style chat endpoint."""

    def stream(self, messages: Sequence[Mapping[str, str]]) -> Iterator[str]:
        """Pieces of the answer in order."""
        ...
