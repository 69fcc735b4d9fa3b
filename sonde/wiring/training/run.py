"""What `sonde train embedder` and `sonde train cross-encoder` do: examples or pairs, a base with weights, a folder."""

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
from sonde.wiring.training.corpora import LICENCES, Sources, corpus_examples, examples_from
from sonde.wiring.training.judged_lists import reranker_named
from training.cross_encoder.learner import CrossEncoderTrainingSettings
from training.cross_encoder.train import CrossEncoderBase, train_cross_encoder
from training.embedder.encoder import EmbedderTrainingSettings, task_instruction
from training.embedder.train import Base, train_embedder
from training.examples import (
    Example,
    LabelledPair,
    Split,
    TrainingError,
    pairs_of_examples,
    read_pairs,
    split_by_group,
    split_pairs,
)
from training.loop import HeldOutEvaluation, TrainingBudget
from training.provenance import UNKNOWN, Origin
from training.questions.unanswerable import UnanswerableTwins
from training.teacher_scores import ScoringTeacher, with_teacher_scores
from training.weights import trainable_folder


def embedder_base(name: str, settings: Settings, instruction: str | None = None) -> Base:
    """The model to adapt, with the instruction and the threshold that it has now. Raises ModelMissing."""
    model_location = locate(name, settings.models.folder, allow_hub=settings.models.allow_hub)
    facts, preset = read_json(model_location.folder / "card.json"), preset_for(name)
    base_instruction = str(facts.get("instruction", preset.instruction))
    return Base(
        trainable_folder(model_location, settings.models.folder),
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


@dataclass(frozen=True, slots=True)
class PairSources:
    """``files``: pairs with labels, beside those made of the request's texts; ``negatives`` of each question."""

    files: tuple[Path, ...] = ()
    negatives: int = 3


def run_cross_encoder(
    settings: Settings,
    request: Request,
    sources: PairSources,
    training_settings: CrossEncoderTrainingSettings,
    budget: TrainingBudget,
    reporter: TrainingReporter,
) -> ModelCard:
    """Raises TrainingError and ModelMissing with one sentence."""
    refuse_existing_output(request.out, resume=request.resume)
    cache = settings.models.folder
    location = locate(request.base, cache, allow_hub=settings.models.allow_hub)
    pairs = pairs_of(settings, request, sources, training_settings.seed, reporter)
    split = split_pairs(pairs, request.held_out, training_settings.seed)
    reporter.report(f"{len(split.train)} pairs to learn from, {len(split.stop) + len(split.left_out)} held out")
    licence = request.base_licence or read_json(location.folder / "card.json").get("licence")
    licences = {**dict.fromkeys((pair.corpus for pair in pairs), request.licence), **LICENCES}
    card = train_cross_encoder(
        CrossEncoderBase(location, cache),
        split,
        training_settings,
        budget,
        Origin(request.base, licence_of(request.base, licence), licences, own_commit(), request.command),
        request.out,
        resume=request.resume,
        report=reporter.report_evaluation,
    )
    shutil.rmtree(request.cache_folder, ignore_errors=True)
    return card


def pairs_of(
    settings: Settings, request: Request, sources: PairSources, seed: int, reporter: TrainingReporter
) -> list[LabelledPair]:
    """Questions made of the texts with their hard negatives, their unanswerable twins, then the pairs of the files."""
    given_pairs = [pair for file in sources.files for pair in read_pairs(file)]  # an invalid file is refused first
    counts = corpus_examples(request.sources, settings, request.cache_folder / "said.jsonl", reporter.report)
    mined_pairs = list(pairs_of_examples(counts.examples, sources.negatives))
    twins = UnanswerableTwins(counts.examples, counts.documents, seed).pairs()
    reporter.report(f"{len(mined_pairs)} pairs of questions, {len(twins)} twins, {len(given_pairs)} given pairs")
    return [*mined_pairs, *twins, *given_pairs]
