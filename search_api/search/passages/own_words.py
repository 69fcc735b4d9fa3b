"""Searches one user's passages, with scores that depend only on that user's passages.

Users share one index. Elasticsearch's BM25 would weigh a word by its frequency in all passages, so a score would
reveal whether the word occurs in another user's documents. Here each word is counted in the owner's passages, and the
score uses those counts. Vectors are compared one by one and unquantised: the neighbour graph and its rounded vectors
depend on everybody's passages.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.json_types import Json, JsonMapping
from search_api.search.passages.scope import PassageScope
from search_api.search.ranking.words import WordWeights
from search_api.search.retrieval.filters import Clause

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
            word, suffix, counts.weight(word, suffix) * (1.0 if place == 0 else weights.plain), weights.saturation
        )
        for place, suffix in enumerate(suffixes)
        for word in words
        if counts.weight(word, suffix)
    ]
    query = {"bool": {"should": should, "minimum_should_match": 1, "filter": list(filters)}}
    return {"query": query if should else {"match_none": {}}, "sort": _TIES}


def own_dense_query(vector: NDArray[np.float32], filters: Sequence[Clause]) -> Json:
    """Every passage that passes the filters, by its cosine, on the scale of ``knn``."""
    among = {"bool": {"filter": [*filters, {"exists": {"field": "vector"}}]}}
    query_vector = [round(float(value), 6) for value in vector]
    script = {"source": _COSINE, "params": {"asked": query_vector}}
    return {"query": {"script_score": {"query": among, "script": script}}, "sort": _TIES}


def _word_query(word: str, suffix: str) -> Clause:
    fields = [f"text{suffix}", f"heading{suffix}"]
    return {"multi_match": {"query": word, "fields": fields, "type": "most_fields"}}


def _scored_word(word: str, suffix: str, weight: float, saturation: float) -> Clause:
    script = {"source": _BM25, "params": {"weight": weight, "k1": saturation}}
    return {"script_score": {"query": _word_query(word, suffix), "script": script}}
