"""Progress bars of measuring commands."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TimeElapsedColumn

from sonde.cli.screen import NameColumn


class StageBars:
    """A progress bar for each stage, made at its first report."""

    def __init__(self, console: Console) -> None:
        columns = (NameColumn(), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=console, transient=True)

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
