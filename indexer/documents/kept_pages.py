"""The pages that a reading process has read, one JSON line each, so that a later process need not read them again.

The worker puts the file into the job's folder; without it, no page is kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import TypeAdapter

from indexer.documents.page import Page

PAGES_FILE = "pages.jsonl"
_PAGE = TypeAdapter(Page)


class KeptPages:
    """``file`` None: nothing is kept."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file if file is not None and file.exists() else None

    def read(self) -> list[Page]:
        """The pages of earlier processes; a line that a killed process left half written is cut off."""
        if self._file is None:
            return []
        pages, whole = [], 0
        content = self._file.read_bytes()
        for line in _lines(content):
            try:
                pages.append(_PAGE.validate_python(json.loads(line)))
            except ValueError:
                break
            whole += len(line)
        with self._file.open("r+b") as file:
            file.truncate(whole)
        return pages

    def add(self, page: Page) -> None:
        if self._file is not None:
            with self._file.open("ab") as file:
                file.write(json.dumps(_PAGE.dump_python(page)).encode() + b"\n")


def _lines(content: bytes) -> Iterator[bytes]:
    """The lines with their ends; not the last one if it has none."""
    return (line for line in content.splitlines(keepends=True) if line.endswith(b"\n"))
