"""Stewards' overlays on the way in: read with each batch, put on the record before it is hashed and embedded."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import structlog

from core.record import Overlay, overlay_from_content
from es_gateway.client import Elasticsearch
from es_mappings.names import alias
from indexer.plan.parsed_record import ParsedRecord, with_record

log = structlog.get_logger(__name__)

_MOST = 10_000
_RUN = "curation"


def overlays_of(client: Elasticsearch, prefix: str, source: str) -> Mapping[str, Overlay]:
    """By record; empty if nobody curates. A failure is raised: without its overlay a record must not be written."""
    query = {
        "bool": {
            "filter": [{"term": {"kind": "overlays"}}, {"term": {"draft": ""}}, {"prefix": {"record": f"{source}:"}}]
        }
    }
    found = client.search(index=alias(prefix, "curation"), query=query, size=_MOST, ignore_unavailable=True)
    return {hit["_source"]["record"]: overlay_from_content(hit["_source"]["content"]) for hit in found["hits"]["hits"]}


def overlay_tag(overlay: Overlay | None) -> str:
    """Part of how a document is read, so that a changed overlay reads it again; empty without one."""
    return "" if overlay is None else hashlib.sha256(repr(overlay).encode()).hexdigest()[:16]


def overlaid(parsed: ParsedRecord, overlay: Overlay | None) -> ParsedRecord:
    return parsed if overlay is None else with_record(parsed, overlay.on(parsed.record))
