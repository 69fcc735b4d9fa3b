"""`sonde chaos documents`: documents of an attacker beside honest ones."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from lab.hostile_documents.catalogue import KINDS
from lab.hostile_documents.course import HonestReadings, ReadOutcome, ReadingTerms, read_course
from lab.hostile_documents.honest import HONEST
from sonde.cli.screen import messages, screen
from sonde.settings import load_settings
from sonde.wiring.documents import reading_limits, segment_options

_READING_COLUMNS = ("KB", "what happened", "seconds", "child MiB", "parent MiB", "passages", "cells", "verdict")
KIND_NAMES = tuple(kind.name for kind in KINDS)


@click.command()
@click.option("--kind", "names", type=click.Choice(KIND_NAMES), multiple=True, help="Only this kind; repeatable.")
@click.option("--small", is_flag=True, help="The sizes of the test suite.")
@click.option(
    "--parent-mib", type=click.FloatRange(64), default=1024.0, show_default=True, help="Most memory of a worker."
)
@click.option("--json", "into", type=click.Path(dir_okay=False, path_type=Path), help="Also write the results here.")
def documents(*, names: tuple[str, ...], small: bool, parent_mib: float, into: Path | None) -> None:
    """Read documents of an attacker with the limits of the settings, beside honest documents. Needs no service.

    Exit code 1 where one crashed its reader or passed a limit, or an honest document was not read.
    """
    settings = load_settings()
    terms = ReadingTerms(reading_limits(settings), segment_options(settings), parent_mib)
    chosen = [kind for kind in KINDS if not names or kind.name in names]
    progress, found, others = messages(), list[ReadOutcome](), HonestReadings()
    with tempfile.TemporaryDirectory(prefix="sonde-chaos-") as folder:
        for one in read_course(chosen, HONEST, terms, Path(folder), lambda kind: kind.small if small else kind.usual):
            if isinstance(one, HonestReadings):
                others = one
            else:
                found.append(one)
                progress.print(f"{one.kind}: {', '.join(one.wrong(terms)) or 'held'}", highlight=False)
            if into is not None:
                into.write_text(_as_json(found, others), "utf-8")
    show_readings(screen(), found, others, terms)
    if others.wrong or not others.read or any(one.wrong(terms) for one in found):
        sys.exit(1)


def _as_json(found: list[ReadOutcome], others: HonestReadings) -> str:
    honest = {"read": others.read, "slowest_s": round(others.slowest_s, 1), "wrong": others.wrong}
    return json.dumps({"kinds": [one.as_json() for one in found], "honest": honest}, indent=1)


def show_readings(console: Console, found: list[ReadOutcome], others: HonestReadings, terms: ReadingTerms) -> None:
    """One row for each kind, and what came of the honest documents."""
    table = Table(box=None, pad_edge=False)
    for head in ("document", *_READING_COLUMNS):
        table.add_column(head, justify="left" if head in ("document", "what happened", "verdict") else "right")
    for one in found:
        happened = one.state if one.state != "ready" or not one.told else "ready, with a warning"
        costs = (f"{one.seconds:.1f}", f"{one.child_mib:.0f}", f"{one.parent_mib:.0f}")
        counts = (f"{one.passages:,}", f"{one.cells:,}")
        verdict = ", ".join(one.wrong(terms)) or "held"
        table.add_row(one.kind, f"{one.size_bytes / 1000:,.0f}", happened, *costs, *counts, verdict)
    console.print(table)
    held = sum(not one.wrong(terms) for one in found)
    honest = f"{others.read} honest documents read, {len(others.wrong)} not, the slowest in {others.slowest_s:.1f} s"
    console.print(f"{held} of {len(found)} held; {honest}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
