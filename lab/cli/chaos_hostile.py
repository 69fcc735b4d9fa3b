"""`sonde chaos hostile`: attackers beside honest searchers."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from lab.hostile.attacks import attacks
from lab.hostile.course import AttackOutcome, AttackTerms, run_attacks
from lab.malformed.target import target
from local_stack.ports import free_port
from sonde.cli.screen import messages, screen
from sonde.ops.temporary_node import temporary_node
from sonde.settings import LimitsSettings, load_settings

_ATTACK_COLUMNS = (
    "answered",
    "refused",
    "failed",
    "p50 ms",
    "p95 ms",
    "probes failed",
    "sent",
    "what they met",
    "verdict",
)
ATTACK_NAMES = tuple(one.name for one in attacks(""))


@click.command()
@click.option(
    "--seconds", type=click.FloatRange(1, 600), default=20.0, show_default=True, help="Seconds for each attack."
)
@click.option("--searchers", type=click.IntRange(1, 50), default=10, show_default=True)
@click.option("--records", type=click.IntRange(12, 5_000), default=300, show_default=True, help="Records to search.")
@click.option(
    "--ratio", type=click.FloatRange(1), default=2.0, show_default=True, help="Maximum ratio to the usual p50, p95."
)
@click.option("--attack", "names", type=click.Choice(ATTACK_NAMES), multiple=True, help="Only this attack; repeatable.")
@click.option("--json", "into", type=click.Path(dir_okay=False, path_type=Path), help="Also write the results here.")
def hostile(
    *, seconds: float, searchers: int, records: int, ratio: float, names: tuple[str, ...], into: Path | None
) -> None:
    """Attack an API with default settings over throw-away indices, while ten honest searchers use it.

    The searchers are measured alone first. Everything goes to this machine's own addresses: attackers come from one,
    each searcher from one of its own.

    Exit code 1 where a searcher was refused, failed or waited --ratio times as long as usual, or a probe failed.
    """
    progress, found = messages(), []
    port = free_port()
    more = {**_as_it_ships(), "SONDE_API__PROBES_PORT": str(port)}
    with (
        temporary_node(load_settings(), progress.print) as settings,
        target(settings, records, more) as there,
    ):
        chosen = [one for one in attacks(there.key) if not names or one.name in names]
        terms = AttackTerms(searchers, seconds, ratio)
        for outcome in run_attacks(there.url, chosen, terms, f"http://127.0.0.1:{port}"):
            found.append(outcome)
            progress.print(f"{outcome.attack}: {', '.join(outcome.wrong(found[0], ratio)) or 'held'}")
            if into is not None:
                into.write_text(json.dumps([one.as_json() for one in found], indent=1), "utf-8")
    show_attacks(screen(), found, ratio)
    if any(one.wrong(found[0], ratio) for one in found):
        sys.exit(1)


def _as_it_ships() -> dict[str, str]:
    """The limits that ``own_api`` leaves out for others."""
    limits = LimitsSettings()
    return {"SONDE_LIMITS__PER_ADDRESS": str(limits.per_address), "SONDE_LIMITS__PER_KEY": str(limits.per_key)}


def show_attacks(console: Console, found: list[AttackOutcome], ratio: float) -> None:
    """One row for the searchers alone, one for each attack."""
    table = Table(box=None, pad_edge=False)
    for head in ("attack", *_ATTACK_COLUMNS):
        table.add_column(head, justify="left" if head in ("attack", "what they met", "verdict") else "right")
    for one in found:
        met = ", ".join(f"{name} {number}" for name, number in sorted(one.answers.items()))
        times = (f"{one.p50_ms:.0f}", f"{one.p95_ms:.0f}")
        counts = (str(one.answered), str(one.refused), str(one.failed), *times, str(len(one.probes_failed)))
        verdict = ", ".join(one.wrong(found[0], ratio)) or "held"
        table.add_row(one.attack, *counts, str(one.sent), met, verdict)
    console.print(table)
    held = sum(not one.wrong(found[0], ratio) for one in found[1:])
    console.print(f"{held} of {len(found) - 1} held; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
