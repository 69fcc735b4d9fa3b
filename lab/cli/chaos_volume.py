"""`sonde chaos volume`: a large source, and what it costs."""

from __future__ import annotations

import os
import sys

import click
from rich.console import Console
from rich.table import Table

from indexer.harvest.parts import Parts
from lab.chaos.turtle import TRIPLES, read_catalogue
from lab.chaos.volume import Volume
from lab.chaos.volume import volume as run_volume
from lab.cli.throwaway import throwaway
from sonde.cli.screen import messages, screen
from sonde.ops.temporary_node import temporary_node
from sonde.settings import load_settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.harvesting import HARVEST_TIMEOUT_S


@click.command()
@click.option("--records", type=click.IntRange(1, 10_000_000), default=100_000, show_default=True)
@click.option("--turtle", is_flag=True, help="Only read that many data sets of a DCAT catalogue in Turtle.")
def volume(*, records: int, turtle: bool) -> None:
    """Harvest a made-up CSW of many records twice, without vectors, into throw-away indices of the running node.

    Where none runs one is started for it. Exit code 1 where a run ended with other records than the catalogue's.
    """
    if turtle:
        show_turtle(screen(), records)
        return
    with temporary_node(load_settings(), messages().print) as settings:
        client = elasticsearch_client(settings, timeout_s=HARVEST_TIMEOUT_S, retry=True)
        with throwaway(client) as prefix:
            found = list(run_volume(Parts(client, prefix), records))
    show_volumes(screen(), found)
    if not all(one.right for one in found):
        sys.exit(1)


def show_turtle(console: Console, records: int) -> None:
    """From the bytes of one answer to records with their hashes; needs no node."""
    done = read_catalogue(records)
    speed = f"{done.records / done.cpu_s:.0f} per CPU s"
    console.print(f"{done.records} data sets of {TRIPLES} triples in {done.cpu_s:.1f} CPU s: {speed}")
    console.print(_load())
    if done.records != records:
        sys.exit(1)


def show_volumes(console: Console, found: list[Volume]) -> None:
    """``read/s``: records fetched, parsed and planned in a second of the time that this took."""
    table = Table(box=None, pad_edge=False)
    for head in ("run", "state", "there", "s", "/s", "CPU s", "per CPU s", "read/s", "peak MiB"):
        table.add_column(head, justify="left" if head in ("run", "state") else "right")
    for one in found:
        rates = (one.records / one.seconds, one.cpu_s, one.records / one.cpu_s, one.records / one.read_s)
        table.add_row(
            one.run,
            one.state,
            str(one.in_service),
            f"{one.seconds:.0f}",
            *(f"{rate:.0f}" for rate in rates),
            f"{one.peak_mib:.0f}",
        )
    console.print(table)
    console.print(_load())


def _load() -> str:
    return f"load average {', '.join(f'{load:.1f}' for load in os.getloadavg())} on {os.cpu_count()} cores"
