"""Attempts to read a document: which documents are read again, and the slices of a long reading."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import TypeVar

import structlog
from pydantic import TypeAdapter, ValidationError

from core.document import PUBLIC, UNREAD, DocumentEntry
from core.timespan import now_iso
from es_mappings.codecs import passages
from es_mappings.names import alias
from indexer.documents.index.store import DocumentStore
from indexer.documents.parse.isolation import ATTEMPTS, PagesSlice, ParseResult, SliceOver, write_atomically
from indexer.documents.parse.job_files import PAGES_FILE
from indexer.documents.parse.limits import TEMPORARY, DocumentRefused
from indexer.documents.segment.passages import Segmentation, SegmentOptions
from indexer.store.ledger import scan

READING = "9"
"""Increase this when documents are read differently, so that they are read again."""


def recipe(options: SegmentOptions, segmenter: str) -> str:
    """``segmenter`` names the model that splits passages; empty without one."""
    segmenter_suffix = f":{segmenter}" if segmenter else ""
    return f"{READING}:{options.most_tokens}:{options.overlap}{segmenter_suffix}"


def is_outdated(entry: DocumentEntry) -> bool:
    """Whether an older reader read this ready document."""
    return entry.state == "ready" and entry.recipe is not None and entry.recipe.split(":", 1)[0] != READING


log = structlog.get_logger(__name__)

MOST_STARTS = 3
SILENT = timedelta(minutes=15)
"""Longer than any reading without progress: two attempts of five minutes in the reading process."""
BETWEEN_SLICES = timedelta(days=1)
"""So long a document may wait for its next slice, behind the slices of other sources."""
_DEFECT = "Nothing of it is searchable. It is read again after the next upgrade of Sonde, or when it is sent again."


@cache
def sonde_version() -> str:
    try:
        return installed_version("sonde-search")
    except PackageNotFoundError:
        return "unknown"


def starts_before(stored_entry: DocumentEntry | None, hash: str) -> int:
    """How often this version started to read these bytes without finishing."""
    if stored_entry is None or stored_entry.state == "ready" or stored_entry.hash not in (None, hash):
        return 0
    return stored_entry.attempts if stored_entry.version in (None, sonde_version()) else 0


def is_parked(stored_entry: DocumentEntry, hash: str | None = None) -> bool:
    """Whether this version failed on these bytes (``hash``; None: on the same ones) and would fail again."""
    if (
        stored_entry.state != "failed"
        or hash not in (None, stored_entry.hash)
        or stored_entry.version != sonde_version()
    ):
        return False
    return stored_entry.reason == "crashed" or (
        stored_entry.reason in TEMPORARY and stored_entry.attempts >= MOST_STARTS
    )


def is_settled(entry: DocumentEntry) -> bool:
    """Whether a linked document needs no further reading: read, failed permanently, or retried often enough."""
    if entry.state != "failed":
        return entry.state == "ready"
    if entry.reason == "crashed":
        return entry.version == sonde_version()
    return entry.reason not in TEMPORARY or entry.attempts >= ATTEMPTS


def too_many_starts(starts: int) -> DocumentRefused:
    return DocumentRefused(
        "crashed", f"Its reading was broken off {starts} times, each time without a result. {_DEFECT}"
    )


def refusal_by_defect(error: Exception) -> DocumentRefused:
    """The error for a document on which one of our own steps failed. Names the place in our code, no text."""
    if isinstance(error, MemoryError):
        return DocumentRefused("out_of_memory", "To split it into passages needs more memory than the worker may have.")
    place = _place(error)
    log.error("document.crashed", error=type(error).__name__, at=place)
    return DocumentRefused(
        "crashed", f"Sonde failed while it read this document ({type(error).__name__}, {place}). {_DEFECT}"
    )


def _place(error: Exception) -> str:
    """``indexer.documents.index.store:42``, where the error was raised; outside Sonde the module that raised it."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return "an unknown place" if step is None else f"{step.tb_frame.f_globals.get('__name__', '?')}:{step.tb_lineno}"


def delete_interrupted(store: DocumentStore, *, silent: timedelta = SILENT) -> int:
    """Deletes half-read documents of everybody that have not changed for ``silent``.

    They become ``failed`` with the reason ``interrupted``, and a harvest or ``sonde ingest`` starts them again.
    ``repair_library`` queues users' documents again instead. A document between two slices has no open start
    (``attempts`` is 0) and waits longer.
    """
    undone = 0
    waits_since = (datetime.now(UTC) - max(silent, BETWEEN_SLICES)).isoformat(timespec="milliseconds")
    for entry in list(_silent(store, silent)):
        if not entry.attempts and (entry.updated or "") > waits_since:
            continue
        store.drop_passages(entry)
        message = "Reading it was interrupted. Nothing of it is searchable; ingest it again."
        store.put_entry(replace(entry, state="failed", reason="interrupted", message=message, updated=now_iso()))
        log.warning("document.interrupted", document=entry.id, attempts=entry.attempts)
        undone += 1
    return undone


def _silent(store: DocumentStore, silent: timedelta) -> Iterator[DocumentEntry]:
    silent_since = (datetime.now(UTC) - silent).isoformat(timespec="milliseconds")
    filters = [
        {"term": {"owner": PUBLIC}},
        {"terms": {"state": list(UNREAD)}},
        {"range": {"updated": {"lte": silent_since}}},
    ]
    for hit in scan(store.client, alias(store.prefix, "documents"), {"bool": {"filter": filters}}):
        yield passages.entry_from_document(hit["_id"], hit["_source"])


T = TypeVar("T")

_PARSE_RESULT = TypeAdapter(ParseResult)
_PASSAGES = TypeAdapter(Segmentation)
_MADE_OF = "made-of"
_PARSED_FILE = "document.json"
_PASSAGES_FILE = "passages.json"


@dataclass(frozen=True, slots=True)
class ReadingSlice:
    """``ends``: the slice does not begin another piece of work after this time (time.monotonic())."""

    folder: Path
    ends: float

    @property
    def pages(self) -> PagesSlice:
        return PagesSlice(self.folder / PAGES_FILE, self.ends)

    def check(self) -> None:
        """Raises SliceOver after the end."""
        if time.monotonic() >= self.ends:
            raise SliceOver("The slice is over.")

    def parsed(self) -> ParseResult | None:
        """The document as an earlier slice read it."""
        return _read(self.folder / _PARSED_FILE, _PARSE_RESULT)

    def keep_parsed(self, result: ParseResult) -> None:
        write_atomically(self.folder / _PARSED_FILE, _PARSE_RESULT.dump_json(result))

    def passages(self) -> Segmentation | None:
        """The passages as an earlier slice made them."""
        return _read(self.folder / _PASSAGES_FILE, _PASSAGES)

    def keep_passages(self, segmentation: Segmentation) -> None:
        write_atomically(self.folder / _PASSAGES_FILE, _PASSAGES.dump_json(segmentation))

    def drop(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class UnfinishedReadings:
    """A folder with a folder for each document whose reading is not finished."""

    folder: Path

    def slice(self, document: str, dependencies: Sequence[str], seconds: float) -> ReadingSlice:
        """``dependencies``: what the kept files depend on, such as the hash of the bytes and the recipe."""
        document_folder = self.folder / document
        key = "\n".join(dependencies).encode()
        with suppress(FileNotFoundError):
            if (document_folder / _MADE_OF).read_bytes() != key:
                shutil.rmtree(document_folder)
        document_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (document_folder / _MADE_OF).exists():
            write_atomically(document_folder / _MADE_OF, key)
        return ReadingSlice(document_folder, time.monotonic() + seconds)

    def ages(self) -> Iterator[tuple[str, float]]:
        """The documents with a folder, and the seconds since something was kept there."""
        for path in sorted(self.folder.glob("*")):
            with suppress(FileNotFoundError):  # finished while we look
                yield path.name, time.time() - path.stat().st_mtime

    def drop(self, document: str) -> None:
        shutil.rmtree(self.folder / document, ignore_errors=True)


def _read(file: Path, adapter: TypeAdapter[T]) -> T | None:
    try:
        return adapter.validate_json(file.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
