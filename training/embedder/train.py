"""Trains an embedder: from examples to a model folder whose card shows before and after."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.json_types import Json
from core.ports import EmbedderCard
from encoders.embedder import OnnxEmbedder
from encoders.locate import Located, weights_digest
from encoders.model_card import CARD, ModelCard, record_embedder, write_card
from encoders.onnx_graphs import write_with_weights
from encoders.onnx_session import Compute
from encoders.prepare import prepare_model
from encoders.recipe import read_json
from evaluation.metrics import HEADLINE, RunMeasures, paired_randomisation
from training.embedder.encoder import EmbedderTrainingSettings, TrainableEncoder
from training.embedder.learner import EmbedderLearner, HeldOut
from training.examples import Example, Split, TrainingError
from training.loop import Checkpoints, FinishedTraining, OnEvaluation, Optimisation, TrainingBudget
from training.provenance import Origin, written_model

LEAST_EXAMPLES = 20
CARD_MEASURES = (HEADLINE, "RR", "AP@100", "ap_over_k@100", "R@1", "R@3", "R@5", "R@8", "R@32", "R@64")
_MAX_EVALUATED = 300  # held-out questions during training; the card's figures use all of them


@dataclass(frozen=True, slots=True)
class Base:
    """The folder to adapt; ``min_score`` and ``instruction`` are its serving values."""

    folder: Path
    min_score: float
    instruction: str = ""


def train_embedder(
    base: Base,
    split: Split,
    settings: EmbedderTrainingSettings,
    budget: TrainingBudget,
    origin: Origin,
    out: Path,
    *,
    resume: bool = False,
    report: OnEvaluation = lambda _: None,
) -> ModelCard:
    """Writes ``out`` and returns its card. Raises TrainingError for too little text, a full disk, a diverging loss.

    Checkpoints are in ``.{out.name}.checkpoints`` in the same folder until the model is written.
    """
    examples = _usable(split, settings)
    checkpoints = Checkpoints.of_output(out, _identity(base, split, settings), resume=resume)
    encoder = TrainableEncoder(base.folder, settings)
    if wrong := [size for size in settings.matryoshka if not 0 < size <= encoder.recipe.dims]:
        raise TrainingError(
            f"Matryoshka sizes lie between 1 and the model's {encoder.recipe.dims}; {wrong[0]} does not."
        )
    as_before = HeldOut.of(split.held_out, base.instruction)
    before, unrelated_before = as_before.evaluate(encoder.embed), _unrelated_cosines(as_before, encoder)
    sample = HeldOut.of(_sample(split.held_out, settings.seed), settings.instruction)
    learner = EmbedderLearner(encoder, examples, sample)
    optimisation = Optimisation(settings.learning_rate, settings.device, settings.seed)
    from training.trainer import train  # imports torch

    training = train(learner, optimisation, budget, checkpoints, report)
    held_out = HeldOut.of(split.held_out, settings.instruction)
    threshold = matched_threshold(base.min_score, unrelated_before, _unrelated_cosines(held_out, encoder))
    data = (*origin.training_data(examples), *origin.training_data(split.held_out, "held out"))
    card = replace(
        origin.card("embedder", out, data, {**_json_values(settings), **_json_values(budget)}),
        figures=_figures(before, held_out, encoder, training),
        serving={**asdict(encoder.recipe), "instruction": settings.instruction, "min_score": threshold},
    )
    card = _write(out, encoder, card)
    checkpoints.discard()
    return card


def matched_threshold(threshold: float, before: NDArray[np.float32], after: NDArray[np.float32]) -> float:
    """The cosine that the same share of unrelated pairs exceeds after training as exceeded ``threshold`` before.

    Training spreads cosines, so the base's threshold would drop other hits than before. 0 stays 0: nothing was dropped.
    """
    if threshold <= 0.0 or not len(before) or not len(after):
        return threshold
    share = float((before < threshold).mean())
    return round(float(np.quantile(after, share)), 3)


def _usable(split: Split, settings: EmbedderTrainingSettings) -> list[Example]:
    """An example without a negative has no margin, so ``margin_mse`` leaves it out."""
    fit = (
        [example for example in split.train if example.negatives]
        if settings.loss == "margin_mse"
        else list(split.train)
    )
    if len(fit) < LEAST_EXAMPLES:
        raise TrainingError(f"{len(fit)} examples are too little to learn from; give {LEAST_EXAMPLES} or more.")
    without_scores = [example for example in fit if any(text.teacher is None for text in example.candidates)]
    if settings.loss == "margin_mse" and without_scores:
        raise TrainingError(
            f"{len(without_scores)} of {len(fit)} examples lack a teacher's scores, which margin_mse learns from; "
            "score them first, or use infonce."
        )
    return fit


def _sample(held_out: Sequence[Example], seed: int) -> list[Example]:
    """Some of every kind of question: a file has one kind after the other."""
    chance = random.Random(seed)  # noqa: S311 # nosec B311 - a draw to be repeated
    return chance.sample(held_out, min(_MAX_EVALUATED, len(held_out)))


def _unrelated_cosines(held_out: HeldOut, encoder: TrainableEncoder) -> NDArray[np.float32]:
    """Cosines of held-out questions with texts that do not answer them."""
    names = list(held_out.questions)[:_MAX_EVALUATED]
    texts = list(held_out.texts)[:_MAX_EVALUATED]
    questions = encoder.embed([held_out.instruction + held_out.questions[name] for name in names])
    documents = encoder.embed([held_out.texts[name] for name in texts])
    wrong = np.array([[text not in held_out.qrels[name] for text in texts] for name in names], dtype=bool)
    return np.asarray((questions @ documents.T)[wrong], dtype=np.float32)


def _figures(before: RunMeasures, held_out: HeldOut, encoder: TrainableEncoder, training: FinishedTraining) -> Json:
    """Each measure before and after, and the probability of the headline's change by chance."""
    after = held_out.evaluate(encoder.embed)
    comparison = paired_randomisation(after.column(HEADLINE), before.column(HEADLINE))
    sizes = encoder.settings.matryoshka
    return {
        **{name: {"before": before.means[name], "after": after.means[name]} for name in CARD_MEASURES},
        f"{HEADLINE} p": comparison.p,
        "held-out questions": len(after.by_question),
        **{f"{HEADLINE} at {size}": held_out.evaluate(encoder.embed, size).means[HEADLINE] for size in sizes},
        **training.figures("held-out AP@100 while training"),
    }


def _identity(base: Base, split: Split, settings: EmbedderTrainingSettings) -> Json:
    """What must be equal for a training to continue."""
    return {
        "base": str(base.folder),
        "train": _ids(split.train),
        "held_out": _ids(split.held_out),
        **_json_values(settings),
    }


def _ids(examples: Sequence[Example]) -> str:
    lines = (
        f"{example.id}\t{example.question}\t{[text.teacher for text in example.candidates]}" for example in examples
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _json_values(settings: EmbedderTrainingSettings | TrainingBudget) -> Json:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(settings).items()}


def _write(out: Path, encoder: TrainableEncoder, card: ModelCard) -> ModelCard:
    """Weights, graphs and the card with the int8 figures and recorded vectors."""
    recipe = encoder.recipe
    with written_model(out) as draft:
        encoder.save(draft)
        (draft / CARD).write_text(json.dumps(card.serving), encoding="utf-8")
        int8 = _export(draft)
        graph_name = EmbedderCard(
            out.name, recipe.dims, recipe.max_tokens, card.serving["min_score"], runtime="onnx-fp32"
        )
        embedder = OnnxEmbedder(draft / "model.onnx", recipe, graph_name, Compute(threads=1))
        figures = {**card.figures, "int8_mean_cosine": int8["mean"], "int8_least_cosine": int8["minimum"]}
        card = replace(card, figures=figures, recorded=record_embedder(embedder))
        write_card(draft, card)
    return card


def _export(draft: Path) -> Json:
    """Writes both graphs into the model's folder, so that serving needs no torch; returns the comparison of int8 with
    fp32.
    """
    scratch = draft / ".scratch"
    scratch.mkdir()
    prepared_folder = prepare_model(Located(draft.name, draft, weights_digest(draft)), scratch, "states")
    facts: Json = read_json(prepared_folder / CARD)["int8"]
    for graph in prepared_folder.glob("*.onnx"):
        write_with_weights(graph, draft / graph.name)
    shutil.rmtree(scratch)
    return facts
