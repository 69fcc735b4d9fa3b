"""A temporary index for one evaluation, deleted when it ends, for whatever reason."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from es_mappings.names import KINDS, concrete
from indexer.documents.index.steps import PassageReader
from indexer.documents.index.store import passage_document
from indexer.documents.parse.limits import Limits
from indexer.documents.parse.read_text import read_text
from indexer.documents.segment.passages import SegmentOptions, embedding_text, segment
from indexer.store.bulk import index_operation, write

log = structlog.get_logger(__name__)

PREFIX = "sonde-evaluation-"

_ABANDONED_MS = 24 * 3_600_000  # no evaluation takes a day: an older index is from a killed one
_MERGE_S = 300.0


@contextmanager
def temporary_records(
    client: Elasticsearch, records: Sequence[Record], embedder: Embedder, shape: IndexShape = USUAL
) -> Iterator[str]:
    """The prefix of a records index of this shape that holds ``records`` with their vectors, one segment a shard.

    Deleted on exit, also after an exception or Ctrl-C; a later evaluation deletes what a killed one left.
    Raises Unavailable if Elasticsearch does not answer, SondeError if it refuses a record.
    """
    sweep_abandoned(client)  # also checks, before anything is embedded, whether it answers
    encoded = embedder.encode([record.embedding_text for record in records], "document")
    fields = to_fields(encoded, embedder.card, embedder.card.tokens)
    prefix = f"{PREFIX}{uuid.uuid4().hex[:16]}"
    try:
        _fill(client, prefix, records, fields, embedder.card, shape)
        yield prefix
    finally:
        delete_indices(client, prefix)


def _fill(
    client: Elasticsearch,
    prefix: str,
    records: Sequence[Record],
    vector_fields: Sequence[Json],
    card: EmbedderCard,
    shape: IndexShape,
) -> None:
    index = concrete(prefix, "records", 1)
    ensure_indices(client, prefix, card, kinds=("records",), shape=shape)
    client.indices.put_settings(index=index, settings={"refresh_interval": "-1"})
    operations = (
        index_operation(index, record.id, {**to_document(record), **fields})
        for record, fields in zip(records, vector_fields, strict=True)
    )
    if failures := write(client, operations):
        raise SondeError(f"{len(failures)} records were refused, {failures[0].id} first: {failures[0].reason}")
    # One segment: approximate search then uses one graph, and term statistics include no deleted documents.
    client.options(request_timeout=_MERGE_S).indices.forcemerge(index=index, max_num_segments=1)
    client.indices.refresh(index=index)


def delete_indices(client: Elasticsearch, prefix: str) -> None:
    """Deletes the first index of each kind, as far as they exist."""
    _delete(client, ",".join(concrete(prefix, kind, 1) for kind in KINDS))


def _delete(client: Elasticsearch, index: str) -> None:
    """Logs a failure instead of raising it: it would hide why the run ended, and a later evaluation cleans up."""
    try:
        client.indices.delete(index=index, ignore_unavailable=True)
    except ElasticsearchError as error:
        log.warning("evaluation.left_behind", index=index, reason=str(error))


def sweep_abandoned(client: Elasticsearch) -> list[str]:
    """Deletes temporary indices older than a day, by name; returns the names."""
    settings = client.options(ignore_status=404).indices.get_settings(index=f"{PREFIX}*", flat_settings=True).body
    created_at_ms = {
        index: int(index_settings["settings"]["index.creation_date"]) for index, index_settings in settings.items()
    }
    old = abandoned_indices(created_at_ms, int(time.time() * 1000))
    for index in old:
        _delete(client, index)
        log.info("evaluation.swept", index=index)
    return old


def abandoned_indices(created_ms: Mapping[str, int], now_ms: int) -> list[str]:
    """The temporary indices older than a day, from indices by name with their creation time."""
    return sorted(
        index
        for index, created_at_ms in created_ms.items()
        if index.startswith(PREFIX) and now_ms - created_at_ms > _ABANDONED_MS
    )


@contextmanager
def passages_of(
    client: Elasticsearch, texts: Mapping[str, str], embedder: Embedder, reader: PassageReader
) -> Iterator[str]:
    """The prefix of an index that holds the texts' passages; a passage's document is its text's id.

    ``reader`` reads the places and times that a passage names, as when a document is ingested.
    """
    with temporary_passages(client, embedder.card, _documents(texts, embedder, reader)) as prefix:
        yield prefix


@contextmanager
def temporary_passages(
    client: Elasticsearch, card: EmbedderCard, documents: Iterable[tuple[str, Json]]
) -> Iterator[str]:
    """The prefix of an index that holds these passages, by id.

    Deleted on exit; a later evaluation deletes what a killed one left. Raises Unavailable, SondeError.
    """
    sweep_abandoned(client)
    prefix = f"{PREFIX}{uuid.uuid4().hex[:16]}"
    try:
        ensure_indices(client, prefix, card, kinds=("records", "passages"))
        index = concrete(prefix, "passages", 1)
        if failures := write(client, (index_operation(index, id, document) for id, document in documents)):
            raise SondeError(f"{len(failures)} passages were refused: {failures[0].reason}")
        client.indices.refresh(index=index)
        yield prefix
    finally:
        delete_indices(client, prefix)


def _documents(texts: Mapping[str, str], embedder: Embedder, reader: PassageReader) -> Iterator[tuple[str, Json]]:
    for id, text in texts.items():
        passages = segment(read_text(text.encode(), Limits()), id, embedder, SegmentOptions()).passages
        complete_texts = [embedding_text(passage, "", embedder, embedder.card.max_tokens) for passage in passages]
        vector_fields = to_fields(embedder.encode(complete_texts, "document"), embedder.card, embedder.card.tokens)
        for passage, fields in zip(passages, vector_fields, strict=True):
            yield passage.id, passage_document(passage, "", reader.read(passage.text), None, fields)
