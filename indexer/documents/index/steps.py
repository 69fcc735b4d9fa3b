"""The steps of one document into the index: parse, complete its metadata, split, write its record and its passages.

After each step the entry is stored and reported, so a slice that ends or a worker that dies loses one step at most.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol, TypeVar

import structlog

from core.batched import batched
from core.document import PUBLIC, DocumentEntry, Passage, State, WhereWhen, record_of_document, with_edits
from core.errors import NotFound, SondeError, Unavailable
from core.json_types import Json, JsonMapping
from core.ports import Embedder, TokenCard
from core.record import Record
from core.timespan import now_iso
from es_gateway.client import Elasticsearch
from es_mappings.codecs.passages import inherited
from es_mappings.codecs.vectors import to_fields
from indexer.documents.index.attempts import (
    MOST_STARTS,
    ReadingSlice,
    UnfinishedReadings,
    refusal_by_defect,
    too_many_starts,
)
from indexer.documents.index.registries import Registries, complete_entry, opening_text
from indexer.documents.index.store import DocumentGone, DocumentStore, passage_document, put_record, summary_of
from indexer.documents.parse.isolation import ATTEMPTS, ParseResult, SliceOver, read_isolated
from indexer.documents.parse.limits import MEDIA_TYPES, DocumentRefused, Limits, Ocr
from indexer.documents.parse.model import ReadDocument, Table
from indexer.documents.segment.passages import (
    Coherence,
    Segmentation,
    SegmentOptions,
    embedding_text,
    segment,
    uniform_coherence,
)
from indexer.parts import HarvestParts
from reading.places import PlaceReader
from reading.sentences import detect_language
from reading.times import TimeReader

log = structlog.get_logger(__name__)

T = TypeVar("T")

_BATCH = 64
_BATCH_OF_A_SLICE = 16
"""Small, so that a slice ends soon after its time also on a slow machine."""

Parse = Callable[..., ParseResult]
"""Reads bytes into a document, as ``read_isolated``. Raises DocumentRefused; any other error parks the document as
crashed.
"""


class DocumentProgress(Protocol):
    """Called at each step of a document with its state, and with the pages (``parsing``) or passages (``embedding``)
    done and in total.
    """

    def __call__(self, state: State, done_count: int = 0, total: int = 0) -> None: ...


def no_progress(state: State, done_count: int = 0, total: int = 0) -> None:
    """Ignores progress."""


KeepFile = Callable[[DocumentEntry, bytes, str | None], None]
"""Keeps the file of a public document where it may be shown; the text is the licence of its record."""


def keep_no_file(entry: DocumentEntry, data: bytes, licence: str | None) -> None:
    """Keeps no file."""


@dataclass(frozen=True, slots=True)
class IngestParts:
    """``embedder`` loads the model with the given name. ``coherence`` decides where a long text is split,
    ``segmenter`` is its name: after a change, documents are split again.
    ``registries`` complete the metadata of documents with a DOI; None: none is asked. ``unfinished``: where slices keep
    what is done; None: each document is read at once.
    """

    client: Elasticsearch
    prefix: str
    embedder: Callable[[str], Embedder]
    reader: PassageReader
    limits: Limits = field(default_factory=Limits)
    ocr: Ocr = field(default_factory=Ocr)
    options: SegmentOptions = field(default_factory=SegmentOptions)
    coherence: Coherence = uniform_coherence
    segmenter: str = ""
    parse: Parse = read_isolated
    keep_file: KeepFile = keep_no_file
    registries: Registries | None = None
    unfinished: UnfinishedReadings | None = None


@dataclass(slots=True)
class IngestRun:
    """One document on its way into the index."""

    parts: IngestParts
    store: DocumentStore
    embedder: Embedder
    tokens: TokenCard | None
    progress: DocumentProgress
    keep: Callable[[DocumentEntry], None]
    slice: ReadingSlice | None = None
    took_ms: dict[str, float] = field(default_factory=dict)
    parse_attempts: int = 1
    reported: DocumentEntry | None = None
    """The entry as last reported."""

    def run(self, entry: DocumentEntry, data: bytes) -> DocumentEntry:
        """The entry, ready, failed or between two slices; then drops earlier versions of the same origin."""
        earlier_entries = [
            earlier_entry
            for earlier_entry in self.store.of_origin(entry.owner, entry.origin)
            if earlier_entry.id != entry.id
        ]
        try:
            new_entry = self._steps(entry, data)
        except DocumentGone:
            self._drop_all(entry)
            raise
        except SliceOver:
            return self._pause(entry)
        except DocumentRefused as refusal:
            if self.slice is not None and refusal.reason == "crashed" and entry.attempts < ATTEMPTS:
                return self._pause(entry, attempts=entry.attempts)
            return self._park(entry, refusal)
        except SondeError:
            self._uncount_start(entry)
            raise
        except OSError as error:  # an error of our disk, not of the document
            self._uncount_start(entry)
            raise Unavailable(f"A document cannot be stored for reading: {error.strerror or error}.") from error
        except Exception as error:  # noqa: BLE001 - a defect of ours, which these bytes bring out each time
            return self._park(entry, refusal_by_defect(error))
        for earlier_entry in earlier_entries:
            self.store.drop(earlier_entry)
        self._drop_slices()
        log.info("document.ready", document=new_entry.id, passages=new_entry.passages, pages=new_entry.pages)
        return self._report(new_entry, new_entry.passages or 0, new_entry.passages or 0)

    def _steps(self, entry: DocumentEntry, data: bytes) -> DocumentEntry:
        if entry.attempts > MOST_STARTS:
            raise too_many_starts(MOST_STARTS)
        segmentation = self.slice.passages() if self.slice is not None and entry.state == "embedding" else None
        if segmentation is None:
            written_count = 0
            entry = self._report(entry)
            entry, result = self._parse(replace(entry, state="parsing", done=None, total=None), data)
            entry, segmentation = self._segment(entry, result)
        else:
            written_count = entry.done or 0
            entry = self._report(entry, written_count, len(segmentation.passages))
        record = self._explained_record(entry)
        inherited_fields = self._time("record", partial(self._write_record, entry, segmentation.passages, record))
        self._write_passages(entry, segmentation.passages, inherited_fields, written_count)
        if entry.owner == PUBLIC:
            self.parts.keep_file(entry, data, record.licence if record is not None else None)
        return replace(
            entry,
            state="ready",
            passages=len(segmentation.passages),
            cut=segmentation.cut,
            done=None,
            total=None,
            attempts=self.parse_attempts,
            took_ms=self._rounded_times(),
        )

    def _parse(self, entry: DocumentEntry, data: bytes) -> tuple[DocumentEntry, ParseResult]:
        """The entry with the document's metadata, completed by a registry, and the document."""
        result = self._read_document(entry, data)
        self.parse_attempts = result.attempts
        entry = with_edits(with_document(entry, result.document))
        record = self._explained_record(entry)
        if (registries := self.parts.registries) is not None:
            work = self._time("registry", lambda: registries.of(entry, record))
            if work is not None:
                entry = with_edits(complete_entry(entry, work, opening_text(result.document.blocks)))
        entry = replace(entry, state="embedding", record=record.id if record is not None else None)
        return self._report(entry), result

    def _read_document(self, entry: DocumentEntry, data: bytes) -> ParseResult:
        arguments = (data, self.parts.limits, self.parts.ocr, partial(self._report_progress, entry))
        if self.slice is None:
            return self._time("parse", lambda: self.parts.parse(*arguments))
        result = self.slice.parsed()
        if result is None:
            pages = replace(self.slice.pages, spent_s=self.took_ms.get("parse", 0.0) / 1000.0)
            result = self._time("parse", lambda: self.parts.parse(*arguments, pages))
            self.slice.keep_parsed(result)
            self.slice.check()
        return result

    def _segment(self, entry: DocumentEntry, result: ParseResult) -> tuple[DocumentEntry, Segmentation]:
        parts = self.parts
        segmentation = self._time(
            "segment", lambda: segment(result.document, entry.id, self.embedder, parts.options, parts.coherence)
        )
        if not segmentation.passages:
            raise DocumentRefused("no_text", "Nothing that could be searched was found in the document.")
        passages = tuple(replace(p, owner=entry.owner, record=entry.record) for p in segmentation.passages)
        segmentation = replace(segmentation, passages=passages)
        entry = replace(entry, warnings=(*segmentation.warnings, *entry.warnings))
        if self.slice is not None:
            self.slice.keep_passages(segmentation)
            entry = self._report(replace(entry, done=0, total=len(passages)), 0, len(passages))
            self.slice.check()
        return entry, segmentation

    def _explained_record(self, entry: DocumentEntry) -> Record | None:
        """The given record, or the record with the document's DOI."""
        if entry.record is not None:
            record = self.store.record(entry.record)
            if record is None:
                raise NotFound(f"There is no record {entry.record!r} that the document could explain.")
            return record
        if entry.owner != PUBLIC:
            return None
        record_of_doi = self.store.record_of_doi(entry.doi) if entry.doi else None
        if record_of_doi is None and self.store.is_restricted(entry):
            raise NotFound("The record that says who may see this document is gone; restore it before reading again.")
        return self.store.record(record_of_doi) if record_of_doi is not None else None

    def _write_record(
        self, entry: DocumentEntry, passages: Sequence[Passage], explained_record: Record | None
    ) -> JsonMapping | None:
        """Puts a public document into the search. The fields that its passages carry: of the record that it explains,
        else of the document's own record.
        """
        if entry.owner == PUBLIC:
            parts = HarvestParts(self.parts.client, self.parts.prefix, self.parts.embedder)
            if put_record(parts, entry, summary_of(passages), explained_record) and explained_record is None:
                return self.store.record_fields(record_of_document(entry.id))
        return inherited(explained_record) if explained_record is not None else None

    def _write_passages(
        self,
        entry: DocumentEntry,
        passages: Sequence[Passage],
        inherited_fields: JsonMapping | None,
        written_count: int,
    ) -> None:
        """Embeds and writes the passages after the first ``written_count``. Raises SliceOver when the slice ends."""
        for batch in batched(passages[written_count:], _BATCH if self.slice is None else _BATCH_OF_A_SLICE):
            documents = self._time("embed", partial(self._passage_documents, entry, batch, inherited_fields))
            failures = self.store.put_passages(entry.owner, documents)
            if failures:
                raise DocumentRefused("not_stored", f"{len(failures)} passages were not taken: {failures[0].reason}")
            written_count += len(batch)
            self._report_progress(entry, written_count, len(passages))
            if self.slice is not None and written_count < len(passages):
                self.slice.check()
        self.store.drop_passages(entry, from_ordinal=len(passages))

    def _passage_documents(
        self, entry: DocumentEntry, batch: Sequence[Passage], inherited_fields: JsonMapping | None
    ) -> list[tuple[str, Json]]:
        title, card = entry.title or entry.name, self.embedder.card
        texts = [embedding_text(passage, title, self.embedder, card.max_tokens) for passage in batch]
        vectors = to_fields(self.embedder.encode(texts, "document"), card, self.tokens)
        places = [self.parts.reader.read(passage.text) for passage in batch]
        return [
            (passage.id, passage_document(passage, title, place, inherited_fields, fields))
            for passage, place, fields in zip(batch, places, vectors, strict=True)
        ]

    def _pause(self, entry: DocumentEntry, attempts: int = 0) -> DocumentEntry:
        """Keeps what is done. ``attempts`` is 0 because this slice did its work, so no start failed."""
        latest_entry = replace(self.reported or entry, attempts=attempts, took_ms=self._rounded_times())
        try:
            return self._report(latest_entry, latest_entry.done or 0, latest_entry.total or 0)
        except DocumentGone:
            self._drop_all(entry)
            raise

    def _park(self, entry: DocumentEntry, refusal: DocumentRefused) -> DocumentEntry:
        """Parks the document with its reason; deletes passages of an earlier reading of the same bytes."""
        log.warning("document.failed", document=entry.id, reason=refusal.reason)
        self._drop_all(entry)
        latest_entry = replace(self.reported or entry, done=None, total=None)
        return self._report(replace(latest_entry, state="failed", reason=refusal.reason, message=str(refusal)[:500]))

    def _uncount_start(self, entry: DocumentEntry) -> None:
        """Removes this start from the count: the document did not cause the failure."""
        with suppress(SondeError):
            self.keep(replace(self.reported or entry, attempts=entry.attempts - 1, updated=now_iso()))

    def _drop_all(self, entry: DocumentEntry) -> None:
        self.store.drop_passages(entry)
        self._drop_slices()

    def _drop_slices(self) -> None:
        if self.slice is not None:
            self.slice.drop()

    def _report(self, entry: DocumentEntry, done_count: int = 0, total: int = 0) -> DocumentEntry:
        self.reported = entry = replace(entry, updated=now_iso())
        self.keep(entry)
        self.progress(entry.state, done_count, total)
        return entry

    def _report_progress(self, entry: DocumentEntry, done_count: int, total: int) -> None:
        self._report(replace(entry, done=done_count, total=total), done_count, total)

    def _time(self, stage: str, call: Callable[[], T]) -> T:
        started = time.perf_counter()
        try:
            return call()
        finally:
            self.took_ms[stage] = self.took_ms.get(stage, 0.0) + (time.perf_counter() - started) * 1000.0

    def _rounded_times(self) -> dict[str, float]:
        return {stage: round(value, 1) for stage, value in self.took_ms.items()}


_UNITS_WITH_PREFIX = "m|g|s|L|l|Pa|W|J|V|Hz|mol|bar|Sv|Bq|K|Gal|t|yr"
_ONLY_PREFIXED = "A|B|N|S|T|a|eq"  # alone, such a letter is rather a symbol or the mark of a note
_BARE = (
    r"%|‰|per mil|percent|ppm|ppb|ppt|psu|dB|pH units|NTU|°C|°F|° C|ºC|deg C|degrees? Celsius|°|deg|degrees?|h|hr"
    r"|hours?|min|minutes?|d|days?|months?|years?|yrs?|ha|acres?|ft|feet|in|inch(?:es)?|mi|miles?|lb|cfs|gal|mgal"
    r"|metres?|meters?|kilomet(?:re|er)s?|tons?|tonnes?|kWh|TU|μS|µS|mmHg|dpm|cps|counts"
)
_POWER = r"(?:\^?[-−–]?\d|[²³⁻¹]+)?"
_SIMPLE_UNIT = rf"(?:(?:[TGMkhdcmnpμµ]?(?:{_UNITS_WITH_PREFIX})|[TGMkhdcmnpμµ](?:{_ONLY_PREFIXED})|{_BARE}){_POWER})"
_UNIT = re.compile(rf"(?:10\^?\d+ ?)?{_SIMPLE_UNIT}(?:\s*(?:/|·|\*|per| )\s*{_SIMPLE_UNIT}){{0,3}}")
_UNIT_IN_HEADER = re.compile(
    r"[(\[]([^()\[\]]{1,30})[)\]]\s*\d?$|,\s*(?:in\s+)?([^,()\[\]]{1,30})$|\bin\s+([^,()\[\]]{1,30})$"
)
_UNIT_OF_ALL_COLUMNS = re.compile(r"[(\[](?:all )?(?:values |units )?(?:are )?in ([^()\[\]]{1,30})[)\]]", re.IGNORECASE)


def unit_of(head: str) -> str | None:
    """The unit at the end of a column's header; None if it states none that is known."""
    match = _UNIT_IN_HEADER.search(head.strip())
    unit = next((group for group in match.groups() if group), None) if match is not None else None
    return _known_unit(unit)


def units(heads: Sequence[str], caption: str = "") -> tuple[str | None, ...]:
    """One for each column: its header's, else the one that the caption gives for all of the columns but the first."""
    match = _UNIT_OF_ALL_COLUMNS.search(caption)
    common_unit = _known_unit(match[1]) if match is not None else None
    return tuple(unit_of(head) or (common_unit if place else None) for place, head in enumerate(heads))


def _known_unit(text: str | None) -> str | None:
    unit_text = (text or "").strip().removeprefix("in ").strip()
    return unit_text if unit_text and _UNIT.fullmatch(unit_text) else None


def stored_table(table: Table) -> Json:
    """Caption, size and cells as CSV; the page, each column's unit (empty: none stated), and how sure the reader is."""
    return {
        "caption": table.caption,
        "rows": len(table.rows),
        "columns": table.columns,
        "header_rows": table.header_rows,
        "csv": table.csv(),
        "units": [unit or "" for unit in units(table.heads, table.caption)],
        "sure": table.confidence,
        "found_by": table.found_by,
        **({"page": table.page} if table.page is not None else {}),
    }


def with_document(entry: DocumentEntry, document: ReadDocument) -> DocumentEntry:
    """The entry with what the document states; a reference list's values fill the gaps."""
    front = document.front
    return replace(
        entry,
        media_type=entry.media_type or MEDIA_TYPES[document.format],
        title=front.title or entry.title,
        authors=front.authors or entry.authors,
        affiliations=front.affiliations,
        doi=front.doi or entry.doi,
        journal=front.journal or entry.journal,
        published=front.published or entry.published,
        front_source=front.source,
        references=document.references,
        pages=document.pages or None,
        ocr_pages=len(document.ocr_pages),
        blank_pages=len(document.blank_pages),
        coverage=document.coverage,
        warnings=document.warnings,
        tables=tuple(map(stored_table, document.tables)),
    )


_SURE = 0.5
_MAX_VALUES = 20
_WRITTEN_KINDS = ("explicit", "period")  # a relative time ("last year") needs a date that the document does not give


@dataclass(frozen=True, slots=True)
class PassageReader:
    """Reads the text of passages with the gazetteer and the time reader for questions."""

    places: PlaceReader
    times: TimeReader

    def read(self, text: str) -> WhereWhen:
        language = detect_language(text)
        times = [time for time in self.times.read(text, language) if time.confidence >= _SURE]
        times = [time for time in times if time.kind in _WRITTEN_KINDS]
        places = [place for place in self.places.read(text, language) if place.confidence >= _SURE]
        places = [place for place in places if not any(t.start < place.end and place.start < t.end for t in times)]
        return WhereWhen(
            tuple(_distinct([place.place.name for place in places])),
            tuple(_distinct([place.place.bbox for place in places])),
            tuple(_distinct([time.span for time in times])),
            language,
        )


def _distinct(values: Sequence[T]) -> list[T]:
    return list(dict.fromkeys(values))[:_MAX_VALUES]
