"""After a complete run, removes what the source no longer has, unless that is suspiciously much.

A document that replaced a vanished one takes over its id (ADR 0018). During a run it is unknown whether a changed
document with a known identifier is another version or a renamed file. It is kept apart at first. If the run ends
without the document that had the identifier's id, it was renamed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import structlog

from core.batched import batched
from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_mappings.codecs import vectors
from es_mappings.codecs.ledger import LedgerEntry
from es_mappings.codecs.records import from_document, to_document
from es_mappings.codecs.runs import RunReport
from es_mappings.names import IndexKind, alias
from indexer.formats.registry import possible_documents
from indexer.parts import Options
from indexer.plan.parsed_record import record_hash
from indexer.raw import WHOLE_SOURCE
from indexer.store import bulk
from indexer.store.ledger import PUSHED, RESTORED, Ledger, scan, tombstone, without_hash, write_ledger

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
    hand_over_ids(client, prefix, run)
    removal = find_removal(client, prefix, run)
    refusal = refuse(removal, run.counts.seen, options)
    if refusal is not None:
        log.warning("sweep.refused", source=run.source, run=run.id, would_remove=len(removal.records))
        return SweepResult(refusal=refusal, warnings=_warnings(removal))
    index = alias(prefix, "records")
    failures = bulk.write(client, (bulk.delete_operation(index, record) for record in removal.records))
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


_AT_ONCE = 200
_KINDS_OF_A_RECORD: tuple[IndexKind, ...] = ("records", "natives")
_KEPT_OF_A_RECORD = ("native", "harvest", "family", *vectors.FIELDS)  # fields stored beside the record itself


@dataclass(frozen=True, slots=True)
class Succession:
    """``successor`` was kept apart in this run from ``gone_entry``, which the run did not see."""

    successor: LedgerEntry
    gone_entry: LedgerEntry


def hand_over_ids(client: Elasticsearch, prefix: str, run: RunReport) -> int:
    """The number of documents that took over an id. After a crash in between, the next sweep removes the leftovers."""
    if not run.counts.new:
        return 0
    ledger = Ledger(client, prefix)
    indices = [alias(prefix, "records"), alias(prefix, "natives"), ledger.index]
    client.indices.refresh(index=indices)
    unread = unread_in_run(ledger.unread_in(run.source, run.id))
    successors = list(ledger.separated_entries(run.source, run.id, since=run.started))
    claimed_ids = {successor.claims for successor in successors if successor.claims is not None}
    holders = ledger.holders(run.source, sorted(claimed_ids))
    gone_entries = {id: entry for id, entry in holders.items() if _is_gone(entry, run.id, unread)}
    pairs = list(successions(successors, gone_entries))
    moved_count = sum(_take_over(client, prefix, batch) for batch in batched(pairs, _AT_ONCE))
    if moved_count:
        log.info("sweep.succeeded", source=run.source, run=run.id, records=moved_count)
    return moved_count


def successions(successors: Iterable[LedgerEntry], gone_entries: Mapping[str, LedgerEntry]) -> Iterator[Succession]:
    """For each vanished document one successor: first one of the same edition, then the first native id."""
    by_claim: dict[str, list[LedgerEntry]] = {}
    for successor in successors:
        if successor.claims in gone_entries:
            by_claim.setdefault(str(successor.claims), []).append(successor)
    for claim, rivals in by_claim.items():
        gone_entry = gone_entries[claim]
        yield Succession(
            min(rivals, key=lambda candidate: (candidate.edition != gone_entry.edition, candidate.native_id)),
            gone_entry,
        )


def _is_gone(entry: LedgerEntry, run: str, unread: UnreadInRun) -> bool:
    """Whether the entry is really gone: not seen, not pushed, not restored, and certainly none that was unreadable."""
    is_spared = entry.last_seen_run in (run, PUSHED) or entry.reason == RESTORED
    return not is_spared and not unread.may_be(entry)


def _take_over(client: Elasticsearch, prefix: str, pairs: Sequence[Succession]) -> int:
    """Writes the records under their new ids, then the ledger, then deletes the old ones."""
    records = _stored_documents(client, alias(prefix, "records"), pairs)
    natives = _stored_documents(client, alias(prefix, "natives"), pairs)
    writes, marks, deletions = [], [], []
    for pair in pairs:
        old, new = str(pair.successor.record), str(pair.successor.claims)
        if old not in records:
            continue
        document = _with_new_id(records[old], new)
        entry = replace(pair.successor, record=new, claims=None, reason=None, first_seen=pair.gone_entry.first_seen)
        marks.append(replace(pair.gone_entry, state="moved", reason=f"now {pair.successor.origin}"))
        marks.append(replace(entry, record_hash=record_hash(to_document(from_document(document)))))
        writes.append(bulk.index_operation(alias(prefix, "records"), new, document))
        writes += [bulk.index_operation(alias(prefix, "natives"), new, natives[old])] if old in natives else []
        deletions += [bulk.delete_operation(alias(prefix, kind), old) for kind in _KINDS_OF_A_RECORD]
    if bulk.write(client, writes) or write_ledger(client, prefix, marks):
        return 0  # refused ones keep both ids, and the next run repairs this
    bulk.write(client, deletions)
    return len(marks) // 2


def _stored_documents(client: Elasticsearch, index: str, pairs: Sequence[Succession]) -> dict[str, Json]:
    ids = [str(pair.successor.record) for pair in pairs]
    if not ids:
        return {}
    query, source_filter = {"ids": {"values": ids}}, {"exclude_vectors": False}
    answer = client.search(index=index, query=query, source=source_filter, size=len(ids))
    return {hit["_id"]: hit["_source"] for hit in answer["hits"]["hits"]}


def _with_new_id(source: JsonMapping, id: str) -> Json:
    document = to_document(replace(from_document(source), id=id))
    return {**document, **{name: source[name] for name in _KEPT_OF_A_RECORD if name in source}}


_ALWAYS = "9999"  # after every moment: a record that is also a container (a STAC collection) was read before


@dataclass(frozen=True, slots=True)
class UnreadInRun:
    """``origins`` of unread documents; ``containers``: when a member without a name last appeared in each of them."""

    origins: frozenset[str]
    containers: Mapping[str, str]

    def may_be(self, entry: LedgerEntry) -> bool:
        """Whether this unseen document may be one that could not be read.

        It is, if its file could not be read. It may be, if since it was last seen a member without a name appeared in
        its file: it is unknown which document it replaced. A member that was there all along took none.
        """
        files = list(possible_documents(entry.origin))
        if not self.origins.isdisjoint(files):
            return True
        last = entry.last_seen or ""
        return any(self.containers.get(name, "") > last for name in (*files, WHOLE_SOURCE))


def unread_in_run(entries: Iterable[LedgerEntry]) -> UnreadInRun:
    """``entries``: those that the run saw and could not read."""
    origins: set[str] = set()
    containers: dict[str, str] = {}
    for entry in entries:
        origins.add(entry.origin)
        if entry.container is not None:
            since = _ALWAYS if entry.record_in_index is not None else entry.first_seen or ""
            containers[entry.container] = max(containers.get(entry.container, ""), since)
    return UnreadInRun(frozenset(origins), containers)
