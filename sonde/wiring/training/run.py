"""Runs `sonde train embedder`: collects examples, adds a teacher's scores, trains a base model, writes a folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from encoders.locate import locate
from encoders.model_card import ModelCard
from encoders.presets import known_model, preset_for
from encoders.recipe import read_json
from sonde.settings import Settings
from sonde.wiring.training.corpora import LICENCES, Sources, examples_from, own_commit
from sonde.wiring.training.judged_lists import reranker_named
from training.embedder.encoder import EmbedderTrainingSettings, task_instruction
from training.embedder.train import Base, train_embedder
from training.examples import Example, Split, TrainingError, split_by_group
from training.loop import HeldOutEvaluation, TrainingBudget
from training.provenance import UNKNOWN, Origin
from training.teacher_scores import ScoringTeacher, with_teacher_scores
from training.weights import learnable


def embedder_base(name: str, settings: Settings, instruction: str | None = None) -> Base:
    """The model to train, with its present instruction and minimum score. Raises ModelMissing."""
    located = locate(name, settings.models.folder, allow_hub=settings.models.allow_hub)
    facts, preset = read_json(located.folder / "card.json"), preset_for(name)
    model_instruction = str(facts.get("instruction", preset.instruction))
    return Base(
        learnable(located, settings.models.folder),
        float(facts.get("min_score", preset.min_score)),
        model_instruction if instruction is None else instruction,
    )


def licence_of(base: str, stated: str | None) -> str:
    """``stated`` by the user, else the licence of the base, which a trained model inherits."""
    model = known_model(base)
    return stated or (UNKNOWN if model is None else model.licence)


def refuse_existing_output(out: Path, *, resume: bool) -> None:
    """Raises TrainingError if ``out`` has files: a finished model is never overwritten."""
    if out.exists() and any(out.iterdir()):
        finished = " (it is finished)" if resume and (out / "card.json").is_file() else ""
        raise TrainingError(f"{out} is there already{finished}; name another folder with --out, or remove it.")


@dataclass(frozen=True, slots=True)
class ProgressReport:
    """Callbacks for a sentence about the progress, and for each evaluation."""

    sentence: Callable[[str], None] = lambda _: None
    evaluation: Callable[[HeldOutEvaluation], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Request:
    """``teacher``: a cross-encoder whose scores are learnt. ``licence``: of texts that Sonde does not know.

    ``command``: the command line, for the card.
    """

    sources: Sources
    out: Path
    base: str
    base_licence: str | None = None
    licence: str = UNKNOWN
    teacher: str | None = None
    task: str | None = None
    held_out: float = 0.1
    command: str = ""
    resume: bool = False

    @property
    def answers_folder(self) -> Path:
        """Answers of language models and teachers, which a second run reads again."""
        return self.out.parent / f".{self.out.name}.asked"

    def origin(self, examples: list[Example]) -> Origin:
        corpora = {example.corpus or "unnamed" for example in examples}
        licences = {**dict.fromkeys(corpora, self.licence), **LICENCES}
        return Origin(self.base, licence_of(self.base, self.base_licence), licences, own_commit(), self.command)


def run_embedder(
    settings: Settings,
    request: Request,
    training: EmbedderTrainingSettings,
    budget: TrainingBudget,
    report: ProgressReport = ProgressReport(),
) -> ModelCard:
    """Raises TrainingError and ModelMissing with one sentence; see :func:`training.embedder.train.train_embedder`."""
    refuse_existing_output(request.out, resume=request.resume)
    start = embedder_base(request.base, settings)
    instruction = task_instruction(request.task) if request.task else start.instruction
    examples = examples_of(settings, request, report)
    split = _split(examples, request, training.seed, report)
    card = train_embedder(
        start,
        split,
        replace(training, instruction=instruction),
        budget,
        request.origin(examples),
        request.out,
        resume=request.resume,
        report=report.evaluation,
    )
    shutil.rmtree(request.answers_folder, ignore_errors=True)
    return card


def examples_of(settings: Settings, request: Request, report: ProgressReport) -> list[Example]:
    """The examples, with scores if the request names a teacher. Raises TrainingError, ModelMissing."""
    teacher = teacher_of(settings, request.teacher) if request.teacher else None  # raises before the examples are made
    examples = examples_from(request.sources, settings, request.answers_folder / "said.jsonl", report.sentence)
    if teacher is None:
        return examples
    report.sentence(f"{teacher.name} scores {len(examples)} examples")
    return with_teacher_scores(examples, teacher, request.answers_folder)


def teacher_of(settings: Settings, name: str) -> ScoringTeacher:
    """A folder or hub id as a teacher. Raises ModelMissing."""
    return ScoringTeacher(name, reranker_named(settings, name))


def _split(examples: list[Example], request: Request, seed: int, report: ProgressReport) -> Split:
    split = split_by_group(examples, request.held_out, seed)
    report.sentence(f"{len(split.train)} examples to learn from, {len(split.held_out)} held out")
    return split
