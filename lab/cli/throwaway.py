"""Indices for a trial: of a prefix of its own, deleted by name afterwards."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from es_gateway.client import Elasticsearch
from es_mappings.indices import ensure_without_vectors
from es_mappings.names import IndexKind, concrete

_KINDS: tuple[IndexKind, ...] = ("records", "natives", "ledger", "runs")


@contextmanager
def throwaway(client: Elasticsearch) -> Iterator[str]:
    """The prefix, with the indices that a harvest needs."""
    prefix = f"sonde-chaos-{uuid.uuid4().hex[:12]}"
    ensure_without_vectors(client, prefix, _KINDS)
    try:
        yield prefix
    finally:
        for kind in _KINDS:
            client.options(ignore_status=404).indices.delete(index=concrete(prefix, kind, 1))
