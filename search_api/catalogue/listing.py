"""Reads stored records: pages of a catalogue by filters alone, one record, its original metadata.

Pages need no server memory: the next one starts after the sort values of the last record. In the default order, by id,
no record is missed or repeated during a harvest, because ids never change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from core.errors import InvalidInput, NotFound, Unavailable
from core.geo import BBox
from core.json_types import Json, JsonMapping
from core.record import Record, id_of_address
from core.timespan import TimeSpan
from es_gateway.client import Elasticsearch
from es_gateway.errors import SearchRefused
from es_gateway.searching import search_all, with_current_index
from es_mappings.codecs import ledger, vectors
from es_mappings.codecs.records import from_document
from es_mappings.names import alias
from search_api.catalogue.listing_facets import FacetRequest, facets_body, read_counts
from search_api.search.order import SortKey, sort_body
from search_api.search.retrieval.clauses import LANGUAGES, Clause, any_of, area_clause, phrase, span_clause
from search_api.search.retrieval.serving import Serving, ServingResolver

_ONE_FIELD = ("words",)
_SEPARATE_FIELDS = ("title", "alternate_titles", "abstract", "keywords.term")
"""Where the records of an older schema have their words."""
_WORD = re.compile(r"\w+(?:['’.]\w+)*")
_MOST_STEMMED_WORDS = 12
"""A longer phrase is a quotation and is matched exactly."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records. Several values of one field: any of them; ``source`` None: all catalogues.

    ``terms``: words or phrases, of which a record contains any. ``also``: further clauses.
    """

    source: str | None = None
    terms: tuple[str, ...] = ()
    area: BBox | None = None
    span: TimeSpan | None = None
    types: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    external_ids: tuple[str, ...] = ()
    also: tuple[Clause, ...] = ()


@dataclass(frozen=True, slots=True)
class ListRequest:
    """One page. ``after`` holds the sort values of the last record of the previous page; ``facets`` are counted."""

    selection: Selection = field(default_factory=Selection)
    order: tuple[SortKey, ...] = ()
    limit: int = 100
    after: tuple[object, ...] | None = None
    facets: tuple[FacetRequest, ...] = ()


def selected(selection: Selection, has_words: bool) -> Clause:
    """The clause for every record of the listing; all records without a selection.

    ``has_words``: whether the records have all their words in one field.
    """
    exact = {
        "source": [selection.source] if selection.source is not None else [],
        "type": selection.types,
        "id": selection.ids,
        "identifiers": selection.external_ids,
    }
    clauses: list[Clause] = [{"terms": {field: list(values)}} for field, values in exact.items() if values]
    if selection.terms:
        texts = _ONE_FIELD if has_words else _SEPARATE_FIELDS
        clauses.append(any_of(*(reading for term in selection.terms for reading in _readings(term, texts))))
    if selection.area is not None:
        clauses.append(area_clause(selection.area, "intersects"))
    if selection.span is not None:
        clauses.append(span_clause(selection.span))
    clauses += selection.also
    return {"bool": {"filter": clauses}} if clauses else {"match_all": {}}


def _readings(term: str, texts: Sequence[str]) -> list[Clause]:
    """The words side by side in this order: as written, or as the analyser of one language reduces them.

    Analysers also drop words: Spanish takes "sea" for a form of "ser", so "sea ice" would find every "ice". A dropped
    word matches nothing alone, so a language counts only if each word matches.
    """
    words = dict.fromkeys(word.lower() for word in _WORD.findall(term))
    languages = LANGUAGES if len(words) <= _MOST_STEMMED_WORDS else ()
    return [
        phrase(term, texts),
        *(_short_clause(term, words, [f"{text}.{language}" for text in texts]) for language in languages),
    ]


def _short_clause(term: str, words: Iterable[str], fields: Sequence[str]) -> Clause:
    clauses: list[Clause] = [{"multi_match": {"query": word, "fields": fields}} for word in words]
    return {"bool": {"filter": [phrase(term, fields), *clauses]}}


def page_body(request: ListRequest, has_words: bool) -> Json:
    """One page plus one record, which shows whether there is a next page."""
    after = {"search_after": list(request.after)} if request.after is not None else {}
    return {
        "query": selected(request.selection, has_words),
        "size": request.limit + 1,
        "track_total_hits": True,
        **sort_body(request.order),
        **facets_body(request.facets),
        **after,
    }


LARGEST_ORIGINAL_BYTES = 64 * 1024 * 1024
LONGEST_ID = 512
"""In bytes of UTF-8: Elasticsearch's limit for an id."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record with the harvest that imported it; moments as ISO 8601.

    ``version`` changes with each write of the record; "" in a list of records.
    """

    record: Record
    written: str | None = None
    first_seen: str | None = None
    run: str | None = None
    version: str = ""


@dataclass(frozen=True, slots=True)
class ListPage:
    """``after``: the start of the next page, None on the last one. ``matched``: the size of the whole listing."""

    records: tuple[StoredRecord, ...]
    matched: int
    after: tuple[object, ...] | None
    facets: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Original:
    """The metadata as the catalogue published them."""

    content: bytes
    format: str
    media_type: str | None = None


class RecordReader:
    """Stateless, so threads may share it."""

    def __init__(self, client: Elasticsearch, prefix: str, resolver: ServingResolver) -> None:
        self._client = client
        self._prefix = prefix
        self._resolver = resolver

    @property
    def has_words(self) -> bool:
        """Whether the records have all their words in one field. Raises Unavailable."""
        return self._resolver.resolve().has_words

    def page(self, request: ListRequest) -> ListPage:
        """Raises Unavailable, or InvalidInput if the cursor does not fit the order."""
        answer = self._on_records(
            lambda serving: {**page_body(request, serving.has_words), "_source": vectors.EXCEPT_VECTORS}
        )
        hits = answer["hits"]["hits"]
        page = hits[: request.limit]
        after = tuple(page[-1]["sort"]) if len(hits) > request.limit and page else None
        facets = read_counts(request.facets, answer.get("aggregations", {}))
        records = tuple(_stored_record(hit) for hit in page)
        return ListPage(records, int(answer["hits"]["total"]["value"]), after, facets)

    def pages(self, request: ListRequest) -> Iterator[ListPage]:
        """All pages from this one on."""
        while True:
            page = self.page(request)
            yield page
            if page.after is None:
                return
            request = replace(request, after=page.after)

    def record(self, record_id: str, source: str | None = None) -> StoredRecord:
        """The record by its full id or, in the catalogue of one source, by its name there, as PUT takes it.

        Raises NotFound if there is no such record (in that catalogue).
        """
        hit = self._source(record_id, "records", vectors.EXCEPT_VECTORS)
        if hit is None and source is not None and (full := id_of_address(source, record_id)) != record_id:
            hit = self._source(full, "records", vectors.EXCEPT_VECTORS)
        if hit is None or (source is not None and hit["_source"]["source"] != source):
            raise NotFound(f"There is no record {record_id!r}" + (f" in the catalogue {source!r}." if source else "."))
        return _stored_record(hit)

    def visible(self, ids: Collection[str]) -> set[str]:
        """Those of the ids that are records which the caller may see."""
        if not ids:
            return set()
        body = {"query": {"ids": {"values": sorted(ids)}}, "size": len(ids), "_source": False}
        return {hit["_id"] for hit in self.search(body)["hits"]["hits"]}

    def original(self, record_id: str) -> Original:
        """Raises NotFound if the original was not stored."""
        hit = self._source(record_id, "natives", None)
        if hit is None:
            raise NotFound(f"The original metadata of {record_id!r} were not kept.")
        try:
            document = ledger.native_from_document(hit["_source"], most_bytes=LARGEST_ORIGINAL_BYTES)
        except ledger.NativeUnreadable as error:
            raise Unavailable(f"The original metadata of {record_id!r} cannot be read.") from error
        return Original(document.content, document.format, document.media_type)

    def vector(self, record_id: str) -> list[float] | None:
        """The record's embedding; None if it has none (yet)."""
        hit = self._source(record_id, "records", {"includes": [vectors.VECTOR]})
        return None if hit is None else hit["_source"].get(vectors.VECTOR)

    def search(self, body: JsonMapping, index: str | None = None) -> Json:
        """One search on the live records. Raises Unavailable."""
        return self._on_records(lambda _: body) if index is None else self._search(index, body)

    def ledger(self, body: JsonMapping) -> Json:
        """One search on the ledger of removed records."""
        return self.search(body, alias(self._prefix, "ledger"))

    def _on_records(self, body: Callable[[Serving], JsonMapping]) -> Json:
        return with_current_index(self._resolver, lambda serving: self._search(serving.records.index, body(serving)))

    def _search(self, index: str, body: JsonMapping) -> Json:
        try:
            return search_all(self._client, [{"index": index}, dict(body)])[0]
        except SearchRefused as error:
            if "search_after" in body:
                raise InvalidInput("cursor", "cursor: does not fit this order; start again without it") from error
            raise

    def _source(self, record_id: str, kind: str, fields: JsonMapping | None) -> Json | None:
        if not 0 < len(record_id.encode()) <= LONGEST_ID:
            return None  # Elasticsearch refuses to look it up
        index = self._resolver.resolve().records.index if kind == "records" else alias(self._prefix, "natives")
        source_fields = {f"source_{name}": value for name, value in (fields or {}).items()}
        answer = self._client.options(ignore_status=404).get(index=index, id=record_id, **source_fields).body
        return dict(answer) if answer.get("found") else None


def _stored_record(hit: JsonMapping) -> StoredRecord:
    source = hit["_source"]
    harvest = source.get("harvest", {})
    moments = harvest.get("written"), harvest.get("first_seen"), harvest.get("run")
    return StoredRecord(from_document(source), *moments, _version(hit))


def _version(hit: JsonMapping) -> str:
    """Sequence numbers begin again in each index (a reindex makes one), and primary terms count restored copies."""
    if "_seq_no" not in hit:
        return ""
    return f"{hit['_index'].rpartition('-')[2]}.{hit['_primary_term']}.{hit['_seq_no']}"
