"""`sonde models calibrate`: calibrates a reranker's score on your own texts."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from sonde.cli.options import shown
from sonde.cli.screen import say
from sonde.cli.train_options import source_options, sources_of
from sonde.settings import load_settings
from sonde.wiring.training.corpora import examples_from
from sonde.wiring.training.judged_lists import calibrated_on, keep_calibration, reranker_named
from training.calibration import figures


@click.command("calibrate")
@click.argument("name", metavar="RERANKER")
@source_options
@click.option("--lists", "count", type=click.IntRange(2), default=200, show_default=True, help="Questions asked.")
@shown("--mined", 16, "Hard negatives of a question.", click.IntRange(1))
@shown("--seed", 0, type=int)
@click.option("--dry-run", is_flag=True, help="Print the result and store nothing.")
def calibrate(*, name: str, count: int, mined: int, seed: int, dry_run: bool, **options: object) -> None:
    """Find temperature and offset of RERANKER (a folder or hub id), so that a threshold on its score is meaningful.

    They are stored in the models folder and used by every process that loads the model from then on; a running process
    keeps its old values until it is restarted.
    """
    settings = load_settings()
    model = reranker_named(settings, name)
    sources = sources_of(options, count=mined, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        examples = examples_from(sources, settings, Path(folder) / "said.jsonl", lambda line: say(line, err=True))
    with click.progressbar(length=min(count, len(examples)), label="scoring", file=sys.stderr) as bar:
        calibration, scored_examples = calibrated_on(
            model, examples, count, lambda done_count, _: bar.update(done_count - bar.pos)
        )
    for measure, value in figures(scored_examples).items():
        say(f"{measure:>40} {value:.4f}")
    say(f"{'expected calibration error':>40} {calibration.before:.4f} -> {calibration.error:.4f}")
    say(f"{'temperature':>40} {calibration.temperature:.4f}")
    say(f"{'offset':>40} {calibration.offset:.4f}")
    if not dry_run:
        note = f"{len(scored_examples)} questions of {options['source']}"
        say(f"kept in {keep_calibration(settings, name, calibration, note)}")


COMMANDS = (calibrate,)
