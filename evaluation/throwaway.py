"""A temporary index for one evaluation, deleted when it ends, for whatever reason."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import structlog

from core.errors import SondeError
from core.json_types import Json
from core.ports import Embedder, EmbedderCard
from core.record import Record
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_mappings.codecs.records import to_document
from es_mappings.codecs.vectors import to_fields
from es_mappings.indices import ensure_indices
from es_mappings.loader import USUAL, IndexShape
from es_mappings.names import concrete
from indexer.store.bulk import index_operation, write

log = structlog.get_logger(__name__)

PREFIX = "sonde-evaluation-"

_ABANDONED_MS = 24 * 3_600_000  # no evaluation takes a day: an older index is from a killed one
_MERGE_S = 300.0


@contextmanager
def throwaway(
    client: Elasticsearch, records: Sequence[Record], embedder: Embedder, shape: IndexShape = USUAL
) -> Iterator[str]:
    """The prefix of a records index of this shape that holds ``records`` with their vectors, one segment a shard.

    Deleted on exit, also after an exception or Ctrl-C; a later evaluation deletes what a killed one left.
    Raises Unavailable if Elasticsearch does not answer, SondeError if it refuses a record.
    """
    sweep_abandoned(client)  # also checks, before anything is embedded, whether it answers
    encoded = embedder.encode([record.embedding_text for record in records], "document")
    made = to_fields(encoded, embedder.card, embedder.card.tokens)
    prefix = f"{PREFIX}{uuid.uuid4().hex[:16]}"
    try:
        _fill(client, prefix, records, made, embedder.card, shape)
        yield prefix
    finally:
        _delete(client, concrete(prefix, "records", 1))


def _fill(
    client: Elasticsearch,
    prefix: str,
    records: Sequence[Record],
    made: Sequence[Json],
    card: EmbedderCard,
    shape: IndexShape,
) -> None:
    index = concrete(prefix, "records", 1)
    ensure_indices(client, prefix, card, kinds=("records",), shape=shape)
    client.indices.put_settings(index=index, settings={"refresh_interval": "-1"})
    operations = (
        index_operation(index, record.id, {**to_document(record), **fields})
        for record, fields in zip(records, made, strict=True)
    )
    if failures := write(client, operations):
        raise SondeError(f"{len(failures)} records were refused, {failures[0].id} first: {failures[0].reason}")
    # One segment: approximate search then uses one graph, and term statistics include no deleted documents.
    client.options(request_timeout=_MERGE_S).indices.forcemerge(index=index, max_num_segments=1)
    client.indices.refresh(index=index)


def _delete(client: Elasticsearch, index: str) -> None:
    """Logs a failure instead of raising it: it would hide why the evaluation ended, and a later one cleans up."""
    try:
        client.options(ignore_status=404).indices.delete(index=index)
    except ElasticsearchError as error:
        log.warning("evaluation.left_behind", index=index, reason=str(error))


def sweep_abandoned(client: Elasticsearch) -> list[str]:
    """Deletes temporary indices older than a day, by name; returns the names."""
    settings = client.options(ignore_status=404).indices.get_settings(index=f"{PREFIX}*", flat_settings=True).body
    created = {index: int(found["settings"]["index.creation_date"]) for index, found in settings.items()}
    old = abandoned(created, int(time.time() * 1000))
    for index in old:
        _delete(client, index)
        log.info("evaluation.swept", index=index)
    return old


def abandoned(created_ms: Mapping[str, int], now_ms: int) -> list[str]:
    """The temporary indices older than a day, from indices by name with their creation time."""
    return sorted(
        index for index, made in created_ms.items() if index.startswith(PREFIX) and now_ms - made > _ABANDONED_MS
    )
