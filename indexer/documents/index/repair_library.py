"""Repairs users' documents after a crash: finishes readings and deletions (everybody's too), and removes leftovers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import structlog

from core.batched import batched
from core.document import PUBLIC, UNREAD, DocumentEntry, FileStore, StoredFile, owner_routing
from core.json_types import Json
from core.timespan import now_iso
from es_mappings.codecs import passages
from es_mappings.names import IndexKind, alias
from indexer.documents.index.attempts import READING, UnfinishedReadings, delete_interrupted, is_outdated, sonde_version
from indexer.documents.index.library import remove_document
from indexer.documents.index.store import DocumentGone, DocumentStore, distinct_keys
from indexer.store.ledger import scan

log = structlog.get_logger(__name__)

SILENT = timedelta(seconds=60)
"""A document in progress is queued again after this time without a change."""

_YOUNG_S = 600.0  # a file is written before its entry: a younger file may still get one
_PAGE = 500
_MOST_OUTDATED = 10  # documents of an older reader that are in progress at once
_KINDS: tuple[IndexKind, ...] = ("documents", "library")


@dataclass(frozen=True, slots=True)
class Repairs:
    """The number of repairs of each type. ``undone``: everybody's documents whose reading was interrupted."""

    requeued: int = 0
    undone: int = 0
    deleted: int = 0
    files: int = 0
    passages: int = 0


@dataclass(frozen=True, slots=True)
class Queue:
    """``is_read``: whether a worker has the document now; ``enqueue``: queues it, False if it was queued just now."""

    is_read: Callable[[str], bool]
    enqueue: Callable[[str], bool]


def repair_library(
    store: DocumentStore,
    files: FileStore,
    queue: Queue,
    *,
    silent: timedelta = SILENT,
    unfinished_readings: UnfinishedReadings | None = None,
) -> Repairs:
    """Idempotent. Raises core.errors.Unavailable if Elasticsearch or the broker does not answer."""
    names = [alias(store.prefix, kind) for kind in _KINDS]
    if not all(store.client.indices.exists_alias(name=name) for name in names):
        return Repairs()
    requeued_count = (
        _requeue(store, queue, silent) + _requeue_parked(store, queue) + _requeue_outdated(store, files, queue)
    )
    repairs = Repairs(
        requeued=requeued_count,
        undone=delete_interrupted(store),
        deleted=_finish_deletions(store, files, unfinished_readings),
        files=_discard_files(store, files),
        passages=_drop_orphans(store),
    )
    if unfinished_readings is not None:
        _drop_finished(store, unfinished_readings)
    if repairs != Repairs():
        log.info("library.tidied", requeued=repairs.requeued, files=repairs.files, passages=repairs.passages)
    return repairs


def _requeue(store: DocumentStore, queue: Queue, silent: timedelta) -> int:
    """Documents in the queue, or left by a worker that died."""
    silent_since = (datetime.now(UTC) - silent).isoformat(timespec="milliseconds")
    filters: list[Json] = [{"terms": {"state": list(UNREAD)}}, {"range": {"updated": {"lt": silent_since}}}]
    return sum(not queue.is_read(entry.id) and queue.enqueue(entry.id) for entry in _private(store, filters))


def _requeue_parked(store: DocumentStore, queue: Queue) -> int:
    """Documents parked by a defect of another version of Sonde, which this version may be able to read."""
    parked_filters: list[Json] = [{"term": {"state": "failed"}}, {"term": {"reason": "crashed"}}]
    entries = [entry for entry in _private(store, parked_filters) if entry.version != sonde_version()]
    for entry in entries:
        _queue_again(entry, store, queue)
    return len(entries)


def _requeue_outdated(store: DocumentStore, files: FileStore, queue: Queue) -> int:
    """Reads documents of an older reader again, a few at a time, so that no upload waits behind all of them.

    Their passages remain searchable until the new ones exist. A document whose file is gone is unchanged.
    """
    older: list[Json] = [
        {"term": {"state": "ready"}},
        {"bool": {"must_not": {"prefix": {"recipe": f"{READING}:"}}}},
    ]
    entries = [entry for entry in _private(store, older) if is_outdated(entry)]
    if not entries:
        return 0
    present = {(file.folder, file.document) for file in files.files()}
    entries = [entry for entry in entries if (owner_routing(entry.owner), entry.id) in present]
    waiting_count = sum(1 for _ in _private(store, [{"terms": {"state": list(UNREAD)}}]))
    entries_to_read = entries[: max(0, _MOST_OUTDATED - waiting_count)]
    for entry in entries_to_read:
        _queue_again(entry, store, queue)
    return len(entries_to_read)


def _queue_again(entry: DocumentEntry, store: DocumentStore, queue: Queue) -> None:
    with suppress(DocumentGone):
        store.keep_entry(replace(entry, state="queued", reason=None, message=None, attempts=0, updated=now_iso()))
        queue.enqueue(entry.id)


def _finish_deletions(store: DocumentStore, files: FileStore, unfinished_readings: UnfinishedReadings | None) -> int:
    marked_entries = list(_entries(store, {"term": {"state": "deleted"}}))
    for entry in marked_entries:
        remove_document(entry, store, files, unfinished_readings)
    return len(marked_entries)


def _private(store: DocumentStore, filters: list[Json]) -> Iterator[DocumentEntry]:
    yield from _entries(store, {"bool": {"filter": filters, "must_not": {"term": {"owner": PUBLIC}}}})


def _entries(store: DocumentStore, query: Json) -> Iterator[DocumentEntry]:
    for hit in scan(store.client, alias(store.prefix, "documents"), query):
        yield passages.entry_from_document(hit["_id"], hit["_source"])


def _discard_files(store: DocumentStore, files: FileStore) -> int:
    """Files without a document, and leftovers of an interrupted upload."""
    old_files = [file for file in files.files() if file.age_s > _YOUNG_S]
    orphans: list[StoredFile] = []
    for batch in batched(old_files, _PAGE):
        entries = store.entries([file.document for file in batch])
        orphans += [file for file in batch if not _belongs(file, entries.get(file.document))]
    for file in orphans:
        files.discard(file)
    return len(orphans)


def _drop_finished(store: DocumentStore, unfinished_readings: UnfinishedReadings) -> None:
    """What slices kept of documents that are gone, or no longer being read."""
    old_documents = [document for document, age_s in unfinished_readings.ages() if age_s > _YOUNG_S]
    for batch in batched(old_documents, _PAGE):
        entries = store.entries(batch)
        for document in batch:
            if document not in entries or entries[document].state not in UNREAD:
                unfinished_readings.drop(document)


def _belongs(file: StoredFile, entry: DocumentEntry | None) -> bool:
    return entry is not None and owner_routing(entry.owner) == file.folder


def _drop_orphans(store: DocumentStore) -> int:
    """Passages written by a worker while their document was being deleted."""
    dropped_count = 0
    for pairs in _documents_with_passages(store):
        entries = store.entries([document for document, _ in pairs])
        for document, owner in pairs:
            if document not in entries:
                dropped_count += store.drop_passages(DocumentEntry(document, owner, "", "", "deleted"))
    return dropped_count


def _documents_with_passages(store: DocumentStore) -> Iterator[list[tuple[str, str]]]:
    for keys in distinct_keys(store.client, alias(store.prefix, "library"), ("document", "owner"), _PAGE):
        yield [(key["document"], key["owner"]) for key in keys]
