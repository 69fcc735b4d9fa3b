"""Ingests one document: reads it in isolation, splits it into passages, embeds and writes them; reports each step."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol, TypeVar

import structlog

from core.batched import batched
from core.clock import now_iso
from core.document import PUBLIC, DocumentEntry, State, document_id, record_of_document, with_edits
from core.errors import NotFound, SondeError, Unavailable
from core.json_types import Json, JsonMapping
from core.passage import Passage
from core.ports import Embedder, TokenCard
from core.record import Record
from es_gateway.client import Elasticsearch, retrying
from es_mappings.codecs.passages import inherited
from es_mappings.codecs.vectors import to_fields
from es_mappings.indices import ensure_indices, serving
from es_mappings.loader import USUAL, IndexShape
from es_mappings.meta import IndexMeta
from es_mappings.migration import migrate
from es_mappings.names import alias
from indexer.documents.catalogued import put_record, summary_of
from indexer.documents.coherence import Coherence, all_alike
from indexer.documents.detect_format import MEDIA_TYPES
from indexer.documents.failures import DocumentRefused
from indexer.documents.isolation import ATTEMPTS, Parsed, SliceOver, read_isolated
from indexer.documents.limits import Limits, Ocr
from indexer.documents.model import ReadDocument
from indexer.documents.parking import (
    MOST_STARTS,
    is_parked,
    refused_by_defect,
    refused_start,
    sonde_version,
    starts_before,
)
from indexer.documents.place_time import PassageReader
from indexer.documents.reading_slice import KeptReadings, ReadingSlice
from indexer.documents.recipe import recipe
from indexer.documents.registered import completed, opening_text
from indexer.documents.registries import Registries
from indexer.documents.segment import Segmented, SegmentOptions, embedding_text, segment
from indexer.documents.store import DocumentGone, DocumentStore, passage_document, passages_kind
from indexer.documents.table_stored import stored_table
from indexer.parts import Parts

log = structlog.get_logger(__name__)

T = TypeVar("T")

_BATCH = 64
_BATCH_OF_A_SLICE = 16
"""Small, so that a slice ends soon after its time also on a slow machine."""

Parse = Callable[..., Parsed]
"""Reads bytes into a document, as ``read_isolated``. Raises DocumentRefused; any other error parks the document as
crashed.
"""


class DocumentProgress(Protocol):
    """Called at each step of a document with its state, and with the pages (``parsing``) or passages (``embedding``)
    done and in total.
    """

    def __call__(self, state: State, done: int = 0, total: int = 0) -> None: ...


def no_progress(state: State, done: int = 0, total: int = 0) -> None:
    """Ignores progress."""


KeepFile = Callable[[DocumentEntry, bytes, str | None], None]
"""Keeps the file of a public document where it may be shown; the text is the licence of its record."""


def not_kept(entry: DocumentEntry, data: bytes, licence: str | None) -> None:
    """Keeps no file."""


@dataclass(frozen=True, slots=True)
class IngestParts:
    """``embedder`` loads the model with the given name. ``coherence`` says where a long text is split,
    ``segmenter`` is its name: after a change, documents are split again.
    ``registries`` complete the metadata of documents with a DOI; None: nobody is asked. ``kept``: where slices keep
    what is done; None: each document is read at once.
    """

    client: Elasticsearch
    prefix: str
    embedder: Callable[[str], Embedder]
    reader: PassageReader
    limits: Limits = field(default_factory=Limits)
    ocr: Ocr = field(default_factory=Ocr)
    options: SegmentOptions = field(default_factory=SegmentOptions)
    coherence: Coherence = all_alike
    segmenter: str = ""
    parse: Parse = read_isolated
    keep_file: KeepFile = not_kept
    registries: Registries | None = None
    kept: KeptReadings | None = None


@dataclass(frozen=True, slots=True)
class Incoming:
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
class Ingested:
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
    incoming: Incoming,
    parts: IngestParts,
    progress: DocumentProgress = no_progress,
    *,
    seconds: float | None = None,
) -> Ingested:
    """The document's entry, ``ready`` or ``failed`` with its reason. Idempotent.

    With ``seconds`` it reads one slice: the entry may also be ``parsing`` or ``embedding``, and the next call with the
    same bytes continues.

    Raises core.errors.Unavailable if Elasticsearch does not answer, NotFound if the record or the index does not exist,
    ModelMissing if the embedder cannot be loaded.
    """
    parts = replace(parts, client=retrying(parts.client))
    store = DocumentStore(parts.client, parts.prefix)
    index = _recipe(parts, incoming.owner)
    embedder = parts.embedder(index.embedding_model)
    read_as = recipe(parts.options, parts.segmenter)
    stored = store.entry(incoming.id)
    if (
        stored is not None
        and stored.state == "ready"
        and (stored.model, stored.recipe, stored.hash) == (embedder.card.model, read_as, incoming.hash)
    ):
        return Ingested(stored, same=True)
    if stored is not None and is_parked(stored, incoming.hash) and not incoming.again:
        return Ingested(stored, same=True)
    new = DocumentEntry(
        id=incoming.id,
        owner=incoming.owner,
        origin=incoming.origin,
        name=incoming.name,
        state="parsing",
        record=incoming.record,
        hash=incoming.hash,
        bytes=len(incoming.data),
        model=embedder.card.model,
        recipe=read_as,
        version=sonde_version(),
        attempts=(0 if incoming.again else starts_before(stored, incoming.hash)) + 1,
        created=stored.created if stored is not None and stored.created else now_iso(),
        updated=now_iso(),
        registered=stored.registered if stored is not None else {},
    )
    keep = store.put_entry if incoming.known is None else store.keep_entry
    within = _slice(parts, new, seconds)
    run = _Run(parts, store, embedder, index.tokens, progress, keep, within)
    if within is not None and stored is not None and _is_continued(stored, new):
        run.took_ms = dict(stored.took_ms)
        new = replace(stored, attempts=new.attempts, version=new.version)
    elif incoming.known is not None and stored is not None:
        new = _with_reference(new, stored)
    return Ingested(run.run(new, incoming.data))


def _slice(parts: IngestParts, entry: DocumentEntry, seconds: float | None) -> ReadingSlice | None:
    if parts.kept is None or seconds is None:
        return None
    made_of = (entry.hash, entry.recipe, entry.model, entry.owner, entry.record, entry.version)
    return parts.kept.slice(entry.id, [each or "" for each in made_of], seconds)


def _is_continued(stored: DocumentEntry, new: DocumentEntry) -> bool:
    """Whether an earlier slice of the same reading left this entry."""
    same = (stored.hash, stored.recipe, stored.model) == (new.hash, new.recipe, new.model)
    return same and stored.state in ("parsing", "embedding")


def _with_reference(entry: DocumentEntry, stored: DocumentEntry) -> DocumentEntry:
    """Fills the gaps in the entry from what a reference list said of the document."""
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


def _recipe(parts: IngestParts, owner: str) -> IndexMeta:
    """The embedding recipe of the index for these passages."""
    kind = passages_kind(owner)
    found = serving(parts.client, parts.prefix, kind)
    if found is None:
        raise NotFound(f"There is no index behind {alias(parts.prefix, kind)}; run `sonde harvest` or `sonde ingest`.")
    return found.meta


@dataclass(slots=True)
class _Run:
    """The steps of one document."""

    parts: IngestParts
    store: DocumentStore
    embedder: Embedder
    tokens: TokenCard | None
    progress: DocumentProgress
    keep: Callable[[DocumentEntry], None]
    slice: ReadingSlice | None = None
    took_ms: dict[str, float] = field(default_factory=dict)
    parse_attempts: int = 1
    last: DocumentEntry | None = None
    """The entry as last reported."""

    def run(self, entry: DocumentEntry, data: bytes) -> DocumentEntry:
        before = [one for one in self.store.of_origin(entry.owner, entry.origin) if one.id != entry.id]
        try:
            done = self._steps(entry, data)
        except DocumentGone:
            self.store.drop_passages(entry)
            self._forget_slices()
            raise
        except SliceOver:
            return self._paused(entry)
        except DocumentRefused as refused:
            if self.slice is not None and refused.reason == "crashed" and entry.attempts < ATTEMPTS:
                return self._paused(entry, attempts=entry.attempts)
            return self._failed(entry, refused)
        except SondeError:
            self._not_counted(entry)
            raise
        except OSError as error:  # an error of our disk, not of the document
            self._not_counted(entry)
            raise Unavailable(f"A document cannot be stored for reading: {error.strerror or error}.") from error
        except Exception as error:  # noqa: BLE001 - a defect of ours, which these bytes bring out each time
            return self._failed(entry, refused_by_defect(error))
        for old in before:
            self.store.drop(old)
        self._forget_slices()
        log.info("document.ready", document=done.id, passages=done.passages, pages=done.pages)
        return self._told(done, done.passages or 0, done.passages or 0)

    def _steps(self, entry: DocumentEntry, data: bytes) -> DocumentEntry:
        if entry.attempts > MOST_STARTS:
            raise refused_start(MOST_STARTS)
        found = self.slice.passages() if self.slice is not None and entry.state == "embedding" else None
        written = (entry.done or 0) if found is not None else 0
        entry = self._told(entry, written, len(found.passages) if found is not None else 0)
        if found is None:
            entry, found = self._split(*self._read(replace(entry, state="parsing", done=None, total=None), data))
        explained = self._record(entry)
        carried = self._timed("record", partial(self._catalogued, entry, found.passages, explained))
        self._write(entry, found.passages, carried, written)
        if entry.owner == PUBLIC:
            self.parts.keep_file(entry, data, explained.licence if explained is not None else None)
        entry = replace(entry, state="ready", passages=len(found.passages), cut=found.cut, done=None, total=None)
        return replace(entry, attempts=self.parse_attempts, took_ms=_rounded(self.took_ms))

    def _read(self, entry: DocumentEntry, data: bytes) -> tuple[DocumentEntry, Parsed]:
        """The document, with its metadata in the entry."""
        parsed = self._parsed(entry, data)
        self.parse_attempts = parsed.attempts
        entry = self._described(entry, parsed)
        explained = self._record(entry)
        entry = self._completed(entry, explained, parsed.document)
        entry = replace(entry, state="embedding", record=explained.id if explained is not None else None)
        return self._told(entry), parsed

    def _parsed(self, entry: DocumentEntry, data: bytes) -> Parsed:
        given = (data, self.parts.limits, self.parts.ocr, partial(self._on_its_way, entry))
        if self.slice is None:
            return self._timed("parse", lambda: self.parts.parse(*given))
        parsed = self.slice.parsed()
        if parsed is None:
            pages = replace(self.slice.pages, spent_s=self.took_ms.get("parse", 0.0) / 1000.0)
            parsed = self._timed("parse", lambda: self.parts.parse(*given, pages))
            self.slice.keep_parsed(parsed)
            self.slice.check()
        return parsed

    def _split(self, entry: DocumentEntry, parsed: Parsed) -> tuple[DocumentEntry, Segmented]:
        found = self._timed("segment", lambda: self._segmented(entry, parsed.document))
        entry = replace(entry, warnings=(*found.warnings, *entry.warnings))
        if self.slice is not None:
            self.slice.keep_passages(found)
            entry = self._told(replace(entry, done=0, total=len(found.passages)), 0, len(found.passages))
            self.slice.check()
        return entry, found

    def _paused(self, entry: DocumentEntry, attempts: int = 0) -> DocumentEntry:
        """Keeps what is done; ``attempts`` 0: this slice did its work, so no start was in vain."""
        reached = replace(self.last or entry, attempts=attempts, took_ms=_rounded(self.took_ms))
        try:
            return self._told(reached, reached.done or 0, reached.total or 0)
        except DocumentGone:
            self.store.drop_passages(entry)
            self._forget_slices()
            raise

    def _forget_slices(self) -> None:
        if self.slice is not None:
            self.slice.drop()

    def _not_counted(self, entry: DocumentEntry) -> None:
        """Removes this start from the count: the document did not cause the failure."""
        with suppress(SondeError):
            self.keep(replace(self.last or entry, attempts=entry.attempts - 1, updated=now_iso()))

    def _told(self, entry: DocumentEntry, done: int = 0, total: int = 0) -> DocumentEntry:
        self.last = entry = replace(entry, updated=now_iso())
        self.keep(entry)
        self.progress(entry.state, done, total)
        return entry

    def _on_its_way(self, entry: DocumentEntry, done: int, total: int) -> None:
        self._told(replace(entry, done=done, total=total), done, total)

    def _timed(self, stage: str, call: Callable[[], T]) -> T:
        started = time.perf_counter()
        try:
            return call()
        finally:
            self.took_ms[stage] = self.took_ms.get(stage, 0.0) + (time.perf_counter() - started) * 1000.0

    def _described(self, entry: DocumentEntry, parsed: Parsed) -> DocumentEntry:
        read, front = parsed.document, parsed.document.front
        described = replace(
            entry,
            media_type=entry.media_type or MEDIA_TYPES[read.format],
            title=front.title or entry.title,
            authors=front.authors or entry.authors,
            affiliations=front.affiliations,
            doi=front.doi or entry.doi,
            journal=front.journal or entry.journal,
            published=front.published or entry.published,
            front_source=front.source,
            references=read.references,
            pages=read.pages or None,
            ocr_pages=len(read.ocr_pages),
            blank_pages=len(read.blank_pages),
            coverage=read.coverage,
            warnings=read.warnings,
            tables=tuple(stored_table(one) for one in read.tables),
        )
        return with_edits(described)

    def _completed(self, entry: DocumentEntry, explained: Record | None, document: ReadDocument) -> DocumentEntry:
        registries = self.parts.registries
        found = self._timed("registry", lambda: registries.of(entry, explained)) if registries is not None else None
        if found is None:
            return entry
        return with_edits(completed(entry, found, opening_text(document.blocks)))

    def _record(self, entry: DocumentEntry) -> Record | None:
        """The given record, or the record with the document's DOI."""
        if entry.record is not None:
            found = self.store.record(entry.record)
            if found is None:
                raise NotFound(f"There is no record {entry.record!r} that the document could explain.")
            return found
        if entry.owner != PUBLIC:
            return None
        joined = self.store.record_of_doi(entry.doi) if entry.doi else None
        if joined is None and self.store.is_restricted(entry):
            raise NotFound("The record that says who may see this document is gone; restore it before reading again.")
        return self.store.record(joined) if joined is not None else None

    def _catalogued(
        self, entry: DocumentEntry, passages: Sequence[Passage], explained: Record | None
    ) -> JsonMapping | None:
        """Puts a public document into the search. The fields that its passages carry: of the record that it explains,
        else of its own one, so that what it says is found there.
        """
        if entry.owner == PUBLIC:
            parts = Parts(self.parts.client, self.parts.prefix, self.parts.embedder)
            if put_record(parts, entry, summary_of(passages), explained) and explained is None:
                return self.store.record_fields(record_of_document(entry.id))
        return inherited(explained) if explained is not None else None

    def _segmented(self, entry: DocumentEntry, document: ReadDocument) -> Segmented:
        found = segment(document, entry.id, self.embedder, self.parts.options, self.parts.coherence)
        passages = tuple(replace(one, owner=entry.owner, record=entry.record) for one in found.passages)
        if not passages:
            raise DocumentRefused("no_text", "Nothing that could be searched was found in the document.")
        return replace(found, passages=passages)

    def _write(
        self, entry: DocumentEntry, passages: Sequence[Passage], carried: JsonMapping | None, written: int
    ) -> None:
        """Embeds and writes the passages after the first ``written``. Raises SliceOver after a slice's last batch."""
        for batch in batched(passages[written:], _BATCH if self.slice is None else _BATCH_OF_A_SLICE):
            documents = self._timed("embed", partial(self._documents, entry, batch, carried))
            failures = self.store.put_passages(entry.owner, documents)
            if failures:
                raise DocumentRefused("not_stored", f"{len(failures)} passages were not taken: {failures[0].reason}")
            written += len(batch)
            self._on_its_way(entry, written, len(passages))
            if self.slice is not None and written < len(passages):
                self.slice.check()
        self.store.drop_passages(entry, from_ordinal=len(passages))

    def _documents(
        self, entry: DocumentEntry, batch: Sequence[Passage], carried: JsonMapping | None
    ) -> list[tuple[str, Json]]:
        title = entry.title or entry.name
        most = self.embedder.card.max_tokens
        encoded = self.embedder.encode([embedding_text(one, title, self.embedder, most) for one in batch], "document")
        made = to_fields(encoded, self.embedder.card, self.tokens)
        own = [self.parts.reader.read(one.text) for one in batch]
        return [
            (one.id, passage_document(one, title, where, carried, fields))
            for one, where, fields in zip(batch, own, made, strict=True)
        ]

    def _failed(self, entry: DocumentEntry, refused: DocumentRefused) -> DocumentEntry:
        """Parks the document with its reason; deletes passages of an earlier reading of the same bytes."""
        log.warning("document.failed", document=entry.id, reason=refused.reason)
        self.store.drop_passages(entry)
        self._forget_slices()
        seen = replace(self.last or entry, done=None, total=None)
        return self._told(replace(seen, state="failed", reason=refused.reason, message=str(refused)[:500]))


def _rounded(took_ms: dict[str, float]) -> dict[str, float]:
    return {stage: round(value, 1) for stage, value in took_ms.items()}
