"""`sonde chaos`: faults on purpose. What misbehaving catalogues do to the index.

`documents`, `hostile` and `malformed`: uploads and requests of attackers, while honest people use the service.
"""

from __future__ import annotations

import os
import sys
import tempfile
import uuid
from collections import Counter
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console

from core.json_types import Json
from es_mappings.indices import ensure_without_vectors
from evaluation.temporary_index import delete_indices
from indexer.parts import HarvestParts
from lab.chaos.harvests import ChaosRun
from lab.chaos.harvests import chaos as run_chaos
from lab.cli.chaos_cluster import cluster, reindex, soak
from lab.hostile.attacks import attacks
from lab.hostile.course import AttackOutcome, AttackTerms, run_attacks
from lab.hostile_documents.course import HONEST, KINDS, HonestReadings, ReadingTerms, ReadOutcome, read_course
from lab.malformed.makers import made_by_schema, make_request
from lab.malformed.sender import BAD, RequestOutcome, ask_all, count_verdicts
from lab.malformed.target import target
from local_stack.ports import free_port
from sonde.cli.options import FILE, shown
from sonde.cli.screen import figures_table, messages, plain_table, screen
from sonde.ops.measured import write_measurement
from sonde.ops.temporary_node import temporary_node
from sonde.settings import LimitsSettings, load_settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.documents import reading_limits
from sonde.wiring.harvesting import HARVEST_TIMEOUT_S

_READING_COLUMNS = ("KB", "seconds", "child MiB", "parent MiB", "passages", "cells")
KIND_NAMES = tuple(kind.name for kind in KINDS)
_ATTACK_COLUMNS = ("answered", "refused", "failed", "p50 ms", "p95 ms", "probes failed", "sent")
ATTACK_NAMES = tuple(attack.name for attack in attacks(""))
_HANG_S = 30.0
_VERDICT_COLUMNS = ("answered", "refused", "turned away", "hung up", "no answer", "failed", "hang")


@click.command()
@click.option("--kind", "names", type=click.Choice(KIND_NAMES), multiple=True, help="Only this kind; repeatable.")
@click.option("--json", "into", type=FILE, help="Also write the results here.")
def documents(*, names: tuple[str, ...], into: Path | None) -> None:
    """Read documents of an attacker with the limits of the settings, while honest documents are read. Needs no service.

    Exit code 1 if a document crashed its reader or passed a limit, or an honest document was not read.
    """
    terms = ReadingTerms(reading_limits(load_settings()))
    kinds = [kind for kind in KINDS if not names or kind.name in names]
    progress, outcomes, honest_readings = messages(), list[ReadOutcome](), HonestReadings()
    with tempfile.TemporaryDirectory(prefix="sonde-chaos-") as folder:
        for outcome in read_course(kinds, HONEST, terms, Path(folder)):
            if isinstance(outcome, HonestReadings):
                honest_readings = outcome
            else:
                outcomes.append(outcome)
                progress.print(f"{outcome.kind}: {', '.join(outcome.wrong(terms)) or 'held'}", highlight=False)
            if into is not None:
                write_measurement(into, _figures(outcomes, honest_readings))
    show_readings(screen(), outcomes, honest_readings, terms)
    if honest_readings.wrong or not honest_readings.read or any(outcome.wrong(terms) for outcome in outcomes):
        sys.exit(1)


def _figures(outcomes: list[ReadOutcome], honest_readings: HonestReadings) -> Json:
    honest = {
        "read": honest_readings.read,
        "slowest_s": round(honest_readings.slowest_s, 1),
        "wrong": honest_readings.wrong,
    }
    return {"kinds": [outcome.as_json() for outcome in outcomes], "honest": honest}


def show_readings(
    console: Console, outcomes: list[ReadOutcome], honest_readings: HonestReadings, terms: ReadingTerms
) -> None:
    """One row for each kind, and what came of the honest documents."""
    table = plain_table("document", "what happened", *_READING_COLUMNS, "verdict", right=_READING_COLUMNS)
    for outcome in outcomes:
        state_text = outcome.state if outcome.state != "ready" or not outcome.message else "ready, with a warning"
        costs = (f"{outcome.seconds:.1f}", f"{outcome.child_mib:.0f}", f"{outcome.parent_mib:.0f}")
        counts = (f"{outcome.passages:,}", f"{outcome.cells:,}")
        verdict = ", ".join(outcome.wrong(terms)) or "held"
        table.add_row(outcome.kind, state_text, f"{outcome.size_bytes / 1000:,.0f}", *costs, *counts, verdict)
    console.print(table)
    right_count = sum(not outcome.wrong(terms) for outcome in outcomes)
    read, unread, slowest_s = honest_readings.read, len(honest_readings.wrong), honest_readings.slowest_s
    honest = f"{read} honest documents read, {unread} not, the slowest in {slowest_s:.1f} s"
    console.print(
        f"{right_count} of {len(outcomes)} held; {honest}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )


@click.command()
@shown("--seconds", 20.0, "Seconds for each attack.", click.FloatRange(1, 600))
@shown("--records", 300, "Records to search.", click.IntRange(12, 5_000))
@click.option("--attack", "names", type=click.Choice(ATTACK_NAMES), multiple=True, help="Only this attack; repeatable.")
@click.option("--json", "into", type=FILE, help="Also write the results here.")
def hostile(*, seconds: float, records: int, names: tuple[str, ...], into: Path | None) -> None:
    """Attack an API with default settings over throw-away indices, while ten honest searchers use it.

    The searchers are measured alone first. Everything goes to this machine's own addresses: attackers come from one,
    each searcher from one of its own.

    Exit code 1 if a searcher was refused, failed or waited twice as long as usual, or a probe failed.
    """
    progress, outcomes, terms = messages(), list[AttackOutcome](), AttackTerms(seconds=seconds)
    port = free_port()
    variables = {**_as_it_ships(), "SONDE_API__PROBES_PORT": str(port)}
    with (
        temporary_node(load_settings(), progress.print) as settings,
        target(settings, records, variables) as service,
    ):
        chosen_attacks = [attack for attack in attacks(service.key) if not names or attack.name in names]
        for outcome in run_attacks(service.url, chosen_attacks, terms, f"http://127.0.0.1:{port}"):
            outcomes.append(outcome)
            progress.print(f"{outcome.attack}: {', '.join(outcome.wrong(outcomes[0], terms.ratio)) or 'held'}")
            if into is not None:
                write_measurement(into, {"attacks": [attack.as_json() for attack in outcomes]})
    show_attacks(screen(), outcomes, terms.ratio)
    if any(attack.wrong(outcomes[0], terms.ratio) for attack in outcomes):
        sys.exit(1)


def _as_it_ships() -> dict[str, str]:
    """The limits that ``own_api`` leaves out for others."""
    limits = LimitsSettings()
    return {"SONDE_LIMITS__PER_ADDRESS": str(limits.per_address), "SONDE_LIMITS__PER_KEY": str(limits.per_key)}


def show_attacks(console: Console, outcomes: list[AttackOutcome], ratio: float | None) -> None:
    """One row for the searchers alone, one for each attack."""
    table = plain_table("attack", *_ATTACK_COLUMNS, "what they met", "verdict", right=_ATTACK_COLUMNS)
    for outcome in outcomes:
        met = ", ".join(f"{name} {number}" for name, number in sorted(outcome.answers.items()))
        times = (f"{outcome.p50_ms:.0f}", f"{outcome.p95_ms:.0f}")
        counts = (
            str(outcome.answered),
            str(outcome.refused),
            str(outcome.failed),
            *times,
            str(len(outcome.probes_failed)),
        )
        verdict = ", ".join(outcome.wrong(outcomes[0], ratio)) or "held"
        table.add_row(outcome.attack, *counts, str(outcome.sent), met, verdict)
    console.print(table)
    right_count = sum(not outcome.wrong(outcomes[0], ratio) for outcome in outcomes[1:])
    console.print(f"{right_count} of {len(outcomes) - 1} held; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


@click.command()
@click.option("--requests", "number", type=click.IntRange(1, 1_000_000), default=10_000, show_default=True)
@click.option("--schema", type=click.IntRange(0), help="How many schemathesis derives from /api.  [default: a tenth]")
@shown("--seed", 1, type=int)
@shown("--clients", 4, type=click.IntRange(1, 64))
@click.option("--json", "into", type=FILE, help="Also write the results here.")
def malformed(*, number: int, schema: int | None, seed: int, clients: int, into: Path | None) -> None:
    """Send malformed requests to a separate API over throw-away indices of the running node, or of a temporary one.

    Exit code 1 if a request got 5xx (except 503 with Retry-After), no answer, or none within 30 seconds.
    """
    progress, outcomes = messages(), []
    with temporary_node(load_settings(), progress.print) as settings, target(settings) as service:
        by_schema = made_by_schema(
            service.url, service.key, min(number, number // 10 if schema is None else schema), number
        )
        requests = [
            *(make_request(place, seed, service.key) for place in range(number - len(by_schema))),
            *by_schema,
        ]
        for outcome in ask_all(service.url, requests, clients, _HANG_S):
            outcomes.append(outcome)
            if outcome.verdict in BAD:
                _print_outcome(progress, outcome)
            if len(outcomes) % 1_000 == 0:
                progress.print(f"{len(outcomes)} of {number}")
    show_families(screen(), outcomes)
    if into is not None:
        failures = sum(outcome.verdict in BAD for outcome in outcomes)
        families = {family: dict(verdicts) for family, verdicts in count_verdicts(outcomes).items()}
        write_measurement(into, {"sent": len(outcomes), "bad": failures, "families": families})
    if any(outcome.verdict in BAD for outcome in outcomes):
        sys.exit(1)


def _print_outcome(console: Console, outcome: RequestOutcome) -> None:
    request, answer = outcome.request, f"{outcome.verdict} {outcome.status or ''} after {outcome.took_s:.1f} s"
    text = f"{request.number} {request.family}: {answer}"
    console.print(f"{text}\n  {outcome.request.description}\n  {outcome.body_start}", highlight=False)


def show_families(console: Console, outcomes: list[RequestOutcome]) -> None:
    """Verdicts by family, the slowest answer of each, and the load they were taken under."""
    table = figures_table("family", "requests", *_VERDICT_COLUMNS, "slowest s")
    slowest: Counter[str] = Counter()
    for outcome in outcomes:
        slowest[outcome.request.family] = max(slowest[outcome.request.family], outcome.took_s)  # type: ignore[assignment]
    for family, verdicts in count_verdicts(outcomes).items():
        counts = (str(verdicts[name]) for name in _VERDICT_COLUMNS)
        table.add_row(family, str(verdicts.total()), *counts, f"{slowest[family]:.2f}")
    failures = sum(outcome.verdict in BAD for outcome in outcomes)
    console.print(table)
    console.print(f"{len(outcomes)} requests, {failures} bad; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


@click.group()
def chaos() -> None:
    """Cause faults on purpose, and check the results."""


@chaos.command()
@shown("--runs", 100, type=click.IntRange(1, 10_000))
@shown("--records", 1000, type=click.IntRange(10, 100_000))
@click.option("--json", "into", type=FILE, help="Also write the results here.")
def harvest(*, runs: int, records: int, into: Path | None) -> None:
    """Harvest a changing catalogue through a proxy that damages answers, in throw-away indices of the running node.

    If none runs, the command starts one.

    Exit code 1 if the records after a run differ from the catalogue's.
    """
    progress = messages()
    outcomes: list[ChaosRun] = []
    with ExitStack() as after:
        settings = after.enter_context(temporary_node(load_settings(), progress.print))
        client = elasticsearch_client(settings, timeout_s=HARVEST_TIMEOUT_S, retry=True)
        prefix = f"sonde-chaos-{uuid.uuid4().hex[:12]}"
        after.callback(delete_indices, client, prefix)
        ensure_without_vectors(client, prefix, ("records", "natives", "ledger", "runs"))
        for outcome in run_chaos(HarvestParts(client, prefix), runs, records=records):
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
    columns = ("runs", "right", "lost", "doubled", "wrong", "taken up again", "requests", "spoilt", "seconds")
    table = plain_table(*columns, right=columns)
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


for command in (cluster, documents, hostile, malformed, reindex, soak):
    chaos.add_command(command)

COMMANDS = (chaos,)
