"""Converts a stored document to this version's form, with vectors of the new index's model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.json_types import Json
from core.ports import Embedder, TokenCard
from es_mappings.codecs import passages
from es_mappings.codecs.records import from_document, to_document
from es_mappings.codecs.vectors import to_fields
from indexer.documents.segment.passages import embedding_text
from indexer.reindex.handover import Reindexed
from indexer.reindex.sync import Copying

_OF_THE_RECORD = ("native", "harvest", "family")  # what the harvest adds to the output of to_document


def _unseen(_seen: int) -> None:
    """Ignores progress."""


def copying(
    kind: Reindexed, tokens: TokenCard | None, embedder: Embedder | None, progress: Callable[[int], None] = _unseen
) -> Copying:
    """How to copy documents of that kind to an index with these token vectors; without ``embedder`` they keep their
    vectors.
    """
    transform = _renewed_record if kind == "records" else dict
    if embedder is None:
        return Copying(transform, None, tokens, progress)
    text = _record_text if kind == "records" else _passage_text

    def embedded(documents: Sequence[Json]) -> Sequence[Json]:
        encoded = embedder.encode([text(document, embedder) for document in documents], "document")
        return to_fields(encoded, embedder.card, tokens)

    return Copying(transform, embedded, tokens, progress)


def _renewed_record(source: Json) -> Json:
    """The record in this version's form, with its harvest notes."""
    document = to_document(from_document(source))
    kept = {name: source[name] for name in _OF_THE_RECORD if name in source}
    return {**document, **kept}


def _record_text(document: Json, _embedder: Embedder) -> str:
    return from_document(document).embedding_text


def _passage_text(document: Json, embedder: Embedder) -> str:
    passage, title = passages.from_document("", document)
    return embedding_text(passage, title, embedder, embedder.card.max_tokens)
