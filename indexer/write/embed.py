"""Embeds texts only if necessary; adds vectors to records that were written without them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

import structlog

from core.batched import batched
from core.errors import IndexMismatch, ModelMissing, Unavailable
from core.json_types import Json
from core.ports import Embedder
from es_gateway.client import retrying
from es_mappings.codecs.records import from_document
from es_mappings.codecs.vectors import has_all, to_fields
from es_mappings.indices import join_segments
from es_mappings.meta import IndexMeta
from es_mappings.names import alias
from indexer.background import Background
from indexer.parts import HarvestParts, Options
from indexer.store import bulk
from indexer.store.ledger import Ledger, scan, write_ledger

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class EmbeddedTexts:
    """``fields``: those of each text with its vectors, None if no embedder was available; ``lengths``: tokens before
    truncation.
    """

    fields: Sequence[Json | None]
    lengths: list[int] = field(default_factory=list)
    reads: int = 0


@dataclass(slots=True)
class Embedding:
    """The embedder of one run: loaded at the first text, disabled at the first failure (which is logged once)."""

    parts: HarvestParts
    recipe: IndexMeta
    absence: str | None = None
    _embedder: Embedder | None = None

    def embed(self, texts: Sequence[str]) -> EmbeddedTexts:
        """Raises IndexMismatch if the embedder is not the one that filled the index."""
        embedder = self._loaded_embedder() if texts else None
        if embedder is None:
            return EmbeddedTexts([None] * len(texts))
        try:
            fields = self._fields(embedder, texts)
            lengths = embedder.count_tokens(texts)
        except Unavailable as error:
            self._give_up(str(error))
            return EmbeddedTexts([None] * len(texts))
        return EmbeddedTexts(fields, lengths, embedder.card.max_tokens)

    def fields(self, texts: Sequence[str]) -> Sequence[Json | None]:
        """Only the fields, for texts whose lengths were already counted. Raises as ``embed`` does."""
        embedder = self._loaded_embedder() if texts else None
        if embedder is None:
            return [None] * len(texts)
        try:
            return self._fields(embedder, texts)
        except Unavailable as error:
            self._give_up(str(error))
            return [None] * len(texts)

    def _fields(self, embedder: Embedder, texts: Sequence[str]) -> list[Json]:
        return to_fields(embedder.encode(texts, "document"), embedder.card, self.recipe.tokens)

    def _loaded_embedder(self) -> Embedder | None:
        if self._embedder is None and self.absence is None:
            self._load()
        return self._embedder if self.absence is None else None

    def _load(self) -> None:
        if self.parts.embedder is None:
            self._give_up("no embedder was asked for")
            return
        try:
            self._embedder = self.parts.embedder(self.recipe.embedding_model)
        except (ModelMissing, Unavailable) as error:
            self._give_up(str(error))
            return
        if self._embedder.card.model != self.recipe.embedding_model:
            raise IndexMismatch(
                f"The index holds vectors by {self.recipe.embedding_model}; the embedder given is "
                f"{self._embedder.card.model}."
            )

    def _give_up(self, reason: str) -> None:
        self.absence = reason
        log.warning("embed.unavailable", model=self.recipe.embedding_model, reason=reason)


_CHANGED_OR_GONE = ("409", "404")
_FIELDS_READ = ("id", "source", "identifier", "type", "title", "abstract")
"""The fields of a record that its text for the embedder is made from, and those that a record requires."""


@dataclass(frozen=True, slots=True)
class FillResult:
    """How many vectors were written, how many are still missing, and the refused items."""

    embedded: int
    remaining: int
    failures: tuple[bulk.Failure, ...] = ()


def embed_missing(source_id: str, parts: HarvestParts, options: Options) -> FillResult:
    """Adds vectors until none is missing or ``options.seconds`` are used. Idempotent.

    A record that changes meanwhile waits for the next call. Raises Unavailable if the embedder is not available.
    """
    parts = replace(parts, client=retrying(parts.client))
    embedding, tally = Embedding(parts, parts.recipe()), _Tally()
    started = time.monotonic()
    with Background(1, "vectors") as background:
        pending_write: Future[_WriteResult] | None = None
        for hits in batched(_missing(parts, source_id, embedding.recipe), options.batch):
            vector_fields = _vector_fields(hits, embedding)
            tally.add(parts, pending_write)
            pending_write = None
            options.guard()
            if parts.recipe() != embedding.recipe:  # a reindex has moved the alias: the next call embeds the rest
                break
            pending_write = background.submit(
                _write, parts, source_id, list(zip(hits, vector_fields, strict=True)), embedding.recipe.embedding_model
            )
            if options.seconds is not None and time.monotonic() - started >= options.seconds:
                break
        tally.add(parts, pending_write)
    remaining_count = count_missing(source_id, parts)
    if tally.embedded and not remaining_count:
        join_segments(parts.client, alias(parts.prefix, "records"))
    failed_count = len(tally.failures)
    log.info("embed.filled", source=source_id, embedded=tally.embedded, remaining=remaining_count, failed=failed_count)
    return FillResult(tally.embedded, remaining_count, tuple(tally.failures))


@dataclass(frozen=True, slots=True)
class _WriteResult:
    """One batch: its number of records, and the refused items."""

    count: int
    refused: list[bulk.Failure]


@dataclass(slots=True)
class _Tally:
    """The totals so far: while one batch is written, the next one is embedded."""

    embedded: int = 0
    failures: list[bulk.Failure] = field(default_factory=list)

    def add(self, parts: HarvestParts, pending_write: Future[_WriteResult] | None) -> None:
        """Waits for the current write. Raises what the write raised."""
        if pending_write is None:
            return
        result = pending_write.result()
        self.embedded += result.count - len(result.refused)
        self.failures += [failure for failure in result.refused if not failure.reason.startswith(_CHANGED_OR_GONE)]
        parts.progress("embedded", seen=self.embedded, total=0)


def count_missing(source_id: str, parts: HarvestParts) -> int:
    """The number of the source's records without a vector, or without token vectors that the index should have."""
    index, query = alias(parts.prefix, "records"), _lacks_vectors(source_id, parts.recipe())
    parts.client.indices.refresh(index=index)
    return int(parts.client.count(index=index, query=query)["count"])


def _vector_fields(hits: Sequence[Json], embedding: Embedding) -> Sequence[Json | None]:
    texts_embedded = embedding.fields([from_document(hit["_source"]).embedding_text for hit in hits])
    if embedding.absence is not None:
        raise Unavailable(f"Vectors cannot be made: {embedding.absence}")
    return texts_embedded


def _write(parts: HarvestParts, source_id: str, pairs: list[tuple[Json, Json | None]], model: str) -> _WriteResult:
    """Writes the vectors of these hits, then notes the model in the ledger."""
    failures = bulk.write(parts.client, (_operation(parts.prefix, *pair) for pair in pairs))
    embedded_ids = sorted({hit["_id"] for hit, _ in pairs} - {failure.id for failure in failures})
    ledger = Ledger(parts.client, parts.prefix)
    entries = [replace(entry, embedding_model=model) for entry in ledger.holders(source_id, embedded_ids).values()]
    return _WriteResult(len(pairs), failures + write_ledger(parts.client, parts.prefix, entries))


def _operation(prefix: str, hit: Json, vector_fields: Json | None) -> bulk.Operation:
    condition = {"if_seq_no": hit["_seq_no"], "if_primary_term": hit["_primary_term"]}
    return bulk.update_operation(alias(prefix, "records"), hit["_id"], {"doc": vector_fields}, condition)


def _missing(parts: HarvestParts, source_id: str, recipe: IndexMeta) -> Iterator[Json]:
    index = alias(parts.prefix, "records")
    both_indices = f"{index},{alias(parts.prefix, 'ledger')}"
    parts.client.indices.refresh(index=both_indices)
    return scan(parts.client, index, _lacks_vectors(source_id, recipe), _FIELDS_READ)


def _lacks_vectors(source_id: str, recipe: IndexMeta) -> Json:
    filters = [{"term": {"source": source_id}}]
    return {"bool": {"filter": filters, "must_not": [has_all(recipe.tokens)]}}
