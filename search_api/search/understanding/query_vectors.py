"""The vectors of a question, and what has no meaning to the embedder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.ports import Embedder
from search_api.search.understanding.interpretation import Interpretation

_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """A question as the embedder reads it: its unit vector, and the token vectors of the whole question.

    ``tokens`` is None for an embedder without, and for a question without a topic: its words are names of places and
    periods, which any text about them matches.
    """

    question: NDArray[np.float32]
    tokens: NDArray[np.float32] | None


def is_nonsense(embedder: Embedder, read: Interpretation) -> bool:
    """Whether no record contains any word of the topic, and the model does not know them either: it reads *xqzvbn*
    letter by letter.
    """
    words = [word for word in _LETTERS.findall(read.thematic.lower()) if len(word) > 1]
    if not words or not set(words) <= set(read.unknown):
        return False
    return _spelled_out(embedder, [" ".join(words)])[0]


def _spelled_out(embedder: Embedder, texts: Sequence[str]) -> list[bool]:
    """Whether the model has no words for each text, and reads it in pieces of a letter or two."""
    signs = 2  # around a text
    counts = embedder.count_tokens(texts)
    return [count - signs > len(text.replace(" ", "")) / 2 for count, text in zip(counts, texts, strict=True)]


def with_unknown_to_model(embedder: Embedder, read: Interpretation) -> Interpretation:
    """The question whose unknown words are those that the model does not know either. A word that it knows has a
    meaning here, although no record contains it: *water* is near *wells*.
    """
    if not read.unknown:
        return read
    spelled = _spelled_out(embedder, read.unknown)
    return replace(read, unknown=tuple(word for word, alien in zip(read.unknown, spelled, strict=True) if alien))


def query_vectors(embedder: Embedder, read: Interpretation) -> QueryVectors:
    """The unit vector is between the whole question and its topic alone, if place or time were removed.

    The topic alone loses what a name implies (a Great Barrier Reef is coral); the whole question attracts records that
    only share the name. On the tuning halves the middle was worse than neither.
    """
    text, thematic = read.written_out
    encoded = embedder.encode([text] if thematic in ("", text) else [text, thematic], "query")
    tokens = encoded.tokens[0] if encoded.tokens is not None and thematic else None
    both = encoded.vectors.sum(axis=0)
    return QueryVectors(both / np.linalg.norm(both), tokens)
