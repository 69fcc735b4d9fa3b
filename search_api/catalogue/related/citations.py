"""Works elsewhere that cite a data set, and public documents of ours that explain or name a record.

Off unless an address is set. Asked through the gate when a record is opened, and cached in memory for a day.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import structlog
from cachetools import TTLCache

from core.document import DocumentEntry, Passage, document_of_record
from core.errors import Unavailable
from core.json_types import Json
from core.names import folded, folded_words, position_of
from core.record import Record
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all
from es_mappings.codecs import passages
from es_mappings.names import alias
from net.errors import BadStatus, Refused
from net.exchange import Outgoing
from net.gate import Gate
from reading.names import read_identifiers
from search_api.search.passages.scope import scopes
from search_api.search.retrieval.clauses import Clause

log = structlog.get_logger(__name__)

_CACHE_S = 24 * 3600.0
_FAILED_S = 600.0
_MOST_CACHED = 5_000
_MOST_EVENTS = 100
_MOST_BYTES = 4 * 1024 * 1024

_CITING = ("cites", "references", "is-supplemented-by", "is-derived-from", "reviews", "documents")
"""The subject cites the object; the relations below say it the other way round."""
_CITED = ("is-cited-by", "is-referenced-by", "is-supplement-to", "is-source-of", "is-reviewed-by", "is-documented-by")


@dataclass(frozen=True, slots=True)
class CitingWork:
    """``doi`` of the work that cites, bare and in lower case; ``relation`` as that work would say it (``cites``);
    ``said_by``: who reported it (``crossref``, ``datacite-related``)."""

    doi: str
    relation: str
    said_by: str
    year: str | None = None


@dataclass(frozen=True, slots=True)
class EventService:
    """``url``: of the events, without a query."""

    url: str
    timeout_s: float = 5.0


class CitationEvents:
    """Thread-safe. Without a service nothing is asked and nothing is known."""

    def __init__(self, service: EventService | None, gate: Callable[[], Gate]) -> None:
        self._service = service
        self._gate = gate
        self._lock = threading.Lock()
        self._cache: TTLCache[str, tuple[CitingWork, ...]] = TTLCache(_MOST_CACHED, _CACHE_S)
        self._failed: TTLCache[str, str] = TTLCache(_MOST_CACHED, _FAILED_S)

    @property
    def is_on(self) -> bool:
        return self._service is not None

    def of(self, doi: str) -> tuple[CitingWork, ...]:
        """Newest first. Raises Unavailable if the service does not answer, now or a few minutes ago."""
        if self._service is None:
            return ()
        with self._lock:
            from_cache, failure = self._cache.get(doi), self._failed.get(doi)
        if from_cache is not None:
            return from_cache
        if failure is not None:
            raise Unavailable(failure)
        try:
            citations = citations_of(doi, self._fetch(doi, self._service))
        except (Unavailable, Refused, BadStatus, ValueError) as error:
            log.warning("citations.failed", error=type(error).__name__)
            problem = "The service that knows citations does not answer."
            with self._lock:
                self._failed[doi] = problem
            raise Unavailable(problem) from error
        with self._lock:
            self._cache[doi] = citations
        return citations

    def _fetch(self, doi: str, service: EventService) -> object:
        """Raises Unavailable, Refused, BadStatus."""
        params = {"doi": doi, "page[size]": str(_MOST_EVENTS)}
        outgoing_request = Outgoing(service.url, params=params, max_bytes=_MOST_BYTES, timeout_s=service.timeout_s)
        answer: object = self._gate().request(outgoing_request).expect_ok().parsed()
        return answer


def citations_of(doi: str, answer: object) -> tuple[CitingWork, ...]:
    """Each citing work once, newest first, then by DOI. Raises ValueError if this is no list of events."""
    events = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(events, list):
        raise ValueError("no list of events")
    newest: dict[str, CitingWork] = {}
    for citation in _citing_works(doi.lower(), events):
        earlier_work = newest.get(citation.doi)
        if earlier_work is None or (citation.year or "") > (earlier_work.year or ""):
            newest[citation.doi] = citation
    return tuple(sorted(newest.values(), key=lambda citation: (-int(citation.year or 0), citation.doi)))


def _citing_works(doi: str, events: Iterable[object]) -> Iterable[CitingWork]:
    for event in events:
        attributes = event.get("attributes") if isinstance(event, dict) else None
        if isinstance(attributes, dict) and (citation := _citation(doi, attributes)) is not None:
            yield citation


def _citation(doi: str, attributes: Json) -> CitingWork | None:
    citing_doi, cited_doi = _doi(attributes.get("subj-id")), _doi(attributes.get("obj-id"))
    relation = str(attributes.get("relation-type-id", ""))
    reporter, year = str(attributes.get("source-id", "")), _year(attributes.get("occurred-at"))
    if relation in _CITING and cited_doi == doi and citing_doi not in (None, doi):
        return CitingWork(str(citing_doi), relation, reporter, year)
    if relation in _CITED and citing_doi == doi and cited_doi not in (None, doi):
        return CitingWork(str(cited_doi), _CITING[_CITED.index(relation)], reporter, year)
    return None


def _doi(address: object) -> str | None:
    dois = [identifier.value for identifier in read_identifiers(str(address or "")) if identifier.kind == "doi"]
    return dois[0] if dois else None


def _year(instant: object) -> str | None:
    """Events without a date say the year 0."""
    year = str(instant or "")[:4]
    return year if year.isdecimal() and year > "1000" else None


LEAST_TITLE_WORDS = 4
"""A shorter title ("Bathymetry data") is also an ordinary phrase."""

_MOST_DOCUMENTS = 50
_AROUND = 200
"""Characters of a quote before and after the name."""
_PASSAGE = ["record", "document", "ordinal", "text", "kind", "section_path", "section_role", "first_page", "last_page"]
_ONCE: Json = {"collapse": {"field": "document"}, "sort": [{"document": "asc"}, {"ordinal": "asc"}]}
_ENTRY_WITHOUT = ["affiliations", "tables", "front_source", "registered", "took_ms", "warnings"]


@dataclass(frozen=True, slots=True)
class Mention:
    """``passage``: where it is named; None if only the list of references names it, in ``reference``."""

    document: DocumentEntry
    passage: Passage | None
    reference: str | None = None

    def quote(self, phrases: Sequence[str]) -> str:
        """The text around the first phrase that it names."""
        text = (self.reference if self.passage is None else self.passage.text) or ""
        places = (position_of(phrase, text) for phrase in phrases)
        start, end = next((place for place in places if place is not None), (0, 0))
        first = text.rfind(" ", 0, max(0, start - _AROUND)) + 1 if start > _AROUND else 0
        last = text.find(" ", end + _AROUND)
        last = len(text) if last < 0 else last
        return ("… " if first else "") + text[first:last] + (" …" if last < len(text) else "")


@dataclass(frozen=True, slots=True)
class MentionReader:
    """``client`` returns only what the caller may see. Raises Unavailable."""

    client: Elasticsearch
    prefix: str

    def of(self, record: Record, limit: int) -> list[Mention]:
        """Documents that belong to the record itself are left out: they explain it. By the document's id."""
        phrases = phrases_of(record)
        if not phrases:
            return []
        quoting_passages, referring_documents = self._mentions(record, phrases)
        visible = self._visible([id for id in referring_documents if id not in quoting_passages])
        entries = {**self._entries(list(quoting_passages)), **{id: referring_documents[id] for id in visible}}
        mentions = [
            Mention(entry, quoting_passages.get(id), None if id in quoting_passages else _reference(entry, phrases))
            for id, entry in sorted(entries.items())
        ]
        return [mention for mention in mentions if mention.passage is not None or mention.reference is not None][:limit]

    def explaining(self, record: Record, limit: int) -> list[Mention]:
        """Documents that belong to the record, each with its first passage of text. By the document's id."""
        scope = scopes(self.prefix, "public", None)[0]
        own_filters = [scope.clause, {"term": {"record": record.id}}, {"term": {"kind": "text"}}]
        body = {"query": {"bool": {"filter": own_filters}}, "size": limit, "_source": _PASSAGE, **_ONCE}
        answer = search_all(self.client, [{"index": scope.index, "ignore_unavailable": True}, body])[0]
        first = (passages.from_document(hit["_id"], hit["_source"])[0] for hit in _hits(answer))
        by_document = {passage.document: passage for passage in first}
        entries = self._entries(list(by_document))
        return [Mention(entry, by_document[id]) for id, entry in sorted(entries.items())]

    def _mentions(self, record: Record, phrases: Sequence[str]) -> tuple[dict[str, Passage], dict[str, DocumentEntry]]:
        """A passage of each document whose text names it; the entries whose references do, visible or not."""
        scope = scopes(self.prefix, "public", None)[0]
        own_document = document_of_record(record.id)  # a document quotes its own title
        other_documents: list[Clause] = [
            {"term": {"record": record.id}},
            *([] if own_document is None else [{"term": {"document": own_document}}]),
        ]
        texts = {"bool": {"filter": [scope.clause, _any_phrase("text", phrases)], "must_not": other_documents}}
        lists = {"bool": {"filter": [scope.clause, _any_phrase("references", phrases)], "must_not": other_documents}}
        entries = {"index": alias(self.prefix, "documents"), "ignore_unavailable": True}
        in_text, in_references = search_all(
            self.client,
            [
                {"index": scope.index, "ignore_unavailable": True},
                {"query": texts, "size": _MOST_DOCUMENTS, "_source": _PASSAGE, **_ONCE},
                entries,
                {"query": lists, "size": _MOST_DOCUMENTS, "_source": {"excludes": _ENTRY_WITHOUT}},
            ],
        )
        found_passages = (passages.from_document(hit["_id"], hit["_source"])[0] for hit in _hits(in_text))
        quoting_passages = {passage.document: passage for passage in found_passages if names_one(passage.text, phrases)}
        return quoting_passages, {
            hit["_id"]: passages.entry_from_document(hit["_id"], hit["_source"]) for hit in _hits(in_references)
        }

    def _visible(self, ids: Sequence[str]) -> list[str]:
        """Those with a first passage that the caller may see: entries are not filtered, passages are."""
        if not ids:
            return []
        scope = scopes(self.prefix, "public", None)[0]
        filters = [scope.clause, {"terms": {"document": ids}}, {"term": {"ordinal": 0}}]
        body: Json = {"query": {"bool": {"filter": filters}}, "size": len(ids), "_source": ["document"]}
        answer = search_all(self.client, [{"index": scope.index, "ignore_unavailable": True}, body])[0]
        return [str(hit["_source"]["document"]) for hit in _hits(answer)]

    def _entries(self, ids: Sequence[str]) -> dict[str, DocumentEntry]:
        if not ids:
            return {}
        answer = self.client.mget(index=alias(self.prefix, "documents"), ids=ids, source_excludes=_ENTRY_WITHOUT)
        documents_found = (document for document in answer.body["docs"] if document.get("found"))
        return {
            document["_id"]: passages.entry_from_document(document["_id"], document["_source"])
            for document in documents_found
        }


def phrases_of(record: Record) -> list[str]:
    """What names the record and hardly anything else."""
    title = record.title if len(folded_words(record.title)) >= LEAST_TITLE_WORDS else None
    return [text for text in (record.doi, title) if text]


def names_one(text: str, phrases: Sequence[str]) -> bool:
    """A phrase query ignores punctuation: ``10.5065/d6 1`` is not ``10.5065/d61``. A DOI must end where it ends."""
    return any(_is_in(phrase, text) for phrase in phrases)


def _is_in(phrase: str, text: str) -> bool:
    if phrase.startswith("10."):
        without_spaces = re.sub(r"\s+(?=[/.])|(?<=[/.])\s+", "", folded(text))  # a line of a PDF may end in a DOI
        return re.search(rf"(?<![\w.]){re.escape(folded(phrase))}(?![\w/]|\.\w)", without_spaces) is not None
    return f" {' '.join(folded_words(phrase))} " in f" {' '.join(folded_words(text))} "


def _reference(entry: DocumentEntry, phrases: Sequence[str]) -> str | None:
    return next((reference for reference in entry.references if names_one(reference, phrases)), None)


def _any_phrase(field: str, phrases: Sequence[str]) -> Clause:
    return {"bool": {"should": [{"match_phrase": {field: phrase}} for phrase in phrases]}}


def _hits(answer: Json) -> list[Json]:
    hits: list[Json] = answer["hits"]["hits"]
    return hits
