"""The files through which the worker and the process that reads a document talk, all in the job's folder.

The process notes its progress and keeps each page, one JSON line each, so that a later process need not read them
again. The worker trusts none of these files: whatever the process wrote, reading it costs little and leads nowhere.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from pydantic import TypeAdapter

from indexer.documents.parse.model import Page


def read_untrusted(file: Path, max_bytes: int) -> bytes | None:
    """The content, None if it has more than ``max_bytes`` bytes.

    Raises OSError if it is not there, or no plain file: a link would lead elsewhere, and a pipe would make us wait.
    """
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as content:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{file.name} is no plain file")
        data = content.read(max_bytes + 1)
    return data if len(data) <= max_bytes else None


PageProgress = Callable[[int, int], None]
"""Called after each page: pages read, pages in all."""

_FILE = "pages"
_LONGEST = 40


def ignore_pages(done_pages: int, total: int) -> None:
    """Ignores progress."""


def write_progress(folder: Path, done_pages: int, total: int) -> None:
    (folder / _FILE).write_text(f"{done_pages} {total}")


def read_progress(folder: Path) -> tuple[int, int] | None:
    """Pages read and pages in total; None before the first page."""
    try:
        done_pages, total = (read_untrusted(folder / _FILE, _LONGEST) or b"").split()
        return int(done_pages), int(total)
    except (OSError, ValueError):  # not there yet, or half written
        return None


PAGES_FILE = "pages.jsonl"
_PAGE = TypeAdapter(Page)


class PageStore:
    """``file`` None: nothing is kept."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file if file is not None and file.exists() else None

    def read(self) -> list[Page]:
        """The pages of earlier processes; a line that a killed process left half written is cut off."""
        if self._file is None:
            return []
        pages, complete_bytes = [], 0
        content = self._file.read_bytes()
        for line in _lines(content):
            try:
                pages.append(_PAGE.validate_python(json.loads(line)))
            except ValueError:
                break
            complete_bytes += len(line)
        with self._file.open("r+b") as file:
            file.truncate(complete_bytes)
        return pages

    def add(self, page: Page) -> None:
        if self._file is not None:
            with self._file.open("ab") as file:
                file.write(json.dumps(_PAGE.dump_python(page)).encode() + b"\n")


def _lines(content: bytes) -> Iterator[bytes]:
    """The lines with their ends; not the last one if it has none."""
    return (line for line in content.splitlines(keepends=True) if line.endswith(b"\n"))
