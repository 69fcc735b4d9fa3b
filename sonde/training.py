"""What `sonde train reranker` is made of: a source of examples, a base with weights, and where it is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from encoders.locate import locate
from encoders.model_card import ModelCard
from sonde.settings import Settings
from sonde.training_data import LICENCES, examples_from, own_commit
from sonde.training_models import refuse_in_the_way
from training.base_weights import learnable
from training.examples import read_examples
from training.loop import Course, Look
from training.negatives.mine import Mining
from training.provenance import Origin
from training.reranker.settings import RerankerSettings
from training.reranker.train import Texts, train_reranker
from training.splits import split_by_group


@dataclass(frozen=True, slots=True)
class Request:
    """``general``: a file of examples of general text; ``command`` as it was given, for the card."""

    source: str
    out: Path
    base: str
    base_licence: str = "not stated"
    general: Path | None = None
    held_out: float = 0.1
    command: str = ""
    resume: bool = False


def run_reranker(
    settings: Settings,
    request: Request,
    wanted: RerankerSettings,
    course: Course,
    mining: Mining,
    told: Callable[[Look], None] = lambda _: None,
) -> ModelCard:
    """Raises TrainingError and ModelMissing with one sentence; see :func:`training.reranker.train.train_reranker`."""
    refuse_in_the_way(request.out, resume=request.resume)
    located = locate(request.base, settings.models.folder, allow_hub=settings.models.allow_hub)
    base = learnable(located, settings.models.folder)
    own = split_by_group(examples_from(request.source, settings, mining), request.held_out, wanted.seed)
    general = read_examples(request.general) if request.general else None
    texts = Texts(own, split_by_group(general, request.held_out, wanted.seed) if general else None)
    origin = Origin(request.base, request.base_licence, LICENCES, own_commit(), request.command)
    return train_reranker(base, texts, wanted, course, origin, request.out, resume=request.resume, told=told)
