"""Stores texts as passages in a temporary index, split and embedded as ingested documents are."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from core.errors import SondeError
from core.json_types import Json
from core.ports import Embedder, EmbedderCard
from es_gateway.client import Elasticsearch
from es_mappings.codecs.vectors import to_fields
from es_mappings.indices import ensure_indices
from es_mappings.names import IndexKind, concrete
from evaluation.throwaway import PREFIX, sweep_abandoned
from indexer.documents.limits import Limits
from indexer.documents.place_time import PassageReader
from indexer.documents.read_text import read_text
from indexer.documents.segment import SegmentOptions, embedding_text, segment
from indexer.documents.store import passage_document
from indexer.store.bulk import index_operation, write

_KINDS: tuple[IndexKind, ...] = ("records", "passages")


@contextmanager
def passages_of(
    client: Elasticsearch, texts: Mapping[str, str], embedder: Embedder, reader: PassageReader
) -> Iterator[str]:
    """The prefix of an index that holds the texts' passages; a passage's document is its text's id.

    ``reader`` reads the places and times that a passage names, as when a document is ingested.
    """
    with throwaway_passages(client, embedder.card, _documents(texts, embedder, reader)) as prefix:
        yield prefix


@contextmanager
def throwaway_passages(
    client: Elasticsearch, card: EmbedderCard, documents: Iterable[tuple[str, Json]]
) -> Iterator[str]:
    """The prefix of an index that holds these passages, by id.

    Deleted on exit; a later evaluation deletes what a killed one left. Raises Unavailable, SondeError.
    """
    sweep_abandoned(client)
    prefix = f"{PREFIX}{uuid.uuid4().hex[:16]}"
    try:
        ensure_indices(client, prefix, card, kinds=_KINDS)
        index = concrete(prefix, "passages", 1)
        if failures := write(client, (index_operation(index, id, document) for id, document in documents)):
            raise SondeError(f"{len(failures)} passages were refused: {failures[0].reason}")
        client.indices.refresh(index=index)
        yield prefix
    finally:
        for kind in _KINDS:
            client.options(ignore_status=404).indices.delete(index=concrete(prefix, kind, 1))


def _documents(texts: Mapping[str, str], embedder: Embedder, reader: PassageReader) -> Iterator[tuple[str, Json]]:
    for id, text in texts.items():
        passages = segment(read_text(text.encode(), Limits()), id, embedder, SegmentOptions()).passages
        whole = [embedding_text(one, "", embedder, embedder.card.max_tokens) for one in passages]
        made = to_fields(embedder.encode(whole, "document"), embedder.card, embedder.card.tokens)
        for one, fields in zip(passages, made, strict=True):
            yield one.id, passage_document(one, "", reader.read(one.text), None, fields)
