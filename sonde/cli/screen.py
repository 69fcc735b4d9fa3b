"""Where commands print: data appear as they are, never as markup or emoji codes, and without control characters; and
how a signal ends a command.
"""

from __future__ import annotations

import json
import re
import signal
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import click
from rich.console import Console, JustifyMethod
from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
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


def progress_bars(console: Console) -> Progress:
    """Name, bar, count and time of each task; they vanish at the end."""
    columns = (NameColumn(), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True)


class StageBars:
    """A progress bar for each stage, made at its first report."""

    def __init__(self, console: Console) -> None:
        self._progress = progress_bars(console)

    def __enter__(self) -> StageBars:
        self._progress.__enter__()
        return self

    def __exit__(self, *_failure: object) -> None:
        self._progress.stop()

    def progress_of(self, name: str) -> Callable[[int, int], None]:
        """The progress callback of a stage."""
        tasks: list[TaskID] = []

        def progress(done_count: int, total: int) -> None:
            if not tasks:
                tasks.append(self._progress.add_task(name, total=total))
            self._progress.update(tasks[0], completed=done_count, total=total)

        return progress


def plain_table(*headings: str, right: Collection[str] = (), fold: bool = False) -> Table:
    """A table without lines. ``right``: the columns of numbers; ``fold``: long texts take several lines."""
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        justify: JustifyMethod = "right" if heading in right else "left"
        table.add_column(heading, justify=justify, overflow="fold" if fold else "ellipsis")
    return table


def figures_table(first: str, *measures: str) -> Table:
    """A plain table with numbers in all columns but the first."""
    return plain_table(first, *measures, right=measures)


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


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """SIGTERM ends a command like Ctrl-C: processes and temporary indices are cleaned up."""

    def end(number: int, _frame: FrameType | None) -> None:
        sys.exit(128 + number)

    earlier_handler = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, earlier_handler)
