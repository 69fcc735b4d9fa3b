"""The command line: one file per group of commands."""

from __future__ import annotations

import sys

import click

from core.errors import SondeError
from sonde import __version__
from sonde.cli import (
    ask_evaluate,
    bench,
    catalogue,
    chaos,
    demo,
    doctor,
    documents,
    evaluate,
    formats,
    judge,
    keys,
    load,
    models,
    reindex,
    search,
    sources,
    stack,
    train,
    vocabulary,
)
from sonde.logs import configure_logs
from sonde.settings import LogSettings

EXIT_MENDABLE = 2
"""Something that a person can mend; the sentence on standard error says what."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sonde")
def cli() -> None:
    """Sonde: search for geoscience and environmental data catalogues.

    Settings are environment variables, SONDE_ELASTICSEARCH__URL for example; docs/settings.md lists them.
    Exit codes: 0 done, 1 done but with failures that were named, 2 not possible, with the reason.
    """


for command in (
    *stack.COMMANDS,
    *catalogue.COMMANDS,
    *chaos.COMMANDS,
    *search.COMMANDS,
    *sources.COMMANDS,
    *vocabulary.COMMANDS,
    *demo.COMMANDS,
    *documents.COMMANDS,
    *formats.COMMANDS,
    *bench.COMMANDS,
    *load.COMMANDS,
    *reindex.COMMANDS,
    *doctor.COMMANDS,
    *evaluate.COMMANDS,
    *judge.COMMANDS,
    *ask_evaluate.COMMANDS,
    *keys.COMMANDS,
    *models.COMMANDS,
    *train.COMMANDS,
):
    cli.add_command(command)


def main() -> None:
    """The console script: a mendable error is one sentence, not a traceback."""
    configure_logs(LogSettings(level="WARNING"))  # to standard error: what a command prints is its answer alone
    try:
        cli()  # settings are read by the commands, so that --help works whatever they are
    except SondeError as error:
        click.echo(f"sonde: {error}", err=True)
        sys.exit(EXIT_MENDABLE)
