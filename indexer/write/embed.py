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
from es_mappings.meta import IndexMeta
from es_mappings.names import alias
from indexer.background import Background
from indexer.parts import HarvestParts, Options
from indexer.store import bulk
from indexer.store.ledger import Ledger, scan, targets, write_ledger

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Embedded:
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

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Raises IndexMismatch if the embedder is not the one that filled the index."""
        embedder = self._loaded() if texts else None
        if embedder is None:
            return Embedded([None] * len(texts))
        try:
            fields = self._fields(embedder, texts)
            lengths = embedder.count_tokens(texts)
        except Unavailable as error:
            self._give_up(str(error))
            return Embedded([None] * len(texts))
        return Embedded(fields, lengths, embedder.card.max_tokens)

    def fields(self, texts: Sequence[str]) -> Sequence[Json | None]:
        """Only the fields, for texts whose lengths were already counted. Raises as ``embed`` does."""
        embedder = self._loaded() if texts else None
        if embedder is None:
            return [None] * len(texts)
        try:
            return self._fields(embedder, texts)
        except Unavailable as error:
            self._give_up(str(error))
            return [None] * len(texts)

    def _fields(self, embedder: Embedder, texts: Sequence[str]) -> list[Json]:
        return to_fields(embedder.encode(texts, "document"), embedder.card, self.recipe.tokens)

    def _loaded(self) -> Embedder | None:
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

    def _give_up(self, why: str) -> None:
        self.absence = why
        log.warning("embed.unavailable", model=self.recipe.embedding_model, reason=why)


_CHANGED_OR_GONE = ("409", "404")
_READ = ("id", "source", "identifier", "type", "title", "abstract")
"""The fields of a record that its text for the embedder is made from, and those that a record requires."""


@dataclass(frozen=True, slots=True)
class Filled:
    """How many vectors were written, how many are still missing, and the refused items."""

    embedded: int
    remaining: int
    failures: tuple[bulk.Failure, ...] = ()


def embed_missing(source_id: str, parts: HarvestParts, options: Options) -> Filled:
    """Adds vectors until none is missing or ``options.seconds`` are used. Idempotent.

    A record that changes meanwhile waits for the next call. Raises Unavailable if the embedder is not available.
    """
    parts = replace(parts, client=retrying(parts.client))
    embedding, tally = Embedding(parts, parts.recipe()), _Tally()
    started = time.monotonic()
    with Background(1, "vectors") as background:
        writing: Future[_Written] | None = None
        for hits in batched(_missing(parts, source_id, embedding.recipe), options.batch):
            made = _made(hits, embedding)
            tally.add(parts, writing)
            options.guard()
            writing = background.submit(
                _write, parts, source_id, list(zip(hits, made, strict=True)), embedding.recipe.embedding_model
            )
            if options.seconds is not None and time.monotonic() - started >= options.seconds:
                break
        tally.add(parts, writing)
    remaining = count_missing(source_id, parts)
    failed = len(tally.failures)
    log.info("embed.filled", source=source_id, embedded=tally.embedded, remaining=remaining, failed=failed)
    return Filled(tally.embedded, remaining, tuple(tally.failures))


@dataclass(frozen=True, slots=True)
class _Written:
    """One batch: its number of records, and the refused items."""

    count: int
    refused: list[bulk.Failure]


@dataclass(slots=True)
class _Tally:
    """The totals so far: while one batch is written, the next one is embedded."""

    embedded: int = 0
    failures: list[bulk.Failure] = field(default_factory=list)

    def add(self, parts: HarvestParts, writing: Future[_Written] | None) -> None:
        """Waits for the current write. Raises what the write raised."""
        if writing is None:
            return
        written = writing.result()
        self.embedded += written.count - len(written.refused)
        self.failures += [one for one in written.refused if not one.reason.startswith(_CHANGED_OR_GONE)]
        parts.progress("embedded", seen=self.embedded, total=0)


def count_missing(source_id: str, parts: HarvestParts) -> int:
    """The number of the source's records without a vector, or without token vectors that the index should have."""
    index, query = alias(parts.prefix, "records"), _lacking(source_id, parts.recipe())
    parts.client.indices.refresh(index=index)
    return int(parts.client.count(index=index, query=query)["count"])


def _made(hits: Sequence[Json], embedding: Embedding) -> Sequence[Json | None]:
    made = embedding.fields([from_document(hit["_source"]).embedding_text for hit in hits])
    if embedding.absence is not None:
        raise Unavailable(f"Vectors cannot be made: {embedding.absence}")
    return made


def _write(parts: HarvestParts, source_id: str, pairs: list[tuple[Json, Json | None]], model: str) -> _Written:
    """Writes the vectors of these hits, then notes the model in the ledger."""
    refused = bulk.write(parts.client, (operation for pair in pairs for operation in _operations(parts.prefix, *pair)))
    done = sorted({hit["_id"] for hit, _ in pairs} - {failure.id for failure in refused})
    ledger = Ledger(parts.client, parts.prefix)
    entries = [replace(entry, embedding_model=model) for entry in ledger.holders(source_id, done).values()]
    return _Written(len(pairs), refused + write_ledger(parts.client, parts.prefix, entries))


def _operations(prefix: str, hit: Json, made: Json | None) -> Iterator[bulk.Operation]:
    unchanged = {"if_seq_no": hit["_seq_no"], "if_primary_term": hit["_primary_term"]}
    for index in targets(prefix, "records"):
        yield bulk.update_operation(index, hit["_id"], {"doc": made}, unchanged)


def _missing(parts: HarvestParts, source_id: str, recipe: IndexMeta) -> Iterator[Json]:
    index = alias(parts.prefix, "records")
    both = f"{index},{alias(parts.prefix, 'ledger')}"
    parts.client.indices.refresh(index=both)
    return scan(parts.client, index, _lacking(source_id, recipe), _READ)


def _lacking(source_id: str, recipe: IndexMeta) -> Json:
    filters = [{"term": {"source": source_id}}]
    return {"bool": {"filter": filters, "must_not": [has_all(recipe.tokens)]}}
