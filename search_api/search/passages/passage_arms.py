"""The searches for passages: by words and meaning in each index that the caller may see, and their results."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.document import document_of_record, explained_record
from core.hit import SignalName
from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all
from search_api.search.passages.own_words import counting, counts, own_meaning, own_words, words_of
from search_api.search.passages.scope import PassageScope
from search_api.search.passages.values import AskRequest, FoundPassage
from search_api.search.ranking.config import RankingConfig
from search_api.search.ranking.fields import AnyColumn, DocValue, Fields
from search_api.search.ranking.signals.passage_bm25 import PassageBm25
from search_api.search.ranking.signals.passage_dense import PassageDense
from search_api.search.ranking.signals.spatial import Spatial
from search_api.search.ranking.signals.temporal import Temporal
from search_api.search.retrieval import bm25, knn
from search_api.search.retrieval.filters import Clause, area_clause, passage_conditions, span_clause
from search_api.search.retrieval.language_fields import language_suffix
from search_api.search.understanding.interpretation import Interpretation

_SHOWN = [
    "document", "record", "text", "title", "kind", "section_path", "section_role", "first_page", "last_page", "table",
    "language",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class PassageArm:
    """One search; ``measured`` converts Elasticsearch's ``_score`` to the signal's own scale."""

    signal: SignalName
    header: JsonMapping
    body: JsonMapping
    measured: Callable[[float], float] = float


@dataclass(frozen=True, slots=True)
class FoundPassages:
    """By passage id: the fields to show, the doc values for ranking, each arm's scores, and of those with token vectors
    the late interaction (-1..1).
    """

    passages: Mapping[str, FoundPassage]
    fields: Mapping[str, Fields]
    scores: Mapping[SignalName, Mapping[str, float]]
    interactions: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PassageSearch:
    """One question as it is searched."""

    config: RankingConfig
    asked: AskRequest
    read: Interpretation
    vector: NDArray[np.float32] | None

    def arms(self, client: Elasticsearch, scopes: Sequence[PassageScope]) -> list[PassageArm]:
        """The arms of each scope. If the question names a place or a period that ranking counts, each arm also brings
        its best passages there and then."""
        there_and_then = self._there_and_then()
        narrowed: list[list[Clause]] = [[], there_and_then] if there_and_then else [[]]
        found: list[PassageArm] = []
        for scope in scopes:
            arms = self._own_arms(client, scope) if scope.is_private else self._public_arms(scope)
            found += [arm for further in narrowed for arm in arms(further)]
        return found

    def _public_arms(self, scope: PassageScope) -> Callable[[list[Clause]], list[PassageArm]]:
        preference = hashlib.sha256(self.read.text.encode()).hexdigest()[:16]
        header = {**scope.header, "preference": preference, "search_type": "dfs_query_then_fetch"}
        words = bm25.cited_query(self.config.words, self.read.text, self.read.language)

        def arms(further: list[Clause]) -> list[PassageArm]:
            filters = [*self._filters(scope), *further]
            query = {"query": {"bool": {"must": [words], "filter": filters}}, **self._shown}
            found = [PassageArm(PassageBm25.name, header, query)]
            if self.vector is not None:
                nearest = {"query": knn.nearest_query(self.vector, self._window, filters), **self._shown}
                found.append(PassageArm(PassageDense.name, header, nearest, knn.cosine))
            return found

        return arms

    def _own_arms(self, client: Elasticsearch, scope: PassageScope) -> Callable[[list[Clause]], list[PassageArm]]:
        """The same for a user's own passages, scored by these alone; empty if there are none."""
        words = words_of(self.read.text)
        suffixes = list(dict.fromkeys((language_suffix(self.read.language or "en"), "")))
        (counted,) = search_all(client, counting(scope, words, suffixes))
        found = counts(counted, words)

        def arms(further: list[Clause]) -> list[PassageArm]:
            if not found.passages:
                return []
            filters = [*self._filters(scope), *further]
            query = {**own_words(self.config.words, words, suffixes, found, filters), **self._shown}
            searches = [PassageArm(PassageBm25.name, scope.header, query)]
            if self.vector is not None:
                nearest = {**own_meaning(self.vector, filters), **self._shown}
                searches.append(PassageArm(PassageDense.name, scope.header, nearest, knn.cosine))
            return searches

        return arms

    @property
    def _window(self) -> int:
        return self.config.passages.candidate_window

    @property
    def _shown(self) -> Json:
        return {
            "size": self._window,
            "_source": {"includes": _SHOWN},
            "docvalue_fields": _doc_values(self.config.passages.columns),
            "track_total_hits": False,
        }

    def _filters(self, scope: PassageScope) -> list[Clause]:
        return [scope.clause, *_conditions(self.asked)]

    def _there_and_then(self) -> list[Clause]:
        """The question's own place and time, where no parameter names one and ranking counts it."""
        read, filters, ranker = self.read, self.asked.filters, self.config.passages
        clauses: list[Clause] = []
        if ranker.find(Spatial) is not None and filters.area is None and read.areas:
            clauses.append(_own_or_inherited("extent", lambda field: _any(*_areas(read, field))))
        if ranker.find(Temporal) is not None and filters.span is None and (span := read.span) is not None:
            clauses.append(_own_or_inherited("time", lambda field: span_clause(span, field)))
        return clauses


def found_by(arms: Sequence[PassageArm], answers: Sequence[JsonMapping], columns: Sequence[AnyColumn]) -> FoundPassages:
    """Combines the answers of the arms."""
    passages: dict[str, FoundPassage] = {}
    fields: dict[str, Fields] = {}
    scores: dict[SignalName, dict[str, float]] = {}
    for arm, answer in zip(arms, answers, strict=True):
        for hit in answer["hits"]["hits"]:
            id = hit["_id"]
            passages[id] = _passage(hit)
            fields[id] = _own_first(hit.get("fields", {}), columns)
            scores.setdefault(arm.signal, {})[id] = arm.measured(hit["_score"])
    return FoundPassages(passages, fields, scores)


def _passage(hit: JsonMapping) -> FoundPassage:
    source = hit["_source"]
    return FoundPassage(
        id=hit["_id"],
        document=source["document"],
        text=source["text"],
        record=explained_record(source.get("record")),
        title=source.get("title", ""),
        kind=source.get("kind", "text"),
        section_path=tuple(source.get("section_path", ())),
        section_role=source.get("section_role"),
        first_page=source.get("first_page"),
        last_page=source.get("last_page"),
        table=source.get("table"),
        language=source.get("language"),
    )


def _conditions(asked: AskRequest) -> list[Clause]:
    clauses = passage_conditions(asked.filters)
    if asked.record is not None:
        document = document_of_record(asked.record)
        clauses.append({"term": {"record": asked.record} if document is None else {"document": document}})
    if asked.document is not None:
        clauses.append({"term": {"document": asked.document}})
    if asked.documents:
        clauses.append({"terms": {"document": list(asked.documents)}})
    if asked.roles:
        clauses.append({"terms": {"section_role": list(asked.roles)}})
    return clauses


def _areas(read: Interpretation, field: str) -> Iterable[Clause]:
    return (area_clause(area, "intersects", field) for area in read.areas)


def _own_or_inherited(field: str, clause: Callable[[str], Clause]) -> Clause:
    """A passage's own value, else its record's."""
    own = f"own_{field}"
    inherited = {"bool": {"filter": [clause(field)], "must_not": [{"exists": {"field": own}}]}}
    return _any(clause(own), inherited)


def _any(*clauses: Clause) -> Clause:
    return {"bool": {"should": list(clauses), "minimum_should_match": 1}}


def _doc_values(columns: Iterable[AnyColumn]) -> list[DocValue]:
    """The passage's own values and those of its record."""
    inherited = [value for column in columns for value in column.doc_values]
    return [*inherited, *(f"own_{value}" for value in inherited if isinstance(value, str))]


def _own_first(fields: Fields, columns: Iterable[AnyColumn]) -> Fields:
    names = [value for column in columns for value in column.doc_values if isinstance(value, str)]
    own = {name: fields[f"own_{name}"] for name in names if fields.get(f"own_{name}")}
    return {**fields, **own}
