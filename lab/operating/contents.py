"""What the indices of a prefix hold, document by document, to be compared before and after."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from core.json_types import JsonMapping
from es_gateway.client import Elasticsearch
from es_mappings.codecs.records import from_document
from es_mappings.names import KINDS, IndexKind, alias
from indexer.write.scan import scan

_CHANGE_BY_THEMSELVES: Mapping[str, frozenset[str]] = {
    "keys": frozenset({"last_used"}),
    "ledger": frozenset({"last_seen", "last_seen_run"}),
}
"""Fields that a service writes without anything being lost or made."""

Contents = Mapping[IndexKind, Mapping[str, str]]
"""By kind and id: a digest of the document, without its vectors."""


def contents(client: Elasticsearch, prefix: str) -> Contents:
    """Of every kind that has an index."""
    there = [kind for kind in KINDS if client.indices.exists_alias(name=alias(prefix, kind))]
    client.indices.refresh(index=[alias(prefix, kind) for kind in there])
    every: JsonMapping = {"match_all": {}}
    return {
        kind: {hit["_id"]: _digest(kind, hit["_source"]) for hit in scan(client, alias(prefix, kind), every)}
        for kind in there
    }


def _digest(kind: IndexKind, source: JsonMapping) -> str:
    """Records as every reader sees them: what a later version stores beside them is no change."""
    kept = {name: value for name, value in source.items() if name not in _CHANGE_BY_THEMSELVES.get(kind, ())}
    text = repr(from_document(source)) if kind == "records" else json.dumps(kept, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class KindComparison:
    """Documents of one kind: how many there were, and how many of these are ``missing`` or ``changed`` now."""

    kind: IndexKind
    before: int
    now: int
    missing: int
    changed: int


def compared(before: Contents, now: Contents) -> list[KindComparison]:
    return [_one(kind, there, now.get(kind, {})) for kind, there in before.items()]


def _one(kind: IndexKind, before: Mapping[str, str], now: Mapping[str, str]) -> KindComparison:
    changed = sum(now[id] != digest for id, digest in before.items() if id in now)
    return KindComparison(kind, len(before), len(now), len(before.keys() - now.keys()), changed)
