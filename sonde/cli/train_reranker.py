"""`sonde train reranker`: a small reranker for a catalogue."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any, get_args

import click
from rich.console import Console

from encoders.specs import DEFAULT_EMBEDDER
from sonde.settings import load_settings
from sonde.training import Request, run_reranker
from training.loop import Course, Look
from training.negatives.mine import Mining
from training.negatives.simans import SimAns
from training.reranker.settings import LossName, RerankerSettings

_WANTED = click.FloatRange(min=0, min_open=True)


@click.command("reranker")
@click.option("--from", "source", required=True, metavar="samples|SOURCE|FILE", help="Records, or examples (.jsonl).")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="The model's folder; else ./reranker-NAME."
)
@click.option("--general", type=click.Path(path_type=Path, exists=True), help="Examples of general text (.jsonl).")
@click.option("--general-share", type=click.FloatRange(0, 0.9), default=0.1, show_default=True)
@click.option("--base", default=DEFAULT_EMBEDDER, show_default=True, help="An encoder whose lower layers are used.")
@click.option("--base-licence", default="not stated", help="For the card.")
@click.option("--loss", type=click.Choice(get_args(LossName)), default="listwise", show_default=True)
@click.option("--layers", type=click.IntRange(1), default=4, show_default=True, help="Of the base, from below.")
@click.option("--learning-layers", type=click.IntRange(0), default=None, help="The upper so many learn; else all.")
@click.option("--minutes", type=_WANTED, default=30.0, show_default=True)
@click.option("--steps", type=click.IntRange(1), default=100_000, help="Ends it exactly there: the same model again.")
@click.option("--look-every", type=click.IntRange(1), default=20, show_default=True, help="Steps between checkpoints.")
@click.option("--batch", type=click.IntRange(1), default=8, show_default=True, help="Questions of a step.")
@click.option("--mined", type=click.IntRange(1), default=16, show_default=True, help="Hard negatives of a question.")
@click.option("--negatives", type=click.IntRange(1), default=16, show_default=True, help="Of these, seen in a step.")
@click.option("--simans-a", type=_WANTED, default=SimAns().a, show_default=True)
@click.option("--simans-b", type=float, default=SimAns().b, show_default=True)
@click.option(
    "--margin", type=float, default=SimAns().margin, show_default=True, help="Above answer - margin: dropped."
)
@click.option("--rate", type=_WANTED, default=5e-5, show_default=True)
@click.option("--head-rate", type=_WANTED, default=5e-4, show_default=True, help="Of what is new on top of the base.")
@click.option("--max-tokens", type=click.IntRange(8, 512), default=128, show_default=True)
@click.option("--held-out", type=click.FloatRange(0, 0.9), default=0.1, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--threads", type=click.IntRange(0), default=0, help="0: all cores.")
@click.option("--resume", is_flag=True, help="Go on from the last checkpoint.")
def reranker(*, source: str, out: Path | None, general: Path | None, base: str, resume: bool, **given: Any) -> None:
    """Train a reranker on the records of a source, and measure it before and after on a held-out part.

    Nothing that serves is changed: name the folder in SONDE_CROSS_ENCODER__MODEL to put it in service.
    """
    console = Console(stderr=True)
    request = Request(
        source=source,
        general=general,
        base=base,
        base_licence=given["base_licence"],
        out=out or Path(f"reranker-{Path(source).stem}"),
        held_out=given["held_out"],
        command=shlex.join(["sonde", *sys.argv[1:]]),
        resume=resume,
    )
    mining = Mining(
        count=given["mined"],
        simans=SimAns(given["simans_a"], given["simans_b"], given["margin"]),
        seed=given["seed"],
    )
    course = Course(given["minutes"], given["steps"], given["look_every"])
    with console.status("questions, negatives, training"):
        card = run_reranker(
            load_settings(), request, _settings(given), course, mining, lambda look: console.print(_line(look))
        )
    for measure, value in card.figures.items():
        shown = f"{value['before']:.4f} -> {value['after']:.4f}" if isinstance(value, dict) else value
        click.echo(f"{measure:>40} {shown}")
    click.echo(f"{request.out} is written. SONDE_CROSS_ENCODER__MODEL={request.out.resolve()} puts it in service.")


def _settings(given: dict[str, Any]) -> RerankerSettings:
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
        general_share=given["general_share"],
        seed=given["seed"],
        threads=given["threads"],
    )


def _line(look: Look) -> str:
    loss = "" if look.loss is None else f", loss {look.loss:.4f}"
    return f"step {look.step}: held-out nDCG@10 {look.measure:.4f}{loss}"
