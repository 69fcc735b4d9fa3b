"""`sonde train reranker`: a small reranker for a catalogue."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any, get_args

import click

from core.json_types import Json
from encoders.imports import needs_torch
from encoders.specs import DEFAULT_EMBEDDER
from sonde.cli.screen import say
from sonde.cli.train_precision import precise, precision_of
from sonde.cli.train_shown import kept_when_interrupted, show_figures, told_on_the_way
from sonde.cli.train_sources import fed, sources_of
from sonde.settings import load_settings
from sonde.wiring.training.run import Request, run_reranker
from training.loop import TrainingBudget
from training.provenance import UNKNOWN
from training.reranker.settings import LossName, RerankerSettings

_WANTED = click.FloatRange(min=0, min_open=True)


@click.command("reranker")
@fed
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="The model's folder. Default: ./reranker-NAME."
)
@click.option("--general", type=click.Path(path_type=Path, exists=True), help="Examples of general text (.jsonl).")
@click.option("--general-share", type=click.FloatRange(0, 0.9), default=0.1, show_default=True)
@click.option("--base", default=DEFAULT_EMBEDDER, show_default=True, help="Encoder whose lower layers are used.")
@click.option("--base-licence", default=None, help="Licence of the base, for the card. Default: the known one.")
@click.option("--licence", default=UNKNOWN, help="Licence of the texts, for the card.")
@click.option("--loss", type=click.Choice(get_args(LossName)), default="listwise", show_default=True)
@click.option(
    "--near-base",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    help="Weight of the distance to the vectors of the whole base (distillation).",
)
@precise
@click.option("--layers", type=click.IntRange(1), default=4, show_default=True, help="Layers of the base, from below.")
@click.option(
    "--learning-layers", type=click.IntRange(0), default=None, help="Number of upper layers that learn. Default: all."
)
@click.option("--minutes", type=_WANTED, default=30.0, show_default=True)
@click.option("--steps", type=click.IntRange(1), default=100_000, help="Stop after N steps, for the same model again.")
@click.option("--look-every", type=click.IntRange(1), default=20, show_default=True, help="Steps between checkpoints.")
@click.option("--batch", type=click.IntRange(1), default=8, show_default=True, help="Questions in a step.")
@click.option("--mined", type=click.IntRange(1), default=16, show_default=True, help="Hard negatives of a question.")
@click.option(
    "--negatives",
    type=click.IntRange(1),
    default=RerankerSettings().negatives,
    show_default=True,
    help="Of these, drawn for a step; the texts of the batch's other questions are negatives too.",
)
@click.option("--rate", type=_WANTED, default=5e-5, show_default=True)
@click.option(
    "--head-rate",
    type=_WANTED,
    default=5e-4,
    show_default=True,
    help="Learning rate of the new layers on top of the base.",
)
@click.option("--max-tokens", type=click.IntRange(8, 512), default=128, show_default=True)
@click.option("--held-out", type=click.FloatRange(0, 0.9), default=0.1, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--threads", type=click.IntRange(0), default=0, help="0: all cores.")
@click.option("--resume", is_flag=True, help="Continue from the last checkpoint.")
def reranker(*, out: Path | None, general: Path | None, base: str, resume: bool, **given: Any) -> None:
    """Train a reranker on the records of a source, and measure it before and after on a held-out part.

    The service does not change: name the folder in SONDE_CROSS_ENCODER__MODEL to put it in service.
    """
    needs_torch("Training a reranker", "training")
    request = Request(
        sources=sources_of(given, count=given["mined"], seed=given["seed"]),
        general=general,
        base=base,
        base_licence=given["base_licence"],
        licence=given["licence"],
        out=out or Path(f"reranker-{Path(given['source']).stem}"),
        held_out=given["held_out"],
        command=shlex.join(["sonde", *sys.argv[1:]]),
        resume=resume,
    )
    course = TrainingBudget(given["minutes"], given["steps"], given["look_every"])
    with kept_when_interrupted(request.out):
        card = run_reranker(load_settings(), request, _settings(given), course, told_on_the_way("nDCG@10"))
    show_figures(card)
    say(f"{request.out} is written. SONDE_CROSS_ENCODER__MODEL={request.out.resolve()} puts it in service.")


def _settings(given: Json) -> RerankerSettings:
    layers, learning = given["layers"], given["learning_layers"]
    return RerankerSettings(
        loss=given["loss"],
        layers=layers,
        learning_layers=layers if learning is None else learning,
        negatives=given["negatives"],
        batch=given["batch"],
        learning_rate=given["rate"],
        head_rate=given["head_rate"],
        max_tokens=given["max_tokens"],
        served_tokens=max(128, given["max_tokens"]),
        question_tokens=min(48, given["max_tokens"]),
        near_base=given["near_base"],
        precision=precision_of(given),
        general_share=given["general_share"],
        seed=given["seed"],
        threads=given["threads"],
    )


COMMANDS = (reranker,)
