"""What Sonde asks of models and services. Scores come back in input order; sorting belongs to ranking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from core.place import Entity, Place

TextKind = Literal["query", "document"]
Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbedderCard:
    """What an index must remember of the model that filled it.

    ``max_tokens`` is what the model really reads; ``min_score`` the cosine under which a hit is none; a question whose
    best hit stays under ``answer_score`` is about something else, unless some record holds its words (0: no such cut);
    ``instruction`` is written before a question (never before a document). ``floor`` is what fusion takes for the least
    cosine: models of E5's kind put all texts close together, and from -1 upwards their differences would not count.
    ``english_only``: the model knows no other language, so a question in one is left to the words.
    """

    model: str
    dims: int
    max_tokens: int
    min_score: float
    instruction: str = ""
    runtime: str = ""  # "onnx-int8", "onnx-fp32", "torch", "remote"
    answer_score: float = 0.0
    floor: float = -1.0
    english_only: bool = False

    def reads(self, language: str | None) -> bool:
        """Whether a text in that language (ISO 639-1; None: not known) means anything to the model."""
        return not self.english_only or language in (None, "en")


@dataclass(frozen=True, slots=True)
class CrossEncoderCard:
    """``calibrated = sigmoid(logit / temperature + offset)``.

    ``weight``: the share of its score in the final one, 0..1, where it was tuned for this model; None: the ranking's.
    ``judges``: whether it may say on its own how well a passage answers, and whether it bears a sentence out. A small
    one that was tuned as a share of an order may not.
    """

    model: str
    max_tokens: int
    temperature: float = 1.0
    offset: float = 0.0
    weight: float | None = None
    judges: bool = True


class Embedder(Protocol):
    """Texts to unit vectors."""

    @property
    def card(self) -> EmbedderCard: ...

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """vectors: (n, dims) float32, unit norm, in the order of ``texts``."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text before anything is cut, special tokens included."""
        ...


class CrossEncoder(Protocol):
    """A question and candidates read together."""

    @property
    def card(self) -> CrossEncoderCard: ...

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """logits: (n,), higher is better, in the order of ``texts``."""
        ...


class EntityRecogniser(Protocol):
    """Finds what a text names; one call per text."""

    def entities(self, text: str) -> list[Entity]: ...


class Geocoder(Protocol):
    """A name to places, best first; an unknown name gives none."""

    def lookup(self, name: str) -> list[Place]: ...


class LanguageModel(Protocol):
    """An OpenAI-style chat endpoint."""

    def stream(self, messages: Sequence[Mapping[str, str]]) -> Iterator[str]:
        """Pieces of the answer in order."""
        ...
