"""`sonde chaos soak`: whether the service holds more and more while it works."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from core.errors import SondeError
from lab.benchmarks.machine import machine
from lab.cli.chaos_cluster import SAMPLES, queue_only, working_folder
from lab.cluster.chaos_cluster import chaos_cluster
from lab.cluster.soak import SoakPlan, SoakResult
from lab.cluster.soak import soak as run_soak
from local_stack.errors import StackError
from sonde.cli.screen import messages, screen


@click.command()
@click.option("--minutes", type=click.FloatRange(0.5, 24 * 60), default=20.0, show_default=True)
@click.option("--rate", type=click.FloatRange(0.1, 200), default=20.0, show_default=True, help="Searches a second.")
@click.option(
    "--records", type=click.IntRange(10, 100_000), default=500, show_default=True, help="Records in each harvest."
)
@click.option("--samples", type=click.Path(exists=True, file_okay=False, path_type=Path), default=SAMPLES)
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Work in this folder and keep the logs.")
@click.option(
    "--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Also write the result here."
)
def soak(
    *, minutes: float, rate: float, records: int, samples: Path, keep: Path | None, json_file: Path | None
) -> None:
    """Search and harvest without a pause, and check that memory and file handles of API, worker and beat stay flat.

    Compared are the second quarter of the time and the last. Starts its own Elasticsearch node, Valkey, worker, beat
    and API on free ports of this machine, and ends them. Exit code 1 where something grew or a search failed.
    """
    progress, before = messages(), machine()
    course = SoakPlan(minutes, rate, records, sample_every_s=min(5.0, minutes * 60.0 / 16))
    try:
        with working_folder(keep) as folder, chaos_cluster(folder, nodes=1) as made:
            done = run_soak(made, queue_only(made), course, samples.resolve(), lambda text: progress.print(text))
    except StackError as error:
        raise SondeError(str(error)) from error
    after = f"{os.getloadavg()[0]:.1f}"
    _show_soak(screen(), done, f"{before['cores']} cores, load {before['load before']} before, {after} after")
    if json_file is not None:
        json_file.write_text(
            json.dumps({"machine": {**before, "load after": after}, **asdict(done)}, indent=1), "utf-8"
        )
    if not done.right:
        sys.exit(1)


def _show_soak(console: Console, done: SoakResult, where: str) -> None:
    table = Table(box=None, pad_edge=False, title=where)
    table.add_column("part", no_wrap=True)
    for column in ("MiB, second quarter", "MiB, last quarter", "handles", "handles, last", ""):
        table.add_column(column, justify="right")
    for one in done.trends:
        memory = (f"{one.memory_before:.0f}", f"{one.memory_after:.0f}")
        handles = (f"{one.handles_before:.0f}", f"{one.handles_after:.0f}")
        table.add_row(one.part, *memory, *handles, "flat" if one.flat else "GROWS")
    console.print(table)
    said = ", ".join(f"{number} {verdict}" for verdict, number in sorted(done.searches.items()))
    console.print(f"{done.seconds / 60.0:.1f} minutes; searches: {said}; {done.harvests} harvests", highlight=False)
