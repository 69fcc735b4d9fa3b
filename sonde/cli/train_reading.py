"""`sonde train segmenter` and `tagger`: models that read. One splits documents, one finds names in questions."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import click

from encoders.imports import needs_torch
from encoders.locate import locate
from encoders.segmenter import load_segmenter
from encoders.specs import DEFAULT_EMBEDDER
from indexer.documents.segment.passages import embedding_coherence
from sonde.cli.options import ABOVE_0, FOLDER, shown
from sonde.cli.screen import say
from sonde.cli.train_options import (
    budget_of,
    command_line,
    course_options,
    progress_report,
    report_interrupted,
    show_figures,
)
from sonde.settings import Settings, load_settings
from sonde.wiring.checkout import own_commit
from sonde.wiring.training.corpora import LICENCES, caching_embedder, read_files, records_from, running_texts_of
from sonde.wiring.training.run import licence_of, refuse_existing_output
from training.provenance import UNKNOWN, Origin
from training.segmenter.train import SegmenterSettings, boundaries_of, section_end_scores, train_segmenter
from training.tagger.names import CatalogueNames
from training.weights import trainable_folder


@click.command("segmenter")
@course_options(minutes=10.0, look_every=50, held_out=0.1, max_tokens=128, least_batch=1)
@click.option(
    "--from", "sources", required=True, multiple=True, metavar="samples|SOURCE|FOLDER", help="May be repeated."
)
@click.option(
    "--compare", type=click.Path(path_type=Path, exists=True), help="Documents in which to find section ends."
)
@shown("--base", DEFAULT_EMBEDDER, "Encoder whose lower layers are used.")
@shown("--layers", 3, "Layers of the base; 0: all.", click.IntRange(0))
@shown("--window", 2, "Sentences on each side.", click.IntRange(1, 5))
@shown("--rate", 5e-5, type=ABOVE_0)
def segmenter(*, sources: tuple[str, ...], out: Path, compare: Path | None, base: str, **options: Any) -> None:
    """Train a segmenter on descriptions of records, or on the files of a FOLDER (PDF, HTML, DOCX, text).

    The service does not change: name the folder in SONDE_DOCUMENTS__SEGMENTER to put it in service.
    """
    needs_torch("Training a segmenter", "training")
    refuse_existing_output(out, resume=options["resume"])
    settings = load_settings()
    base_folder = trainable_folder(
        locate(base, settings.models.folder, allow_hub=settings.models.allow_hub), settings.models.folder
    )
    texts = [text for source in sources for text in running_texts_of(source, settings)]
    names = ("layers", "window", "max_tokens", "batch", "seed", "device", "threads")
    with report_interrupted(out):
        card = train_segmenter(
            base_folder,
            texts,
            SegmenterSettings(**{name: options[name] for name in names}, learning_rate=options["rate"]),
            budget_of(options),
            Origin(base, licence_of(base, options["base_licence"]), LICENCES, own_commit(), command_line()),
            out,
            held_out=options["held_out"],
            resume=options["resume"],
            report=progress_report("AUC").report_evaluation,
        )
    show_figures(card)
    say(f"{out} is written. `sonde models use {out}` says how to put it in service.")
    if compare is not None:
        _compare(compare, out, settings)


def _compare(folder: Path, out: Path, settings: Settings) -> None:
    """Compares the segmenter with the similarity of embeddings in finding section ends."""
    segmenter_model = load_segmenter(str(out), settings.models.folder)
    similar = embedding_coherence(caching_embedder(settings))
    say(f"{'document':<32} {'ends':>5} {'AUC':>7} {'cosine':>7} {'hits':>7} {'cosine':>7}")
    for name, document in read_files(folder):
        boundaries = boundaries_of(document)
        scores, cosine = section_end_scores(boundaries, segmenter_model), section_end_scores(boundaries, similar)
        if scores is not None and cosine is not None:
            figures = (scores.auc, cosine.auc, scores.hits, cosine.hits)
            say(f"{name:<32} {scores.ends:>5} " + " ".join(f"{figure:>7.3f}" for figure in figures))


@click.command("tagger")
@click.option(
    "--from", "sources", multiple=True, metavar="samples|SOURCE|FOLDER", help="Records with names of your own."
)
@click.option("--out", required=True, type=FOLDER, help="The model's folder.")
@shown("--questions", 24_000, type=click.IntRange(1))
@shown("--epochs", 5, type=click.IntRange(1))
@shown("--seed", 0, type=int)
def tagger(*, sources: tuple[str, ...], out: Path, questions: int, epochs: int, seed: int) -> None:
    """Train a tagger on questions made from the gazetteer, the vocabulary and your records' keywords and contacts.

    A minute or two on one core. The service does not change: name the folder in SONDE_MODELS__TAGGER.
    """
    needs_torch("Training a tagger", "training")
    refuse_existing_output(out, resume=False)
    settings = load_settings()
    records = [record for source in sources for record in records_from(source, settings)]
    names = CatalogueNames.of_records(records, [(source, LICENCES.get(source, UNKNOWN)) for source in sources])
    from training.tagger.learn import TaggerSettings, train_tagger

    card = train_tagger(
        names,
        TaggerSettings(questions, epochs=epochs, seed=seed),
        Origin("nothing", "Apache-2.0", LICENCES, own_commit(), shlex.join(["sonde", *sys.argv[1:]])),
        out,
        lambda sentence: say(sentence, err=True),
    )
    show_figures(card)
    say(f"{out} is written.")


COMMANDS = (segmenter, tagger)
