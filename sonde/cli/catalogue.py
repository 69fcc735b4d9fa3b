"""`sonde harvest`: imports records into the index."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from core.errors import SondeError
from core.timespan import now_iso
from es_mappings.codecs.runs import RunReport, to_document
from sonde.cli.screen import NameColumn, messages, plain_table, say_json, screen
from sonde.ops.capacity import current_capacity, freeze_loaded_objects
from sonde.settings import load_settings
from sonde.wiring.harvesting import Harvester

_FAILED_STATES = ("failed", "interrupted", "refused_removal")
_NAMED_REFUSALS = 50
_NAMED_WARNINGS = 20


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE|FILE...")
@click.option("--source", "source_id", help="Source id for a FILE. Default: from its name.")
@click.option("--allow-mass-removal", is_flag=True, help="Remove missing records even if they are a large share.")
@click.option("--no-embedding", is_flag=True, help="Write no vectors now; searches find the records by their words.")
@click.option("--full", is_flag=True, help="Fetch everything, not only changes.")
@click.option("--report", is_flag=True, help="Print a table of all sources at the end, failed ones included.")
@click.option("--json", "as_json", is_flag=True, help="Print the reports as JSON.")
def harvest(
    sources: tuple[str, ...],
    *,
    source_id: str | None,
    allow_mass_removal: bool,
    no_embedding: bool,
    full: bool,
    report: bool,
    as_json: bool,
) -> None:
    """Harvest sources of sources.yaml by id (all: every one), or folders, tars and zips of metadata files.

    An interrupted harvest resumes where it stopped. If one of several sources fails, the others are still harvested.
    Exit code 1 if a run failed or a removal was refused.
    """
    if source_id is not None and len(sources) > 1:
        raise SondeError("--source names one source; harvest the files one by one.")
    console = messages()
    harvester = Harvester(
        load_settings(),
        embedding=not no_embedding,
        allow_mass_removal=allow_mass_removal,
        full=full,
        readers=current_capacity().cores,
    )
    freeze_loaded_objects()
    all_sources = sources == ("all",) and not Path("all").exists()
    names = tuple(harvester.sources()) if all_sources else sources
    if all_sources or report or as_json or len(names) > 1:
        reports = [_run_or_report(console, harvester, name, source_id) for name in names]
    else:
        reports = [run_to_end(console, harvester, name, source_id) for name in names]
    if as_json:
        say_json([{"id": report.id, **to_document(report)} for report in reports])
    else:
        show_reports(screen(), reports)
    if any(report.state in _FAILED_STATES for report in reports):
        sys.exit(1)


def _run_or_report(console: Console, harvester: Harvester, name: str, source_id: str | None) -> RunReport:
    """The report of one source; if it cannot be harvested, prints the error, and the others continue."""
    try:
        return run_to_end(console, harvester, name, source_id)
    except SondeError as error:
        now = now_iso()
        console.print(f"{source_id or name}: {error}", style="yellow")
        return RunReport("", source_id or name, "failed", now, now, finished=now, message=str(error))


def run_to_end(console: Console, harvester: Harvester, name: str, source_id: str | None = None) -> RunReport:
    """Runs one source to its end, with a progress bar."""
    columns = (
        NameColumn(),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(name, total=None)

        def progress(event: str, **numbers: int) -> None:
            if event == "batch":
                bar.update(task, completed=numbers["seen"], total=numbers["total"] or None)

        if Path(name).exists() and (source_id is not None or not _is_source(console, harvester, name)):
            return harvester.path(Path(name), source_id or id_of(Path(name)), progress)
        return harvester.configured(name, progress)


def _is_source(console: Console, harvester: Harvester, name: str) -> bool:
    """Whether the name of a file means a source of sources.yaml: the id comes first."""
    is_configured = name in harvester.sources()
    if is_configured:
        console.print(f"{name} is a source of sources.yaml; for the folder or file write ./{name}", markup=False)
    return is_configured


def id_of(path: Path) -> str:
    """``/data/ncar_eol.tar.gz`` is ``ncar_eol``; characters that an id cannot have become hyphens."""
    name = re.sub(r"\.(tar|tgz|gz|zip|xml)+$|\.tar\.\w+$", "", path.resolve().name, flags=re.IGNORECASE)
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "files"


def show_reports(console: Console, reports: list[RunReport]) -> None:
    """A line of counts for each run, then refusals and repairs, by kind."""
    all_names = (
        "seen", "new", "changed", "moved", "same", "refused", "passed_over", "duplicates", "failed", "embedded",
        "removed",
    )  # fmt: skip
    # Columns with only zeros are left out, so that the table fits a terminal; --json has everything.
    names = [name for name in all_names if name in ("seen", "refused") or any(getattr(r.counts, name) for r in reports)]
    counted = [name.replace("_", " ") for name in (*names, "seconds")]
    table = plain_table("source", "state", *counted, right=counted)
    for report in reports:
        counts = [str(getattr(report.counts, name)) for name in names]
        table.add_row(report.source, report.state, *counts, f"{_seconds(report):.1f}")
    console.print(table)
    for report in reports:
        _show_details(console, report)


def _show_details(console: Console, report: RunReport) -> None:
    if report.since is not None and report.trigger != "restore":
        console.print(
            f"{report.source}: only what changed since {report.since} was asked for (--full asks for everything)",
            markup=False,
        )
    if report.message:
        console.print(f"{report.source}: {report.message}", style="yellow")
    for refusal in (*report.refusals, *report.failures)[:_NAMED_REFUSALS]:
        lacks = "its last good version stays" if refusal.kept else "it is not in the index"
        console.print(f"  {refusal.origin}: {refusal.reason}; {lacks}")
    unnamed_count = len(report.refusals) + len(report.failures) - _NAMED_REFUSALS
    if unnamed_count > 0:
        console.print(f"  and {unnamed_count} more; --json names them all")
    for kind, warning in sorted(report.warnings.items(), key=lambda item: -item[1].count)[:_NAMED_WARNINGS]:
        example = next(iter(warning.examples), kind)
        console.print(f"  {warning.count} like {example}", style="dim")
    if report.tokens.longer:
        share = f"{report.tokens.longer_share:.1%}"
        console.print(
            f"  {share} of the texts are longer than the {report.tokens.read} tokens that the model reads at once: they"
            " were read in parts",
            style="dim",
        )


def _seconds(report: RunReport) -> float:
    stage_ms = [took for stage, took in report.took_ms.items() if stage != "commit"]  # runs beside the others
    return sum(stage_ms) / 1000.0


COMMANDS = (harvest,)
