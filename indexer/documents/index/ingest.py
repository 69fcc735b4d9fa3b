"""Ingests one document: reads it, splits it into passages, embeds and writes them (``steps``). Idempotent."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from core.document import PUBLIC, DocumentEntry, document_id
from core.errors import NotFound
from core.ports import Embedder
from core.timespan import now_iso
from es_gateway.client import Elasticsearch, retrying
from es_mappings.indices import ensure_indices, serving
from es_mappings.loader import USUAL, IndexShape
from es_mappings.meta import IndexMeta
from es_mappings.migration import migrate
from es_mappings.names import alias
from indexer.documents.index.retries import (
    is_parked,
    recipe,
    sonde_version,
    starts_before,
)
from indexer.documents.index.slices import ReadingSlice
from indexer.documents.index.steps import DocumentProgress, IngestParts, IngestRun, no_progress
from indexer.documents.index.store import (
    DocumentStore,
    passages_kind,
)


@dataclass(frozen=True, slots=True)
class IncomingDocument:
    """A document to read. ``origin`` is its path or URL: a new version replaces the one with the same origin.
    ``record`` is the record that it explains. ``known``: the id of the entry that waits for these bytes; if that is
    deleted meanwhile, nothing is kept. ``again``: read the document even if it is parked.
    """

    data: bytes
    origin: str
    name: str
    owner: str = PUBLIC
    record: str | None = None
    known: str | None = None
    again: bool = False

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def id(self) -> str:
        """The id; equal for equal bytes, owner and record."""
        return self.known or document_id(self.owner, self.record, self.hash)


@dataclass(frozen=True, slots=True)
class IngestResult:
    """``same``: the document was already ready or parked, and nothing was done."""

    entry: DocumentEntry
    same: bool = False


def prepare(client: Elasticsearch, prefix: str, embedder: Callable[[], Embedder], shape: IndexShape = USUAL) -> None:
    """Creates missing indices for documents, and adds new fields to existing ones."""
    missing = [
        k for k in ("passages", "library", "documents") if not client.indices.exists_alias(name=alias(prefix, k))
    ]
    if missing:
        ensure_indices(client, prefix, embedder().card, kinds=missing, shape=shape)  # type: ignore[arg-type]
    if "documents" not in missing:
        migrate(client, prefix)


def ingest(
    incoming: IncomingDocument,
    parts: IngestParts,
    progress: DocumentProgress = no_progress,
    *,
    seconds: float | None = None,
) -> IngestResult:
    """The document's entry, ``ready`` or ``failed`` with its reason. Idempotent.

    With ``seconds`` it reads one slice: the entry may also be ``parsing`` or ``embedding``, and the next call with the
    same bytes continues.

    Raises core.errors.Unavailable if Elasticsearch does not answer, NotFound if the record or the index does not exist,
    ModelMissing if the embedder cannot be loaded.
    """
    parts = replace(parts, client=retrying(parts.client))
    store = DocumentStore(parts.client, parts.prefix)
    index = _index_meta(parts, incoming.owner)
    embedder = parts.embedder(index.embedding_model)
    stored = store.entry(incoming.id)
    entry = _new_entry(incoming, stored, embedder.card.model, recipe(parts.options, parts.segmenter))
    if stored is not None and _needs_nothing(stored, entry, again=incoming.again):
        return IngestResult(stored, same=True)
    keep = store.put_entry if incoming.known is None else store.keep_entry
    slice = _slice(parts, entry, seconds)
    run = IngestRun(parts, store, embedder, index.tokens, progress, keep, slice)
    if slice is not None and stored is not None and _continues(entry, stored):
        run.took_ms = dict(stored.took_ms)
        entry = replace(stored, attempts=entry.attempts, version=entry.version)
    elif incoming.known is not None and stored is not None:
        entry = _fill_from_reference(entry, stored)
    return IngestResult(run.run(entry, incoming.data))


def _new_entry(incoming: IncomingDocument, stored: DocumentEntry | None, model: str, recipe: str) -> DocumentEntry:
    """The entry as it is before the first step; it counts this start."""
    return DocumentEntry(
        id=incoming.id,
        owner=incoming.owner,
        origin=incoming.origin,
        name=incoming.name,
        state="parsing",
        record=incoming.record,
        hash=incoming.hash,
        bytes=len(incoming.data),
        model=model,
        recipe=recipe,
        version=sonde_version(),
        attempts=(0 if incoming.again else starts_before(stored, incoming.hash)) + 1,
        created=stored.created if stored is not None and stored.created else now_iso(),
        updated=now_iso(),
        registered=stored.registered if stored is not None else {},
    )


def _needs_nothing(stored: DocumentEntry, entry: DocumentEntry, *, again: bool) -> bool:
    """Whether these bytes are read already in the same way, or parked (``again``: read them nevertheless)."""
    is_same = (stored.model, stored.recipe, stored.hash) == (entry.model, entry.recipe, entry.hash)
    return (stored.state == "ready" and is_same) or (is_parked(stored, entry.hash) and not again)


def _slice(parts: IngestParts, entry: DocumentEntry, seconds: float | None) -> ReadingSlice | None:
    if parts.unfinished is None or seconds is None:
        return None
    made_of = (entry.hash, entry.recipe, entry.model, entry.owner, entry.record, entry.version)
    return parts.unfinished.slice(entry.id, [each or "" for each in made_of], seconds)


def _continues(entry: DocumentEntry, stored: DocumentEntry) -> bool:
    """Whether an earlier slice of the same reading left the stored entry."""
    is_same = (stored.hash, stored.recipe, stored.model) == (entry.hash, entry.recipe, entry.model)
    return is_same and stored.state in ("parsing", "embedding")


def _fill_from_reference(entry: DocumentEntry, stored: DocumentEntry) -> DocumentEntry:
    """Fills the gaps in the entry with the values of a reference list."""
    return replace(
        entry,
        media_type=stored.media_type,
        title=stored.title,
        authors=stored.authors,
        doi=stored.doi,
        journal=stored.journal,
        published=stored.published,
        edited=stored.edited,
    )


def _index_meta(parts: IngestParts, owner: str) -> IndexMeta:
    """Says which model embeds the passages of this owner."""
    kind = passages_kind(owner)
    index = serving(parts.client, parts.prefix, kind)
    if index is None:
        raise NotFound(f"There is no index behind {alias(parts.prefix, kind)}; run `sonde harvest` or `sonde ingest`.")
    return index.meta
