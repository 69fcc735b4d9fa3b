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
from core.ports import TokenCard, Vectors
from core.token_bits import late_interaction
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all
from search_api.search.passages.own_words import count_searches, own_bm25_query, own_dense_query, read_counts, words_of
from search_api.search.passages.scope import PassageScope
from search_api.search.passages.values import AskRequest, FoundPassage
from search_api.search.ranking.candidates import AnyColumn, DocValue, Fields
from search_api.search.ranking.config import RankingConfig
from search_api.search.ranking.signals.arms import PassageBm25, PassageDense
from search_api.search.ranking.signals.spatial import Spatial
from search_api.search.ranking.signals.temporal import Temporal
from search_api.search.retrieval import bm25, knn
from search_api.search.retrieval.filters import Clause, area_clause, language_suffix, passage_conditions, span_clause
from search_api.search.retrieval.token_vectors import tokens_of, usable_bits
from search_api.search.understanding.interpretation import Interpretation

_SOURCE_FIELDS = [
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
class PassageCandidates:
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
    request: AskRequest
    interpretation: Interpretation
    vector: NDArray[np.float32] | None

    def arms(self, client: Elasticsearch, scopes: Sequence[PassageScope]) -> list[PassageArm]:
        """The arms of each scope. If the question names a place or a period that ranking uses, each arm is repeated
        for the passages of that place and time."""
        place_and_time = self._place_and_time()
        narrowed: list[list[Clause]] = [[], place_and_time] if place_and_time else [[]]
        all_arms: list[PassageArm] = []
        for scope in scopes:
            arms = self._own_arms(client, scope) if scope.is_private else self._public_arms(scope)
            all_arms += [arm for narrowing in narrowed for arm in arms(narrowing)]
        return all_arms

    def _public_arms(self, scope: PassageScope) -> Callable[[list[Clause]], list[PassageArm]]:
        preference = hashlib.sha256(self.interpretation.text.encode()).hexdigest()[:16]
        header = {**scope.header, "preference": preference, "search_type": "dfs_query_then_fetch"}
        words = bm25.cited_query(self.config.words, self.interpretation.text, self.interpretation.language)

        def arms(narrowing: list[Clause]) -> list[PassageArm]:
            filters = [*self._filters(scope), *narrowing]
            query = {"query": {"bool": {"must": [words], "filter": filters}}, **self._shown}
            searches = [PassageArm(PassageBm25.name, header, query)]
            if self.vector is not None:
                nearest = {"query": knn.nearest_query(self.vector, self._window, filters), **self._shown}
                searches.append(PassageArm(PassageDense.name, header, nearest, knn.cosine))
            return searches

        return arms

    def _own_arms(self, client: Elasticsearch, scope: PassageScope) -> Callable[[list[Clause]], list[PassageArm]]:
        """The same for a user's own passages, scored by these alone; empty if there are none."""
        words = words_of(self.interpretation.text)
        suffixes = list(dict.fromkeys((language_suffix(self.interpretation.language or "en"), "")))
        (answer,) = search_all(client, count_searches(scope, words, suffixes))
        word_counts = read_counts(answer, words)

        def arms(narrowing: list[Clause]) -> list[PassageArm]:
            if not word_counts.passages:
                return []
            filters = [*self._filters(scope), *narrowing]
            query = {**own_bm25_query(self.config.words, words, suffixes, word_counts, filters), **self._shown}
            searches = [PassageArm(PassageBm25.name, scope.header, query)]
            if self.vector is not None:
                nearest = {**own_dense_query(self.vector, filters), **self._shown}
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
            "_source": {"includes": _SOURCE_FIELDS},
            "docvalue_fields": _doc_values(self.config.passages.columns),
            "track_total_hits": False,
        }

    def _filters(self, scope: PassageScope) -> list[Clause]:
        return [scope.clause, *_conditions(self.request)]

    def _place_and_time(self) -> list[Clause]:
        """The question's own place and time, where no parameter names one and ranking counts it."""
        interpretation, filters, ranker = self.interpretation, self.request.filters, self.config.passages
        clauses: list[Clause] = []
        if ranker.find(Spatial) is not None and filters.area is None and interpretation.areas:
            clauses.append(
                _own_or_record_value(
                    "extent",
                    lambda field: _any_of(*(area_clause(area, "intersects", field) for area in interpretation.areas)),
                )
            )
        if ranker.find(Temporal) is not None and filters.span is None and (span := interpretation.span) is not None:
            clauses.append(_own_or_record_value("time", lambda field: span_clause(span, field)))
        return clauses


def combine_answers(
    arms: Sequence[PassageArm], answers: Sequence[JsonMapping], columns: Sequence[AnyColumn]
) -> PassageCandidates:
    """Combines the answers of the arms."""
    passages: dict[str, FoundPassage] = {}
    fields: dict[str, Fields] = {}
    scores: dict[SignalName, dict[str, float]] = {}
    for arm, answer in zip(arms, answers, strict=True):
        for hit in answer["hits"]["hits"]:
            id = hit["_id"]
            passages[id] = _passage(hit)
            fields[id] = _own_values_first(hit.get("fields", {}), columns)
            scores.setdefault(arm.signal, {})[id] = arm.measured(hit["_score"])
    return PassageCandidates(passages, fields, scores)


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


def _conditions(request: AskRequest) -> list[Clause]:
    clauses = passage_conditions(request.filters)
    if request.record is not None:
        document = document_of_record(request.record)
        clauses.append({"term": {"record": request.record} if document is None else {"document": document}})
    if request.document is not None:
        clauses.append({"term": {"document": request.document}})
    if request.documents:
        clauses.append({"terms": {"document": list(request.documents)}})
    if request.roles:
        clauses.append({"terms": {"section_role": list(request.roles)}})
    return clauses


def _own_or_record_value(field: str, clause: Callable[[str], Clause]) -> Clause:
    """A passage's own value, else its record's."""
    own = f"own_{field}"
    inherited = {"bool": {"filter": [clause(field)], "must_not": [{"exists": {"field": own}}]}}
    return _any_of(clause(own), inherited)


def _any_of(*clauses: Clause) -> Clause:
    return {"bool": {"should": list(clauses), "minimum_should_match": 1}}


def _doc_values(columns: Iterable[AnyColumn]) -> list[DocValue]:
    """The passage's own values and those of its record."""
    inherited = [value for column in columns for value in column.doc_values]
    return [*inherited, *(f"own_{value}" for value in inherited if isinstance(value, str))]


def _own_values_first(fields: Fields, columns: Iterable[AnyColumn]) -> Fields:
    names = [value for column in columns for value in column.doc_values if isinstance(value, str)]
    own = {name: fields[f"own_{name}"] for name in names if fields.get(f"own_{name}")}
    return {**fields, **own}


def late_interactions(
    client: Elasticsearch, within: Sequence[PassageScope], ids: Sequence[str], question: Vectors, card: TokenCard
) -> dict[str, float]:
    """-1..1 by passage id; without passages that have no token vectors, or another encoder's, or damaged ones.

    ``question``: (tokens, dims). One request, filtered by owner as every search for passages is.
    """
    if not ids or not within:
        return {}
    with_ids = {"ids": {"values": list(ids)}}
    bodies = [
        part
        for scope in within
        for part in (scope.header, tokens_of({"bool": {"filter": [with_ids, scope.clause]}}, len(ids)))
    ]
    hits = [hit for answer in search_all(client, bodies) for hit in answer["hits"]["hits"]]
    texts = {hit["_id"]: bits for hit in hits if (bits := usable_bits(hit, card)) is not None}
    scores = late_interaction(question, list(texts.values()))
    return dict(zip(texts, scores.tolist(), strict=True))
