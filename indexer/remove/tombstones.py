"""Lists removed records, restores them from their stored native bytes, and purges them after a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog

from core.document import CATALOGUE, PUBLIC, DocumentEntry
from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_mappings.codecs import passages
from es_mappings.codecs.ledger import LedgerEntry
from es_mappings.names import IndexKind, alias
from indexer.store import bulk
from indexer.store.file_versions import FileVersions
from indexer.store.ledger import Ledger, scan

RETENTION = timedelta(days=30)


def list_removed(client: Elasticsearch, prefix: str, source: str) -> list[LedgerEntry]:
    """The source's tombstones, newest first."""
    ledger = Ledger(client, prefix)
    ledger.refresh()
    return sorted(ledger.tombstones(source), key=lambda entry: entry.removed_at or "", reverse=True)


def purge(client: Elasticsearch, prefix: str, *, retention: timedelta = RETENTION) -> int:
    """Deletes native bytes and tombstones of records removed longer ago than ``retention``; returns their number.

    Also deletes file versions of that age: those files are fetched once more.
    """
    limit = (datetime.now(UTC) - retention).isoformat(timespec="milliseconds")
    ledger = Ledger(client, prefix)
    ledger.refresh()
    purged_count = 0
    for tombstone_entries in _hundreds(ledger.tombstones(removed_before=limit)):
        restored_records = _held_again(ledger, tombstone_entries)
        deletions = [
            bulk.delete_operation(alias(prefix, "natives"), tomb.record)
            for tomb in tombstone_entries
            if tomb.record is not None and tomb.record not in restored_records
        ]
        deletions += [bulk.delete_operation(ledger.index, tomb.key) for tomb in tombstone_entries]
        bulk.write(client, deletions)
        purged_count += len(tombstone_entries)
    FileVersions(client, prefix).forget_before(limit)
    return purged_count


def _held_again(ledger: Ledger, tombstone_entries: Sequence[LedgerEntry]) -> set[str]:
    """Records of these tombstones that another document has brought back meanwhile."""
    record_ids: set[str] = set()
    for source in {tomb.source for tomb in tombstone_entries}:
        records = [tomb.record for tomb in tombstone_entries if tomb.source == source and tomb.record is not None]
        record_ids |= set(ledger.holders(source, records))
    return record_ids


def _hundreds(entries: Iterator[LedgerEntry]) -> Iterator[list[LedgerEntry]]:
    batch: list[LedgerEntry] = []
    for entry in entries:
        batch.append(entry)
        if len(batch) == 500:
            yield batch
            batch = []
    if batch:
        yield batch


log = structlog.get_logger(__name__)

_OF_LINKS = "links:"  # a check of links is a run of this and the source
_IN_ORDER: tuple[IndexKind, ...] = ("records", "passages", "natives", "visits", "runs", "ledger")
"""The ledger last: until then ``sonde sources`` lists the source, and it can be removed again."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """What Sonde stores of a source."""

    records: int
    documents: int
    tombstones: int
    runs: int

    @property
    def is_nothing(self) -> bool:
        return not (self.records or self.documents or self.tombstones or self.runs)


def holdings(client: Elasticsearch, prefix: str, source: str) -> Holdings:
    """Raises Unavailable."""
    records, runs = (_count(client, prefix, kind, _of_source(source)) for kind in ("records", "runs"))
    documents = _count(client, prefix, "documents", _documents_of(source))
    tombstones = sum(1 for _ in Ledger(client, prefix).tombstones(source))
    return Holdings(records, documents, tombstones, runs)


def remove_source(
    client: Elasticsearch, prefix: str, source: str, remove_document: Callable[[DocumentEntry], None]
) -> None:
    """Its public documents first, each with its record and passages, so that none is left half removed.

    After an interruption, the same call removes the rest. Raises Unavailable.
    """
    documents = alias(prefix, "documents")
    if client.indices.exists_alias(name=documents):
        client.indices.refresh(index=documents)
        for hit in scan(client, documents, _documents_of(source)):
            remove_document(passages.entry_from_document(hit["_id"], hit["_source"]))
    for kind in _IN_ORDER:
        index = alias(prefix, kind)
        client.indices.refresh(index=index, ignore_unavailable=True)  # it deletes what a search finds
        client.delete_by_query(
            index=index,
            query=_of_source(source),
            conflicts="proceed",
            refresh=True,
            ignore_unavailable=True,
        )
    log.info("source.removed", source=source)


def _count(client: Elasticsearch, prefix: str, kind: IndexKind, query: JsonMapping) -> int:
    index = alias(prefix, kind)
    client.indices.refresh(index=index, ignore_unavailable=True)
    return int(client.count(index=index, query=query, ignore_unavailable=True)["count"])


def _of_source(source: str) -> JsonMapping:
    return {"terms": {"source": [source, f"{_OF_LINKS}{source}"]}}


def _documents_of(source: str) -> Json:
    """The public documents of the source's records; all public ones where the source is their own catalogue."""
    public: Json = {"term": {"owner": PUBLIC}}
    if source == CATALOGUE:
        return public
    of_source: Json = {"bool": {"should": [{"term": {"source": source}}, {"prefix": {"record": f"{source}:"}}]}}
    return {"bool": {"filter": [public, of_source]}}
