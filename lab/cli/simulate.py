"""`sonde simulate`: people of a script at a portal's desk, and what their usage brings.

For usage, the judgements play two parts: people open by them, and the answers are measured by them. So the trial says
how much of what people agree on the ranking learns, not whether real people agree with the judges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path

import click

from core.json_types import Json
from evaluation.collection import JudgedCollection
from evaluation.metrics import HEADLINE, RunComparison, RunMeasures, measure, paired_randomisation
from evaluation.trec import Run
from evaluation.variants import Variant, ask_all, run_of
from lab.people import HITS_SHOWN, Habits, People, script
from search_api.search.flow import SearchPipeline
from search_api.search.openings import NO_USAGE, LoggedSearch, UsageTable, usage_of
from search_api.search.ranking.signals.record import Evidence, Usage
from sonde.cli.options import FILE, FOLDER
from sonde.cli.screen import ended_by_signals
from sonde.ops.measured import write_measurement
from sonde.ops.temporary_node import temporary_node
from sonde.settings import load_settings
from sonde.wiring.evaluating import LOADERS, bench, judged_collection

FIRST = date(2026, 11, 1)
_NIGHTS = frozenset((3, 7, 14, 30))


@dataclass(frozen=True, slots=True)
class Night:
    """After so many days: the mean of the headline measure, against the first day's; ``questions`` with evidence."""

    days: int
    ndcg: float
    against_first: RunComparison
    questions: int


@dataclass(frozen=True, slots=True)
class Trial:
    """``first``: before anything was asked. ``by_script``: the places that a script won for its records, at most."""

    first: float
    nights: Sequence[Night]
    by_script: int | None = None

    def as_json(self) -> Json:
        rows = [
            {"days": night.days, HEADLINE: night.ndcg,
             "gain": night.against_first.difference, "p": night.against_first.p,
             "better": night.against_first.better, "worse": night.against_first.worse, "questions": night.questions}
            for night in self.nights
        ]  # fmt: skip
        return {"first": self.first, "nights": rows, "by_script": self.by_script}


@dataclass(slots=True)
class UsageSnapshot:
    """What the pipeline ranks by."""

    now: UsageTable = NO_USAGE

    def __call__(self) -> UsageTable:
        return self.now


@dataclass(slots=True)
class UsageTrial:
    """``pipeline`` ranks by ``table``. ``scripted``: one key opens the tenth hit of every question all day."""

    pipeline: SearchPipeline
    table: UsageSnapshot
    collection: JudgedCollection
    evidence: Evidence
    habits: Habits
    scripted: bool = False
    log: list[LoggedSearch] = field(default_factory=list)

    def run(self, report: Callable[[int, int], None]) -> Trial:
        people, questions = People(self.habits), self.collection.questions
        first = served_run = self._ask_all()
        before, nights = measure(first, self.collection.qrels), []
        for day, inquiries in enumerate(people.inquiries_by_day(len(questions)), 1):
            today = (FIRST + timedelta(days=day - 1)).isoformat()
            for inquiry in inquiries:
                question = questions[inquiry.question]
                hits = [document for document, _ in served_run[question.id][:HITS_SHOWN]]
                opened_hits = people.open_hits(hits, self.collection.qrels.get(question.id, {}))
                self.log.append(LoggedSearch(question.text, f"k{inquiry.who}", today, tuple(hits), opened_hits))
            if self.scripted:
                self._log_script(served_run, today)
            if day in _NIGHTS:
                self.table.now = by_record(usage_of(self.log, self.evidence), self.collection.documents)
                served_run = self._ask_all()
                nights.append(self._night(day, before, served_run))
            report(day, self.habits.days)
        return Trial(before.means[HEADLINE], nights, self._wins(first, served_run) if self.scripted else None)

    def _ask_all(self) -> Run:
        return run_of(ask_all(self.pipeline, self.collection, Variant(), threads=2))

    def _night(self, day: int, before: RunMeasures, run: Run) -> Night:
        measures = measure(run, self.collection.qrels)
        comparison = paired_randomisation(measures.column(HEADLINE), before.column(HEADLINE))
        return Night(day, measures.means[HEADLINE], comparison, len(self.table.now))

    def _log_script(self, run: Run, today: str) -> None:
        for question in self.collection.questions:
            hits = [document for document, _ in run[question.id][:HITS_SHOWN]]
            if hits:
                self.log += script(question.text, hits, hits[-1], today, 20)

    def _wins(self, first: Run, last: Run) -> int:
        """Of the records that stood tenth at first and that nobody judged relevant: the most places won."""
        won = 0
        for question, hits in first.items():
            grades = self.collection.qrels.get(question, {})
            tenth = hits[HITS_SHOWN - 1][0] if len(hits) >= HITS_SHOWN else None
            if tenth is not None and grades.get(tenth, 0) <= 0:
                place = [document for document, _ in last[question]].index(tenth)
                won = max(won, HITS_SHOWN - 1 - place)
        return won


def by_record(table: UsageTable, documents: Mapping[str, str]) -> UsageTable:
    """The same by record; ``documents`` by record, as a collection has them."""
    records = {document: record for record, document in documents.items()}
    return UsageTable(
        {key: {records[name]: value for name, value in values.items()} for key, values in table.by_question.items()}
    )


@click.group("simulate")
def simulate() -> None:
    """Simulate people at a portal's desk."""


@simulate.command("usage")
@click.option("--collection", "name", type=click.Choice(sorted(LOADERS)), default="ncar", show_default=True)
@click.option("--half", type=click.Choice(["train", "test"]), help="Only these questions are asked.")
@click.option("--shared", type=FOLDER, envvar="SONDE_SHARED")
@click.option("--script", "scripted", is_flag=True, help="One key opens the tenth hit of every question all day.")
@click.option("--json", "out", type=FILE)
def usage(*, name: str, half: str | None, shared: Path | None, scripted: bool, out: Path | None) -> None:
    """What the signal `usage` brings: people of a click model ask judged questions; the ranking learns at night."""
    collection = judged_collection(name, shared, half, load_settings())  # type: ignore[arg-type]
    with (
        ended_by_signals(),
        temporary_node(load_settings(), lambda text: click.echo(text, err=True)) as settings,
        bench(settings, collection) as search_bench,
    ):
        parts, table, habits = search_bench.pipeline.parts, UsageSnapshot(), Habits()
        signal = parts.config.records[Usage]

        def report(day: int, days: int) -> None:
            click.echo(f"day {day} of {days}: {len(table.now)} questions count", err=True)

        pipeline = SearchPipeline(replace(parts, usage=table))
        trial = UsageTrial(pipeline, table, collection, signal.evidence, habits, scripted).run(report)
    _show(signal.weight, trial)
    if out is not None:
        rows = [{"weight": signal.weight, **trial.as_json()}]
        write_measurement(out, {"collection": name, "half": half, "habits": str(habits), "trials": rows})


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
