"""Shows the progress of a training, and the resulting model."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from encoders.model_card import ModelCard
from sonde.cli.screen import say
from sonde.cli.signals import ended_by_signals
from sonde.wiring.training.run import Told
from training.loop import Checkpoints, HeldOutEvaluation


def progress_report(measure: str) -> Told:
    """Lines on standard error: the current step, and the held-out measure at each evaluation."""

    def look(found: HeldOutEvaluation) -> None:
        loss = "" if found.loss is None else f", loss {found.loss:.4f}"
        say(f"step {found.step}: held-out {measure} {found.measure:.4f}{loss}", err=True)

    return Told(lambda sentence: say(sentence, err=True), look)


@contextmanager
def kept_when_interrupted(out: Path) -> Iterator[None]:
    """Ctrl-C and SIGTERM end with a sentence that says what is kept; exit code 130 or 143."""
    try:
        with ended_by_signals():
            yield
    except (KeyboardInterrupt, SystemExit) as end:
        last = Checkpoints.of_output(out).last()
        kept = f"The checkpoint {last} is kept; the same command with --resume continues from it."
        say(f"Interrupted. {kept if last is not None else 'There is no checkpoint yet.'}", err=True)
        sys.exit(130 if isinstance(end, KeyboardInterrupt) else end.code)


def show_figures(card: ModelCard) -> None:
    """Measures before and after, one per line; or that nothing was learnt, if no evaluation was better than the
    first.
    """
    for measure, value in card.figures.items():
        shown = f"{value['before']:.4f} -> {value['after']:.4f}" if isinstance(value, dict) else _short(value)
        say(f"{measure:>40} {shown}")
    if card.figures.get("best step") == 0:
        say("No look was better than the beginning: the weights are the base's. Give it more minutes or text.")


def _short(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
