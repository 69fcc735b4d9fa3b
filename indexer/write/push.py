"""Writes and deletes single records that a portal pushes: the plan, commit and ledger of a harvest, for one
document.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import structlog

from core.errors import NotFound, Unavailable
from core.record import Overlay, Record
from core.timespan import now_iso
from es_gateway.client import retrying
from es_mappings.names import alias
from indexer.parts import HarvestParts
from indexer.plan.parsed_record import Item, overlaid, parse, with_id
from indexer.plan.plan import Decision, Outcome, RunMoment
from indexer.plan.planner import Planner
from indexer.plan.readers import Readers
from indexer.raw import RawPage, RawRecord, RecordRefused
from indexer.store.ledger import PUSHED, Ledger, kept_document
from indexer.write.commit import apply_deletions, commit
from indexer.write.embed import Embedding

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PushResult:
    """The result of a push; ``record`` is the id under which it is found."""

    record: str
    outcome: Outcome

    @property
    def created(self) -> bool:
        return self.outcome == "new"


@dataclass(frozen=True, slots=True)
class PushedDocument:
    """A pushed document, its record id, and the groups that may see it (empty: everybody; None: as before)."""

    record: str
    content: bytes
    media_type: str | None = None
    access_groups: tuple[str, ...] | None = ()

    def raw(self, source: str) -> RawRecord:
        return RawRecord(
            self.record.removeprefix(f"{source}:"),
            self.content,
            f"pushed as {self.record}",
            self.media_type,
            record_id=self.record,
            access_groups=self.access_groups,
        )


def read(source: str, content: bytes, media_type: str | None, parts: HarvestParts) -> Record:
    """The record that the document describes, unstored; its ``identifier`` is empty if it names none.

    Raises RecordRefused if it is not exactly one record of a known format.
    """
    return parse(RawRecord("", content, "pushed", media_type), source, parts.name_lists()).record


def holds(source: str, record: str, parts: HarvestParts) -> bool:
    """Whether the source has this record, whoever may see it. Raises Unavailable."""
    ledger = Ledger(retrying(parts.client), parts.prefix)
    ledger.refresh()
    return record in ledger.holders(source, [record])


def put(source: str, pushed_document: PushedDocument, parts: HarvestParts) -> PushResult:
    """Reads, embeds and writes one document as its record; it is searchable when this returns.

    The same bytes again write nothing. Raises RecordRefused if it is not one record of a known format; NotFound and
    IndexMismatch if there is no suitable index; Unavailable if Elasticsearch does not answer or refuses it.
    """
    parts = replace(parts, client=retrying(parts.client))
    recipe = parts.recipe()
    moment = RunMoment(PUSHED, now_iso(), recipe.embedding_model)
    record, raw = pushed_document.record, pushed_document.raw(source)
    Ledger(parts.client, parts.prefix).refresh()  # a search finds the record's holder
    readers = Readers(source, parts.name_lists())
    (item,) = Planner(parts.client, parts.prefix, source, readers).plan(RawPage((raw,)), moment)
    if item.decision.outcome == "refused":
        raise RecordRefused(item.decision.entry.reason or "it cannot be read")
    item = _with_vectors(item, Embedding(parts, recipe))
    failures = commit(parts.client, parts.prefix, [item], moment)
    if failures:
        raise Unavailable(f"Elasticsearch did not take {record}: {failures[0].reason}")
    _show(parts)
    log.info("push.put", record=record, outcome=item.decision.outcome)
    return PushResult(record, item.decision.outcome)


def delete(source: str, record: str, parts: HarvestParts) -> None:
    """Takes the record out of service; it can be restored for as long as harvested ones.

    Raises NotFound if the source has no such record, Unavailable if Elasticsearch does not answer or refuses it.
    """
    parts = replace(parts, client=retrying(parts.client))
    ledger = Ledger(parts.client, parts.prefix)
    ledger.refresh()
    holder = ledger.holders(source, [record]).get(record)
    if holder is None:
        raise NotFound(f"There is no record {record!r} in {source!r}.")
    deletions = apply_deletions(
        parts.client, parts.prefix, source, [holder.native_id], RunMoment(PUSHED, now_iso(), "")
    )
    if deletions.failures:
        raise Unavailable(f"Elasticsearch did not take {record} out: {deletions.failures[0].reason}")
    _show(parts)
    log.info("push.deleted", record=record)


def _with_vectors(item: Item, embedding: Embedding) -> Item:
    if item.decision.vector != "embed" or item.parsed is None:
        return item
    (fields,) = embedding.embed([item.parsed.record.embedding_text]).fields
    return replace(item, vectors=fields)


def _show(parts: HarvestParts) -> None:
    """Refreshes the index, because the client looks for the record next."""
    parts.client.indices.refresh(index=alias(parts.prefix, "records"))


_RUN = "curation"


def rewrite(record: str, overlay: Overlay | None, parts: HarvestParts) -> None:
    """Writes the record again from its kept document, with the overlay or without; searchable when this returns.

    Raises NotFound if there is no such record, Unavailable if Elasticsearch does not answer or refuses it.
    """
    parts = replace(parts, client=retrying(parts.client))
    source, recipe = record.partition(":")[0], parts.recipe()
    ledger = Ledger(parts.client, parts.prefix)
    ledger.refresh()
    stored_entry = ledger.holders(source, [record]).get(record)
    raw = None if stored_entry is None else kept_document(parts.client, parts.prefix, stored_entry)
    if stored_entry is None or raw is None:
        raise NotFound(f"there is no record {record!r}")
    parsed_record = parse(raw, source, parts.name_lists())
    parsed_record = overlaid(
        parsed_record if parsed_record.record.id == record else with_id(parsed_record, record), overlay
    )
    is_unchanged_text = (
        stored_entry.text_hash == parsed_record.content.text_hash
        and stored_entry.embedding_model == recipe.embedding_model
    )
    # Without its raw hash the next harvest reads the document again, and finds the same.
    entry = replace(
        stored_entry,
        raw_hash="",
        record_hash=parsed_record.content.record_hash,
        text_hash=parsed_record.content.text_hash,
    )
    fields = (
        None if is_unchanged_text else Embedding(parts, recipe).embed([parsed_record.record.embedding_text]).fields[0]
    )
    decision = Decision("changed", entry, write=True, vector="keep" if is_unchanged_text else "embed")
    moment = RunMoment(_RUN, now_iso(), recipe.embedding_model)
    failures = commit(parts.client, parts.prefix, [Item(raw, stored_entry, decision, parsed_record, fields)], moment)
    if failures:
        raise Unavailable(f"Elasticsearch did not take {record}: {failures[0].reason}")
    parts.client.indices.refresh(index=alias(parts.prefix, "records"))
    log.info("overlay.written", record=record, curated=" ".join(parsed_record.record.curated))
