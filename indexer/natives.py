"""The original bytes that the natives index keeps of each record."""

from __future__ import annotations

import base64
import zlib

from es_gateway.client import Elasticsearch
from es_mappings.names import alias
from indexer.ledger import LedgerEntry
from indexer.raw import RawRecord


def kept_document(client: Elasticsearch, prefix: str, entry: LedgerEntry) -> RawRecord | None:
    """The document as it was when its record was last written; None where it is no longer kept."""
    index = alias(prefix, "natives")
    found = client.options(ignore_status=404).get(index=index, id=entry.record or entry.key)
    if not found.get("found"):
        return None
    kept = found["_source"]
    content = zlib.decompress(base64.b64decode(kept["content_zlib"]))
    origin, groups = kept.get("origin", entry.origin), tuple(entry.access_groups or ())
    return RawRecord(entry.native_id, content, origin, kept.get("media_type"), access_groups=groups)
