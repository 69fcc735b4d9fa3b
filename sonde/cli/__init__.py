"""The command line: one file per group of commands."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping

import click

from core.errors import SondeError
from sonde import __version__
from sonde.cli.lazy_group import LazyGroup, added_commands

TASKS: Mapping[str, Mapping[str, str]] = {
    "Run Sonde on this machine": {
        "up": "Start Elasticsearch, Valkey, a worker, beat and the API.",
        "down": "End what `up` started.",
        "status": "Which parts run, and where.",
        "demo": "Start everything, harvest the samples, and show a few searches.",
        "doctor": "Look at every part of an installation and say what to mend.",
    },
    "Bring data in": {
        "sources": "List catalogues, add one, and report on the quality of its records.",
        "harvest": "Bring records of catalogues or files into the index.",
        "ingest": "Read documents (PDF, HTML, DOCX, text) and index their passages.",
        "formats": "Survey a folder of metadata: formats, gaps, and what cannot be read.",
    },
    "Search and ask": {
        "search": "Search the running service.",
        "ask": "Ask the indexed documents; the answer cites page and section.",
        "mcp": "Serve the Model Context Protocol, for an agent on this machine.",
    },
    "Look after an installation": {
        "plan": "Say what memory, disk and processes a catalogue of a size needs.",
        "backup": "Take and restore snapshots of all indices.",
        "keys": "Make, list and revoke API keys.",
        "vocabulary": "Load vocabularies whose synonyms widen a search.",
        "models": "List, fetch and check models.",
        "reindex": "Build the index for another model or version beside the serving one, and switch.",
    },
    "Measure and train": {
        "evaluate": "Measure the search on a judged collection.",
        "ask-evaluate": "Measure answers on a judged collection.",
        "ask-questions": "Make test questions from one's own documents.",
        "judge": "Grade what runs found, question by question.",
        "train": "Train models on the records of a catalogue.",
    },
    "Laboratory (in a checkout)": {
        "bench": "Measure harvest, embedding and search.",
        "load": "Search as many clients at once would.",
        "simulate": "Let simulated people search, and see what the ranking learns.",
        "drill": "Cause faults of operation, and show how each is noticed and repaired.",
        "chaos": "Break things on purpose, and check what is right afterwards.",
    },
}
"""Commands by task; a test compares them with the existing commands."""


_NEEDS_NO_LOGS = ("-h", "--help", "--version")
EXIT_USER_ERROR = 2
"""An error that a person can fix; the message on standard error explains it."""


MODULES = {
    "up": "sonde.cli.stack",
    "down": "sonde.cli.stack",
    "status": "sonde.cli.stack",
    "harvest": "sonde.cli.catalogue",
    "search": "sonde.cli.search",
    "mcp": "sonde.cli.search",
    "sources": "sonde.cli.sources",
    "vocabulary": "sonde.cli.vocabulary",
    "demo": "sonde.cli.demo",
    "ingest": "sonde.cli.documents",
    "ask": "sonde.cli.documents",
    "formats": "sonde.cli.formats",
    "reindex": "sonde.cli.reindex",
    "doctor": "sonde.cli.doctor",
    "plan": "sonde.cli.plan",
    "evaluate": "sonde.cli.evaluate",
    "judge": "sonde.cli.judge",
    "ask-evaluate": "sonde.cli.ask_evaluate",
    "ask-questions": "sonde.cli.ask_evaluate",
    "keys": "sonde.cli.keys",
    "backup": "sonde.cli.backup",
    "models": "sonde.cli.models",
    "train": "sonde.cli.train",
}
"""The module of each command; other packages may add more (see laboratory.py)."""


@click.group(
    cls=LazyGroup,
    modules=MODULES,
    added=added_commands,
    tasks=TASKS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="sonde")
def cli() -> None:
    """Sonde: search for geoscience and environmental data catalogues.

    Settings are environment variables, SONDE_ELASTICSEARCH__URL for example; docs/operators/settings.md lists them.
    Exit codes: 0 done, 1 done but with named failures, 2 not possible, with the reason.
    """


def main() -> None:
    """The console script: an error that a user can fix is one sentence, not a traceback."""
    if sys.argv[1:2] and sys.argv[1] not in _NEEDS_NO_LOGS:
        _log_to_standard_error()
    try:
        cli()  # commands read the settings, so that --help works with any settings
    except SondeError as error:
        from sonde.cli.screen import say

        say(f"sonde: {error}", err=True)
        sys.exit(EXIT_USER_ERROR)


def _log_to_standard_error() -> None:
    """Standard output has only the result of a command; a node that is away is skipped, without a traceback."""
    from sonde.settings import LogSettings
    from sonde.telemetry.logs import configure_logs

    configure_logs(LogSettings(level="WARNING"))
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)
