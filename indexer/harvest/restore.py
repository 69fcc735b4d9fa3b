"""Puts removed records back in service from their stored documents, as a run of their source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.document import CATALOGUE
from core.errors import NotFound
from core.timespan import now_iso
from es_gateway.client import Elasticsearch
from es_mappings.codecs.ledger import LedgerEntry, entry_key
from es_mappings.codecs.runs import RunReport
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts, Options
from indexer.raw import RawPage, RawRecord
from indexer.remove.tombstones import list_removed
from indexer.store.ledger import RESTORED, Ledger, kept_document, write_ledger


def restore(
    source: str, ids: Sequence[str], parts: HarvestParts, options: Options, groups: tuple[str, ...] | None = None
) -> RunReport:
    """Puts removed records (by native or record id) back in service; returns the report of that run.

    ``groups``: who may see them, as the source's entry says; None: who could see them before.
    A sweep keeps them until the source lists them again; the source's own tombstone still removes them.
    Raises NotFound, naming ids that are not removed or no longer stored; then nothing is restored. Also for documents:
    without its passages, the record of one would lead to nothing.
    """
    if source == CATALOGUE:
        raise NotFound(f"{', '.join(ids)}: a removed document cannot be restored; ingest its file again.")
    tombstone_entries = _find_tombstones(parts.client, parts.prefix, source, ids)
    raws = [_native(parts.client, parts.prefix, tomb) for tomb in tombstone_entries]
    if groups is not None:
        raws = [replace(raw, access_groups=tuple(sorted(set(groups)))) for raw in raws]
    options = replace(options, trigger="restore", since=now_iso())  # since: records that it does not list are not gone
    report = harvest(source, _StoredDocuments(tuple(raws)), parts, options)
    restored_entries = Ledger(parts.client, parts.prefix).entries([tomb.key for tomb in tombstone_entries])
    write_ledger(
        parts.client,
        parts.prefix,
        [replace(entry, reason=RESTORED) for entry in restored_entries.values() if entry.record_in_index is not None],
    )
    return report


@dataclass(frozen=True, slots=True)
class _StoredDocuments:
    """A source that returns the stored documents."""

    records: tuple[RawRecord, ...]

    def pages(self, position: str | None = None) -> Iterator[RawPage]:  # noqa: ARG002 (it is small, and begins again)
        yield RawPage(self.records)


def _find_tombstones(client: Elasticsearch, prefix: str, source: str, ids: Sequence[str]) -> list[LedgerEntry]:
    entries = Ledger(client, prefix).entries([entry_key(source, id) for id in ids])
    by_record = {entry.record: entry for entry in list_removed(client, prefix, source)}
    tombstone_entries = [entries.get(entry_key(source, id)) or by_record.get(id) for id in ids]
    missing_ids = [
        id for id, tomb in zip(ids, tombstone_entries, strict=True) if tomb is None or tomb.state != "removed"
    ]
    if missing_ids:
        raise NotFound(f"{', '.join(missing_ids)}: not among the removed records of {source}.")
    return [tomb for tomb in tombstone_entries if tomb is not None]


def _native(client: Elasticsearch, prefix: str, tomb: LedgerEntry) -> RawRecord:
    document = kept_document(client, prefix, tomb)
    if document is None:
        raise NotFound(f"{tomb.native_id}: its document is no longer stored.")
    return replace(document, record_id=tomb.record)
