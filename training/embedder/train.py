"""Trains an embedder: from examples to a model folder whose card shows before and after."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.json_types import Json
from encoders.model_card import ModelCard
from evaluation.metrics import HEADLINE, Measured
from evaluation.significance import paired_randomisation
from training.checkpoints import Checkpoints, beside
from training.embedder.encoder import TrainableEncoder
from training.embedder.export import Serving, write_embedder
from training.embedder.held_out import HeldOut
from training.embedder.settings import EmbedderSettings
from training.embedder.trainee import EmbedderTrainee
from training.examples import Example, TrainingError
from training.loop import Evaluation, TrainingBudget, train
from training.provenance import Origin, now
from training.splits import Split

LEAST_EXAMPLES = 20
SHOWN = (HEADLINE, "RR", "AP@100", "ap_over_k@100", "R@1", "R@3", "R@5", "R@8", "R@32", "R@64")
_LOOKED_AT = 300  # held-out questions during training; the card's figures use all of them


@dataclass(frozen=True, slots=True)
class Base:
    """The folder to adapt; ``min_score`` and ``instruction`` are its serving values."""

    folder: Path
    min_score: float
    instruction: str = ""


def train_embedder(
    base: Base,
    split: Split,
    settings: EmbedderSettings,
    course: TrainingBudget,
    origin: Origin,
    out: Path,
    *,
    resume: bool = False,
    told: Callable[[Evaluation], None] = lambda _: None,
) -> ModelCard:
    """Writes ``out`` and returns its card. Raises TrainingError for too little text, a full disk, a diverging loss.

    Checkpoints are in ``.{out.name}.checkpoints`` beside it until the model is written.
    """
    learnt = _learnable(split, settings)
    checkpoints = Checkpoints(beside(out), _identity(base, split, settings), resume=resume)
    encoder = TrainableEncoder(base.folder, settings)
    _refuse_sizes(settings, encoder.recipe.dims)
    whole = HeldOut.of(split.held_out, settings.instruction)
    before_settings = HeldOut.of(split.held_out, base.instruction)
    before, scores_before = before_settings.measured(encoder.embed), _unrelated(before_settings, encoder)
    looked = HeldOut.of(_looked_at(split.held_out, settings.seed), settings.instruction)
    done = train(EmbedderTrainee(encoder, learnt, looked), course, checkpoints, told)
    after, scores_after = whole.measured(encoder.embed), _unrelated(whole, encoder)
    shorter = {
        f"{HEADLINE} at {size}": whole.measured(encoder.embed, size).means[HEADLINE] for size in settings.matryoshka
    }
    serving = Serving(
        encoder.recipe, settings.instruction, matched_threshold(base.min_score, scores_before, scores_after)
    )
    card = ModelCard(
        kind="embedder",
        name=out.name,
        base=origin.base,
        licence=origin.base_licence,
        data=(*origin.used(learnt), *origin.used(split.held_out, "held out")),
        settings={**_plain(settings), **_plain(course)},
        seed=settings.seed,
        commit=origin.commit,
        made=now(),
        figures={**figures(before, after), **shorter, **done.figures("held-out AP@100 while training")},
        reproduce=origin.reproduce,
    )
    written = write_embedder(out, encoder, serving, card)
    checkpoints.discard()
    return written


def _looked_at(held_out: Sequence[Example], seed: int) -> list[Example]:
    """Some of every kind of question: a file has one kind after the other."""
    chance = random.Random(seed)  # noqa: S311 # nosec B311 - a draw to be repeated
    return chance.sample(held_out, min(_LOOKED_AT, len(held_out)))


def figures(before: Measured, after: Measured) -> Json:
    """Each measure before and after, and the probability of the headline's change by chance."""
    compared = paired_randomisation(after.column(HEADLINE), before.column(HEADLINE))
    changed = {name: {"before": before.means[name], "after": after.means[name]} for name in SHOWN}
    return {**changed, f"{HEADLINE} p": compared.p, "held-out questions": len(after.by_question)}


def matched_threshold(threshold: float, before: NDArray[np.float32], after: NDArray[np.float32]) -> float:
    """The cosine that the same share of unrelated pairs exceeds after training as exceeded ``threshold`` before.

    Training spreads cosines, so the base's threshold would drop other hits than before. 0 stays 0: nothing was dropped.
    """
    if threshold <= 0.0 or not len(before) or not len(after):
        return threshold
    share = float((before < threshold).mean())
    return round(float(np.quantile(after, share)), 3)


def _unrelated(held_out: HeldOut, encoder: TrainableEncoder) -> NDArray[np.float32]:
    """Cosines of held-out questions with texts that do not answer them."""
    names = list(held_out.questions)[:_LOOKED_AT]
    texts = list(held_out.texts)[:_LOOKED_AT]
    asked = encoder.embed([held_out.instruction + held_out.questions[name] for name in names])
    documents = encoder.embed([held_out.texts[name] for name in texts])
    wrong = np.array([[text not in held_out.qrels[name] for text in texts] for name in names], dtype=bool)
    return np.asarray((asked @ documents.T)[wrong], dtype=np.float32)


def _learnable(split: Split, settings: EmbedderSettings) -> list[Example]:
    """An example without a negative has no margin, so ``margin_mse`` leaves it out."""
    kept = [one for one in split.train if one.negatives] if settings.loss == "margin_mse" else list(split.train)
    if len(kept) < LEAST_EXAMPLES:
        raise TrainingError(f"{len(kept)} examples are too little to learn from; give {LEAST_EXAMPLES} or more.")
    untaught = [one for one in kept if any(text.teacher is None for text in one.candidates)]
    if settings.loss == "margin_mse" and untaught:
        raise TrainingError(
            f"{len(untaught)} of {len(kept)} examples lack a teacher's scores, which margin_mse learns from; score "
            "them first, or use infonce."
        )
    return kept


def _refuse_sizes(settings: EmbedderSettings, dims: int) -> None:
    if wrong := [size for size in settings.matryoshka if not 0 < size <= dims]:
        raise TrainingError(f"Matryoshka sizes lie between 1 and the model's {dims}; {wrong[0]} does not.")


def _identity(base: Base, split: Split, settings: EmbedderSettings) -> Json:
    """What must be equal for a training to continue."""
    return {"base": str(base.folder), "train": _ids(split.train), "held_out": _ids(split.held_out), **_plain(settings)}


def _ids(examples: Sequence[Example]) -> str:
    import hashlib

    told = (f"{one.id}\t{one.question}\t{[each.teacher for each in one.candidates]}" for one in examples)
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


def _plain(value: EmbedderSettings | TrainingBudget) -> Json:
    return {name: list(each) if isinstance(each, tuple) else each for name, each in asdict(value).items()}
