"""The original bytes of records, stored in the natives index."""

from __future__ import annotations

from es_gateway.client import Elasticsearch
from es_mappings.codecs.ledger import LedgerEntry
from es_mappings.codecs.natives import from_document
from es_mappings.names import alias
from indexer.raw import RawRecord


def kept_document(client: Elasticsearch, prefix: str, entry: LedgerEntry) -> RawRecord | None:
    """The document at the time its record was last written; None if it is no longer stored."""
    index = alias(prefix, "natives")
    found = client.options(ignore_status=404).get(index=index, id=entry.record or entry.key)
    if not found.get("found"):
        return None
    kept, groups = from_document(found["_source"]), tuple(entry.access_groups or ())
    return RawRecord(entry.native_id, kept.content, kept.origin or entry.origin, kept.media_type, access_groups=groups)
