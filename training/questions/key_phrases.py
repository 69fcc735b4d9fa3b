"""Questions as people type them into a search field: a text's key phrases, by the method of KeyBERT.

Grootendorst (2020): phrases of the text by their cosine to the whole, chosen by maximal marginal relevance (Carbonell
and Goldstein, SIGIR 1998), so that they differ. Wetzel and Mäs (doi:10.3390/ijgi13110380)
make their keyword queries this way.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from spacy.lang.en.stop_words import STOP_WORDS

from core.ports import Embedder, Vectors
from training.corpora import CorpusDocument, PseudoQuestion

_WORD = re.compile(r"[^\W\d_][\w'-]*")
_PART = 0.6  # share of the phrases, for each question except the first
_CLAUSE = re.compile(r"[.,;:!?()\[\]\"/]|\s-\s|\n")


@dataclass(frozen=True, slots=True)
class KeyPhrases:
    """``count`` phrases of up to ``longest`` words make one question; ``diversity`` 0 (the nearest) .. 1 (the most
    different). The first ``candidates`` different phrases of a text are considered. ``questions`` per text: the first
    uses all phrases, each further one a random part of them, so that it says the same in other words.
    """

    count: int = 3
    longest: int = 3
    diversity: float = 0.5
    candidates: int = 80
    questions: int = 1


def by_key_phrases(
    documents: Sequence[CorpusDocument], embedder: Embedder, settings: KeyPhrases = KeyPhrases(), seed: int = 0
) -> Iterator[PseudoQuestion]:
    """A question for each document with at least ``count`` phrases, best first; drawn by seed and id."""
    for document in documents:
        phrases = phrases_of(document.whole, settings.longest)[: settings.candidates]
        if len(phrases) >= settings.count:
            vectors = embedder.embed([document.whole, *phrases], "document")
            chance = random.Random(f"{seed}:{document.id}")  # noqa: S311 # nosec B311 - a draw to be repeated
            for part in _parts(len(phrases), settings, chance):
                chosen = maximal_marginal_relevance(vectors[0], vectors[1:][part], settings.count, settings.diversity)
                question = " ".join(phrases[part[at]] for at in chosen)
                yield PseudoQuestion(question, document.whole, "key phrases", document)


def _parts(size: int, settings: KeyPhrases, chance: random.Random) -> Iterator[list[int]]:
    """The positions of phrases available to each question, in order."""
    yield list(range(size))
    for _ in range(settings.questions - 1):
        yield sorted(chance.sample(range(size), max(settings.count, round(_PART * size))))


def phrases_of(text: str, longest: int) -> list[str]:
    """Runs of 1..``longest`` words within a clause that neither begin nor end with a stop word, in order."""
    phrases: dict[str, None] = {}
    for clause in _CLAUSE.split(text.lower()):
        words = _WORD.findall(clause)
        for start in range(len(words)):
            for end in range(start + 1, min(start + longest, len(words)) + 1):
                if words[start] not in STOP_WORDS and words[end - 1] not in STOP_WORDS:
                    phrases.setdefault(" ".join(words[start:end]))
    return list(phrases)


def maximal_marginal_relevance(text: Vectors, phrases: Vectors, count: int, diversity: float) -> list[int]:
    """The places of the phrases: argmax (1 - diversity) cos(text, p) - diversity max cos(chosen, p); ties by place.

    text: (d,), phrases: (n, d), unit norm.
    """
    near = phrases @ text
    chosen: list[int] = [int(np.argmax(near))] if len(phrases) else []
    while 0 < len(chosen) < min(count, len(phrases)):
        redundancy = (phrases @ phrases[chosen].T).max(axis=1)
        value = (1.0 - diversity) * near - diversity * redundancy
        value[chosen] = -np.inf
        chosen.append(int(np.argmax(value)))
    return chosen
