"""Writes decisions: records and native bytes first, the ledger last; checks every item's result.

Ids depend only on source and native id, so a write that a crash interrupted is repeated in the same place: nothing is
lost or duplicated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.json_types import Json
from es_gateway.client import Elasticsearch
from es_mappings.codecs import natives, vectors
from es_mappings.codecs.ledger import LedgerEntry
from indexer.hashes import content_hash
from indexer.plan.digest import Digest
from indexer.plan.items import Item, RejectedItem
from indexer.plan.plan import Decision, Moment, not_committed
from indexer.raw import RawRecord
from indexer.store import bulk
from indexer.store.ledger import targets, write_ledger
from indexer.write.passage_access import share_access

_REPLACE_BUT_KEEP_VECTORS = "ctx._source.keySet().retainAll(params.kept); ctx._source.putAll(params.document);"


def commit(client: Elasticsearch, prefix: str, items: Sequence[Item], moment: Moment) -> list[RejectedItem]:
    """Writes a batch and returns the refused items; the next run tries them again.

    Raises core.errors.Unavailable if Elasticsearch does not answer. The batch may then be half written; the ledger does
    not list it, so it is repeated.
    """
    share_access(client, prefix, items)  # first, so that no passage is visible to more people than its record
    operations = (operation for item in items for operation in _of_record(prefix, item, moment))
    reasons = {failure.id: failure.reason for failure in bulk.write(client, operations)}
    entries = [entry for item in items for entry in _entries(item, item_record(item) in reasons, moment)]
    reasons |= {failure.id: failure.reason for failure in write_ledger(client, prefix, entries)}
    return [RejectedItem(item, reason) for item in items if (reason := _reason(item, reasons)) is not None]


def item_record(item: Item) -> str | None:
    """The id of the record that this item writes; None if it writes none."""
    return item.decision.entry.record if item.decision.write or item.decision.keep_bytes else None


def _reason(item: Item, reasons: Mapping[str, str]) -> str | None:
    record = item_record(item)
    return reasons.get(item.decision.entry.key) or (reasons.get(record) if record is not None else None)


def _of_record(prefix: str, item: Item, moment: Moment) -> Iterator[bulk.Operation]:
    if item.digest is None:
        return
    id, document = item.digest.record.id, _document(item.raw, item.digest, item.decision, moment)
    if item.decision.write:
        for index in targets(prefix, "records"):
            yield _record_operation(index, id, document, item)
    if item.decision.keep_bytes:
        for index in targets(prefix, "natives"):
            yield bulk.index_operation(index, id, native_document(item.raw, item.digest))


def _record_operation(index: str, id: str, document: Json, item: Item) -> bulk.Operation:
    if item.decision.vector == "keep":
        kept = {"document": document, "kept": list(vectors.FIELDS)}
        script = {"source": _REPLACE_BUT_KEEP_VECTORS, "params": kept}
        return bulk.update_operation(index, id, {"script": script, "upsert": document})
    return bulk.index_operation(index, id, {**document, **(item.vectors or {})})


def _document(raw: RawRecord, digest: Digest, decision: Decision, moment: Moment) -> Json:
    return {
        **digest.document,
        "native": {**digest.document.get("native", {}), "hash": content_hash(raw.content)},
        "harvest": {"run": moment.run, "first_seen": decision.entry.first_seen, "written": moment.now},
    }


def native_document(raw: RawRecord, digest: Digest) -> Json:
    """The original bytes in the form of the natives index."""
    record = digest.record
    return natives.to_document(
        natives.Native(
            raw.content, record.native_format, record.source, raw.media_type, raw.origin, content_hash(raw.content)
        )
    )


def _entries(item: Item, failed: bool, moment: Moment) -> list[LedgerEntry]:
    """The ledger's next states: first of the document that loses the record, then of the one that gets it."""
    if failed:
        entry = not_committed(item.decision, item.stored, moment)
        return [] if entry is None else [entry]
    entry = item.decision.entry
    if item.decision.vector == "embed":
        entry = replace(entry, embedding_model=moment.model if item.vectors is not None else None)
    return [each for each in (item.decision.displaced, entry) if each is not None]
