"""`sonde train examples | teach`: makes training examples once, so that they can be inspected before training."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from sonde.cli.screen import say
from sonde.cli.train_sources import fed, sources_of
from sonde.settings import load_settings
from sonde.wiring.training.examples import examples_from
from sonde.wiring.training.run import teacher_of
from training.examples import read_examples, write_examples
from training.teaching import with_teacher_scores

_OUT = click.Path(path_type=Path, dir_okay=False)


@click.command("examples")
@fed
@click.option("--out", required=True, type=_OUT, help="The file of examples (.jsonl).")
@click.option("--mined", type=click.IntRange(1), default=16, show_default=True, help="Hard negatives of a question.")
@click.option("--seed", type=int, default=0, show_default=True)
def examples(*, out: Path, mined: int, seed: int, **given: object) -> None:
    """Write questions with their answers and hard negatives, for `sonde train embedder --from FILE`.

    Answers of a language model are stored beside FILE until it is written: if the endpoint fails, the same command
    continues where it stopped.
    """
    sources, kept = sources_of(given, count=mined, seed=seed), _kept(out)
    found = examples_from(sources, load_settings(), kept / "said.jsonl", lambda said: say(said, err=True))
    say(f"{out}: {write_examples(out, found)} examples")
    shutil.rmtree(kept, ignore_errors=True)


@click.command("teach")
@click.option(
    "--from", "source", required=True, type=click.Path(path_type=Path, exists=True), help="Examples (.jsonl)."
)
@click.option("--teacher", required=True, metavar="RERANKER", help="A folder or hub id of a cross-encoder.")
@click.option("--out", required=True, type=_OUT, help="The examples with the teacher's scores.")
def teach(*, source: Path, teacher: str, out: Path) -> None:
    """Write a teacher's scores beside examples, for `sonde train embedder --loss margin_mse` (GPL).

    Scores are stored beside FILE as they arrive: after an interruption the same command continues.
    """
    model, found, kept = teacher_of(load_settings(), teacher), read_examples(source), _kept(out)
    with click.progressbar(length=len(found), label="scoring", file=sys.stderr) as bar:
        scored = with_teacher_scores(found, model, kept, lambda done, _: bar.update(done - bar.pos))
    say(f"{out}: {write_examples(out, scored)} examples with the scores of {teacher}")
    shutil.rmtree(kept, ignore_errors=True)


def _kept(out: Path) -> Path:
    return out.parent / f".{out.name}.asked"


COMMANDS = (examples, teach)
