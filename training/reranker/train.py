"""Trains a reranker: from examples to a model folder whose card shows before and after."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from core.json_types import Json
from encoders.model_card import ModelCard, Used
from training.checkpoints import Checkpoints, beside
from training.examples import Example, TrainingError
from training.loop import Evaluation, TrainingBudget, train
from training.provenance import Origin, now
from training.reranker.export import write_reranker
from training.reranker.held_out import Lists, figures
from training.reranker.model import LateModel
from training.reranker.settings import RerankerSettings
from training.reranker.trainee import RerankerTrainee
from training.splits import Split

LEAST_EXAMPLES = 20
_LOOKED_AT = 64  # held-out lists during training; the card's figures use more of them
_MEASURED = 400


@dataclass(frozen=True, slots=True)
class Texts:
    """``general``: a split of general text, mixed in and measured separately; None for none."""

    own: Split
    general: Split | None = None

    @property
    def held_out(self) -> tuple[Example, ...]:
        return (*self.own.held_out, *(self.general.held_out if self.general else ()))


def train_reranker(
    base: Path,
    texts: Texts,
    settings: RerankerSettings,
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
    learnt = mixed(texts, settings)
    checkpoints = Checkpoints(beside(out), _identity(base, learnt, texts, settings), resume=resume)
    model = LateModel(base, settings)
    whole = Lists.of(texts.held_out).first(_MEASURED)
    if not whole.examples:
        raise TrainingError("No held-out question has a negative: there is nothing that a reranker could put in order.")
    general = {one.id for one in texts.general.held_out} if texts.general else set()
    before = figures(whole.read(model.reader()), general)
    trainee = RerankerTrainee(model, learnt, Lists.of(texts.own.held_out).first(_LOOKED_AT))
    done = train(trainee, course, checkpoints, told)
    after = whole.read(model.reader())
    card = ModelCard(
        kind="reranker",
        name=out.name,
        base=origin.base,
        licence=origin.base_licence,
        data=(*origin.used(learnt), *_held_out(origin, texts)),
        settings={**asdict(settings), **asdict(course)},
        seed=settings.seed,
        commit=origin.commit,
        made=now(),
        figures={
            **compared(before, figures(after, general)),
            **done.figures("held-out nDCG@10 while training"),
            "negatives of a question in a step": settings.against,
        },
        reproduce=origin.reproduce,
    )
    written = write_reranker(out, model, whole, card)
    checkpoints.discard()
    return written


def mixed(texts: Texts, settings: RerankerSettings) -> list[Example]:
    """The own examples, and general ones up to ``general_share`` of all, by the seed.

    Examples without negatives are left out. Raises TrainingError if fewer than LEAST_EXAMPLES are left.
    """
    own = [example for example in texts.own.train if example.negatives]
    if len(own) < LEAST_EXAMPLES:
        raise TrainingError(f"{len(own)} examples are too little to learn from; give {LEAST_EXAMPLES} or more.")
    general = [example for example in texts.general.train if example.negatives] if texts.general else []
    wanted = round(len(own) * settings.general_share / (1.0 - settings.general_share))
    chance = random.Random(f"{settings.seed}:general")  # noqa: S311 # nosec B311 - a draw that can be repeated
    return own + chance.sample(general, min(wanted, len(general)))


def compared(before: Mapping[str, float], after: Mapping[str, float]) -> Json:
    return {name: {"before": before[name], "after": after[name]} for name in before}


def _held_out(origin: Origin, texts: Texts) -> tuple[Used, ...]:
    return origin.used(texts.held_out, "held out")


def _identity(base: Path, learnt: Sequence[Example], texts: Texts, settings: RerankerSettings) -> Json:
    """What must be equal for a training to continue."""
    return {"base": str(base), "train": _ids(learnt), "held_out": _ids(texts.held_out), **asdict(settings)}


def _ids(examples: Sequence[Example]) -> str:
    return hashlib.sha256("\n".join(f"{one.id}\t{one.question}" for one in examples).encode()).hexdigest()
