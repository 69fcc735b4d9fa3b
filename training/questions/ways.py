"""The ways of making questions for a training, and all questions that they make from documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, get_args

from core.ports import Embedder, LanguageModel
from training.corpora import Document
from training.examples import TrainingError
from training.questions.asked import Asked, distinct
from training.questions.by_language_model import by_language_model
from training.questions.by_place_and_time import by_place_and_time
from training.questions.from_fields import by_keywords, by_sentence, by_title
from training.questions.key_phrases import KeyPhrases, by_key_phrases
from training.questions.place_names import PlaceNames
from training.questions.shared_keywords import by_shared_keywords

Way = Literal["titles", "keywords", "sentences", "key-phrases", "place-and-time", "language-model"]
WITHOUT_A_MODEL: tuple[Way, ...] = ("titles", "keywords", "sentences", "key-phrases", "place-and-time")
"""The default: all ways that need no endpoint."""


@dataclass(frozen=True, slots=True)
class Asking:
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
class AskingParts:
    """``model`` None: no endpoint is configured."""

    embedder: Embedder
    model: LanguageModel | None = None
    names: PlaceNames | None = None


def ways(text: str) -> tuple[Way, ...]:
    """A comma-separated list, or ``all``. Raises TrainingError for an unknown name."""
    known: tuple[Way, ...] = get_args(Way)
    named = {part.strip() for part in text.split(",") if part.strip()}
    if named == {"all"}:
        return known
    if not named or named - set(known):
        raise TrainingError(f"{text!r} is not all or a list of {', '.join(known)}.")
    return tuple(way for way in known if way in named)


def questions(documents: Sequence[Document], asking: Asking, parts: AskingParts) -> list[Asked]:
    """Runs every way in turn; drops questions made from several documents.

    Raises TrainingError if a language model is required and none is configured, or it fails; its answers are stored
    (``questions.remembered``).
    """
    made: Mapping[Way, Callable[[], Iterator[Asked]]] = {
        "titles": lambda: by_title(documents),
        "keywords": lambda: by_keywords(documents, asking.seed),
        "sentences": lambda: by_sentence(documents, asking.seed),
        "key-phrases": lambda: by_key_phrases(
            documents, parts.embedder, KeyPhrases(questions=asking.phrase_questions), asking.seed
        ),
        "place-and-time": lambda: by_place_and_time(documents, parts.names or PlaceNames(), asking.seed),
        "language-model": lambda: _by_model(documents, asking, parts.model),
    }
    shared = by_shared_keywords(documents, asking.shared_keywords, asking.seed)
    return list(distinct(chain((one for way in asking.ways for one in made[way]()), shared)))


def _by_model(documents: Sequence[Document], asking: Asking, model: LanguageModel | None) -> Iterator[Asked]:
    if model is None:
        raise TrainingError("No language model is named; set SONDE_ANSWERS__URL and SONDE_ANSWERS__MODEL.")
    for one in by_language_model(documents, model, least=asking.quality, seed=asking.seed):
        yield one.asked
