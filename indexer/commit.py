"""Decisions carried out: records and native bytes first, the ledger last, every item's result read.

Ids are made of source and native id alone, so whatever a power cut leaves half done is written again to the same
place: never lost, never double.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.json_types import Json
from es_gateway.client import Elasticsearch
from es_mappings.codecs import ledger, natives
from es_mappings.codecs.ledger import LedgerEntry
from es_mappings.names import IndexKind, alias
from indexer import bulk
from indexer.digest import Digest
from indexer.hashes import content_hash
from indexer.items import Item, RejectedItem
from indexer.passage_access import share_access
from indexer.plan import Decision, Moment, not_committed
from indexer.raw import RawRecord

_REPLACE_BUT_KEEP_VECTOR = (
    "def vector = ctx._source.vector; ctx._source.clear(); ctx._source.putAll(params.document);"
    " if (vector != null) { ctx._source.vector = vector; }"
)


def targets(prefix: str, kind: IndexKind) -> tuple[str, ...]:
    """Where writers write: the one place to add ``{prefix}-{kind}-next`` while a reindex runs."""
    return (alias(prefix, kind),)


def commit(client: Elasticsearch, prefix: str, items: Sequence[Item], moment: Moment) -> list[RejectedItem]:
    """Writes a batch and returns what was not taken; those are tried again by the next run.

    Raises core.errors.Unavailable where Elasticsearch does not answer; the batch may then be half written, and the
    ledger does not say so, so it is done again.
    """
    share_access(client, prefix, items)  # first, so that no passage is seen longer than its record
    operations = (operation for item in items for operation in _of_record(prefix, item, moment))
    reasons = {failure.id: failure.reason for failure in bulk.write(client, operations)}
    entries = [entry for item in items for entry in _entries(item, item_record(item) in reasons, moment)]
    reasons |= {failure.id: failure.reason for failure in write_ledger(client, prefix, entries)}
    return [RejectedItem(item, reason) for item in items if (reason := _reason(item, reasons)) is not None]


def write_ledger(client: Elasticsearch, prefix: str, entries: Sequence[LedgerEntry]) -> list[bulk.Failure]:
    return bulk.write(
        client,
        (
            bulk.index_operation(index, entry.key, ledger.to_document(entry))
            for entry in entries
            for index in targets(prefix, "ledger")
        ),
    )


def item_record(item: Item) -> str | None:
    """The id of the record that this item writes; None where it writes none."""
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
        script = {"source": _REPLACE_BUT_KEEP_VECTOR, "params": {"document": document}}
        return bulk.update_operation(index, id, {"script": script, "upsert": document})
    if item.vector is not None:
        document["vector"] = item.vector
    return bulk.index_operation(index, id, document)


def _document(raw: RawRecord, digest: Digest, decision: Decision, moment: Moment) -> Json:
    return {
        **digest.document,
        "native": {**digest.document.get("native", {}), "hash": content_hash(raw.content)},
        "harvest": {"run": moment.run, "first_seen": decision.entry.first_seen, "written": moment.now},
    }


def native_document(raw: RawRecord, digest: Digest) -> Json:
    """The original bytes as the natives index keeps them."""
    record = digest.record
    return natives.to_document(
        natives.Native(
            raw.content, record.native_format, record.source, raw.media_type, raw.origin, content_hash(raw.content)
        )
    )


def _entries(item: Item, failed: bool, moment: Moment) -> list[LedgerEntry]:
    """The ledger's next states: of the document that gives the record up, then of the one that has it."""
    if failed:
        entry = not_committed(item.decision, item.stored, moment)
        return [] if entry is None else [entry]
    entry = item.decision.entry
    if item.decision.vector == "embed":
        entry = replace(entry, embedding_model=moment.model if item.vector is not None else None)
    return [each for each in (item.decision.displaced, entry) if each is not None]
