"""Trains a segmenter: from running text to a model folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from core.errors import ModelMissing
from encoders.files import published
from encoders.locate import Located, weights_digest
from encoders.model_card import CARD, ModelCard, Used, write_card
from encoders.onnx_session import Compute
from encoders.prepare import prepared
from encoders.recorded import record_segmenter
from encoders.segmenter import NextSentence
from training.checkpoints import Checkpoints, beside
from training.examples import TrainingError
from training.loop import Evaluation, Finished, TrainingBudget, train
from training.provenance import UNKNOWN, Origin, now
from training.segmenter.sentence_boundaries import Running, SentencePair, sentence_pairs_of
from training.segmenter.trainee import SegmenterSettings, SegmenterTrainee
from training.splits import is_held_out

LEAST_SENTENCES = 100
_LOOKED_AT = 600


def train_segmenter(
    base: Path,
    texts: Sequence[Running],
    settings: SegmenterSettings,
    course: TrainingBudget,
    origin: Origin,
    out: Path,
    *,
    held_out: float = 0.1,
    resume: bool = False,
    told: Callable[[Evaluation], None] = lambda _: None,
) -> ModelCard:
    """Writes ``out`` and returns its card; whole documents are held out. Raises TrainingError for too little text, a
    full disk, a diverging loss. Checkpoints are beside ``out`` until the model is written.
    """
    learnt, kept = _split(texts, settings, held_out)
    identity = {**asdict(settings), "base": str(base), "boundaries": len(learnt), "held_out": len(kept)}
    checkpoints = Checkpoints(beside(out), identity, resume=resume)
    trainee = SegmenterTrainee(base, learnt, kept[:_LOOKED_AT], settings)
    done = train(trainee, course, checkpoints, told)
    card = ModelCard(
        kind="segmenter",
        name=out.name,
        base=origin.base,
        licence=origin.base_licence,
        data=_used(texts, learnt, kept, origin),
        settings={**asdict(settings), **asdict(course)},
        seed=settings.seed,
        commit=origin.commit,
        made=now(),
        figures=_figures(trainee, kept, done),
        reproduce=origin.reproduce,
        serving={"max_tokens": settings.max_tokens, "window": settings.window},
    )
    written = _write(out, trainee, card)
    checkpoints.discard()
    return written


def _split(
    texts: Sequence[Running], settings: SegmenterSettings, share: float
) -> tuple[list[SentencePair], list[SentencePair]]:
    """False boundaries are drawn within each side, so that no held-out sentence is used for training."""
    count = sum(len(text.sentences) for text in texts)
    if count < LEAST_SENTENCES:
        raise TrainingError(f"{count} sentences are too little text for a segmenter; give {LEAST_SENTENCES} or more.")
    held = [text for text in texts if is_held_out(text.document, share, settings.seed)]
    rest = [text for text in texts if not is_held_out(text.document, share, settings.seed)]
    learnt, kept = (sentence_pairs_of(side, settings.window, settings.seed) for side in (rest, held))
    order = np.random.default_rng(settings.seed).permutation(len(kept))
    return learnt, [kept[at] for at in order]


def _figures(trainee: SegmenterTrainee, kept: Sequence[SentencePair], done: Finished) -> dict[str, object]:
    scores = trainee.coherence(kept)
    false = np.array([pair.label == 1 for pair in kept])
    return {
        **done.figures("held-out AUC"),
        "held-out accuracy": float(((scores < 0.5) == false).mean()),
        "held-out boundaries": len(kept),
    }


def _used(
    texts: Sequence[Running], learnt: Sequence[SentencePair], kept: Sequence[SentencePair], origin: Origin
) -> tuple[Used, ...]:
    names = dict(origin.licences or {})
    documents = len({text.document for text in texts})
    licence = "; ".join(f"{name}: {licence}" for name, licence in names.items()) or UNKNOWN
    return (
        Used("running text", licence, len(learnt), "boundaries", f"{documents} documents in all"),
        Used("running text", licence, len(kept), "boundaries", "held out"),
    )


def _write(out: Path, trainee: SegmenterTrainee, card: ModelCard) -> ModelCard:
    """The card with the written graph's results on the sample."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with published(out) as draft:
            trainee.save(draft)
            (draft / CARD).write_text(json.dumps({**card.serving, "kind": card.kind}), encoding="utf-8")
            scratch = draft / ".scratch"
            scratch.mkdir()
            made = prepared(Located(draft.name, draft, weights_digest(draft)), scratch, "logits")
            (made / "model.onnx").replace(draft / "model.onnx")
            shutil.rmtree(scratch)
            full = replace(card, recorded=record_segmenter(NextSentence(draft, Compute(1))))
            write_card(draft, full)
    except OSError as error:
        raise TrainingError(f"{out} cannot be written: {error.strerror or error}. The checkpoint is kept.") from error
    except ModelMissing as error:
        raise TrainingError(f"The export failed, the checkpoint is kept: {error}") from error
    return full
