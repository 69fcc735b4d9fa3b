"""The ways of making questions for a training, and all questions that they make from documents."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, get_args

import numpy as np
from spacy.lang.en.stop_words import STOP_WORDS

from core.ports import Embedder, LanguageModel, Vectors
from training.corpora import CorpusDocument, PseudoQuestion, distinct
from training.examples import TrainingError
from training.questions.from_records import (
    BoxNames,
    by_keywords,
    by_place_and_time,
    by_sentence,
    by_shared_keywords,
    by_title,
)
from training.questions.language_model import by_language_model

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
        phrases = phrases_of(document.title_and_text, settings.longest)[: settings.candidates]
        if len(phrases) >= settings.count:
            vectors = embedder.embed([document.title_and_text, *phrases], "document")
            chance = random.Random(f"{seed}:{document.id}")  # noqa: S311 # nosec B311 - a draw to be repeated
            for part in _parts(len(phrases), settings, chance):
                rows = maximal_marginal_relevance(vectors[0], vectors[1:][part], settings.count, settings.diversity)
                question = " ".join(phrases[part[row]] for row in rows)
                yield PseudoQuestion(question, document.title_and_text, "key phrases", document)


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
    """Rows of the phrases: argmax (1 - diversity) cos(text, p) - diversity max cos(selected, p); ties by row.

    text: (d,), phrases: (n, d), unit norm.
    """
    similarity = phrases @ text
    rows: list[int] = [int(np.argmax(similarity))] if len(phrases) else []
    while 0 < len(rows) < min(count, len(phrases)):
        redundancy = (phrases @ phrases[rows].T).max(axis=1)
        value = (1.0 - diversity) * similarity - diversity * redundancy
        value[rows] = -np.inf
        rows.append(int(np.argmax(value)))
    return rows


Way = Literal["titles", "keywords", "sentences", "key-phrases", "place-and-time", "language-model"]
WITHOUT_A_MODEL: tuple[Way, ...] = ("titles", "keywords", "sentences", "key-phrases", "place-and-time")
"""The default: all ways that need no endpoint."""


@dataclass(frozen=True, slots=True)
class QuestionSettings:
    """``quality`` 0..3: the minimum for a language model's question, in its own judgement. ``shared_keywords``: this
    many keywords of each document are also questions for all documents with them; 0: none. ``phrase_questions``: number
    of key-phrase questions per document.
    """

    ways: tuple[Way, ...] = WITHOUT_A_MODEL
    quality: int = 1
    seed: int = 0
    shared_keywords: int = 0
    phrase_questions: int = 1


@dataclass(frozen=True, slots=True)
class QuestionModels:
    """``language_model`` None: no endpoint is configured."""

    embedder: Embedder
    language_model: LanguageModel | None = None
    names: BoxNames | None = None


def ways(text: str) -> tuple[Way, ...]:
    """A comma-separated list, or ``all``. Raises TrainingError for an unknown name."""
    all_ways: tuple[Way, ...] = get_args(Way)
    names = {part.strip() for part in text.split(",") if part.strip()}
    if names == {"all"}:
        return all_ways
    if not names or names - set(all_ways):
        raise TrainingError(f"{text!r} is not all or a list of {', '.join(all_ways)}.")
    return tuple(way for way in all_ways if way in names)


def questions(
    documents: Sequence[CorpusDocument], settings: QuestionSettings, models: QuestionModels
) -> list[PseudoQuestion]:
    """Runs every way in turn; drops questions made from several documents.

    Raises TrainingError if a language model is required and none is configured, or it fails; its answers are stored
    (``CachedLanguageModel``).
    """
    seed = settings.seed
    phrases = KeyPhrases(questions=settings.phrase_questions)
    makers: Mapping[Way, Callable[[], Iterator[PseudoQuestion]]] = {
        "titles": lambda: by_title(documents),
        "keywords": lambda: by_keywords(documents, seed),
        "sentences": lambda: by_sentence(documents, seed),
        "key-phrases": lambda: by_key_phrases(documents, models.embedder, phrases, seed),
        "place-and-time": lambda: by_place_and_time(documents, models.names or BoxNames(), seed),
        "language-model": lambda: _by_model(documents, settings, models.language_model),
    }
    by_way = chain.from_iterable(makers[way]() for way in settings.ways)
    return list(distinct(chain(by_way, by_shared_keywords(documents, settings.shared_keywords, seed))))


def _by_model(
    documents: Sequence[CorpusDocument], settings: QuestionSettings, model: LanguageModel | None
) -> Iterator[PseudoQuestion]:
    if model is None:
        raise TrainingError("No language model is named; set SONDE_ANSWERS__URL and SONDE_ANSWERS__MODEL.")
    for pair in by_language_model(documents, model, min_quality=settings.quality, seed=settings.seed):
        yield pair.question
