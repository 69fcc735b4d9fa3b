"""`sonde chaos reindex`: another index in service under load, the way back, and a cold start, each timed."""

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
from lab.cluster.switching import SwitchStep, switching
from lab.cluster.trial import TrialSize
from local_stack.errors import StackError
from sonde.cli.screen import messages, screen


@click.command()
@click.option(
    "--records", type=click.IntRange(100, 100_000), default=5000, show_default=True, help="Records to harvest."
)
@click.option("--nodes", type=click.IntRange(1, 3), default=3, show_default=True, help="Elasticsearch nodes of 512 MB.")
@click.option("--rate", type=click.FloatRange(0.1, 200), default=20.0, show_default=True, help="Searches a second.")
@click.option("--samples", type=click.Path(exists=True, file_okay=False, path_type=Path), default=SAMPLES)
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Work in this folder and keep the logs.")
@click.option("--patience", type=click.FloatRange(60), default=600.0, show_default=True, help="Seconds for a harvest.")
@click.option(
    "--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Also write the result here."
)
def reindex(
    *, records: int, nodes: int, rate: float, samples: Path, keep: Path | None, patience: float, json_file: Path | None
) -> None:
    """Reindex and roll back during searches and a harvest; no search may fail and no write may be lost.

    `sonde reindex --rollback` may take 5 seconds, the API 15 from its start to ready. Starts its own servers and
    services on free ports of this machine, and ends them. Exit code 1 where something of that does not hold.
    """
    progress, before, steps = messages(), machine(), []
    try:
        with (
            working_folder(keep) as folder,
            chaos_cluster(folder, nodes, batch=max(20, min(256, records // 20))) as made,
        ):
            for step in switching(made, queue_only(made), TrialSize(records, rate, patience), samples.resolve()):
                steps.append(step)
                progress.print(
                    f"{step.name}: {'right' if step.right else 'WRONG'}, {step.seconds:.1f} s", highlight=False
                )
    except (StackError, TimeoutError) as error:
        _show_steps(screen(), steps, before)
        raise SondeError(str(error)) from error
    where = {**before, "load after": f"{os.getloadavg()[0]:.1f}"}
    _show_steps(screen(), steps, where)
    if json_file is not None:
        json_file.write_text(
            json.dumps({"machine": where, "steps": [asdict(step) for step in steps]}, indent=1), "utf-8"
        )
    if not all(step.right for step in steps):
        sys.exit(1)


def _show_steps(console: Console, steps: list[SwitchStep], where: dict[str, str]) -> None:
    title = f"{where['cores']} cores, load {where['load before']} before, {os.getloadavg()[0]:.1f} after"
    table = Table(box=None, pad_edge=False, title=title)
    table.add_column("", no_wrap=True)
    for column in ("s", "at most", "written meanwhile", "missing", "strange", "right", "degraded", "refused", "bad"):
        table.add_column(column, justify="right")
    for one in steps:
        count = [one.searches.get(name, 0) for name in ("right", "degraded", "refused")]
        bad = sum(one.searches.get(name, 0) for name in ("unmarked", "failed"))
        limit = "-" if one.at_most_s is None else f"{one.at_most_s:.0f}"
        numbers = [one.meanwhile, one.missing, one.strange, *count, bad]
        table.add_row(one.name, f"{one.seconds:.1f}", limit, *map(str, numbers))
    console.print(table)
    for one in steps:
        if one.trouble:
            console.print(f"{one.name}: {one.trouble}", highlight=False)
