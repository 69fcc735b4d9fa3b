"""`sonde doctor`: checks an installation and says what to repair."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO

import click
from rich.table import Table
from rich.text import Text

from sonde.cli.options import PRESENT_FILE
from sonde.cli.screen import say, say_json, screen
from sonde.ops.doctor.examine import examine
from sonde.ops.doctor.finding import Finding
from sonde.ops.doctor.support import support_texts, write_bundle
from sonde.ops.one_machine import own_environment, stack_of
from sonde.settings import load_settings
from sonde.wiring.models import Models

_COLOURS = {"ok": "green", "warning": "yellow", "broken": "red"}


@click.command()
@click.option("--json", "as_json", is_flag=True)
@click.option(
    "--support",
    "bundle",
    type=click.File("wb", lazy=True),
    help="Write a bundle for a bug report here (tar.gz; -: standard output), without secrets.",
)
@click.option(
    "--log",
    "logs",
    multiple=True,
    type=PRESENT_FILE,
    help="A further log for the bundle, such as of `kubectl logs`; repeatable.",
)
def doctor(*, as_json: bool, bundle: IO[bytes] | None, logs: tuple[Path, ...]) -> None:
    """Check every part of this installation and say what to repair. Exit code 1 if a part is broken."""
    settings = load_settings()
    findings = list(examine(settings, Models(settings)))
    if bundle is not None:
        parts = stack_of(settings).status()
        write_bundle(bundle, support_texts(settings, own_environment(), findings, parts, logs))
        say("The bundle is written. Read it before you send it: `tar -xzf FILE`.", err=True)
    elif as_json:
        say_json([_row(finding) for finding in findings])
    else:
        table = Table(box=None, pad_edge=False, show_header=False)
        for finding in findings:
            table.add_row(finding.part, Text(finding.state, style=_COLOURS[finding.state]), finding.message)
        screen().print(table)
    if any(finding.state == "broken" for finding in findings):
        sys.exit(1)


def _row(finding: Finding) -> dict[str, str]:
    return {"part": finding.part, "state": finding.state, "told": finding.message}  # the names that scripts know


COMMANDS = (doctor,)
