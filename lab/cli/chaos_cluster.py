"""`sonde chaos cluster`: parts of a whole service killed in turn, on a cluster made for it."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import click
from celery import Celery
from rich.console import Console
from rich.table import Table

from core.errors import SondeError
from lab.benchmarks.machine import machine
from lab.cluster import clock
from lab.cluster.breakages import breakages
from lab.cluster.chaos_cluster import PREFIX, ChaosCluster, chaos_cluster
from lab.cluster.outcome import TrialOutcome
from lab.cluster.trial import TrialSize, trials
from local_stack.errors import StackError
from sonde.cli.screen import messages, screen
from workers.celery_client import celery_client
from workers.config import WorkerConfig

_NAMES = tuple(each.name for each in breakages())
SAMPLES = Path("samples/records")
_COLUMNS = (
    "records",
    "missing",
    "strange",
    "left",
    "right",
    "degraded",
    "refused",
    "none",
    "bad",
    "search s",
    "harvest s",
)


@click.command()
@click.option("--break", "chosen", type=click.Choice(_NAMES), multiple=True, help="Only these. Default: all.")
@click.option(
    "--records", type=click.IntRange(100, 100_000), default=5000, show_default=True, help="Records in each harvest."
)
@click.option("--nodes", type=click.IntRange(1, 3), default=3, show_default=True, help="Elasticsearch nodes of 512 MB.")
@click.option("--rate", type=click.FloatRange(0.1, 200), default=20.0, show_default=True, help="Searches a second.")
@click.option(
    "--faketime", type=click.Path(path_type=Path), default=clock.DEBIANS, show_default=True, help="libfaketime's file."
)
@click.option("--samples", type=click.Path(exists=True, file_okay=False, path_type=Path), default=SAMPLES)
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Work in this folder and keep the logs.")
@click.option(
    "--within", type=click.FloatRange(1), default=30.0, show_default=True, help="Maximum seconds of recovery."
)
@click.option("--patience", type=click.FloatRange(60), default=600.0, show_default=True, help="Seconds for a harvest.")
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Written after each row.")
@click.option("--resume", is_flag=True, help="Skip trials that are in the --json file already.")
def cluster(
    *,
    chosen: tuple[str, ...],
    records: int,
    nodes: int,
    rate: float,
    faketime: Path,
    samples: Path,
    keep: Path | None,
    within: float,
    patience: float,
    json_file: Path | None,
    resume: bool,
) -> None:
    """Kill each part in turn during a harvest and searches; then check that everything is right.

    Starts its own Elasticsearch nodes, Valkey, worker, beat and API on free ports of this machine, and ends them.
    Exit code 1 where a record is missing, a search failed, an answer was changed without saying so, or what was mended
    was not in service again --within seconds.
    """
    progress, before = messages(), machine()
    outcomes = kept(json_file) if resume and json_file is not None else []
    done = {outcome.name for outcome in outcomes}
    picked = [each for each in breakages() if (not chosen or each.name in chosen) and each.name not in done]
    if (why := clock.trouble(faketime)) is not None:
        progress.print(f"The clock stays: {why}.", highlight=False)
    course, batch = TrialSize(records, rate, patience), max(20, min(256, records // 20))
    try:
        with working_folder(keep) as folder, chaos_cluster(folder, nodes, None if why else faketime, batch) as made:
            for outcome in trials(made, queue_only(made), picked, course, samples.resolve()):
                outcomes.append(outcome)
                verdict = outcome.wrong(within) or outcome.note or "right"
                progress.print(f"{outcome.what}: {verdict} after {outcome.seconds:.0f} s", highlight=False)
                keep_in(json_file, before, outcomes)
    except (StackError, TimeoutError) as error:
        show_trials(screen(), outcomes, before)  # what was tried so far is worth knowing
        raise SondeError(str(error)) from error
    show_trials(screen(), outcomes, before)
    if any(outcome.wrong(within) for outcome in outcomes):
        sys.exit(1)


def kept(file: Path) -> list[TrialOutcome]:
    """The rows of an earlier course that was ended half way. Raises SondeError for another kind of file."""
    if not file.exists():
        return []
    try:
        return [TrialOutcome(**row) for row in json.loads(file.read_text("utf-8"))["trials"]]
    except (ValueError, TypeError, KeyError) as error:
        raise SondeError(f"{file} is not what --json writes: {error!r}") from error


def keep_in(file: Path | None, before: dict[str, str], outcomes: list[TrialOutcome]) -> None:
    """Whole or not at all: the course may be ended while it is written."""
    if file is None:
        return
    half = file.with_name(f"{file.name}.half")
    rows = [asdict(each) for each in outcomes]
    half.write_text(json.dumps({"machine": before, "trials": rows}, indent=1), "utf-8")
    half.replace(file)


def queue_only(made: ChaosCluster) -> Celery:
    """By which this process puts harvests in the queue of the cluster's worker."""
    return celery_client(WorkerConfig(made.broker_url, PREFIX, made.sources))


@contextmanager
def working_folder(keep: Path | None) -> Iterator[Path]:
    """To work in: the one to keep, else one that goes with the ``with``."""
    if keep is not None:
        yield keep.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="sonde-chaos-") as folder:
        Path(folder).chmod(0o755)  # Elasticsearch steps down to another account
        yield Path(folder)


def show_trials(console: Console, outcomes: list[TrialOutcome], before: dict[str, str]) -> None:
    """A row for each breakage."""
    where = f"{before['cores']} cores, load {before['load before']} before, {os.getloadavg()[0]:.1f} after"
    table = Table(box=None, pad_edge=False, title=where)
    table.add_column("broken", no_wrap=True)
    for column in _COLUMNS:
        table.add_column(column, justify="right")
    for one in outcomes:
        count = {name: str(one.searches.get(name, 0)) for name in ("right", "degraded", "refused", "unreachable")}
        bad = one.searches.get("unmarked", 0) + one.searches.get("failed", 0)
        back = ["-" if seconds is None else f"{seconds:.1f}" for seconds in (one.search_back_s, one.harvest_back_s)]
        records = (str(number) for number in (one.expected, one.missing, one.strange, one.left))
        table.add_row(one.name, *records, *count.values(), str(bad), *back)
    console.print(table)
    console.print(
        "left: records to be written when it was mended; search s, harvest s: from then to the first answer as good as "
        "before, and to the next record"
    )
    for one in outcomes:
        if one.told:
            console.print(f"{one.name}: {one.told}", highlight=False)
