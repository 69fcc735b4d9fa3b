"""`sonde train embedder`: an embedder adapted to a catalogue."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import get_args

import click
from rich.console import Console

from sonde.settings import load_settings
from sonde.training_data import LICENCES, examples_from, own_commit
from sonde.training_models import embedder_base, refuse_in_the_way
from training.embedder.settings import EmbedderSettings, LossName, task_instruction
from training.embedder.train import train_embedder
from training.loop import Course, Look
from training.negatives.mine import Mining
from training.provenance import UNKNOWN, Origin
from training.splits import split_by_group


@click.command("embedder")
@click.option("--from", "source", required=True, metavar="samples|SOURCE|FILE", help="Records, or examples (.jsonl).")
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="The model's folder.")
@click.option("--base", default=None, help="What is adapted; else the embedder of the settings.")
@click.option("--base-licence", default=UNKNOWN, help="For the card.")
@click.option("--loss", type=click.Choice(get_args(LossName)), default="infonce", show_default=True)
@click.option("--task", default=None, help="Questions are asked as 'Instruct: TASK, Query: ...'; else the base's way.")
@click.option("--matryoshka", default="", metavar="384,128,64", help="Sizes at which shortened vectors serve too.")
@click.option("--lora", is_flag=True, help="Low-rank adapters (r 8, alpha 16) instead of all weights.")
@click.option("--minutes", type=click.FloatRange(min=0, min_open=True), default=30.0, show_default=True)
@click.option(
    "--steps", type=click.IntRange(1), default=100_000, help="Ends it exactly there: for the same model again."
)
@click.option("--look-every", type=click.IntRange(1), default=100, show_default=True, help="Steps between checkpoints.")
@click.option("--batch", type=click.IntRange(2), default=32, show_default=True)
@click.option("--negatives", type=click.IntRange(0), default=1, show_default=True, help="Hard ones of each question.")
@click.option("--rate", type=click.FloatRange(min=0, min_open=True), default=None, help="2e-5; with --lora 2e-4.")
@click.option("--temperature", type=click.FloatRange(min=0, min_open=True), default=0.05, show_default=True)
@click.option("--max-tokens", type=click.IntRange(8, 512), default=128, show_default=True)
@click.option("--held-out", type=click.FloatRange(0, 0.9), default=0.1, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--device", default="cpu", show_default=True)
@click.option("--threads", type=click.IntRange(0), default=0, help="0: all cores.")
@click.option("--resume", is_flag=True, help="Go on from the last checkpoint.")
def embedder(*, source: str, out: Path, base: str | None, base_licence: str, resume: bool, **given: object) -> None:
    """Adapt an embedder to the records of a source, and measure it before and after on a held-out part.

    Nothing that serves is changed: `sonde models use FOLDER` says how the new model is put in service.
    """
    refuse_in_the_way(out, resume=resume)
    settings, console = load_settings(), Console(stderr=True)
    wanted = _settings(given)
    name = base or settings.embedder.model
    start = embedder_base(name, settings)
    asked = task_instruction(str(given["task"])) if given["task"] else start.instruction
    with console.status("questions and negatives"):
        examples = examples_from(source, settings, Mining(count=max(wanted.negatives, 1), seed=wanted.seed))
    split = split_by_group(examples, float(str(given["held_out"])), wanted.seed)
    console.print(f"{len(split.train)} examples to learn from, {len(split.held_out)} held out", highlight=False)
    card = train_embedder(
        start,
        split,
        _with_instruction(wanted, asked),
        Course(float(str(given["minutes"])), int(str(given["steps"])), int(str(given["look_every"]))),
        Origin(name, base_licence, LICENCES, own_commit(), shlex.join(["sonde", *sys.argv[1:]])),
        out,
        resume=resume,
        told=lambda look: console.print(_line(look), highlight=False),
    )
    for measure, value in card.figures.items():
        shown = f"{value['before']:.4f} -> {value['after']:.4f}" if isinstance(value, dict) else value
        click.echo(f"{measure:>28} {shown}")
    click.echo(f"{out} is written. `sonde models use {out}` says how to put it in service.")


def _settings(given: dict[str, object]) -> EmbedderSettings:
    lora = bool(given["lora"])
    sizes = tuple(int(size) for size in str(given["matryoshka"]).split(",") if size.strip())
    return EmbedderSettings(
        loss="margin_mse" if given["loss"] == "margin_mse" else "infonce",
        temperature=float(str(given["temperature"])),
        matryoshka=sizes,
        lora=lora,
        learning_rate=float(str(given["rate"] or (2e-4 if lora else 2e-5))),
        batch=int(str(given["batch"])),
        negatives=int(str(given["negatives"])),
        max_tokens=int(str(given["max_tokens"])),
        seed=int(str(given["seed"])),
        device=str(given["device"]),
        threads=int(str(given["threads"])),
    )


def _with_instruction(settings: EmbedderSettings, instruction: str) -> EmbedderSettings:
    from dataclasses import replace

    return replace(settings, instruction=instruction)


def _line(look: Look) -> str:
    loss = "" if look.loss is None else f", loss {look.loss:.4f}"
    return f"step {look.step}: held-out RR {look.measure:.4f}{loss}"
