"""What a question means to the embedder, and what it cannot mean: nonsense, and words of other languages."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.ports import Embedder
from reading.language import sure_language
from search_api.retrieval.spelling import Spelling
from search_api.serving import Serving
from search_api.understanding.interpretation import Interpretation

_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Meant:
    """A question as the embedder reads it: its unit vector, and the token vectors of the whole question.

    ``tokens`` is None for an embedder without, and for a question without a topic: its words are names of places and
    periods, which any text about them matches.
    """

    vector: NDArray[np.float32]
    tokens: NDArray[np.float32] | None


def is_nonsense(embedder: Embedder, read: Interpretation) -> bool:
    """Whether no record contains any word of the topic, and the model does not know them either: it reads *xqzvbn*
    letter by letter.
    """
    words = [word for word in _LETTERS.findall(read.thematic.lower()) if len(word) > 1]
    if not words or not set(words) <= set(read.unknown):
        return False
    pieces = embedder.count_tokens([" ".join(words)])[0] - 2  # without the signs around a text
    return pieces > len("".join(words)) / 2


def may_be_foreign(read: Interpretation, spelling: Spelling, serving: Serving) -> bool:
    """Words of another language are no typing errors: *Daten* is not *dates*. Several of them may be a language that
    is not recognised.
    """
    language = sure_language(read.text) or read.language
    return serving.lacks(language) or (language is None and len(spelling.replaced) > 1)


def understood_by(serving: Serving, read: Interpretation) -> Interpretation:
    """A model of several languages knows words that these records do not contain, unless the question is in theirs."""
    languages = () if serving.embedder is None else serving.embedder.card.languages
    return (
        read if len(languages) == 1 or sure_language(read.thematic) in serving.languages else replace(read, unknown=())
    )


def meant_by(embedder: Embedder, read: Interpretation) -> Meant:
    """The unit vector is between the whole question and its topic alone, if place or time were removed.

    The topic alone loses what a name implies (a Great Barrier Reef is coral); the whole question attracts records that
    only share the name. On the tuning halves the middle was worse than neither (docs/quality.md).
    """
    text, thematic = read.written_out
    encoded = embedder.encode([text] if thematic in ("", text) else [text, thematic], "query")
    tokens = encoded.tokens[0] if encoded.tokens is not None and thematic else None
    both = encoded.vectors.sum(axis=0)
    return Meant(both / np.linalg.norm(both), tokens)
