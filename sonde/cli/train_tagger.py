"""`sonde train tagger`: learns to label the words of questions, from questions that it makes."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from encoders.imports import needs_torch
from sonde.cli.screen import say
from sonde.cli.train_progress import show_figures
from sonde.settings import load_settings
from sonde.wiring.checkout import own_commit
from sonde.wiring.training.corpora import LICENCES, records_from
from sonde.wiring.training.run import refuse_existing_output
from training.provenance import UNKNOWN, Origin
from training.tagger.names import CatalogueNames


@click.command("tagger")
@click.option(
    "--from", "sources", multiple=True, metavar="samples|SOURCE|FOLDER", help="Records with names of your own."
)
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="The model's folder.")
@click.option("--questions", type=click.IntRange(1), default=24_000, show_default=True)
@click.option("--epochs", type=click.IntRange(1), default=5, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
def tagger(*, sources: tuple[str, ...], out: Path, questions: int, epochs: int, seed: int) -> None:
    """Train a tagger on questions made from the gazetteer, the vocabulary and your records' keywords and contacts.

    A minute or two on one core. The service does not change: name the folder in SONDE_MODELS__TAGGER.
    """
    needs_torch("Training a tagger", "training")
    refuse_existing_output(out, resume=False)
    settings = load_settings()
    records = [record for source in sources for record in records_from(source, settings)]
    names = CatalogueNames.of_records(records, [(source, LICENCES.get(source, UNKNOWN)) for source in sources])
    from training.tagger.learn import TaggerSettings, train_tagger

    card = train_tagger(
        names,
        TaggerSettings(questions, epochs=epochs, seed=seed),
        Origin("nothing", "Apache-2.0", LICENCES, own_commit(), shlex.join(["sonde", *sys.argv[1:]])),
        out,
        lambda sentence: say(sentence, err=True),
    )
    show_figures(card)
    say(f"{out} is written.")


COMMANDS = (tagger,)
