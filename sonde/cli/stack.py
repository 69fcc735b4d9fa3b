"""`sonde up | down | status`: the one-machine stack."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.status import Status
from rich.text import Text

from core.errors import SondeError
from local_stack.errors import StackError, StartFailed
from local_stack.part import PartStatus
from local_stack.state import USER, login_of, password_file
from sonde.cli.options import FOLDER, shown
from sonde.cli.screen import plain_table, say, screen
from sonde.ops.one_machine import stack_of
from sonde.settings import load_settings

_WELL = ("running", "external")
_COLOURS = {"running": "green", "external": "green", "stopped": "dim", "died": "red", "unhealthy": "yellow"}


class StackProgress:
    """local_stack.part.Reporter: a line for each event. Downloads have one moving line; without a terminal, one line at
    their start.
    """

    def __init__(self, console: Console, status: Status) -> None:
        self._console = console
        self._status = status
        self._counted_events: set[str] = set()

    def __call__(self, event: str, **fields: object) -> None:
        text = event.replace(".", ": ").replace("_", " ")
        done_bytes, total = fields.get("done_bytes"), fields.get("total_bytes")
        if isinstance(done_bytes, int) and isinstance(total, int):
            self._status.update(f"{text} ({done_bytes / 1e6:.0f} of {total / 1e6:.0f} MB)")
            if self._console.is_terminal or event in self._counted_events:
                return
            self._counted_events.add(event)
            fields = {"size": f"{total / 1e6:.0f} MB"}
        details = ", ".join(f"{name} {value}" for name, value in fields.items())
        self._console.print(f"  {text}" + (f" ({details})" if details else ""), style="dim")


def start_stack(console: Console) -> list[PartStatus]:
    """Starts every part and reports progress. Raises SondeError with a part's last output if it does not start."""
    from sonde.ops.prepare_models import (
        preparing_in_background,
    )  # imports the encoders, which `status` and `down` do not need

    try:
        with console.status("Starting") as status:  # shown only on a terminal
            settings, progress = load_settings(), StackProgress(console, status)
            with preparing_in_background(settings, progress):
                return stack_of(settings).up(progress)
    except StartFailed as error:
        raise SondeError(f"{error}\n{error.log_tail}") from error
    except StackError as error:
        raise SondeError(str(error)) from error


@click.command()
@click.option("--service", is_flag=True, help="Start nothing: write units of systemd that start the parts.")
@shown("--etc", Path("/etc"), "Folder for the files of --service.", FOLDER)
def up(*, service: bool, etc: Path) -> None:
    """Start Elasticsearch, Valkey, a worker, beat and the API on this machine, except parts that run already."""
    if service:
        _write_service(etc)
        return
    console = screen()
    show(console, start_stack(console))


def _write_service(etc: Path) -> None:
    from sonde.ops.service_units import service_files, service_settings, write_service_files

    try:
        for file in write_service_files(service_files(service_settings(etc)), etc):
            say(str(file))
    except OSError as error:
        raise SondeError(f"{error.filename} cannot be written: {error.strerror}. Use sudo, or --etc FOLDER") from error
    say("Next: systemd-sysusers && systemctl daemon-reload && systemctl enable --now sonde.target")


@click.command()
@click.argument("parts", nargs=-1)
def down(parts: Sequence[str]) -> None:
    """Stop every process that `sonde up` started, or only PARTS (worker, beat, api, ...). Data and logs stay.

    `sonde up` starts what is missing again.
    """
    try:
        stack_of(load_settings()).down(only=parts)
    except StackError as error:
        raise SondeError(str(error)) from error
    say("Down: " + ", ".join(parts) if parts else "Everything is down.")


@click.command()
def status() -> None:
    """Show which parts run, and where. Exit code 1 if one does not."""
    parts = stack_of(load_settings()).status()
    show(screen(), parts)
    if any(part.state not in _WELL for part in parts):
        sys.exit(1)


def show(console: Console, parts: Sequence[PartStatus]) -> None:
    """One line for each part."""
    table = plain_table("part", "state", "pid", "address", "")
    for part in parts:
        state = Text(part.state, style=_COLOURS.get(part.state, "default"))
        table.add_row(part.name, state, str(part.pid or ""), part.address or "", part.detail or "")
    console.print(table)
    settings = load_settings()
    console.print(f"logs: {settings.stack.folder / 'logs'}", style="dim")
    if settings.elasticsearch.url is None and login_of(settings.stack.folder) is not None:
        file = password_file(settings.stack.folder)
        console.print(f"login of Elasticsearch: user {USER}, its password is in {file}", style="dim")


COMMANDS = (up, down, status)
