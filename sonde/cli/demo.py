"""`sonde demo`: everything on this machine, the samples, and a few example searches."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import click

from core.errors import SondeError
from sonde.cli.screen import screen
from sonde.cli.stack import show, start_stack
from sonde.settings import load_settings

_FILE = Path(__file__).resolve()
_SAMPLES = (_FILE.parents[2] / "samples" / "records", _FILE.parents[1] / "sample_records")
"""In a checkout, and in an installed package."""
_FIRST_SEARCHES = "sonde.cli.first_searches"
"""Loaded while the servers start: it imports most of Sonde, and the first time Python compiles that for seconds."""


@click.command()
def demo() -> None:
    """Start everything, harvest samples/, run a few searches and keep running; `sonde down` stops it."""
    started = time.monotonic()
    console = screen()
    samples = next((folder for folder in _SAMPLES if folder.is_dir()), None)
    if samples is None:
        raise SondeError(f"The sample records are missing: {_SAMPLES[1]}. Install Sonde again.")
    with ThreadPoolExecutor(1) as pool:
        loading = pool.submit(import_module, _FIRST_SEARCHES)
        show(console, start_stack(console))
        loading.result().harvest_and_search(console, samples)
    console.print(
        f"\nReady after {time.monotonic() - started:.0f} s. Search at {load_settings().api_url}/ ; "
        "`sonde down` ends it (in a checkout `make down`)."
    )


COMMANDS = (demo,)
