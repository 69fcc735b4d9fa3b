"""Writes one record anew from its stored document after a steward changed its overlay."""

from __future__ import annotations

from dataclasses import replace

import structlog

from core.clock import now_iso
from core.errors import NotFound, Unavailable
from core.overlay import Overlay
from es_gateway.client import retrying
from es_mappings.names import alias
from indexer.parts import Parts
from indexer.plan.digest import digest, under
from indexer.plan.items import Item
from indexer.plan.overlays import overlaid
from indexer.plan.plan import Decision, Moment
from indexer.store.ledger import Ledger
from indexer.store.natives import kept_document
from indexer.write.commit import commit
from indexer.write.embed import Embedding

log = structlog.get_logger(__name__)

_RUN = "curation"


def rewrite(record: str, overlay: Overlay | None, parts: Parts) -> None:
    """Writes the record anew from its kept document, with the overlay or without; searchable when this returns.

    Raises NotFound if there is no such record, Unavailable if Elasticsearch does not answer or refuses it.
    """
    parts = replace(parts, client=retrying(parts.client))
    source, recipe = record.partition(":")[0], parts.recipe()
    ledger = Ledger(parts.client, parts.prefix)
    ledger.refresh()
    stored = ledger.holders(source, [record]).get(record)
    raw = None if stored is None else kept_document(parts.client, parts.prefix, stored)
    if stored is None or raw is None:
        raise NotFound(f"there is no record {record!r}")
    parsed = digest(raw, source, parts.name_lists())
    parsed = overlaid(parsed if parsed.record.id == record else under(parsed, record), overlay)
    stands = stored.text_hash == parsed.content.text_hash and stored.embedding_model == recipe.embedding_model
    # Without its raw hash the next harvest reads the document again, and finds the same.
    entry = replace(stored, raw_hash="", record_hash=parsed.content.record_hash, text_hash=parsed.content.text_hash)
    fields = None if stands else Embedding(parts, recipe).embed([parsed.record.embedding_text]).fields[0]
    decision = Decision("changed", entry, write=True, vector="keep" if stands else "embed")
    moment = Moment(_RUN, now_iso(), recipe.embedding_model)
    failed = commit(parts.client, parts.prefix, [Item(raw, stored, decision, parsed, fields)], moment)
    if failed:
        raise Unavailable(f"Elasticsearch did not take {record}: {failed[0].reason}")
    parts.client.indices.refresh(index=alias(parts.prefix, "records"))
    log.info("overlay.written", record=record, curated=" ".join(parsed.record.curated))
