"""Writes and deletes single records that a portal pushes: the plan, commit and ledger of a harvest, for one
document.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import structlog

from core.clock import now_iso
from core.errors import NotFound, Unavailable
from core.record import Record
from es_gateway.client import retrying
from es_mappings.names import alias
from indexer.formats.reader import Refused
from indexer.parts import Parts
from indexer.plan.digest import digest
from indexer.plan.items import Item
from indexer.plan.plan import Moment, Outcome
from indexer.plan.planning import Planner
from indexer.raw import Page, RawRecord
from indexer.store.ledger import PUSHED, Ledger
from indexer.write.commit import commit
from indexer.write.embed import Embedding
from indexer.write.tombstones import apply_deletions

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Pushed:
    """The result of a push; ``record`` is the id under which it is found."""

    record: str
    outcome: Outcome

    @property
    def created(self) -> bool:
        return self.outcome == "new"


@dataclass(frozen=True, slots=True)
class Pushing:
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


def read(source: str, content: bytes, media_type: str | None, parts: Parts) -> Record:
    """The record that the document describes, unstored; its ``identifier`` is empty if it names none.

    Raises Refused if it is not exactly one record of a known format.
    """
    return digest(RawRecord("", content, "pushed", media_type), source, parts.name_lists()).record


def holds(source: str, record: str, parts: Parts) -> bool:
    """Whether the source has this record, whoever may see it. Raises Unavailable."""
    ledger = Ledger(retrying(parts.client), parts.prefix)
    ledger.refresh()
    return record in ledger.holders(source, [record])


def put(source: str, pushed: Pushing, parts: Parts) -> Pushed:
    """Reads, embeds and writes one document as its record; it is searchable when this returns.

    The same bytes again write nothing. Raises Refused if it is not exactly one record of a known format; NotFound and
    IndexMismatch if there is no suitable index; Unavailable if Elasticsearch does not answer or refuses it.
    """
    parts = replace(parts, client=retrying(parts.client))
    recipe = parts.recipe()
    moment = Moment(PUSHED, now_iso(), recipe.embedding_model)
    record, raw = pushed.record, pushed.raw(source)
    Ledger(parts.client, parts.prefix).refresh()  # a search finds the record's holder
    (item,) = Planner(parts.client, parts.prefix, source, parts.name_lists()).plan(Page((raw,)), moment)
    if item.decision.outcome == "refused":
        raise Refused(item.decision.entry.reason or "it cannot be read")
    item = _with_vectors(item, Embedding(parts, recipe))
    not_taken = commit(parts.client, parts.prefix, [item], moment)
    if not_taken:
        raise Unavailable(f"Elasticsearch did not take {record}: {not_taken[0].reason}")
    _show(parts)
    log.info("push.put", record=record, outcome=item.decision.outcome)
    return Pushed(record, item.decision.outcome)


def delete(source: str, record: str, parts: Parts) -> None:
    """Takes the record out of service; it can be restored for as long as harvested ones.

    Raises NotFound if the source has no such record, Unavailable if Elasticsearch does not answer or refuses it.
    """
    parts = replace(parts, client=retrying(parts.client))
    ledger = Ledger(parts.client, parts.prefix)
    ledger.refresh()
    holder = ledger.holders(source, [record]).get(record)
    if holder is None:
        raise NotFound(f"There is no record {record!r} in {source!r}.")
    buried = apply_deletions(parts.client, parts.prefix, source, [holder.native_id], Moment(PUSHED, now_iso(), ""))
    if buried.failures:
        raise Unavailable(f"Elasticsearch did not take {record} out: {buried.failures[0].reason}")
    _show(parts)
    log.info("push.deleted", record=record)


def _with_vectors(item: Item, embedding: Embedding) -> Item:
    if item.decision.vector != "embed" or item.digest is None:
        return item
    (fields,) = embedding.embed([item.digest.record.embedding_text]).fields
    return replace(item, vectors=fields)


def _show(parts: Parts) -> None:
    """Refreshes the index, because the client looks for the record next."""
    parts.client.indices.refresh(index=alias(parts.prefix, "records"))
