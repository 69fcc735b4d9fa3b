"""The completions of a half-typed question."""

from __future__ import annotations

from dataclasses import dataclass

from core.place import Place
from es_gateway.client import Elasticsearch
from es_gateway.searching import on_current
from search_api.search.retrieval.serving import ServingResolver
from search_api.search.suggest.indexed import KeywordFound, TitleFound, indexed
from search_api.search.suggest.names import NameFound
from search_api.search.suggest.places import PlaceSuggester


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Each list best first."""

    titles: tuple[TitleFound, ...]
    keywords: tuple[KeywordFound, ...]
    places: tuple[Place, ...]
    names: tuple[NameFound, ...] = ()


class Suggester:
    """Stateless except for the gazetteer's tables, so threads may share it."""

    def __init__(self, client: Elasticsearch, resolver: ServingResolver, places: PlaceSuggester) -> None:
        self._client = client
        self._resolver = resolver
        self._places = places

    def suggest(self, typed: str, limit: int) -> Suggestions:
        """At most ``limit`` of each kind. Raises Unavailable."""
        found = on_current(self._resolver, lambda serving: indexed(self._client, serving.records.index, typed, limit))
        places = tuple(self._places.suggest(typed, limit))
        return Suggestions(tuple(found.titles), tuple(found.keywords), places, tuple(found.names))
