"""`sonde doctor`: checks an installation and says what to repair."""

from __future__ import annotations

import logging
import sys

import click
from rich.table import Table
from rich.text import Text

from sonde.cli.screen import say_json, screen
from sonde.ops.doctor.examine import examine
from sonde.ops.doctor.finding import Finding
from sonde.settings import load_settings
from sonde.wiring.models import Models

_COLOURS = {"ok": "green", "warning": "yellow", "broken": "red"}


@click.command()
@click.option("--json", "as_json", is_flag=True)
def doctor(*, as_json: bool) -> None:
    """Check every part of this installation and say what to repair. Exit code 1 if a part is broken."""
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)  # unavailable parts are reported below
    settings = load_settings()
    findings = list(examine(settings, Models(settings)))
    if as_json:
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
