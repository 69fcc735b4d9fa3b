"""Where commands print: data appear as they are, never as markup or emoji codes, and without control characters."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import click
from rich.console import Console
from rich.progress import Task, TextColumn
from rich.text import Text

_WIDE = 10_000
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class DataConsole(Console):
    """A console that never reads ``[bold]`` or ``:fish:`` in a text: titles and ids hold such."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(printable(text), **options)


class NameColumn(TextColumn):
    """The name of a task beside its bar."""

    def __init__(self) -> None:
        super().__init__("{task.description}", markup=False)

    def render(self, task: Task) -> Text:
        return Text(printable(task.description))


def screen() -> DataConsole:
    """The current standard output: as wide as the terminal or, for other programs, as wide as necessary, so that titles
    and ids are not cut.
    """
    return DataConsole(width=None if sys.stdout.isatty() else _WIDE)


def messages() -> DataConsole:
    """The current standard error: progress, and what is not the result of the command."""
    return DataConsole(stderr=True, width=None if sys.stderr.isatty() else _WIDE)


def say(text: object, *, err: bool = False, nl: bool = True, **style: Any) -> None:
    """A line as it is. ``style``: as of ``click.style``."""
    click.secho(printable(str(text)), err=err, nl=nl, **style)


def say_json(value: object) -> None:
    """The value as JSON; ``printable`` writes JSON's own escapes, so that the text stays valid."""
    say(json.dumps(value, indent=2, ensure_ascii=False))


def printable(text: str) -> str:
    r"""With control characters written as ``\u001b``, because a terminal would obey them; those that turn the direction
    of a text are among them.
    """
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text.replace("\r\n", "\n"))
