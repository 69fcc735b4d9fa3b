"""Reads records of a real catalogue as a harvest does, for collections judged over one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from core.record import Record
from indexer.formats.registry import read
from indexer.plan.parsed_record import with_inferences
from indexer.raw import RecordRefused
from indexer.sources.folder import FolderSource


def records_of(path: Path, source: str) -> Iterator[Record]:
    """The records of a folder or archive under ``source``; unreadable documents are skipped, as in a harvest."""
    for page in FolderSource(path).pages():
        for raw in page.records:
            try:
                yield with_inferences(read(raw, source))
            except RecordRefused:
                continue
