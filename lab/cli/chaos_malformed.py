"""`sonde chaos malformed`: ten thousand requests that nobody should send."""

from __future__ import annotations

import os
import sys
from collections import Counter

import click
from rich.console import Console
from rich.table import Table

from lab.malformed.asking import BAD, RequestOutcome, ask_all, summed
from lab.malformed.by_schema import made_by_schema
from lab.malformed.makers import made
from lab.malformed.target import target
from sonde.cli.screen import messages, screen
from sonde.ops.temporary_node import temporary_node
from sonde.settings import load_settings

_VERDICT_COLUMNS = ("answered", "refused", "turned away", "hung up", "no answer", "failed", "hang")


@click.command()
@click.option("--requests", "number", type=click.IntRange(1, 1_000_000), default=10_000, show_default=True)
@click.option("--schema", type=click.IntRange(0), help="How many schemathesis derives from /api.  [default: a tenth]")
@click.option("--first", type=click.IntRange(0), default=0, help="Number of the first request.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--clients", type=click.IntRange(1, 64), default=4, show_default=True)
@click.option(
    "--hang-s", type=click.FloatRange(1), default=30.0, show_default=True, help="Seconds that count as a hang."
)
def malformed(*, number: int, schema: int | None, first: int, seed: int, clients: int, hang_s: float) -> None:
    """Send malformed requests to a separate API over throw-away indices of the running node, or of a temporary one.

    Exit code 1 where one was answered by 5xx (a 503 with Retry-After apart), not at all, or not within --hang-s.
    """
    progress, found = messages(), []
    with temporary_node(load_settings(), progress.print) as settings, target(settings) as there:
        by_schema = made_by_schema(
            there.url, there.key, min(number, number // 10 if schema is None else schema), number
        )
        own = range(first, first + number - len(by_schema))
        requests = [*(made(one, seed, there.key) for one in own), *by_schema]
        for came in ask_all(there.url, requests, clients, hang_s):
            found.append(came)
            if came.verdict in BAD:
                _tell(progress, came)
            if len(found) % 1_000 == 0:
                progress.print(f"{len(found)} of {number}")
    show_families(screen(), found)
    if any(came.verdict in BAD for came in found):
        sys.exit(1)


def _tell(console: Console, came: RequestOutcome) -> None:
    told = f"{came.sent.number} {came.sent.family}: {came.verdict} {came.status or ''} after {came.took_s:.1f} s"
    console.print(f"{told}\n  {came.sent.told}\n  {came.said}", highlight=False)


def show_families(console: Console, found: list[RequestOutcome]) -> None:
    """Verdicts by family, the slowest answer of each, and the load they were taken under."""
    table = Table(box=None, pad_edge=False)
    for head in ("family", "requests", *_VERDICT_COLUMNS, "slowest s"):
        table.add_column(head, justify="left" if head == "family" else "right")
    slowest: Counter[str] = Counter()
    for came in found:
        slowest[came.sent.family] = max(slowest[came.sent.family], came.took_s)  # type: ignore[assignment]
    for family, verdicts in summed(found).items():
        counts = (str(verdicts[name]) for name in _VERDICT_COLUMNS)
        table.add_row(family, str(verdicts.total()), *counts, f"{slowest[family]:.2f}")
    bad = sum(came.verdict in BAD for came in found)
    console.print(table)
    console.print(f"{len(found)} requests, {bad} bad; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
