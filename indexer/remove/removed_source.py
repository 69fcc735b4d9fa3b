"""Removes a whole source: its records and everything that Sonde stores beside them."""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from core.json_types import JsonMapping
from es_gateway.client import Elasticsearch
from es_mappings.names import IndexKind, alias
from indexer.store.ledger import Ledger, targets

log = structlog.get_logger(__name__)

_OF_LINKS = "links:"  # a check of links is a run of this and the source
_IN_ORDER: tuple[IndexKind, ...] = ("records", "passages", "documents", "natives", "visits", "ledger", "runs")
"""The ledger and the runs last: until then ``sonde sources`` lists the source, and it can be removed again."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """What Sonde stores of a source."""

    records: int
    documents: int
    tombstones: int
    runs: int

    @property
    def nothing(self) -> bool:
        return not (self.records or self.documents or self.tombstones or self.runs)


def holdings(client: Elasticsearch, prefix: str, source: str) -> Holdings:
    """Raises Unavailable."""
    kinds: tuple[IndexKind, ...] = ("records", "documents", "runs")
    counted = {kind: _count(client, prefix, kind, source) for kind in kinds}
    tombstones = sum(1 for _ in Ledger(client, prefix).removed(source))
    return Holdings(counted["records"], counted["documents"], tombstones, counted["runs"])


def remove_source(client: Elasticsearch, prefix: str, source: str) -> None:
    """After an interruption, the same call removes the rest. Raises Unavailable."""
    for kind in _IN_ORDER:
        client.delete_by_query(
            index=",".join(targets(prefix, kind)),
            query=_of(source),
            conflicts="proceed",
            refresh=True,
            ignore_unavailable=True,
        )
    log.info("source.removed", source=source)


def _count(client: Elasticsearch, prefix: str, kind: IndexKind, source: str) -> int:
    index = alias(prefix, kind)
    client.indices.refresh(index=index, ignore_unavailable=True)
    return int(client.count(index=index, query=_of(source), ignore_unavailable=True)["count"])


def _of(source: str) -> JsonMapping:
    return {"terms": {"source": [source, f"{_OF_LINKS}{source}"]}}
