"""The ways of making questions for a training, and all questions that they make from documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, get_args

from core.ports import Embedder, LanguageModel
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
from training.questions.key_phrases import KeyPhrases, by_key_phrases
from training.questions.language_model import by_language_model

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
    known: tuple[Way, ...] = get_args(Way)
    named = {part.strip() for part in text.split(",") if part.strip()}
    if named == {"all"}:
        return known
    if not named or named - set(known):
        raise TrainingError(f"{text!r} is not all or a list of {', '.join(known)}.")
    return tuple(way for way in known if way in named)


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
    own = chain.from_iterable(makers[way]() for way in settings.ways)
    return list(distinct(chain(own, by_shared_keywords(documents, settings.shared_keywords, seed))))


def _by_model(
    documents: Sequence[CorpusDocument], settings: QuestionSettings, model: LanguageModel | None
) -> Iterator[PseudoQuestion]:
    if model is None:
        raise TrainingError("No language model is named; set SONDE_ANSWERS__URL and SONDE_ANSWERS__MODEL.")
    for pair in by_language_model(documents, model, least=settings.quality, seed=settings.seed):
        yield pair.question
