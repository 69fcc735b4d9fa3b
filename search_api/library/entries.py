"""Lists and searches one user's documents. Every request includes the owner's clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from core.document import DocumentEntry, Edited, State
from core.errors import NotFound
from core.json_types import Json, JsonMapping
from core.timespan import now_iso
from es_gateway.client import Elasticsearch
from es_mappings.codecs import passages
from es_mappings.names import alias
from search_api.search.passages.retrieve import PassageRetriever
from search_api.search.passages.scope import PassageScope, entries_of
from search_api.search.passages.values import AskRequest, FoundPassage
from search_api.search.request import SearchRequest
from search_api.search.retrieval.clauses import Clause, any_of
from search_api.search.retrieval.serving import ServingResolver

Column = Literal[
    "name", "title", "authors", "journal", "doi", "published", "state", "reason", "media_type", "bytes", "pages",
    "passages", "record", "created", "updated",
]  # fmt: skip
COLUMNS: tuple[Column, ...] = get_args(Column)
SortColumn = Literal["name", "state", "bytes", "pages", "passages", "published", "created", "updated"]

_LARGE_FIELDS = ["references", "affiliations", "tables", "front_source", "registered", "took_ms"]


@dataclass(frozen=True, slots=True)
class LibraryQuery:
    """A page of the library: filters and order. ``q``: each word must occur in title, name, author, journal or DOI."""

    q: str = ""
    states: tuple[State, ...] = ()
    sort: SortColumn = "created"
    descending: bool = True
    limit: int = 20
    offset: int = 0


@dataclass(frozen=True, slots=True)
class LibraryUsage:
    """Totals of an owner's documents."""

    documents: int
    bytes: int


class LibraryEntries:
    """Methods raise core.errors.Unavailable if Elasticsearch does not answer."""

    def __init__(self, client: Elasticsearch, prefix: str) -> None:
        self._client = client
        self._prefix = prefix

    def find(self, owner: str, id: str) -> DocumentEntry | None:
        """None if there is no such document, or another user owns it."""
        entries = self.find_many(owner, [id])
        return entries.get(id)

    def find_many(self, owner: str, ids: Sequence[str]) -> dict[str, DocumentEntry]:
        """The owner's entries by id, without those being deleted."""
        if not ids:
            return {}
        hits, _ = self._search(owner, [{"ids": {"values": list(ids)}}], size=len(ids))
        return {entry.id: entry for entry in hits}

    def page(self, owner: str, listing: LibraryQuery) -> tuple[list[DocumentEntry], int]:
        """One page, and the total number."""
        filters: list[Clause] = [_word_clause(word) for word in listing.q.split()[:20]]
        if listing.states:
            filters.append({"terms": {"state": list(listing.states)}})
        order = "desc" if listing.descending else "asc"
        ties = [{"created": "desc"}, {"origin": "asc"}]  # an origin is unique to one document
        sort = [{listing.sort: {"order": order, "missing": "_last"}}, *ties]
        return self._search(owner, filters, size=listing.limit, from_=listing.offset, sort=sort)

    def usage(self, owner: str) -> LibraryUsage:
        scope = entries_of(self._prefix, owner)
        aggs = {"bytes": {"sum": {"field": "bytes"}}}
        body = {"query": _query(scope, []), "size": 0, "aggs": aggs, "track_total_hits": True}
        answer = self._run(scope, body)
        bytes_ = answer.get("aggregations", {}).get("bytes", {}).get("value", 0)
        return LibraryUsage(answer["hits"]["total"]["value"], int(bytes_))

    def put(self, entry: DocumentEntry) -> None:
        """Visible when this returns, because clients ask for the state right after an upload."""
        scope = entries_of(self._prefix, entry.owner)
        self._client.index(
            index=scope.index, id=entry.id, document=passages.entry_to_document(entry), refresh=True, require_alias=True
        )

    def edit(self, owner: str, id: str, edited: Edited) -> None:
        """Changes only these metadata; a worker may write the others meanwhile. Visible when this returns.

        Raises NotFound if it was deleted.
        """
        scope = entries_of(self._prefix, owner)
        change = {**edited, "edited": dict(edited), "updated": now_iso()}
        answer = self._client.options(ignore_status=404).update(
            index=scope.index, id=id, doc=change, refresh=True, retry_on_conflict=5
        )
        if "error" in answer.body:
            raise NotFound(f"There is no document {id!r} in your library.")

    def has_record(self, record: str) -> bool:
        """Whether the catalogue has the record and the caller may see it."""
        quiet = self._client.options(ignore_status=404)
        answer = quiet.get(index=alias(self._prefix, "records"), id=record, source_includes=["source"]).body
        return bool(answer.get("found"))

    def _search(self, owner: str, filters: Sequence[Clause], **more: object) -> tuple[list[DocumentEntry], int]:
        scope = entries_of(self._prefix, owner)
        body = {"query": _query(scope, filters), "track_total_hits": True, "_source": {"excludes": _LARGE_FIELDS}}
        answer = self._run(scope, {**body, **{name.rstrip("_"): value for name, value in more.items()}})
        entries = [passages.entry_from_document(hit["_id"], hit["_source"]) for hit in answer["hits"]["hits"]]
        return entries, int(answer["hits"]["total"]["value"])

    def _run(self, scope: PassageScope, body: JsonMapping) -> Json:
        answer: Json = self._client.search(
            index=scope.index,
            ignore_unavailable=True,  # no index yet: there are no documents
            body=dict(body),
        ).body
        return answer


def _query(scope: PassageScope, filters: Sequence[Clause]) -> Clause:
    return {"bool": {"filter": [scope.clause, *filters], "must_not": [{"term": {"state": "deleted"}}]}}


_LONGEST_PATTERN = 64


def _word_clause(word: str) -> Clause:
    # Elasticsearch refuses longer patterns as too complex.
    pattern = {"value": f"*{_escape(word[:_LONGEST_PATTERN])}*", "case_insensitive": True}
    clauses: list[Clause] = [{"wildcard": {field: pattern}} for field in ("name", "authors", "journal", "doi")]
    # A phrase prefix would only expand to the first 50 words of all users' titles.
    title_clause: Clause = {"match_bool_prefix": {"title": {"query": word, "operator": "and"}}}
    return any_of(title_clause, *clauses)


def _escape(word: str) -> str:
    return "".join(f"\\{character}" if character in "*?\\" else character for character in word)


_MAX_SHOWN = 200  # documents shown without a question


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document with its best passage; ``passage`` is None without a question."""

    entry: DocumentEntry
    passage: FoundPassage | None = None

    @property
    def score(self) -> float:
        """0..1: the calibrated relevance of the passage."""
        return self.passage.relevance if self.passage is not None else 0.0


@dataclass(frozen=True, slots=True)
class LibrarySearch:
    """Stateless. Methods raise core.errors.Unavailable if Elasticsearch does not answer."""

    retriever: PassageRetriever
    resolver: ServingResolver
    entries: LibraryEntries

    def search(self, request: SearchRequest, owner: str) -> list[FoundDocument]:
        """The owner's documents, best first; documents below the threshold of answers are left out.

        Filters apply to documents as to records: a document without the field does not match.
        """
        filters = request.filters
        if filters.expression or filters.formats or request.place is not None:
            return []
        if not request.q:
            return [] if filters != type(filters)() else self._latest(owner)
        window = self.retriever.ranker.candidate_window  # a document ranks by its best passage
        question = AskRequest(request.q, filters=filters, scope="mine", owner=owner, top_k=window)
        passages_found = self.retriever.retrieve(question, self.resolver.resolve())
        best = best_of_each(passages_found.passages)
        entries = self.entries.find_many(owner, list(best))
        return [FoundDocument(entries[id], passage) for id, passage in best.items() if id in entries]

    def _latest(self, owner: str) -> list[FoundDocument]:
        entries, _ = self.entries.page(owner, LibraryQuery(states=("ready",), limit=_MAX_SHOWN))
        return [FoundDocument(entry) for entry in entries]


def best_of_each(passages: Sequence[FoundPassage]) -> Mapping[str, FoundPassage]:
    """The first passage of each document, by document id, in the order given."""
    best: dict[str, FoundPassage] = {}
    for passage in passages:
        best.setdefault(passage.document, passage)
    return best


def merged(records: int, documents: int) -> list[tuple[bool, int]]:
    """Merges both lists: (is it a document, its position in its own list), for ``records`` and ``documents`` many.

    Their scores have different scales, so only ranks count: alternately, a record first. That is the order of
    reciprocal rank fusion (Cormack et al., SIGIR 2009) of two disjoint lists.
    """
    places = [(rank, False) for rank in range(records)] + [(rank, True) for rank in range(documents)]
    return [(is_document, rank) for rank, is_document in sorted(places)]
