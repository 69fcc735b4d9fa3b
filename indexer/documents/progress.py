"""Progress of reading one document: its process writes it to the job's folder, the worker reads it there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from indexer.documents.handed_over import handed_over

PagesRead = Callable[[int, int], None]
"""Called after each page: pages read, pages in all."""

_FILE = "pages"
_LONGEST = 40


def unwatched(done: int, total: int) -> None:
    """Ignores progress."""


def note_pages(folder: Path, done: int, total: int) -> None:
    (folder / _FILE).write_text(f"{done} {total}")


def noted_pages(folder: Path) -> tuple[int, int] | None:
    """Pages read and pages in total; None before the first page."""
    try:
        done, total = (handed_over(folder / _FILE, _LONGEST) or b"").split()
        return int(done), int(total)
    except (OSError, ValueError):  # not there yet, or half written
        return None
