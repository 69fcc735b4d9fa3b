"""Repairs users' documents after a crash: finishes readings and deletions, and removes leftovers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import structlog

from core.batched import batched
from core.clock import now_iso
from core.document import PUBLIC, UNREAD, DocumentEntry, FileStore, StoredFile, owner_routing
from core.json_types import Json
from es_mappings.codecs import documents
from es_mappings.names import IndexKind, alias
from indexer.documents.library import take_away
from indexer.documents.parking import sonde_version, undo_interrupted
from indexer.documents.reading_slice import KeptReadings
from indexer.documents.recipe import READING, is_outdated
from indexer.documents.store import DocumentGone, DocumentStore
from indexer.store.scan import scan

log = structlog.get_logger(__name__)

SILENT = timedelta(seconds=60)
"""A document in progress is queued again after this time without a change."""

_YOUNG_S = 600.0  # a file is written before its entry: a younger file may still get one
_PAGE = 500
_MOST_ANEW = 10  # documents of an older reader that are in progress at once
_KINDS: tuple[IndexKind, ...] = ("documents", "library")


@dataclass(frozen=True, slots=True)
class Repairs:
    """The number of repairs of each type. ``undone``: everybody's documents whose reading was interrupted."""

    requeued: int = 0
    undone: int = 0
    taken_away: int = 0
    files: int = 0
    passages: int = 0


@dataclass(frozen=True, slots=True)
class Queue:
    """``is_read``: whether a worker has the document now; ``read``: queues it, False if it was queued just now."""

    is_read: Callable[[str], bool]
    read: Callable[[str], bool]


def repair_library(
    store: DocumentStore,
    files: FileStore,
    queue: Queue,
    *,
    silent: timedelta = SILENT,
    kept: KeptReadings | None = None,
) -> Repairs:
    """Idempotent. Raises core.errors.Unavailable if Elasticsearch or the broker does not answer."""
    names = [alias(store.prefix, kind) for kind in _KINDS]
    if not all(store.client.indices.exists_alias(name=name) for name in names):
        return Repairs()
    done = Repairs(
        requeued=_requeued(store, queue, silent) + _after_upgrade(store, queue) + _read_anew(store, files, queue),
        undone=undo_interrupted(store),
        taken_away=_taken_away(store, files, kept),
        files=_without_entry(store, files),
        passages=_orphans(store),
    )
    if kept is not None:
        _drop_finished(store, kept)
    if done != Repairs():
        log.info("library.tidied", requeued=done.requeued, files=done.files, passages=done.passages)
    return done


def _requeued(store: DocumentStore, queue: Queue, silent: timedelta) -> int:
    """Documents in the queue, or left by a worker that died."""
    before = (datetime.now(UTC) - silent).isoformat(timespec="milliseconds")
    filters: list[Json] = [{"terms": {"state": list(UNREAD)}}, {"range": {"updated": {"lt": before}}}]
    return sum(not queue.is_read(entry.id) and queue.read(entry.id) for entry in _private(store, filters))


def _after_upgrade(store: DocumentStore, queue: Queue) -> int:
    """Documents parked by a defect of another version of Sonde, which this version may be able to read."""
    parked: list[Json] = [{"term": {"state": "failed"}}, {"term": {"reason": "crashed"}}]
    entries = [one for one in _private(store, parked) if one.version != sonde_version()]
    for entry in entries:
        _begin_again(entry, store, queue)
    return len(entries)


def _read_anew(store: DocumentStore, files: FileStore, queue: Queue) -> int:
    """Reads documents of an older reader again, a few at a time, so that no upload waits behind all of them.

    Their passages remain searchable until the new ones exist. A document whose file is gone is unchanged.
    """
    older: list[Json] = [
        {"term": {"state": "ready"}},
        {"bool": {"must_not": {"prefix": {"recipe": f"{READING}:"}}}},
    ]
    entries = [one for one in _private(store, older) if is_outdated(one)]
    if not entries:
        return 0
    there = {(found.folder, found.document) for found in files.files()}
    entries = [one for one in entries if (owner_routing(one.owner), one.id) in there]
    on_their_way = sum(1 for _ in _private(store, [{"terms": {"state": list(UNREAD)}}]))
    chosen = entries[: max(0, _MOST_ANEW - on_their_way)]
    for entry in chosen:
        _begin_again(entry, store, queue)
    return len(chosen)


def _begin_again(entry: DocumentEntry, store: DocumentStore, queue: Queue) -> None:
    with suppress(DocumentGone):
        store.keep_entry(replace(entry, state="queued", reason=None, message=None, attempts=0, updated=now_iso()))
        queue.read(entry.id)


def _taken_away(store: DocumentStore, files: FileStore, kept: KeptReadings | None) -> int:
    marked = list(_private(store, [{"term": {"state": "deleted"}}]))
    for entry in marked:
        take_away(entry, store, files, kept)
    return len(marked)


def _private(store: DocumentStore, filters: list[Json]) -> Iterator[DocumentEntry]:
    query = {"bool": {"filter": filters, "must_not": {"term": {"owner": PUBLIC}}}}
    for hit in scan(store.client, alias(store.prefix, "documents"), query):
        yield documents.from_document(hit["_id"], hit["_source"])


def _without_entry(store: DocumentStore, files: FileStore) -> int:
    """Files without a document, and leftovers of an interrupted upload."""
    old = [found for found in files.files() if found.age_s > _YOUNG_S]
    doomed: list[StoredFile] = []
    for some in batched(old, _PAGE):
        known = store.entries([found.document for found in some])
        doomed += [found for found in some if not _belongs(found, known.get(found.document))]
    for found in doomed:
        files.discard(found)
    return len(doomed)


def _drop_finished(store: DocumentStore, kept: KeptReadings) -> None:
    """What slices kept of documents that are gone, or no longer being read."""
    old = [document for document, age_s in kept.ages() if age_s > _YOUNG_S]
    for some in batched(old, _PAGE):
        known = store.entries(some)
        for document in some:
            if document not in known or known[document].state not in UNREAD:
                kept.drop(document)


def _belongs(found: StoredFile, entry: DocumentEntry | None) -> bool:
    return entry is not None and owner_routing(entry.owner) == found.folder


def _orphans(store: DocumentStore) -> int:
    """Passages written by a worker while their document was being deleted."""
    dropped = 0
    for pairs in _documents_with_passages(store):
        known = store.entries([document for document, _ in pairs])
        for document, owner in pairs:
            if document not in known:
                dropped += store.drop_passages(DocumentEntry(document, owner, "", "", "deleted"))
    return dropped


def _documents_with_passages(store: DocumentStore) -> Iterator[list[tuple[str, str]]]:
    """Pages of (document, owner) of the library index."""
    index = alias(store.prefix, "library")
    after: Json = {}
    while True:
        sources = [{"document": {"terms": {"field": "document"}}}, {"owner": {"terms": {"field": "owner"}}}]
        composite = {"size": _PAGE, "sources": sources, **({"after": after} if after else {})}
        aggs = {"documents": {"composite": composite}}
        answer = store.client.search(index=index, size=0, aggs=aggs).body
        found = answer["aggregations"]["documents"]
        yield [(bucket["key"]["document"], bucket["key"]["owner"]) for bucket in found["buckets"]]
        if "after_key" not in found:
            return
        after = found["after_key"]
