"""Converts a cross-encoder's logits to probabilities on your own texts, for a model whose card says nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from core.ports import CrossEncoder
from encoders.catalogue import load_cross_encoder
from encoders.local_reranker import write_calibration
from encoders.locate import locate
from encoders.specs import CrossEncoderSpec
from sonde.settings import Settings
from training.calibration import Calibration, ScoredExample, calibrate_lists, spread
from training.examples import Example, TrainingError
from training.provenance import now


def calibrated_on(
    model: CrossEncoder,
    examples: Sequence[Example],
    count: int,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> tuple[Calibration, list[ScoredExample]]:
    """Of up to ``count`` examples, each an answer and its hard negatives.

    Raises TrainingError where no example has a negative.
    """
    chosen = spread(examples, count)
    if not chosen:
        raise TrainingError("No question has a text that does not answer it: there is nothing to calibrate on.")
    scored = []
    for at, example in enumerate(chosen, 1):
        scored.append(ScoredExample.of(example, model))
        progress(at, len(chosen))
    return calibrate_lists([(row.logits, row.right) for row in scored]), scored


def keep_calibration(settings: Settings, name: str, calibration: Calibration, note: str) -> Path:
    """Stores it where every process that loads this model looks. Raises TrainingError where the disk refuses."""
    located = locate(name, settings.models.folder)
    facts = {"model": name, **asdict(calibration), "made": now(), "note": note}
    try:
        return write_calibration(settings.models.folder, located.digest, facts)
    except OSError as error:
        raise TrainingError(f"The calibration cannot be written: {error.strerror}. Nothing was changed.") from error


def reranker_named(settings: Settings, name: str) -> CrossEncoder:
    """Raises ModelMissing."""
    models = settings.models
    return load_cross_encoder(CrossEncoderSpec(name, models.folder, allow_hub=models.allow_hub))
