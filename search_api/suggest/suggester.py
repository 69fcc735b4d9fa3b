"""The completions of a half-typed question."""

from __future__ import annotations

from dataclasses import dataclass

from elasticsearch import Elasticsearch

from core.place import Place
from search_api.retrieval.candidates import IndexGone
from search_api.serving import ServingResolver
from search_api.suggest.indexed import KeywordFound, TitleFound, indexed
from search_api.suggest.places import PlaceSuggester


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Each list best first."""

    titles: tuple[TitleFound, ...]
    keywords: tuple[KeywordFound, ...]
    places: tuple[Place, ...]


class Suggester:
    """Holds no state of its own but the gazetteer's tables, so threads may share it."""

    def __init__(self, client: Elasticsearch, resolver: ServingResolver, places: PlaceSuggester) -> None:
        self._client = client
        self._resolver = resolver
        self._places = places

    def suggest(self, typed: str, limit: int) -> Suggestions:
        """At most ``limit`` of each kind. Raises Unavailable."""
        try:
            titles, keywords = indexed(self._client, self._index(), typed, limit)
        except IndexGone:
            self._resolver.forget()
            titles, keywords = indexed(self._client, self._index(), typed, limit)
        return Suggestions(tuple(titles), tuple(keywords), tuple(self._places.suggest(typed, limit)))

    def _index(self) -> str:
        return self._resolver.resolve().records.index
