"""`sonde train cross-encoder`: makes a reranker from a catalogue."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from encoders.imports import needs_torch
from sonde.cli.screen import say
from sonde.cli.train_embedder import precise, precision_of
from sonde.cli.train_progress import progress_report, saying_what_is_kept, show_figures
from sonde.cli.train_sources import source_options, sources_of
from sonde.settings import load_settings
from sonde.wiring.training.cross_encoder import PairSources, run_cross_encoder
from sonde.wiring.training.run import Request
from training.cross_encoder.learner import CrossEncoderTrainingSettings
from training.loop import TrainingBudget
from training.provenance import UNKNOWN

_ABOVE_0 = click.FloatRange(min=0, min_open=True)


@click.command("cross-encoder")
@source_options
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="The model's folder.")
@click.option(
    "--pairs",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Pairs to learn too: JSON lines (.gz too) of question, passage, label 0 or 1, group, source. May be repeated.",
)
@click.option(
    "--base",
    default="shipped:cross-encoder-minilm-l6",
    show_default=True,
    help="Cross-encoder to continue, or an embedder that gets a new head.",
)
@click.option("--base-licence", default=None, help="Licence of the base, for the card. Default: the known one.")
@click.option("--licence", default=UNKNOWN, help="Licence of the texts, for the card.")
@click.option("--minutes", type=_ABOVE_0, default=60.0, show_default=True)
@click.option("--steps", type=click.IntRange(1), default=100_000, help="Stop after this many steps.")
@click.option("--look-every", type=click.IntRange(1), default=100, show_default=True, help="Steps between checkpoints.")
@click.option("--batch", type=click.IntRange(2), default=32, show_default=True, help="Pairs of a step.")
@click.option(
    "--negatives", type=click.IntRange(1), default=3, show_default=True, help="Hard negatives of each question."
)
@click.option("--rate", type=_ABOVE_0, default=2e-5, show_default=True)
@precise
@click.option("--max-tokens", type=click.IntRange(8, 512), default=256, show_default=True)
@click.option("--held-out", type=click.FloatRange(0, 0.9), default=0.2, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--device", default="cpu", show_default=True)
@click.option("--threads", type=click.IntRange(0), default=0, help="0: all cores.")
@click.option("--resume", is_flag=True, help="Continue from the last checkpoint.")
def cross_encoder(*, out: Path, pairs: tuple[Path, ...], resume: bool, **options: object) -> None:
    """Make a reranker that tells whether a text answers a question, from the records of a source.

    Questions come from the texts, wrong answers from words and meaning, and unanswerable twins from another place,
    year, variable, unit or an exclusion. Half of the held-out groups calibrate it. The service does not change.
    """
    needs_torch("Training a cross-encoder", "training")
    settings, training_settings = load_settings(), _settings(options)
    negatives = int(str(options["negatives"]))
    request = Request(
        sources=sources_of(options, count=negatives, seed=training_settings.seed),
        out=out,
        base=str(options["base"]),
        base_licence=None if options["base_licence"] is None else str(options["base_licence"]),
        licence=str(options["licence"]),
        held_out=float(str(options["held_out"])),
        command=shlex.join(["sonde", *sys.argv[1:]]),
        resume=resume,
    )
    budget = TrainingBudget(float(str(options["minutes"])), int(str(options["steps"])), int(str(options["look_every"])))
    sources = PairSources(pairs, negatives)
    with saying_what_is_kept(out):
        report = progress_report("area under the curve")
        card = run_cross_encoder(settings, request, sources, training_settings, budget, report)
    show_figures(card)
    say(f"{out} is written. SONDE_CROSS_ENCODER__MODEL={out} uses it.")


def _settings(options: dict[str, object]) -> CrossEncoderTrainingSettings:
    return CrossEncoderTrainingSettings(
        learning_rate=float(str(options["rate"])),
        batch=int(str(options["batch"])),
        max_tokens=int(str(options["max_tokens"])),
        precision=precision_of(options),
        seed=int(str(options["seed"])),
        device=str(options["device"]),
        threads=int(str(options["threads"])),
    )


COMMANDS = (cross_encoder,)
