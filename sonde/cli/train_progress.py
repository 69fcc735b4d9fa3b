"""What every training command takes and shows: the options of its course, its progress, and the resulting model."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import click

from core.json_types import Json
from encoders.model_card import ModelCard
from sonde.cli.screen import ended_by_signals, say
from sonde.wiring.training.run import TrainingReporter
from training.loop import Checkpoints, HeldOutEvaluation, TrainingBudget

F = TypeVar("F", bound=Callable[..., None])
ABOVE_0 = click.FloatRange(min=0, min_open=True)


def course_options(
    *, minutes: float, look_every: int, held_out: float, max_tokens: int, least_batch: int = 2
) -> Callable[[F], F]:
    """Adds the options of a training's course, with these defaults, and the folder of its model."""
    folder = click.Path(path_type=Path, file_okay=False)
    options = (
        click.option("--out", required=True, type=folder, help="The model's folder."),
        click.option("--base-licence", help="Licence of the base, for the card. Default: the known one."),
        click.option("--minutes", type=ABOVE_0, default=minutes, show_default=True),
        click.option(
            "--steps", type=click.IntRange(1), default=100_000, help="Stop after N steps: the same model again."
        ),
        click.option(
            "--look-every",
            type=click.IntRange(1),
            default=look_every,
            show_default=True,
            help="Steps between checkpoints.",
        ),
        click.option(
            "--batch", type=click.IntRange(least_batch), default=32, show_default=True, help="Examples of a step."
        ),
        click.option("--max-tokens", type=click.IntRange(8, 512), default=max_tokens, show_default=True),
        click.option("--held-out", type=click.FloatRange(0, 0.9), default=held_out, show_default=True),
        click.option("--seed", type=int, default=0, show_default=True),
        click.option("--device", default="cpu", show_default=True),
        click.option("--threads", type=click.IntRange(0), default=0, help="0: all cores."),
        click.option("--resume", is_flag=True, help="Continue from the last checkpoint."),
    )

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def budget_of(options: Json) -> TrainingBudget:
    return TrainingBudget(options["minutes"], options["steps"], options["look_every"])


def command_line() -> str:
    """The command as it was given, for the model's card."""
    return shlex.join(["sonde", *sys.argv[1:]])


def progress_report(measure: str) -> TrainingReporter:
    """Lines on standard error: the current step, and the held-out measure at each evaluation."""

    def report_evaluation(evaluation: HeldOutEvaluation) -> None:
        loss = "" if evaluation.loss is None else f", loss {evaluation.loss:.4f}"
        say(f"step {evaluation.step}: held-out {measure} {evaluation.measure:.4f}{loss}", err=True)

    return TrainingReporter(lambda sentence: say(sentence, err=True), report_evaluation)


@contextmanager
def saying_what_is_kept(out: Path) -> Iterator[None]:
    """Ctrl-C and SIGTERM end with a sentence that says what is kept; exit code 130 or 143."""
    try:
        with ended_by_signals():
            yield
    except (KeyboardInterrupt, SystemExit) as end:
        last = Checkpoints.of_output(out).last()
        checkpoint_note = f"The checkpoint {last} is kept; the same command with --resume continues from it."
        say(f"Interrupted. {checkpoint_note if last is not None else 'There is no checkpoint yet.'}", err=True)
        sys.exit(130 if isinstance(end, KeyboardInterrupt) else end.code)


def show_figures(card: ModelCard) -> None:
    """Measures before and after, one per line; or that nothing was learnt, if no evaluation was better than the
    first.
    """
    for measure, value in card.figures.items():
        value_text = f"{value['before']:.4f} -> {value['after']:.4f}" if isinstance(value, dict) else _short(value)
        say(f"{measure:>40} {value_text}")
    if card.figures.get("best step") == 0:
        say("No look was better than the beginning: the weights are the base's. Give it more minutes or text.")


def _short(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
