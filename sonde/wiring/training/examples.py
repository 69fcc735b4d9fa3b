"""Examples for a training: read from a file, or made of a corpus by questions and hard negatives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sonde.settings import Settings
from sonde.wiring.models import Models
from sonde.wiring.search import language_model
from sonde.wiring.training.corpora import Sources, documents_from
from sonde.wiring.training.data import remembering
from training.examples import Example, TrainingError, read_examples
from training.negatives.mine import mine
from training.questions.language_model import CachedLanguageModel
from training.questions.ways import QuestionModels, questions


def examples_from(
    sources: Sources, settings: Settings, said: Path, told: Callable[[str], None] = lambda _: None
) -> list[Example]:
    """Examples of a ``.jsonl`` file as they are; else of the corpus, with hard negatives found by words and by the
    embedder of the settings.

    ``said``: the file that keeps what a language model said until the examples are used. Raises TrainingError.
    """
    if sources.has_examples:
        return read_examples(Path(sources.records).expanduser())
    documents = documents_from(sources, settings)
    told(f"{len(documents)} texts")
    embedder = remembering(settings)
    model = asking_model(settings, said) if "language-model" in sources.questions.ways else None
    asked = questions(documents, sources.questions, QuestionModels(embedder, model))
    if not asked:
        raise TrainingError("No question could be made of these texts; give more of them, or other --questions.")
    told(f"{len(asked)} questions")
    return mine(asked, documents, embedder, sources.mining)


def asking_model(settings: Settings, said: Path) -> CachedLanguageModel:
    """The model of SONDE_ANSWERS__URL; what it says is kept in ``said``. Raises TrainingError where none is named."""
    model = language_model(settings, lambda: Models(settings).gate)
    if model is None:
        raise TrainingError("No language model is named; set SONDE_ANSWERS__URL and SONDE_ANSWERS__MODEL.")
    return CachedLanguageModel(model, str(settings.answers.model), said)
