"""What `sonde train cross-encoder` does: pairs of one's own records and of files, a base with weights, a folder."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from encoders.locate import locate
from encoders.model_card import ModelCard
from encoders.recipe import read_json
from sonde.settings import Settings
from sonde.wiring.checkout import own_commit
from sonde.wiring.training.corpora import LICENCES, corpus_examples
from sonde.wiring.training.run import Request, TrainingReporter, licence_of, refuse_existing_output
from training.cross_encoder.learner import CrossEncoderTrainingSettings
from training.cross_encoder.train import CrossEncoderBase, train_cross_encoder
from training.examples import LabelledPair, pairs_of_examples, read_pairs, split_pairs
from training.loop import TrainingBudget
from training.provenance import Origin
from training.questions.unanswerable import UnanswerableTwins


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
    made = corpus_examples(request.sources, settings, request.cache_folder / "said.jsonl", reporter.report)
    mined_pairs = list(pairs_of_examples(made.examples, sources.negatives))
    twins = UnanswerableTwins(made.examples, made.documents, seed).pairs()
    reporter.report(f"{len(mined_pairs)} pairs of questions, {len(twins)} twins, {len(given_pairs)} given pairs")
    return [*mined_pairs, *twins, *given_pairs]
