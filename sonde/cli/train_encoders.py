"""`sonde train embedder` adapts an embedder to a catalogue; `sonde train cross-encoder` makes a reranker from one."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click

from core.json_types import Json, JsonMapping
from encoders.imports import needs_torch
from sonde.cli.options import ABOVE_0, PRESENT_FILE, shown
from sonde.cli.screen import say
from sonde.cli.train_options import (
    budget_of,
    command_line,
    course_options,
    progress_report,
    report_interrupted,
    show_figures,
    source_options,
    sources_of,
)
from sonde.settings import load_settings
from sonde.wiring.training.run import PairSources, Request, run_cross_encoder, run_embedder
from training.cross_encoder.learner import CrossEncoderTrainingSettings
from training.embedder.encoder import EmbedderTrainingSettings, LossName
from training.examples import TrainingError
from training.provenance import UNKNOWN
from training.weights import Precision, fastest_precision

precise = shown(
    "--precision",
    "auto",
    "bfloat16 is about three times as fast; auto uses it if the processor supports it.",
    click.Choice(("auto", *get_args(Precision))),
)


def precision_of(options: JsonMapping) -> Precision:
    """The precision that ``--precision`` means on the requested ``device``, if any."""
    precision: Precision = options["precision"]
    return fastest_precision(options.get("device", "cpu")) if options["precision"] == "auto" else precision


@click.command("embedder")
@source_options
@course_options(minutes=30.0, look_every=100, held_out=0.1, max_tokens=128)
@click.option("--base", default=None, help="Model to adapt. Default: the embedder of the settings.")
@click.option("--licence", default=UNKNOWN, help="Licence of the texts, for the card.")
@click.option(
    "--teacher",
    default=None,
    metavar="RERANKER",
    help="A folder or hub id whose scores --loss margin_mse learns. Default: the scores in the examples.",
)
@shown("--loss", "infonce", type=click.Choice(get_args(LossName)))
@click.option("--task", default=None, help="Ask as 'Instruct: TASK, Query: ...'. Default: as the base does.")
@click.option("--matryoshka", default="", metavar="384,128,64", help="Sizes of shortened vectors to train too.")
@click.option("--lora", is_flag=True, help="Low-rank adapters (r 8, alpha 16) instead of all weights.")
@shown(
    "--frozen",
    0,
    "Lowest layers that keep the base's weights, with the word vectors: faster, and less is forgotten.",
    click.IntRange(0),
)
@shown("--negatives", 1, "Hard negatives of each question.", click.IntRange(0))
@shown(
    "--questions-each", 1, "Questions of one text in the same batch; the text is read once for them.", click.IntRange(1)
)
@shown(
    "--siblings",
    1,
    "Texts of one group (a parent's children) in the same batch, as near misses of each other.",
    click.IntRange(1),
)
@click.option("--rate", type=ABOVE_0, default=None, help="2e-5; with --lora 2e-4.")
@shown("--temperature", 0.05, type=ABOVE_0)
@precise
def embedder(**options: Any) -> None:
    """Adapt an embedder to the records of a source, and measure it before and after on a held-out part.

    The service does not change: `sonde models use FOLDER` explains how to put the new model in service.
    """
    needs_torch("Training an embedder", "training", also=("peft",) if options["lora"] else ())
    settings, training_settings, out = load_settings(), _embedder_settings(options), options["out"]
    request = replace(
        _request(options, options["base"] or settings.embedder.model), teacher=options["teacher"], task=options["task"]
    )
    with report_interrupted(out):
        card = run_embedder(settings, request, training_settings, budget_of(options), progress_report("AP@100"))
    show_figures(card)
    say(f"{out} is written. `sonde models use {out}` says how to put it in service.")


def _request(options: Json, base: str) -> Request:
    return Request(
        sources_of(options, count=max(options["negatives"], 1), seed=options["seed"]),
        options["out"],
        base,
        command=command_line(),
        **{name: options[name] for name in ("base_licence", "licence", "held_out", "resume")},
    )


def _embedder_settings(options: Json) -> EmbedderTrainingSettings:
    lora = options["lora"]
    try:
        sizes = tuple(int(size) for size in options["matryoshka"].split(",") if size.strip())
    except ValueError:
        raise TrainingError(
            f"--matryoshka {options['matryoshka']!r} is no list of numbers such as 384,128,64."
        ) from None
    return EmbedderTrainingSettings(
        matryoshka=sizes,
        learning_rate=options["rate"] or (2e-4 if lora else 2e-5),
        precision=precision_of(options),
        **{name: options[name] for name in ("loss", "temperature", "lora", "frozen", "negatives", "questions_each")},
        **{name: options[name] for name in ("siblings", "batch", "max_tokens", "seed", "device", "threads")},
    )


@click.command("cross-encoder")
@source_options
@course_options(minutes=60.0, look_every=100, held_out=0.2, max_tokens=256)
@click.option(
    "--pairs",
    multiple=True,
    type=PRESENT_FILE,
    help="Pairs to learn too: JSON lines (.gz too) of question, passage, label 0 or 1, group, source. May be repeated.",
)
@shown("--base", "shipped:cross-encoder-minilm-l6", "Cross-encoder to continue, or an embedder that gets a new head.")
@click.option("--licence", default=UNKNOWN, help="Licence of the texts, for the card.")
@shown("--negatives", 3, "Hard negatives of each question.", click.IntRange(1))
@shown("--rate", 2e-5, type=ABOVE_0)
@precise
def cross_encoder(*, pairs: tuple[Path, ...], **options: Any) -> None:
    """Make a reranker that tells whether a text answers a question, from the records of a source.

    Questions come from the texts, wrong answers from words and meaning, and unanswerable twins from another place,
    year, variable, unit or an exclusion. Half of the held-out groups calibrate it. The service does not change.
    """
    needs_torch("Training a cross-encoder", "training")
    settings, out = load_settings(), options["out"]
    names = ("batch", "max_tokens", "seed", "device", "threads")
    training_settings = CrossEncoderTrainingSettings(
        learning_rate=options["rate"], precision=precision_of(options), **{name: options[name] for name in names}
    )
    request, sources = _request(options, options["base"]), PairSources(pairs, options["negatives"])
    with report_interrupted(out):
        report = progress_report("area under the curve")
        card = run_cross_encoder(settings, request, sources, training_settings, budget_of(options), report)
    show_figures(card)
    say(f"{out} is written. SONDE_CROSS_ENCODER__MODEL={out} uses it.")


reranker = copy(cross_encoder)
reranker.name, reranker.short_help = "reranker", "The same as cross-encoder."

COMMANDS = (embedder, cross_encoder, reranker)
