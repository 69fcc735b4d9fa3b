"""Trains a cross-encoder: from pairs to an int8 graph with a calibration and a card that shows before and after."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.json_types import Json
from core.ports import CrossEncoderCard
from encoders.cross_encoder import ModelCrossEncoder, OnnxScorer, PairTokeniser
from encoders.locate import Located
from encoders.model_card import ModelCard, write_card
from encoders.onnx_session import Compute
from encoders.recipe import read_pair_limit
from encoders.reference_results import record_cross_encoder
from training.calibration import Calibration, area_under_curve, calibrate_lists
from training.cross_encoder.learner import (
    CrossEncoderLearner,
    CrossEncoderTrainingSettings,
    labels_of,
)
from training.cross_encoder.weights import load_trainable, write_int8_graph
from training.examples import LabelledPair, PairSplit, TrainingError
from training.loop import Checkpoints, FinishedTraining, OnEvaluation, Optimisation, TrainingBudget
from training.provenance import Origin, written_model

if TYPE_CHECKING:
    from transformers import PreTrainedModel

LEAST_PAIRS = 40
SHARE = 0.1
"""Of the fused score in a search; ``SONDE_CROSS_ENCODER__WEIGHT`` changes it. Answers have a share of their own."""
_MOST_MEASURED = 1000  # pairs during training; the card's figures use all that are left out
_AUC = "area under the curve"


@dataclass(frozen=True, slots=True)
class CrossEncoderBase:
    """``cache``: where weights are stored that are read back from a graph."""

    location: Located
    cache: Path


def train_cross_encoder(
    base: CrossEncoderBase,
    split: PairSplit,
    settings: CrossEncoderTrainingSettings,
    budget: TrainingBudget,
    origin: Origin,
    out: Path,
    *,
    resume: bool = False,
    report: OnEvaluation = lambda _: None,
) -> ModelCard:
    """Writes ``out`` and returns its card. Raises TrainingError for too few pairs, a full disk, a diverging loss.

    Checkpoints are in ``.{out.name}.checkpoints`` in the same folder until the model is written.
    """
    if len(split.train) < LEAST_PAIRS:
        raise TrainingError(f"{len(split.train)} pairs are too few to learn from; give {LEAST_PAIRS} or more.")
    folder, checkpoints = (
        base.location.folder,
        Checkpoints.of_output(out, _identity(base, split, settings), resume=resume),
    )
    classifier = load_trainable(base.location, base.cache, threads=settings.threads, seed=settings.seed)
    limit = read_pair_limit(folder)
    tokeniser = PairTokeniser(folder / "tokenizer.json", min(settings.max_tokens, limit))
    learner = CrossEncoderLearner(classifier, tokeniser, split.train, split.stop[:_MOST_MEASURED], settings)
    before = learner.scores(split.left_out)
    from training.trainer import train  # imports torch

    training = train(
        learner, Optimisation(settings.learning_rate, settings.device, settings.seed), budget, checkpoints, report
    )
    pairs = (("learnt", split.train), ("not learnt", (*split.stop, *split.left_out)))
    data = [part for note, group in pairs for part in origin.training_data(group, note, "pairs")]
    card = replace(
        origin.card("reranker", out, data, {**asdict(settings), **asdict(budget)}),
        figures=training.figures("area under the curve while training"),
        note=f"SONDE_CROSS_ENCODER__MODEL={out} uses it in answers, and in searches with a share of {SHARE}.",
        serving={"max_tokens": limit, "judges": True, "weight": SHARE},
    )
    card = _write(out, folder, classifier.cpu(), card, _LeftOut(split.left_out, before, training))
    checkpoints.discard()
    return card


@dataclass(frozen=True, slots=True)
class _LeftOut:
    """The pairs that calibrate and measure, with the base's logits (n,)."""

    pairs: Sequence[LabelledPair]
    before: NDArray[np.float64]
    training: FinishedTraining


def _write(out: Path, source: Path, classifier: PreTrainedModel, card: ModelCard, left_out: _LeftOut) -> ModelCard:
    """The graph, the tokenizer, and the card with what the graph itself gives for the pairs that are left out."""
    with written_model(out) as draft:
        graph = write_int8_graph(classifier, draft)
        for name in ("config.json", "tokenizer.json"):
            shutil.copyfile(source / name, draft / name)
        limit = int(card.serving["max_tokens"])
        tokeniser = PairTokeniser(draft / "tokenizer.json", limit)
        model = ModelCrossEncoder(tokeniser, OnnxScorer(graph, Compute()), CrossEncoderCard(out.name, limit))
        card = replace(card, figures={**card.figures, "MiB": round(graph.stat().st_size / 2**20, 1)})
        logits = scores_of(model, left_out.pairs)
        calibration = calibrate_lists(_by_group(left_out.pairs, logits))
        card = replace(
            card,
            figures={**_figures(left_out, logits, calibration), **card.figures},
            serving={**card.serving, "temperature": calibration.temperature, "offset": calibration.offset},
            recorded=record_cross_encoder(model),
        )
        write_card(draft, card)
    return card


def scores_of(model: ModelCrossEncoder, pairs: Sequence[LabelledPair]) -> NDArray[np.float64]:
    """(n,) logits, in order."""
    return np.array([float(model.score(pair.question, [pair.text])[0]) for pair in pairs])


def _figures(left_out: _LeftOut, logits: NDArray[np.float64], calibration: Calibration) -> Json:
    """The area under the curve before and after: of all pairs, and of each kind of wrong pair against its answers."""
    right = labels_of(left_out.pairs)
    figures: Json = {
        _AUC: {"before": area_under_curve(left_out.before, right), "after": area_under_curve(logits, right)}
    }
    origins = Counter(pair.origin for pair in left_out.pairs if not pair.answers)
    for origin in sorted(origins):
        groups = {pair.group for pair in left_out.pairs if pair.origin == origin}
        rows = np.array(
            [pair.group in groups and (pair.answers or pair.origin == origin) for pair in left_out.pairs], dtype=bool
        )
        if right[rows].any():
            figures[f"{_AUC}, {origin} ({origins[origin]})"] = {
                "before": area_under_curve(left_out.before[rows], right[rows]),
                "after": area_under_curve(logits[rows], right[rows]),
            }
    return {
        **figures,
        "calibration error": {"before": calibration.before, "after": calibration.error},
        "pairs left out": len(left_out.pairs),
        "hours": round(left_out.training.seconds / 3600.0, 3),
    }


def _by_group(
    pairs: Sequence[LabelledPair], logits: NDArray[np.float64]
) -> list[tuple[NDArray[np.float64], NDArray[np.bool_]]]:
    rows_by_group: dict[str, list[int]] = defaultdict(list)
    for row, pair in enumerate(pairs):
        rows_by_group[pair.group].append(row)
    right = labels_of(pairs)
    return [(logits[rows], right[rows]) for rows in rows_by_group.values()]


def _identity(base: CrossEncoderBase, split: PairSplit, settings: CrossEncoderTrainingSettings) -> Json:
    """What must be equal for a training to continue."""
    digest = hashlib.sha256()
    for pair in (*split.train, *split.stop, *split.left_out):
        digest.update(f"{pair.question}\0{pair.text}\0{pair.answers}\n".encode())
    return {"base": base.location.digest, "pairs": digest.hexdigest(), **asdict(settings)}
