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
from indexer.documents.index.attempts import (
    ReadingSlice,
    is_parked,
    recipe,
    sonde_version,
    starts_before,
)
from indexer.documents.index.steps import DocumentProgress, IngestParts, IngestRun, no_progress
from indexer.documents.index.store import (
    DocumentStore,
    passages_kind,
)


@dataclass(frozen=True, slots=True)
class IncomingDocument:
    """A document to read. ``origin`` is its path or URL: a new version replaces the one with the same origin.
    ``record`` is the record that it explains. ``known_id``: the id of the entry that waits for these bytes; if that is
    deleted meanwhile, nothing is kept. ``retry``: read the document even if it is parked.
    """

    data: bytes
    origin: str
    name: str
    owner: str = PUBLIC
    record: str | None = None
    known_id: str | None = None
    retry: bool = False

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def id(self) -> str:
        """The id; equal for equal bytes, owner and record."""
        return self.known_id or document_id(self.owner, self.record, self.hash)


@dataclass(frozen=True, slots=True)
class IngestResult:
    """``is_same``: the document was already ready or parked, and nothing was done."""

    entry: DocumentEntry
    is_same: bool = False


def prepare(client: Elasticsearch, prefix: str, embedder: Callable[[], Embedder], shape: IndexShape = USUAL) -> None:
    """Creates missing indices for documents, and adds new fields to existing ones."""
    missing_fields = [
        k for k in ("passages", "library", "documents") if not client.indices.exists_alias(name=alias(prefix, k))
    ]
    if missing_fields:
        ensure_indices(client, prefix, embedder().card, kinds=missing_fields, shape=shape)  # type: ignore[arg-type]
    if "documents" not in missing_fields:
        migrate(client, prefix)


def ingest(
    document: IncomingDocument,
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
    index = _index_meta(parts, document.owner)
    embedder = parts.embedder(index.embedding_model)
    stored_entry = store.entry(document.id)
    entry = _new_entry(document, stored_entry, embedder.card.model, recipe(parts.options, parts.segmenter))
    is_settled = stored_entry is not None and _needs_nothing(stored_entry, entry, retry=document.retry)
    if stored_entry is not None and is_settled and store.is_searchable(stored_entry):
        return IngestResult(stored_entry, is_same=True)
    keep = store.put_entry if document.known_id is None else store.keep_entry
    slice = _slice(parts, entry, seconds)
    run = IngestRun(parts, store, embedder, index.tokens, progress, keep, slice)
    if slice is not None and stored_entry is not None and _continues(entry, stored_entry):
        run.took_ms = dict(stored_entry.took_ms)
        entry = replace(stored_entry, attempts=entry.attempts, version=entry.version)
    elif document.known_id is not None and stored_entry is not None:
        entry = _fill_from_reference(entry, stored_entry)
    return IngestResult(run.run(entry, document.data))


def _new_entry(
    document: IncomingDocument, stored_entry: DocumentEntry | None, model: str, recipe: str
) -> DocumentEntry:
    """The entry as it is before the first step; it counts this start."""
    return DocumentEntry(
        id=document.id,
        owner=document.owner,
        origin=document.origin,
        name=document.name,
        state="parsing",
        record=document.record,
        hash=document.hash,
        bytes=len(document.data),
        model=model,
        recipe=recipe,
        version=sonde_version(),
        attempts=(0 if document.retry else starts_before(stored_entry, document.hash)) + 1,
        created=stored_entry.created if stored_entry is not None and stored_entry.created else now_iso(),
        updated=now_iso(),
        registered=stored_entry.registered if stored_entry is not None else {},
    )


def _needs_nothing(stored_entry: DocumentEntry, entry: DocumentEntry, *, retry: bool) -> bool:
    """Whether these bytes are read already in the same way, or parked (``retry``: read them nevertheless)."""
    is_same = (stored_entry.model, stored_entry.recipe, stored_entry.hash) == (entry.model, entry.recipe, entry.hash)
    return (stored_entry.state == "ready" and is_same) or (is_parked(stored_entry, entry.hash) and not retry)


def _slice(parts: IngestParts, entry: DocumentEntry, seconds: float | None) -> ReadingSlice | None:
    if parts.unfinished is None or seconds is None:
        return None
    dependencies = (entry.hash, entry.recipe, entry.model, entry.owner, entry.record, entry.version)
    return parts.unfinished.slice(entry.id, [part or "" for part in dependencies], seconds)


def _continues(entry: DocumentEntry, stored_entry: DocumentEntry) -> bool:
    """Whether an earlier slice of the same reading left the stored entry."""
    is_same = (stored_entry.hash, stored_entry.recipe, stored_entry.model) == (entry.hash, entry.recipe, entry.model)
    return is_same and stored_entry.state in ("parsing", "embedding")


def _fill_from_reference(entry: DocumentEntry, reference_entry: DocumentEntry) -> DocumentEntry:
    return replace(
        entry,
        media_type=reference_entry.media_type,
        title=reference_entry.title,
        authors=reference_entry.authors,
        doi=reference_entry.doi,
        journal=reference_entry.journal,
        published=reference_entry.published,
        edited=reference_entry.edited,
    )


def _index_meta(parts: IngestParts, owner: str) -> IndexMeta:
    """Says which model embeds the passages of this owner."""
    kind = passages_kind(owner)
    index = serving(parts.client, parts.prefix, kind)
    if index is None:
        raise NotFound(f"There is no index behind {alias(parts.prefix, kind)}; run `sonde harvest` or `sonde ingest`.")
    return index.meta
