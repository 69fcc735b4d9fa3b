"""A cross-encoder's logits to probabilities on texts at hand, for a model whose card says nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from core.ports import CrossEncoder
from encoders.catalogue import load_cross_encoder
from encoders.locate import locate
from encoders.own_calibration import write_calibration
from encoders.specs import CrossEncoderSpec
from sonde.settings import Settings
from training.examples import Example, TrainingError
from training.provenance import now
from training.reranker.calibration import Calibration, calibrate_lists
from training.reranker.held_out import Lists, Ordered


def calibrated_on(
    model: CrossEncoder, examples: Sequence[Example], count: int, told: Callable[[int, int], None] = lambda _d, _a: None
) -> tuple[Calibration, list[Ordered]]:
    """Of up to ``count`` lists spread over the examples, each an answer and its hard negatives.

    Raises TrainingError where no example has a negative.
    """
    lists = Lists.of(examples).first(count)
    if not lists.examples:
        raise TrainingError("No question has a text that does not answer it: there is nothing to calibrate on.")
    read = []
    for at, example in enumerate(lists.examples, 1):
        read += Lists((example,)).read(model.score)
        told(at, len(lists.examples))
    return calibrate_lists([(one.logits, one.grades > 0) for one in read]), read


def keep_calibration(settings: Settings, name: str, found: Calibration, note: str) -> Path:
    """Where every process that loads this model finds it. Raises TrainingError where the disk refuses."""
    located = locate(name, settings.models.folder)
    facts = {"model": name, **asdict(found), "made": now(), "note": note}
    try:
        return write_calibration(settings.models.folder, located.digest, facts)
    except OSError as error:
        raise TrainingError(f"The calibration cannot be written: {error.strerror}. Nothing was changed.") from error


def reranker_named(settings: Settings, name: str) -> CrossEncoder:
    """Raises ModelMissing."""
    models = settings.models
    return load_cross_encoder(CrossEncoderSpec(name, models.folder, allow_hub=models.allow_hub))
