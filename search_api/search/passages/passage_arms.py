"""The searches for passages: by words and meaning in each index that the caller may see, and their results.

Users share one index. Elasticsearch's BM25 would weigh a word by its frequency in all passages, so a score would
reveal whether the word occurs in another user's documents. Here each word is counted in the owner's passages, and the
score uses those counts. Vectors are compared one by one and unquantised: the neighbour graph and its rounded vectors
depend on everybody's passages.
"""

from __future__ import annotations

import hashlib
import math
import re
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
from es_mappings.codecs.passages import sections_of
from search_api.search.passages.scope import PassageScope
from search_api.search.passages.values import AskRequest, FoundPassage
from search_api.search.ranking.candidates import AnyColumn, DocValue, Fields
from search_api.search.ranking.config import RankingConfig, WordWeights
from search_api.search.ranking.signals.arms import PassageBm25, PassageDense
from search_api.search.ranking.signals.spatial import Spatial
from search_api.search.ranking.signals.temporal import Temporal
from search_api.search.retrieval import bm25
from search_api.search.retrieval.clauses import (
    Clause,
    any_of,
    area_clause,
    cosine,
    language_suffix,
    nearest_query,
    passage_conditions,
    span_clause,
)
from search_api.search.retrieval.record_reads import tokens_of, usable_bits
from search_api.search.understanding.interpretation import Interpretation

_SOURCE_FIELDS = [
    "document", "record", "text", "title", "kind", "section_path", "section_role", "sections", "first_page",
    "last_page", "table", "language",
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
            query = {"query": {"bool": {"must": [words], "filter": filters}}, **self._source_fields}
            searches = [PassageArm(PassageBm25.name, header, query)]
            if self.vector is not None:
                nearest = {"query": nearest_query(self.vector, self._window, filters), **self._source_fields}
                searches.append(PassageArm(PassageDense.name, header, nearest, cosine))
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
            query = {**own_bm25_query(self.config.words, words, suffixes, word_counts, filters), **self._source_fields}
            searches = [PassageArm(PassageBm25.name, scope.header, query)]
            if self.vector is not None:
                nearest = {**own_dense_query(self.vector, filters), **self._source_fields}
                searches.append(PassageArm(PassageDense.name, scope.header, nearest, cosine))
            return searches

        return arms

    @property
    def _window(self) -> int:
        return self.config.passages.candidate_window

    @property
    def _source_fields(self) -> Json:
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
                    lambda field: any_of(*(area_clause(area, "intersects", field) for area in interpretation.areas)),
                )
            )
        if ranker.find(Temporal) is not None and filters.span is None and interpretation.spans:
            clauses.append(
                _own_or_record_value(
                    "time", lambda field: any_of(*(span_clause(span, field) for span in interpretation.spans))
                )
            )
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
        sections=sections_of(source),
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
    own_field = f"own_{field}"
    inherited = {"bool": {"filter": [clause(field)], "must_not": [{"exists": {"field": own_field}}]}}
    return any_of(clause(own_field), inherited)


def _doc_values(columns: Iterable[AnyColumn]) -> list[DocValue]:
    """The passage's own values and those of its record."""
    inherited = [value for column in columns for value in column.doc_values]
    return [*inherited, *(f"own_{value}" for value in inherited if isinstance(value, str))]


def _own_values_first(fields: Fields, columns: Iterable[AnyColumn]) -> Fields:
    names = [value for column in columns for value in column.doc_values if isinstance(value, str)]
    own_fields = {name: fields[f"own_{name}"] for name in names if fields.get(f"own_{name}")}
    return {**fields, **own_fields}


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


_WORD = re.compile(r"\w+")
_MOST_WORDS = 48
_TIES: list[Json] = [{"_score": "desc"}, {"document": "asc"}, {"ordinal": "asc"}]
_BM25 = "double tf = _termStats.termFreq().getSum(); return params.weight * tf * (params.k1 + 1.0) / (tf + params.k1);"
_COSINE = "(1.0 + cosineSimilarity(params.asked, 'vector')) / 2.0"


@dataclass(frozen=True, slots=True)
class OwnCounts:
    """The number of the owner's passages, and of those with each word, by (word, suffix of the field)."""

    passages: int
    holding: Mapping[tuple[str, str], int]

    def weight(self, word: str, suffix: str) -> float:
        """The inverse document frequency of BM25; 0 for a word in no passage."""
        holding = self.holding.get((word, suffix), 0)
        return math.log(1.0 + (self.passages - holding + 0.5) / (holding + 0.5)) if holding else 0.0


def words_of(question: str) -> list[str]:
    """Each word once, as written; the analysers of the fields make terms of them."""
    return list(dict.fromkeys(word.lower() for word in _WORD.findall(question)))[:_MOST_WORDS]


def count_searches(scope: PassageScope, words: Sequence[str], suffixes: Sequence[str]) -> list[Json]:
    """Header and body of the search that counts the words in the owner's passages."""
    clauses = {
        f"{place} {suffix}": _word_query(word, suffix) for place, word in enumerate(words) for suffix in suffixes
    }
    body: Json = {"size": 0, "track_total_hits": True, "query": {"bool": {"filter": [scope.clause]}}}
    if clauses:
        body["aggs"] = {"words": {"filters": {"filters": clauses}}}
    return [scope.header, body]


def read_counts(answer: JsonMapping, words: Sequence[str]) -> OwnCounts:
    """The result of the search of ``count_searches``."""
    buckets = answer.get("aggregations", {}).get("words", {}).get("buckets", {})
    holding = {}
    for name, bucket in buckets.items():
        place, _, suffix = name.partition(" ")
        holding[words[int(place)], suffix] = int(bucket["doc_count"])
    return OwnCounts(int(answer["hits"]["total"]["value"]), holding)


def own_bm25_query(
    weights: WordWeights,
    words: Sequence[str],
    suffixes: Sequence[str],
    counts: OwnCounts,
    filters: Sequence[Clause],
) -> Json:
    """BM25 over text and headings without length normalisation, because passages have similar lengths."""
    should = [
        _scored_word(
            word, suffix, counts.weight(word, suffix) * (1.0 if place == 0 else weights.any_language), weights.bm25_k1
        )
        for place, suffix in enumerate(suffixes)
        for word in words
        if counts.weight(word, suffix)
    ]
    query = {"bool": {"should": should, "minimum_should_match": 1, "filter": list(filters)}}
    return {"query": query if should else {"match_none": {}}, "sort": _TIES}


def own_dense_query(vector: NDArray[np.float32], filters: Sequence[Clause]) -> Json:
    """Every passage that passes the filters, by its cosine, on the scale of ``knn``."""
    with_vector = {"bool": {"filter": [*filters, {"exists": {"field": "vector"}}]}}
    query_vector = [round(float(value), 6) for value in vector]
    script = {"source": _COSINE, "params": {"asked": query_vector}}
    return {"query": {"script_score": {"query": with_vector, "script": script}}, "sort": _TIES}


def _word_query(word: str, suffix: str) -> Clause:
    fields = [f"text{suffix}", f"heading{suffix}"]
    return {"multi_match": {"query": word, "fields": fields, "type": "most_fields"}}


def _scored_word(word: str, suffix: str, weight: float, saturation: float) -> Clause:
    script = {"source": _BM25, "params": {"weight": weight, "k1": saturation}}
    return {"script_score": {"query": _word_query(word, suffix), "script": script}}
