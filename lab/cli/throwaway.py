"""Indices for a trial: of a prefix of its own, deleted by name afterwards."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from core.ports import EmbedderCard
from es_gateway.client import Elasticsearch
from es_mappings.indices import ensure_indices
from es_mappings.names import IndexKind, concrete

_KINDS: tuple[IndexKind, ...] = ("records", "natives", "ledger", "runs")
_NO_MODEL = EmbedderCard(model="none", dims=4, max_tokens=16, min_score=0.0)  # records are written without vectors


@contextmanager
def throwaway(client: Elasticsearch) -> Iterator[str]:
    """The prefix, with the indices that a harvest needs."""
    prefix = f"sonde-chaos-{uuid.uuid4().hex[:12]}"
    ensure_indices(client, prefix, _NO_MODEL, kinds=_KINDS)
    try:
        yield prefix
    finally:
        for kind in _KINDS:
            client.options(ignore_status=404).indices.delete(index=concrete(prefix, kind, 1))
