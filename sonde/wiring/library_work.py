"""Builds the library work of the workers."""

from __future__ import annotations

from collections.abc import Callable

from es_gateway.client import Elasticsearch
from indexer.documents.index import library, repair_library
from indexer.documents.index.slices import UnfinishedReadings
from indexer.documents.index.steps import IngestParts
from indexer.documents.index.store import DocumentStore
from net.gate import Gate
from sonde.settings import Settings
from sonde.wiring.file_store import FolderFiles
from workers.parts import LibraryWork


def library_work(
    settings: Settings,
    client: Elasticsearch,
    reading: Callable[[], IngestParts],
    gate: Callable[[], Gate],
    kept: UnfinishedReadings | None,
) -> LibraryWork:
    """The workers' tasks for users' documents; ``reading`` makes its parts at the first task."""
    files = FolderFiles(settings.library.folder)
    given = settings.library

    def read(document: str, seconds: float) -> None:
        reading_now = library.LibraryReading(reading(), files, gate, given.max_file_bytes, given.max_bytes)
        library.read_queued(document, reading_now, seconds)

    def mend(is_read: Callable[[str], bool], again: Callable[[str], bool]) -> repair_library.Repairs:
        return repair_library.repair_library(
            DocumentStore(client, settings.index.prefix), files, repair_library.Queue(is_read, again), unfinished=kept
        )

    def unread() -> dict[str, list[str]]:
        return DocumentStore(client, settings.index.prefix).unread()

    return LibraryWork(unread, read, mend)
