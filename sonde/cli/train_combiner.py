"""`sonde train combiner`: how signals become one score, learnt from judged questions."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from core.errors import SondeError
from sonde.cli.screen import say
from sonde.cli.train_shown import show_figures
from sonde.settings import load_settings
from sonde.wiring.training.combiner import RANKING, CombinerRequest, run_combiner
from training.combiner.fit import FitSettings

_READABLE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command("combiner")
@click.option("--collection", "collections", multiple=True, metavar="NAME", help="Learn on its train half; repeatable.")
@click.option("--queries", type=_READABLE, help="Judged questions about your records: JSON lines of _id, text.")
@click.option("--qrels", type=_READABLE, help="Their judgements, which name your records by id.")
@click.option("--usage", is_flag=True, help="Learn from what people opened (SONDE_QUERIES__KEEP=full).")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("combiner"), show_default=True)
@click.option(
    "--shared", type=click.Path(path_type=Path, file_okay=False), envvar="SONDE_SHARED", help="Shared data folder."
)
@click.option(
    "--least-gain",
    type=click.FloatRange(0.0, 0.1),
    default=FitSettings().least_gain,
    show_default=True,
    help="Of nDCG@10: a change that brings less is not made.",
)
@click.option("--folds", type=click.IntRange(2, 20), default=FitSettings().folds, show_default=True)
@click.option("--seed", type=int, default=FitSettings().seed, show_default=True)
def combiner(
    *,
    collections: tuple[str, ...],
    queries: Path | None,
    qrels: Path | None,
    usage: bool,
    out: Path,
    shared: Path | None,
    least_gain: float,
    folds: int,
    seed: int,
) -> None:
    """Learn how signals become one score. Writes a ranking configuration only if it is better than the weighted sum.

    Better means: on questions that the model had not seen (cross-validation), by more than chance (p < .01), and on no
    collection by more than .005 worse. Exit code 1 if it is not; the card then says by how much.
    """
    if (queries is None) != (qrels is None):
        raise SondeError("Give --queries and --qrels together.")
    command = shlex.join(["sonde", *sys.argv[1:]])
    fit = FitSettings(least_gain=least_gain, folds=folds, seed=seed)
    request = CombinerRequest(out, collections, queries, qrels, usage, shared, command, fit)
    card, refused = run_combiner(load_settings(), request, lambda sentence: say(sentence, err=True))
    show_figures(card)
    if refused:
        say(f"Not better: {refused}. {out} holds the card, and no configuration.", err=True)
        sys.exit(1)
    say(f"{out / RANKING} is written: SONDE_RANKING__CONFIG={(out / RANKING).resolve()} puts it in service.")


COMMANDS = (combiner,)
