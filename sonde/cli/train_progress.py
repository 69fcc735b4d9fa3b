"""Shows the progress of a training, and the resulting model."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from encoders.model_card import ModelCard
from sonde.cli.screen import say
from sonde.cli.signals import ended_by_signals
from sonde.wiring.training.run import TrainingReporter
from training.loop import Checkpoints, HeldOutEvaluation


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
