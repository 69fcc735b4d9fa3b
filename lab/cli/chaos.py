"""`sonde chaos`: faults on purpose. Here: what misbehaving and large catalogues do to the index."""

from __future__ import annotations

import os
import sys
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from core.errors import SondeError
from es_gateway.client import Elasticsearch
from es_mappings.indices import ensure_without_vectors
from es_mappings.names import IndexKind, concrete
from indexer.parts import HarvestParts
from lab.chaos.harvests import ChaosRun
from lab.chaos.harvests import chaos as run_chaos
from lab.chaos.volume import TRIPLES, Volume, read_catalogue
from lab.chaos.volume import volume as run_volume
from lab.cli.chaos_attacks import documents, hostile, malformed
from lab.cli.chaos_cluster import cluster, reindex, soak
from sonde.cli.screen import messages, screen
from sonde.ops.measured import write_measurement
from sonde.ops.temporary_node import temporary_node
from sonde.settings import load_settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.harvesting import HARVEST_TIMEOUT_S

_KINDS: tuple[IndexKind, ...] = ("records", "natives", "ledger", "runs")


@contextmanager
def throwaway(client: Elasticsearch) -> Iterator[str]:
    """The prefix, with the indices that a harvest needs."""
    prefix = f"sonde-chaos-{uuid.uuid4().hex[:12]}"
    ensure_without_vectors(client, prefix, _KINDS)
    try:
        yield prefix
    finally:
        for kind in _KINDS:
            client.options(ignore_status=404).indices.delete(index=concrete(prefix, kind, 1))


@click.command()
@click.option("--records", type=click.IntRange(1, 10_000_000), default=100_000, show_default=True)
@click.option("--turtle", is_flag=True, help="Only read that many data sets of a DCAT catalogue in Turtle.")
def volume(*, records: int, turtle: bool) -> None:
    """Harvest a made-up CSW of many records twice, without vectors, into throw-away indices of the running node.

    If none runs, the command starts one. Exit code 1 if the records after a run differ from the catalogue's.
    """
    if turtle:
        show_turtle(screen(), records)
        return
    with temporary_node(load_settings(), messages().print) as settings:
        client = elasticsearch_client(settings, timeout_s=HARVEST_TIMEOUT_S, retry=True)
        with throwaway(client) as prefix:
            runs = list(run_volume(HarvestParts(client, prefix), records))
    show_volumes(screen(), runs)
    if not all(run.right for run in runs):
        sys.exit(1)


def show_turtle(console: Console, records: int) -> None:
    """From the bytes of one answer to records with their hashes; needs no node."""
    reading = read_catalogue(records)
    speed = f"{reading.records / reading.cpu_s:.0f} per CPU s"
    console.print(f"{reading.records} data sets of {TRIPLES} triples in {reading.cpu_s:.1f} CPU s: {speed}")
    console.print(_load())
    if reading.records != records:
        sys.exit(1)


def show_volumes(console: Console, runs: list[Volume]) -> None:
    """``read/s``: records fetched, parsed and planned in a second of the time that this took."""
    table = Table(box=None, pad_edge=False)
    for head in ("run", "state", "there", "s", "/s", "CPU s", "per CPU s", "read/s", "peak MiB"):
        table.add_column(head, justify="left" if head in ("run", "state") else "right")
    for run in runs:
        rates = (run.records / run.seconds, run.cpu_s, run.records / run.cpu_s, run.records / run.read_s)
        table.add_row(
            run.run,
            run.state,
            str(run.in_service),
            f"{run.seconds:.0f}",
            *(f"{rate:.0f}" for rate in rates),
            f"{run.peak_mib:.0f}",
        )
    console.print(table)
    console.print(_load())


def _load() -> str:
    return f"load average {', '.join(f'{load:.1f}' for load in os.getloadavg())} on {os.cpu_count()} cores"


@click.group(invoke_without_command=True)
@click.option("--all", "everything", is_flag=True, help="Run every trial, one after the other, in its usual size.")
@click.pass_context
def chaos(context: click.Context, *, everything: bool) -> None:
    """Cause faults on purpose, and check the results."""
    if context.invoked_subcommand is None and not everything:
        click.echo(context.get_help())
    wrong = 0
    for command in chaos.commands.values() if everything else ():
        try:
            context.invoke(command)
        except SystemExit:  # the others are worth knowing all the same
            wrong += 1
        except SondeError as error:
            click.echo(f"{command.name}: {error}", err=True)
            wrong += 1
    if wrong:
        sys.exit(1)


@chaos.command()
@click.option("--runs", type=click.IntRange(1, 10_000), default=100, show_default=True)
@click.option("--records", type=click.IntRange(10, 100_000), default=1000, show_default=True)
@click.option(
    "--share", type=click.FloatRange(0, 0.9), default=0.3, show_default=True, help="Share of damaged answers."
)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--json", "into", type=click.Path(dir_okay=False, path_type=Path), help="Also write the results here.")
def harvest(*, runs: int, records: int, share: float, seed: int, into: Path | None) -> None:
    """Harvest a changing catalogue through a proxy that damages answers, in throw-away indices of the running node.

    If none runs, the command starts one.

    Exit code 1 if the records after a run differ from the catalogue's.
    """
    progress = messages()
    outcomes: list[ChaosRun] = []
    with ExitStack() as after:
        settings = after.enter_context(temporary_node(load_settings(), progress.print))
        client = elasticsearch_client(settings, timeout_s=HARVEST_TIMEOUT_S, retry=True)
        prefix = after.enter_context(throwaway(client))
        for outcome in run_chaos(HarvestParts(client, prefix), runs, records=records, seed=seed, share=share):
            outcomes.append(outcome)
            if into is not None:
                write_measurement(into, {"runs": [asdict(run_outcome) for run_outcome in outcomes]})
            verdict = "right" if outcome.right else f"WRONG: {outcome}"
            progress.print(f"run {outcome.run}: {verdict} after {outcome.tries} tries, {outcome.seconds:.1f} s")
    show_runs(screen(), outcomes)
    if not all(outcome.right for outcome in outcomes):
        sys.exit(1)


def show_runs(console: Console, outcomes: list[ChaosRun]) -> None:
    """Sums over all runs, and how often each fault was met."""
    table = Table(box=None, pad_edge=False)
    for column in ("runs", "right", "lost", "doubled", "wrong", "taken up again", "requests", "spoilt", "seconds"):
        table.add_column(column, justify="right")
    faults: Counter[str] = Counter()
    for outcome in outcomes:
        faults.update(outcome.faults)
    table.add_row(
        str(len(outcomes)),
        str(sum(outcome.right for outcome in outcomes)),
        str(sum(outcome.lost for outcome in outcomes)),
        str(sum(outcome.doubled for outcome in outcomes)),
        str(sum(outcome.wrong for outcome in outcomes)),
        str(sum(outcome.tries - 1 for outcome in outcomes)),
        str(sum(outcome.requests for outcome in outcomes)),
        str(faults.total()),
        f"{sum(outcome.seconds for outcome in outcomes):.0f}",
    )
    console.print(table)
    console.print(", ".join(f"{name} {number}" for name, number in sorted(faults.items())))


chaos.add_command(cluster)

chaos.add_command(documents)

chaos.add_command(hostile)

chaos.add_command(malformed)

chaos.add_command(reindex)

chaos.add_command(soak)

chaos.add_command(volume)

COMMANDS = (chaos,)
