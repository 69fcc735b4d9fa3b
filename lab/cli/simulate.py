"""`sonde simulate`: people of a script at a portal's desk."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import click

from evaluation.collection import JudgedCollection
from lab.month.month import Course, Month
from lab.month.script import Habits, copy_documents, judged_questions, own_indices
from lab.month.usage_trial import Trial, UsageSnapshot, UsageTrial, evidence_of
from search_api.search.flow import SearchPipeline
from search_api.search.ranking.config import default_config
from search_api.search.ranking.signals.record import Usage
from sonde.cli.screen import ended_by_signals
from sonde.ops.measured import write_measurement
from sonde.ops.temporary_node import temporary_node
from sonde.settings import load_settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.evaluating import LOADERS, QUALITY, bench, judged_collection
from sonde.wiring.models import Models

_HABITS = Habits()
_NCAR = QUALITY / "ncar"
_READABLE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.group("simulate")
def simulate() -> None:
    """Simulate people at a portal's desk."""


@simulate.command("usage")
@click.option("--collection", "name", type=click.Choice(sorted(LOADERS)), default="ncar", show_default=True)
@click.option("--half", type=click.Choice(["train", "test"]), help="Only these questions are asked.")
@click.option("--shared", type=click.Path(path_type=Path, file_okay=False), envvar="SONDE_SHARED")
@click.option("--people", type=click.IntRange(1), default=_HABITS.people, show_default=True)
@click.option("--questions", type=click.IntRange(1), default=_HABITS.questions, show_default=True)
@click.option("--days", type=click.IntRange(1), default=_HABITS.days, show_default=True)
@click.option("--noise", type=click.FloatRange(0, 1), default=_HABITS.noise, show_default=True, help="Wrong openings.")
@click.option(
    "--attention", type=float, default=_HABITS.attention, show_default=True, help="How fast it falls with the position."
)
@click.option("--examination", type=float, help="What the ranking takes it for.  [default: of the configuration]")
@click.option("--weight", type=float, multiple=True, help="Of the signal; may be repeated.  [default: as configured]")
@click.option("--script", "scripted", is_flag=True, help="One key opens the tenth hit of every question all day.")
@click.option("--json", "out", type=click.Path(dir_okay=False, path_type=Path))
def usage(
    *,
    name: str,
    half: str | None,
    shared: Path | None,
    people: int,
    questions: int,
    days: int,
    noise: float,
    attention: float,
    examination: float | None,
    weight: tuple[float, ...],
    scripted: bool,
    out: Path | None,
) -> None:
    """What the signal `usage` brings: people of a click model ask judged questions; the ranking learns at night."""
    collection = judged_collection(name, shared, half, load_settings())  # type: ignore[arg-type]
    habits = replace(_HABITS, people=people, questions=questions, days=days, noise=noise, attention=attention)
    configured = default_config().records[Usage]
    rows = []
    with (
        ended_by_signals(),
        temporary_node(load_settings(), lambda text: click.echo(text, err=True)) as settings,
        bench(settings, collection) as search_bench,
    ):
        for weight_tried in weight or (configured.weight,):
            trial = _trial(
                search_bench.pipeline,
                collection,
                replace(configured, weight=weight_tried),
                habits,
                examination,
                scripted,
            )
            rows.append({"weight": weight_tried, "examination": examination, **trial.as_json()})
            _show(weight_tried, trial)
    if out is not None:
        write_measurement(out, {"collection": name, "half": half, "habits": str(habits), "trials": rows})


@simulate.command("month")
@click.option("--archive", type=click.Path(path_type=Path, exists=True), required=True, help="Documents of the source.")
@click.option("--source", default="ncar_eol", show_default=True, help="Its name in the judgements.")
@click.option("--queries", type=_READABLE, default=_NCAR / "queries.jsonl", show_default=True)
@click.option("--qrels", type=_READABLE, default=_NCAR / "qrels.tsv", show_default=True)
@click.option("--records", type=click.IntRange(20), default=800, show_default=True, help="Judged ones first.")
@click.option("--people", type=click.IntRange(10), default=_HABITS.people, show_default=True)
@click.option("--questions", type=click.IntRange(100), default=_HABITS.questions, show_default=True)
@click.option("--json", "out", type=click.Path(dir_okay=False, path_type=Path))
def month(
    *,
    archive: Path,
    source: str,
    queries: Path,
    qrels: Path,
    records: int,
    people: int,
    questions: int,
    out: Path | None,
) -> None:
    """A month over HTTP: people ask and open, three stewards decide, the source changes, a reindex follows.

    Each thing that the desk says is compared with what the script did. Exit code 1 if one differs.
    """
    habits = replace(_HABITS, people=people, questions=questions)
    with (
        ended_by_signals(),
        tempfile.TemporaryDirectory(prefix="sonde-month-") as name,
        temporary_node(load_settings(), lambda text: click.echo(text, err=True)) as settings,
        own_indices(settings) as own_settings,
    ):
        folder = Path(name)
        questions_asked = copy_documents(archive, source, folder, judged_questions(queries, qrels), records)
        click.echo(f"{len(list(folder.iterdir()))} records, {len(questions_asked)} questions", err=True)
        course = Course(source, folder, questions_asked, habits, default_config().records[Usage].evidence)
        client = elasticsearch_client(own_settings, timeout_s=60.0, retry=True)
        checks = Month(client, own_settings, Models(own_settings), course, lambda text: click.echo(text)).run()
    for check in checks:
        click.echo(f"{'holds' if check.holds else 'DIFFERS'}: {check.what}")
    if out is not None:
        rows = [{"what": check.what, "expected": repr(check.expected), "found": repr(check.found)} for check in checks]
        write_measurement(out, {"checks": rows})
    if not all(check.holds for check in checks):
        sys.exit(1)


def _trial(
    pipeline: SearchPipeline,
    collection: JudgedCollection,
    signal: Usage,
    habits: Habits,
    examination: float | None,
    scripted: bool,
) -> Trial:
    table, config = UsageSnapshot(), pipeline.parts.config
    ranking = replace(config, records=config.records.with_signals(signal))
    ranks = SearchPipeline(replace(pipeline.parts, usage=table, config=ranking))
    evidence = evidence_of(ranks) if examination is None else evidence_of(ranks, examination=examination)

    def report(day: int, days: int) -> None:
        click.echo(f"day {day} of {days}: {len(table.now)} questions count", err=True)

    return UsageTrial(ranks, table, collection, evidence, habits, scripted).run(report)


def _show(weight: float, trial: Trial) -> None:
    click.echo(f"weight {weight}: nDCG@10 {trial.first:.4f} before anything was asked")
    for night in trial.nights:
        comparison = night.against_first
        click.echo(
            f"  after {night.days:>2} days {night.ndcg:.4f} ({comparison.difference:+.4f}, p {comparison.p:.4f}, "
            f"{comparison.better} better, {comparison.worse} worse), {night.questions} questions count"
        )
    if trial.by_script is not None:
        click.echo(f"  places won by the script: {trial.by_script}")


COMMANDS = (simulate,)
