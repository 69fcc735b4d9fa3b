"""Writes decisions: records and native bytes first, the ledger last; checks every item's result.

Ids depend only on source and native id, so a write that a crash interrupted is repeated in the same place: nothing is
lost or duplicated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.batched import batched
from core.document import record_of_document
from core.errors import Unavailable
from core.json_types import Json
from es_gateway.client import Elasticsearch
from es_mappings.codecs import ledger, vectors
from es_mappings.codecs.ledger import LedgerEntry, entry_key
from es_mappings.names import alias
from indexer.plan.parsed_record import Item, ParsedRecord, RejectedItem, content_hash
from indexer.plan.plan import Decision, RunMoment, uncommitted_entry
from indexer.raw import RawRecord
from indexer.store import bulk
from indexer.store.ledger import Ledger, scan, tombstone, write_ledger

_REPLACE_BUT_KEEP_VECTORS = "ctx._source.keySet().retainAll(params.kept); ctx._source.putAll(params.document);"


def commit(client: Elasticsearch, prefix: str, items: Sequence[Item], moment: RunMoment) -> list[RejectedItem]:
    """Writes a batch and returns the refused items; the next run tries them again.

    Raises core.errors.Unavailable if Elasticsearch does not answer. The batch may then be half written; the ledger does
    not list it, so it is repeated.
    """
    update_passage_access(client, prefix, items)  # first, so that no passage is visible to more people than its record
    operations = (operation for item in items for operation in _of_record(prefix, item, moment))
    reasons = {failure.id: failure.reason for failure in bulk.write(client, operations)}
    entries = [entry for item in items for entry in _entries(item, reasons.get(item_record(item) or ""), moment)]
    reasons |= {failure.id: failure.reason for failure in write_ledger(client, prefix, entries)}
    return [RejectedItem(item, reason) for item in items if (reason := _reason(item, reasons)) is not None]


def item_record(item: Item) -> str | None:
    """The id of the record that this item writes; None if it writes none."""
    return item.decision.entry.record if item.decision.write or item.decision.keep_bytes else None


def _reason(item: Item, reasons: Mapping[str, str]) -> str | None:
    record = item_record(item)
    return reasons.get(item.decision.entry.key) or (reasons.get(record) if record is not None else None)


def _of_record(prefix: str, item: Item, moment: RunMoment) -> Iterator[bulk.Operation]:
    if item.parsed is None:
        return
    id, document = item.parsed.record.id, _document(item.raw, item.parsed, item.decision, moment)
    if item.decision.write:
        yield _record_operation(alias(prefix, "records"), id, document, item)
    if item.decision.keep_bytes:
        yield bulk.index_operation(alias(prefix, "natives"), id, native_document(item.raw, item.parsed))


def _record_operation(index: str, id: str, document: Json, item: Item) -> bulk.Operation:
    if item.decision.vector == "keep":
        parameters = {"document": document, "kept": list(vectors.FIELDS)}
        script = {"source": _REPLACE_BUT_KEEP_VECTORS, "params": parameters}
        return bulk.update_operation(index, id, {"script": script, "upsert": document})
    return bulk.index_operation(index, id, {**document, **(item.vectors or {})})


def _document(raw: RawRecord, digest: ParsedRecord, decision: Decision, moment: RunMoment) -> Json:
    return {
        **digest.document,
        "native": {**digest.document.get("native", {}), "hash": content_hash(raw.content)},
        "harvest": {"run": moment.run, "first_seen": decision.entry.first_seen, "written": moment.now},
    }


def native_document(raw: RawRecord, digest: ParsedRecord) -> Json:
    """The original bytes in the form of the natives index."""
    record = digest.record
    return ledger.native_to_document(
        ledger.Native(
            raw.content, record.native_format, record.source, raw.media_type, raw.origin, content_hash(raw.content)
        )
    )


def _entries(item: Item, failure: str | None, moment: RunMoment) -> list[LedgerEntry]:
    """The ledger's next states: first of the document that loses the record, then of the one that gets it."""
    entry = item.decision.entry
    if failure is not None:
        return [uncommitted_entry(entry, item.stored, failure, moment)]
    if item.decision.vector == "embed":
        entry = replace(entry, embedding_model=moment.model if item.vectors is not None else None)
    return [ledger_entry for ledger_entry in (item.decision.displaced_entry, entry) if ledger_entry is not None]


_SET_GROUPS = (
    "if (params.groups.size() == 0) { ctx._source.remove('access_groups') }"
    " else { ctx._source.access_groups = params.groups }"
)
_MOST_TERMS = 10_000


def update_passage_access(client: Elasticsearch, prefix: str, items: Sequence[Item]) -> None:
    """Copies changed groups to the passages and documents of each record, before the ledger entry is written.

    After a crash in between, the ledger entry is missing, so this is repeated. Raises Unavailable.
    """
    by_groups: dict[tuple[str, ...], list[str]] = {}
    for item in items:
        if item.parsed is None or not item.decision.write:
            continue
        record, groups = item.parsed.record.id, tuple(item.parsed.record.access_groups)
        groups_before = tuple((item.stored.access_groups if item.stored is not None else None) or ())
        if groups != groups_before:
            by_groups.setdefault(groups, []).append(record)
    for groups, records in by_groups.items():
        for batch in batched(records, _MOST_TERMS):
            _share(client, prefix, batch, groups)


def _share(client: Elasticsearch, prefix: str, records: Sequence[str], groups: tuple[str, ...]) -> None:
    index = alias(prefix, "passages")
    if not client.indices.exists_alias(name=index):
        return
    documents_query: Json = {"bool": {"filter": [{"terms": {"record": list(records)}}]}}
    firsts: Json = {"bool": {"filter": [documents_query, {"term": {"ordinal": 0}}]}}
    own_records = [record_of_document(hit["_source"]["document"]) for hit in scan(client, index, firsts, ["document"])]
    _set_groups(client, index, documents_query, groups)
    for batch in batched(own_records, _MOST_TERMS):
        _set_groups(client, alias(prefix, "records"), {"ids": {"values": list(batch)}}, groups)


def _set_groups(client: Elasticsearch, index: str, query: Json, groups: tuple[str, ...]) -> None:
    answer = client.update_by_query(
        index=index,
        query=query,
        script={"source": _SET_GROUPS, "params": {"groups": list(groups)}},
        refresh=True,
        conflicts="proceed",
    ).body
    if answer["failures"] or answer["version_conflicts"]:
        raise Unavailable("Not all passages and documents of a record could get its new access; Sonde tries again.")


@dataclass(frozen=True, slots=True)
class Deletions:
    """The number of removed records, and the refused ones."""

    removed: int = 0
    failures: tuple[bulk.Failure, ...] = ()


def apply_deletions(
    client: Elasticsearch, prefix: str, source: str, native_ids: Sequence[str], moment: RunMoment
) -> Deletions:
    """Removes the known records among these ids; unknown or removed ids are ignored.

    Raises core.errors.Unavailable if Elasticsearch does not answer.
    """
    keys = [entry_key(source, id) for id in native_ids]
    entries = [entry for entry in Ledger(client, prefix).entries(keys).values() if entry.state != "removed"]
    records = [entry.record_in_index for entry in entries if entry.record_in_index is not None]
    failures = bulk.write(client, (bulk.delete_operation(alias(prefix, "records"), record) for record in records))
    failed_ids = {failure.id for failure in failures}
    marks = [
        tombstone(entry, moment.now).with_last_seen(moment.run, moment.now)
        for entry in entries
        if entry.record_in_index not in failed_ids
    ]
    failures += write_ledger(client, prefix, marks)
    return Deletions(len(records) - len(failed_ids), tuple(failures))
