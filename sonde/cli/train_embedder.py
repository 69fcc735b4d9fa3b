"""`sonde train embedder`: adapts an embedder to a catalogue."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any, get_args

import click

from core.json_types import Json, JsonMapping
from encoders.imports import needs_torch
from sonde.cli.screen import say
from sonde.cli.train_shown import kept_when_interrupted, progress_report, show_figures
from sonde.cli.train_sources import fed, sources_of
from sonde.settings import load_settings
from sonde.wiring.training.run import Request, run_embedder
from training.embedder.encoder import EmbedderTrainingSettings, LossName
from training.examples import TrainingError
from training.loop import TrainingBudget
from training.provenance import UNKNOWN
from training.weights import Precision, quickest

precise = click.option(
    "--precision",
    type=click.Choice(("auto", *get_args(Precision))),
    default="auto",
    show_default=True,
    help="bfloat16 is about three times as fast; auto uses it if the processor supports it.",
)


def precision_of(given: JsonMapping) -> Precision:
    """The precision that ``--precision`` means on the requested ``device``, if any."""
    asked: Precision = given["precision"]
    return quickest(given.get("device", "cpu")) if given["precision"] == "auto" else asked


@click.command("embedder")
@fed
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="The model's folder.")
@click.option("--base", default=None, help="Model to adapt. Default: the embedder of the settings.")
@click.option("--base-licence", default=None, help="Licence of the base, for the card. Default: the known one.")
@click.option("--licence", default=UNKNOWN, help="Licence of the texts, for the card.")
@click.option(
    "--teacher",
    default=None,
    metavar="RERANKER",
    help="A folder or hub id whose scores --loss margin_mse learns. Default: the scores in the examples.",
)
@click.option("--loss", type=click.Choice(get_args(LossName)), default="infonce", show_default=True)
@click.option("--task", default=None, help="Ask as 'Instruct: TASK, Query: ...'. Default: as the base does.")
@click.option("--matryoshka", default="", metavar="384,128,64", help="Sizes of shortened vectors to train too.")
@click.option("--lora", is_flag=True, help="Low-rank adapters (r 8, alpha 16) instead of all weights.")
@click.option(
    "--frozen",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Lowest layers that keep the base's weights, with the word vectors: faster, and less is forgotten.",
)
@click.option("--minutes", type=click.FloatRange(min=0, min_open=True), default=30.0, show_default=True)
@click.option(
    "--steps", type=click.IntRange(1), default=100_000, help="Stop after this many steps, to get the same model again."
)
@click.option("--look-every", type=click.IntRange(1), default=100, show_default=True, help="Steps between checkpoints.")
@click.option("--batch", type=click.IntRange(2), default=32, show_default=True)
@click.option(
    "--negatives", type=click.IntRange(0), default=1, show_default=True, help="Hard negatives of each question."
)
@click.option(
    "--questions-each",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Questions of one text in the same batch; the text is read once for them.",
)
@click.option(
    "--siblings",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Texts of one group (a parent's children) in the same batch, as near misses of each other.",
)
@click.option("--rate", type=click.FloatRange(min=0, min_open=True), default=None, help="2e-5; with --lora 2e-4.")
@click.option("--temperature", type=click.FloatRange(min=0, min_open=True), default=0.05, show_default=True)
@precise
@click.option("--max-tokens", type=click.IntRange(8, 512), default=128, show_default=True)
@click.option("--held-out", type=click.FloatRange(0, 0.9), default=0.1, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--device", default="cpu", show_default=True)
@click.option("--threads", type=click.IntRange(0), default=0, help="0: all cores.")
@click.option("--resume", is_flag=True, help="Continue from the last checkpoint.")
def embedder(*, out: Path, base: str | None, resume: bool, **given: Any) -> None:
    """Adapt an embedder to the records of a source, and measure it before and after on a held-out part.

    The service does not change: `sonde models use FOLDER` explains how to put the new model in service.
    """
    needs_torch("Training an embedder", "training", also=("peft",) if given["lora"] else ())
    settings, wanted = load_settings(), _settings(given)
    request = Request(
        sources=sources_of(given, count=max(wanted.negatives, 1), seed=wanted.seed),
        out=out,
        base=base or settings.embedder.model,
        base_licence=given["base_licence"],
        licence=given["licence"],
        teacher=given["teacher"],
        task=given["task"],
        held_out=given["held_out"],
        command=shlex.join(["sonde", *sys.argv[1:]]),
        resume=resume,
    )
    course = TrainingBudget(given["minutes"], given["steps"], given["look_every"])
    with kept_when_interrupted(out):
        card = run_embedder(settings, request, wanted, course, progress_report("AP@100"))
    show_figures(card)
    say(f"{out} is written. `sonde models use {out}` says how to put it in service.")


def _settings(given: Json) -> EmbedderTrainingSettings:
    lora = given["lora"]
    try:
        sizes = tuple(int(size) for size in given["matryoshka"].split(",") if size.strip())
    except ValueError:
        raise TrainingError(f"--matryoshka {given['matryoshka']!r} is no list of numbers such as 384,128,64.") from None
    return EmbedderTrainingSettings(
        loss=given["loss"],
        temperature=given["temperature"],
        matryoshka=sizes,
        lora=lora,
        frozen=given["frozen"],
        learning_rate=given["rate"] or (2e-4 if lora else 2e-5),
        batch=given["batch"],
        negatives=given["negatives"],
        questions_each=given["questions_each"],
        siblings=given["siblings"],
        max_tokens=given["max_tokens"],
        precision=precision_of(given),
        seed=given["seed"],
        device=given["device"],
        threads=given["threads"],
    )


COMMANDS = (embedder,)
