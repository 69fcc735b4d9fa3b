"""`sonde chaos cluster`, `reindex` and `soak`: breaks, switches and watches a complete service on a cluster."""

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

from core.errors import SondeError
from lab.cluster.breakages import breakages
from lab.cluster.chaos_cluster import PREFIX, ChaosCluster, chaos_cluster
from lab.cluster.clock import DEBIAN_FAKETIME, clock_trouble
from lab.cluster.switching import SwitchStep, run_switching
from lab.cluster.trial import SoakPlan, SoakResult, TrialOutcome, TrialSize, trials
from lab.cluster.trial import soak as run_soak
from local_stack.errors import StackError
from sonde.cli.options import FILE, FOLDER, PRESENT_FOLDER, shown
from sonde.cli.screen import figures_table, messages, screen
from sonde.ops.measured import machine, write_measurement
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
@shown("--records", 5000, "Records in each harvest.", click.IntRange(100, 100_000))
@shown("--nodes", 3, "Elasticsearch nodes of 512 MB.", click.IntRange(1, 3))
@shown("--rate", 20.0, "Searches a second.", click.FloatRange(0.1, 200))
@shown("--faketime", DEBIAN_FAKETIME, "libfaketime's file.", click.Path(path_type=Path))
@click.option("--samples", type=PRESENT_FOLDER, default=SAMPLES)
@click.option("--keep", type=FOLDER, help="Work in this folder and keep the logs.")
@shown("--within", 30.0, "Maximum seconds of recovery.", click.FloatRange(1))
@shown("--patience", 600.0, "Seconds for a harvest.", click.FloatRange(60))
@click.option("--json", "json_file", type=FILE, help="Written after each row.")
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
    Exit code 1 if a record is missing, a search failed, an answer was changed without saying so, or what was mended
    was not in service again --within seconds.
    """
    progress, before = messages(), machine()
    outcomes = read_trials(json_file) if resume and json_file is not None else []
    finished_names = {outcome.name for outcome in outcomes}
    chosen_breakages = [
        item for item in breakages() if (not chosen or item.name in chosen) and item.name not in finished_names
    ]
    if (why := clock_trouble(faketime)) is not None:
        progress.print(f"The clock stays: {why}.", highlight=False)
    course, batch = TrialSize(records, rate, patience), max(20, min(256, records // 20))
    try:
        with (
            working_folder(keep) as folder,
            chaos_cluster(folder, nodes, None if why else faketime, batch) as test_cluster,
        ):
            for outcome in trials(test_cluster, queue_only(test_cluster), chosen_breakages, course, samples.resolve()):
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


def read_trials(file: Path) -> list[TrialOutcome]:
    """The rows of an earlier, incomplete run. Raises SondeError for another kind of file."""
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
    write_measurement(file, {"machine": before, "trials": [asdict(outcome) for outcome in outcomes]})


def queue_only(test_cluster: ChaosCluster) -> Celery:
    """By which this process puts harvests in the queue of the cluster's worker."""
    return celery_client(WorkerConfig(test_cluster.broker_url, PREFIX, test_cluster.sources))


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
    machine = f"{before['cores']} cores, load {before['load']} before, {os.getloadavg()[0]:.1f} after"
    table = figures_table("broken", *_COLUMNS)
    table.title = machine
    for trial in outcomes:
        count = {name: str(trial.searches.get(name, 0)) for name in ("right", "degraded", "refused", "unreachable")}
        failures = trial.searches.get("unmarked", 0) + trial.searches.get("failed", 0)
        back = ["-" if seconds is None else f"{seconds:.1f}" for seconds in (trial.search_back_s, trial.harvest_back_s)]
        records = (str(number) for number in (trial.expected, trial.missing, trial.strange, trial.left))
        table.add_row(trial.name, *records, *count.values(), str(failures), *back)
    console.print(table)
    console.print(
        "left: records to be written when it was mended; search s, harvest s: from then to the first answer as good as "
        "before, and to the next record"
    )
    for trial in outcomes:
        if trial.explanation:
            console.print(f"{trial.name}: {trial.explanation}", highlight=False)


@click.command()
@shown("--records", 5000, "Records to harvest.", click.IntRange(100, 100_000))
@shown("--nodes", 3, "Elasticsearch nodes of 512 MB.", click.IntRange(1, 3))
@shown("--rate", 20.0, "Searches a second.", click.FloatRange(0.1, 200))
@click.option("--samples", type=PRESENT_FOLDER, default=SAMPLES)
@click.option("--keep", type=FOLDER, help="Work in this folder and keep the logs.")
@shown("--patience", 600.0, "Seconds for a harvest.", click.FloatRange(60))
@click.option("--json", "json_file", type=FILE, help="Also write the result here.")
def reindex(
    *, records: int, nodes: int, rate: float, samples: Path, keep: Path | None, patience: float, json_file: Path | None
) -> None:
    """Reindex and roll back during searches and a harvest; no search may fail and no write may be lost.

    `sonde reindex --rollback` may take 5 seconds, the API 15 from its start to ready. Starts its own servers and
    services on free ports of this machine, and ends them. Exit code 1 if something of that does not hold.
    """
    progress, before, steps = messages(), machine(), []
    try:
        with (
            working_folder(keep) as folder,
            chaos_cluster(folder, nodes, batch=max(20, min(256, records // 20))) as test_cluster,
        ):
            for step in run_switching(
                test_cluster, queue_only(test_cluster), TrialSize(records, rate, patience), samples.resolve()
            ):
                steps.append(step)
                progress.print(
                    f"{step.name}: {'right' if step.right else 'WRONG'}, {step.seconds:.1f} s", highlight=False
                )
    except (StackError, TimeoutError) as error:
        _show_steps(screen(), steps, before)
        raise SondeError(str(error)) from error
    machine_facts = {**before, "load after": f"{os.getloadavg()[0]:.1f}"}
    _show_steps(screen(), steps, machine_facts)
    if json_file is not None:
        write_measurement(json_file, {"machine": machine_facts, "steps": [asdict(step) for step in steps]})
    if not all(step.right for step in steps):
        sys.exit(1)


def _show_steps(console: Console, steps: list[SwitchStep], machine: dict[str, str]) -> None:
    columns = ("s", "at most", "written meanwhile", "missing", "strange", "right", "degraded", "refused", "bad")
    table = figures_table("", *columns)
    table.title = f"{machine['cores']} cores, load {machine['load']} before, {os.getloadavg()[0]:.1f} after"
    for step in steps:
        count = [step.searches.get(name, 0) for name in ("right", "degraded", "refused")]
        failures = sum(step.searches.get(name, 0) for name in ("unmarked", "failed"))
        limit = "-" if step.at_most_s is None else f"{step.at_most_s:.0f}"
        numbers = [step.meanwhile, step.missing, step.strange, *count, failures]
        table.add_row(step.name, f"{step.seconds:.1f}", limit, *map(str, numbers))
    console.print(table)
    for step in steps:
        if step.trouble:
            console.print(f"{step.name}: {step.trouble}", highlight=False)


@click.command()
@shown("--minutes", 20.0, type=click.FloatRange(0.5, 24 * 60))
@shown("--rate", 20.0, "Searches a second.", click.FloatRange(0.1, 200))
@shown("--records", 500, "Records in each harvest.", click.IntRange(10, 100_000))
@click.option("--samples", type=PRESENT_FOLDER, default=SAMPLES)
@click.option("--keep", type=FOLDER, help="Work in this folder and keep the logs.")
@click.option("--json", "json_file", type=FILE, help="Also write the result here.")
def soak(
    *, minutes: float, rate: float, records: int, samples: Path, keep: Path | None, json_file: Path | None
) -> None:
    """Search and harvest without a pause, and check that memory and file handles of API, worker and beat stay flat.

    Compared are the second quarter of the time and the last. Starts its own Elasticsearch node, Valkey, worker, beat
    and API on free ports of this machine, and ends them. Exit code 1 if something grew or a search failed.
    """
    progress, before = messages(), machine()
    course = SoakPlan(minutes, rate, records, sample_every_s=min(5.0, minutes * 60.0 / 16))
    try:
        with working_folder(keep) as folder, chaos_cluster(folder, nodes=1) as test_cluster:
            result = run_soak(
                test_cluster, queue_only(test_cluster), course, samples.resolve(), lambda text: progress.print(text)
            )
    except StackError as error:
        raise SondeError(str(error)) from error
    after = f"{os.getloadavg()[0]:.1f}"
    _show_soak(screen(), result, f"{before['cores']} cores, load {before['load']} before, {after} after")
    if json_file is not None:
        write_measurement(json_file, {"machine": {**before, "load after": after}, **asdict(result)})
    if not result.right:
        sys.exit(1)


def _show_soak(console: Console, result: SoakResult, machine: str) -> None:
    table = figures_table("part", "MiB, second quarter", "MiB, last quarter", "handles", "handles, last", "")
    table.title = machine
    for trend in result.trends:
        memory = (f"{trend.memory_before:.0f}", f"{trend.memory_after:.0f}")
        handles = (f"{trend.handles_before:.0f}", f"{trend.handles_after:.0f}")
        table.add_row(trend.part, *memory, *handles, "flat" if trend.flat else "GROWS")
    console.print(table)
    text = ", ".join(f"{number} {verdict}" for verdict, number in sorted(result.searches.items()))
    console.print(f"{result.seconds / 60.0:.1f} minutes; searches: {text}; {result.harvests} harvests", highlight=False)
