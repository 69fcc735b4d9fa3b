"""After a complete run, removes what the source no longer has, unless that is suspiciously much."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import structlog

from core.json_types import Json
from es_gateway.client import Elasticsearch
from es_mappings.codecs.ledger import LedgerEntry
from es_mappings.codecs.runs import RunReport
from es_mappings.names import alias
from indexer.parts import Options
from indexer.plan.succession import succeed, unread_in_run
from indexer.store import bulk
from indexer.store.ledger import PUSHED, RESTORED, Ledger, scan, targets, tombstone, without_hash, write_ledger

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SweepResult:
    """``refusal`` is the message why nothing was removed, None if the sweep succeeded."""

    removed: int = 0
    refusal: str | None = None
    warnings: tuple[str, ...] = ()
    failures: tuple[bulk.Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class Removal:
    """The plan of a sweep. ``count_before``: the number of the source's records when the run began.

    ``lost_records``: records in the ledger but not in the index; the next run writes them again.
    ``protected_records``: records kept although they were not read: the source skipped them, or a person restored them.
    """

    records: tuple[str, ...]
    entries: tuple[LedgerEntry, ...]
    lost_records: tuple[str, ...]
    protected_records: tuple[str, ...]
    count_before: int


def sweep(client: Elasticsearch, prefix: str, run: RunReport, options: Options, now: str) -> SweepResult:
    """Removes records, then marks the ledger; after a crash in between, the next sweep finishes.

    The native bytes stay until ``indexer.remove.tombstones.purge``, so that a record can be restored.
    """
    ledger = Ledger(client, prefix)
    succeed(client, prefix, run)
    removal = find_removal(client, prefix, run)
    refusal = refuse(removal, run.counts.seen, options)
    if refusal is not None:
        log.warning("sweep.refused", source=run.source, run=run.id, would_remove=len(removal.records))
        return SweepResult(refusal=refusal, warnings=_warnings(removal))
    failures = bulk.write(client, _deletions(prefix, removal.records))
    failed_ids = {failure.id for failure in failures}
    marks = [tombstone(entry, now) for entry in removal.entries if entry.record not in failed_ids]
    lost_entries = [without_hash(entry) for entry in ledger.holders(run.source, removal.lost_records).values()]
    failures += write_ledger(client, prefix, [*marks, *lost_entries])
    log.info("sweep.done", source=run.source, run=run.id, removed=len(removal.records) - len(failed_ids))
    return SweepResult(len(removal.records) - len(failed_ids), None, _warnings(removal), tuple(failures))


def refuse(removal: Removal, seen_count: int, options: Options) -> str | None:
    """Why this removal must not happen, None if it may. A run that saw nothing never means an empty source."""
    to_delete = len(removal.records)
    if not to_delete or options.allow_mass_removal:
        return None
    if seen_count == 0:
        return (
            f"The source gave nothing; its {removal.count_before} records were kept "
            "(--allow-mass-removal removes them)."
        )
    if to_delete > options.max_removal_share * removal.count_before:
        return (
            f"{to_delete} of {removal.count_before} records would vanish, more than {options.max_removal_share:.0%}; "
            "none was removed (--allow-mass-removal removes them)."
        )
    return None


def find_removal(client: Elasticsearch, prefix: str, run: RunReport) -> Removal:
    """The entries that this complete run did not see. A document that it saw but could not read is not gone.

    Records of a file with several records that cannot be split now are not gone either, nor are pushed ones, nor those
    of a file in which a member without a name became unreadable since.
    """
    ledger = Ledger(client, prefix)
    both_indices = f"{alias(prefix, 'records')},{ledger.index}"
    client.indices.refresh(index=both_indices)
    unread = unread_in_run(ledger.unread_in(run.source, run.id))
    unseen_entries = list(ledger.entries_not_seen_in(run.source, run.id))
    pushed_records = {
        entry.record_in_index
        for entry in unseen_entries
        if entry.last_seen_run == PUSHED and entry.record_in_index is not None
    }
    unseen = [entry for entry in unseen_entries if entry.last_seen_run != PUSHED]
    spared_entries = [entry for entry in unseen if entry.reason == RESTORED or unread.may_be(entry)]
    protected_records = tuple(entry.record_in_index for entry in spared_entries if entry.record_in_index is not None)
    held_records = sorted({*protected_records, *pushed_records, *ledger.held_records(run.source, run.id)})
    to_delete, lost_records, total = compare(_records_of(client, prefix, run), held_records)
    lost_records = [id for id in lost_records if id not in pushed_records]
    keys = {entry.key for entry in spared_entries}
    gone_entries = tuple(entry for entry in unseen if entry.key not in keys)
    return Removal(
        tuple(to_delete), gone_entries, tuple(lost_records), protected_records, max(total - run.counts.new, 0)
    )


def compare(present: Iterable[str], held_ids: Iterable[str]) -> tuple[list[str], list[str], int]:
    """Two ascending lists of ids: what is present but not held, what is held but not present, how many are present."""
    extra: list[str] = []
    missing_ids: list[str] = []
    total = 0
    held_iterator = iter(held_ids)
    next_held = next(held_iterator, None)
    for id in present:
        total += 1
        while next_held is not None and next_held < id:
            missing_ids.append(next_held)
            next_held = next(held_iterator, None)
        if next_held == id:
            next_held = next(held_iterator, None)
        else:
            extra.append(id)
    return extra, missing_ids + [id for id in (next_held, *held_iterator) if id is not None], total


def _warnings(removal: Removal) -> tuple[str, ...]:
    lost_warning = f"index: {len(removal.lost_records)} records were missing from it; the next run writes them again"
    kept_warning = (
        f"kept: {len(removal.protected_records)} records that could not be read now, or were restored by hand, stay"
    )
    return tuple(
        text
        for text, is_found in ((lost_warning, removal.lost_records), (kept_warning, removal.protected_records))
        if is_found
    )


def _records_of(client: Elasticsearch, prefix: str, run: RunReport) -> Iterator[str]:
    """Ids, ascending; without those pushed since the run began, whose ledger entries may not be written yet."""
    fresh_records = [{"term": {"harvest.run": PUSHED}}, {"range": {"harvest.written": {"gte": run.started}}}]
    query: Json = {
        "bool": {"filter": [{"term": {"source": run.source}}], "must_not": [{"bool": {"filter": fresh_records}}]}
    }
    return (hit["_id"] for hit in scan(client, alias(prefix, "records"), query, [], sort="id"))


def _deletions(prefix: str, records: Iterable[str]) -> Iterator[bulk.Operation]:
    for record in records:
        for index in targets(prefix, "records"):
            yield bulk.delete_operation(index, record)
