"""Searches a user's own documents by their best passage, alone or together with records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.document import DocumentEntry
from search_api.library.entries import LibraryEntries, Listing
from search_api.search.passages.retrieve import PassageRetriever
from search_api.search.passages.values import AskRequest, FoundPassage
from search_api.search.request import SearchRequest
from search_api.search.retrieval.serving import ServingResolver

_MOST = 200  # documents shown without a question


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
        asked = AskRequest(request.q, filters=filters, scope="mine", owner=owner, top_k=window)
        found = self.retriever.retrieve(asked, self.resolver.resolve())
        best = best_of_each(found.passages)
        entries = self.entries.of_ids(owner, list(best))
        return [FoundDocument(entries[id], passage) for id, passage in best.items() if id in entries]

    def _latest(self, owner: str) -> list[FoundDocument]:
        entries, _ = self.entries.page(owner, Listing(states=("ready",), limit=_MOST))
        return [FoundDocument(entry) for entry in entries]


def best_of_each(passages: Sequence[FoundPassage]) -> Mapping[str, FoundPassage]:
    """The first passage of each document, by document id, in the order given."""
    best: dict[str, FoundPassage] = {}
    for passage in passages:
        best.setdefault(passage.document, passage)
    return best


def records_needed(request: SearchRequest) -> SearchRequest:
    """The request for the records that a page of the merged list can contain: all up to its end."""
    return replace(request, offset=0, limit=request.offset + request.limit)


def merged(records: int, documents: int) -> list[tuple[bool, int]]:
    """Merges both lists: (is it a document, its position in its own list), for ``records`` and ``documents`` many.

    Their scores have different scales, so only ranks count: alternately, a record first. That is the order of
    reciprocal rank fusion (Cormack et al., SIGIR 2009) of two disjoint lists.
    """
    places = [(rank, False) for rank in range(records)] + [(rank, True) for rank in range(documents)]
    return [(is_document, rank) for rank, is_document in sorted(places)]
