"""What `sonde train embedder` does: examples, a teacher where one is named, a base with weights, a folder."""

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
from sonde.wiring.checkout import own_commit
from sonde.wiring.training.corpora import LICENCES, Sources, examples_from
from sonde.wiring.training.judged_lists import reranker_named
from training.embedder.encoder import EmbedderTrainingSettings, task_instruction
from training.embedder.train import Base, train_embedder
from training.examples import Example, Split, TrainingError, split_by_group
from training.loop import HeldOutEvaluation, TrainingBudget
from training.provenance import UNKNOWN, Origin
from training.teacher_scores import ScoringTeacher, with_teacher_scores
from training.weights import learnable


def embedder_base(name: str, settings: Settings, instruction: str | None = None) -> Base:
    """The model to adapt, with the instruction and the threshold that it has now. Raises ModelMissing."""
    model_location = locate(name, settings.models.folder, allow_hub=settings.models.allow_hub)
    facts, preset = read_json(model_location.folder / "card.json"), preset_for(name)
    base_instruction = str(facts.get("instruction", preset.instruction))
    return Base(
        learnable(model_location, settings.models.folder),
        float(facts.get("min_score", preset.min_score)),
        base_instruction if instruction is None else instruction,
    )


def licence_of(base: str, stated_licence: str | None) -> str:
    """The stated licence, else that of the base, which a model inherits."""
    model = known_model(base)
    return stated_licence or (UNKNOWN if model is None else model.licence)


def refuse_existing_output(out: Path, *, resume: bool) -> None:
    """A finished model is never written over. Raises TrainingError."""
    if out.exists() and any(out.iterdir()):
        finished_note = " (it is finished)" if resume and (out / "card.json").is_file() else ""
        raise TrainingError(f"{out} is there already{finished_note}; name another folder with --out, or remove it.")


@dataclass(frozen=True, slots=True)
class TrainingReporter:
    """Receives the progress of a training: ``report`` a sentence, ``report_evaluation`` each held-out evaluation."""

    report: Callable[[str], None] = lambda _: None
    report_evaluation: Callable[[HeldOutEvaluation], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Request:
    """``teacher``: a cross-encoder whose scores are learnt. ``licence``: of texts that Sonde does not know.

    ``command``: as it was given, for the card.
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
    def cache_folder(self) -> Path:
        """What was asked of others, which a second run need not ask again."""
        return self.out.parent / f".{self.out.name}.asked"

    def origin(self, examples: list[Example]) -> Origin:
        corpora = {example.corpus or "unnamed" for example in examples}
        licences = {**dict.fromkeys(corpora, self.licence), **LICENCES}
        return Origin(self.base, licence_of(self.base, self.base_licence), licences, own_commit(), self.command)


def run_embedder(
    settings: Settings,
    request: Request,
    training_settings: EmbedderTrainingSettings,
    course: TrainingBudget,
    reporter: TrainingReporter = TrainingReporter(),
) -> ModelCard:
    """Raises TrainingError and ModelMissing with one sentence; see :func:`training.embedder.train.train_embedder`."""
    refuse_existing_output(request.out, resume=request.resume)
    start = embedder_base(request.base, settings)
    instruction = task_instruction(request.task) if request.task else start.instruction
    examples = examples_of(settings, request, reporter)
    parts = _split_examples(examples, request, training_settings.seed, reporter)
    card = train_embedder(
        start,
        parts,
        replace(training_settings, instruction=instruction),
        course,
        request.origin(examples),
        request.out,
        resume=request.resume,
        report=reporter.report_evaluation,
    )
    shutil.rmtree(request.cache_folder, ignore_errors=True)
    return card


def examples_of(settings: Settings, request: Request, reporter: TrainingReporter) -> list[Example]:
    """With the teacher's scores where one is named. Raises TrainingError, ModelMissing."""
    teacher = teacher_of(settings, request.teacher) if request.teacher else None  # said before anything is made
    examples = examples_from(request.sources, settings, request.cache_folder / "said.jsonl", reporter.report)
    if teacher is None:
        return examples
    reporter.report(f"{teacher.name} scores {len(examples)} examples")
    return with_teacher_scores(examples, teacher, request.cache_folder)


def teacher_of(settings: Settings, name: str) -> ScoringTeacher:
    """A folder or hub id as a teacher. Raises ModelMissing."""
    return ScoringTeacher(name, reranker_named(settings, name))


def _split_examples(examples: list[Example], request: Request, seed: int, reporter: TrainingReporter) -> Split:
    parts = split_by_group(examples, request.held_out, seed)
    reporter.report(f"{len(parts.train)} examples to learn from, {len(parts.held_out)} held out")
    return parts
