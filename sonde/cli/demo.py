"""`sonde demo`: everything on this machine, the samples, and a few example searches."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click
from rich.console import Console

from core.errors import SondeError
from sonde.cli.catalogue import run_one, show_reports
from sonde.cli.search import ask
from sonde.cli.search import show as show_answer
from sonde.cli.stack import show as show_stack
from sonde.cli.stack import start_stack
from sonde.settings import load_settings
from sonde.wiring.harvesting import Harvester

_QUESTIONS = (
    "rainfall in southern Africa since 1990",
    "greenhouse gas measurements north of Italy since 2010",
    "how much ice has Greenland lost",
)
_SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "records"


@click.command()
def demo() -> None:
    """Start everything, harvest samples/, run a few searches and keep running; `sonde down` stops it."""
    started = time.monotonic()
    console = Console()
    if not _SAMPLES.is_dir():
        raise SondeError(f"{_SAMPLES} is missing: the demo needs a checkout of Sonde, not an installed package.")
    show_stack(console, start_stack(console))
    settings = load_settings()
    reports = [run_one(Console(stderr=True), Harvester(settings), str(_SAMPLES), "samples")]
    show_reports(console, reports)
    if reports[0].state != "complete":
        sys.exit(1)
    for question in _QUESTIONS:
        console.rule(question, align="left")
        show_answer(console, ask(settings.api_url, {"q": question, "limit": 5}))
    console.rule()
    console.print(
        f"Ready after {time.monotonic() - started:.0f} s. Search at {settings.api_url}/ ; `make down` ends it."
    )


COMMANDS = (demo,)
